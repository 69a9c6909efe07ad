package mapping

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"weft/lab"
	model "weft/mapping"
	"weft/mapping/draw"
	"weft/mapping/theory"
)

// mapOf returns the map that the Berkeley algorithm makes of a system.
func mapOf(ctx context.Context, s *system) *model.Network {
	n := network(s.formula)
	r := trial{algorithm: "berkeley"}.run(ctx, n)
	lab.Check(theory.Same(r.Map, n))
	return r.Map
}

// fig3 counts the subclusters in maps: what is added with each.
func fig3(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig3", Title: "Subclusters, as what maps have more with each of them",
		Columns: []string{"subcluster", "interfaces", "switches", "links", "paper: interfaces", "switches", "links"},
	}
	claim := lab.NewClaim("interfaces, switches and links of C, A and B", "36, 13, 64; 34, 13, 64; 30, 14, 65")
	if s.Want("C+A+B") {
		printed := []struct {
			name                   string
			hosts, switches, wires int
		}{{"C", 36, 13, 64}, {"A", 34, 13, 64}, {"B", 30, 14, 65}}
		var before [3]int
		holds := true
		claim.Ours = ""
		for i := range systems {
			m := mapOf(ctx, &systems[i])
			p := printed[i]
			now := [3]int{m.NumHosts(), m.NumSwitches(), m.NumWires()}
			more := [3]int{now[0] - before[0], now[1] - before[1], now[2] - before[2]}
			before = now
			t.Add(p.name, count(more[0]), count(more[1]), count(more[2]), count(p.hosts), count(p.switches), count(p.wires))
			if i > 0 {
				claim.Ours += "; "
			}
			claim.Ours += fmt.Sprintf("%d, %d, %d", more[0], more[1], more[2])
			holds = holds && more == [3]int{p.hosts, p.switches, p.wires}
		}
		claim.Verdict = lab.Judged(holds)
	}
	return &lab.Result{Tables: []lab.Table{t}, Claims: []lab.Claim{claim}, Notes: []string{
		"The links of A, B and C add up to the 193 of the whole: those that join the subclusters are counted in A and B.",
	}}
}

// fig4 draws the map of C and looks for what the paper says of it.
func fig4(ctx context.Context, s *lab.Setup) *lab.Result {
	claims := []lab.Claim{
		lab.NewClaim("hosts in the top row; switches of the three levels; hosts below, on a root", "35; 13 in all; 1"),
		lab.NewClaim("switches of the first level with 2 instead of 3 links to others", "1"),
		lab.NewClaim("switches of levels 2 and 3 without an unused port", "0"),
	}
	r := &lab.Result{Claims: claims}
	if !s.Want("C") {
		return r
	}
	m := mapOf(ctx, &systems[0])
	host := lab.Must(m.HostByName(utility))
	l := draw.Place(m, host)
	below := 0
	if l.Below >= 0 && len(l.Levels) == l.Level[l.Below]+1 {
		below = 1
	}
	top := m.NumHosts() - below
	var levels []string
	for _, row := range l.Levels {
		levels = append(levels, count(len(row)))
	}
	two, three, full := 0, 0, 0
	for k, row := range l.Levels {
		for _, v := range row {
			hosts, switches := around(m, v)
			switch {
			case k == 0 && switches == 2:
				two++
			case k == 0 && switches == 3:
				three++
			case k > 0 && hosts+switches == int(m.Ports(v)):
				full++
			}
		}
	}
	judge(claims, 0,
		finding{fmt.Sprintf("%d; %s; %d", top, strings.Join(levels, " "), below), top == 35 && len(l.Levels) == 3 && m.NumSwitches() == 13 && below == 1},
		finding{count(two), two == 1 && three == 6},
		finding{count(full), full == 0},
	)
	r.Pictures = picture("fig4", "Map of subcluster C", m, host)
	return r
}

// around counts the wires of a switch to hosts and to switches.
func around(n *model.Network, v int32) (hosts, switches int) {
	for p := range n.Ports(v) {
		if e, ok := n.Peer(model.End{Node: v, Port: p}); ok && n.IsHost(e.Node) {
			hosts++
		} else if ok {
			switches++
		}
	}
	return hosts, switches
}

func picture(name, title string, m *model.Network, host int32) []lab.Picture {
	var svg bytes.Buffer
	lab.Check(draw.SVG(&svg, m, draw.Options{Title: title, Utility: host}))
	return []lab.Picture{{Name: name, Title: title, SVG: svg.Bytes()}}
}

// fig5 draws the map of everything.
func fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	claim := lab.NewClaim("hosts, switches and links of the whole map", "100, 40, 193")
	r := &lab.Result{Notes: []string{"Only C is drawn as it was; how A and B were wired and joined is one choice of many."}}
	if s.Want("C+A+B") {
		m := mapOf(ctx, &systems[2])
		host := lab.Must(m.HostByName(utility))
		claim.Ours = fmt.Sprintf("%d, %d, %d", m.NumHosts(), m.NumSwitches(), m.NumWires())
		claim.Verdict = lab.Judged(claim.Ours == claim.Paper)
		r.Pictures = picture("fig5", "Map of the 100 nodes of C+A+B", m, host)
	}
	r.Claims = []lab.Claim{claim}
	return r
}
