package mapping

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/lab"
	"weft/layout"
	model "weft/mapping"
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
		claim.Verdict = lab.VerdictOf(holds)
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
	host := lab.Must(m.FindHost(utility))
	rows := rowsOf(m, host)
	below := 0
	if at, _ := m.Peer(model.End{Node: host}); slices.Contains(rows[len(rows)-1], at.Node) {
		below = 1
	}
	top := m.NumHosts() - below
	var levels []string
	for _, row := range rows {
		levels = append(levels, count(len(row)))
	}
	two, three, full := 0, 0, 0
	for k, row := range rows {
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
	judge(claims,
		finding{fmt.Sprintf("%d; %s; %d", top, strings.Join(levels, " "), below), top == 35 && len(rows) == 3 && m.NumSwitches() == 13 && below == 1},
		finding{count(two), two == 1 && three == 6},
		finding{count(full), full == 0},
	)
	r.Pictures = picture("fig4", "Map of subcluster C", m)
	return r
}

// rowsOf lists the switches by their distance from the nearest host but one.
func rowsOf(m *model.Network, but int32) [][]int32 {
	seen := make([]bool, m.NumNodes())
	var rows [][]int32
	next := make([]int32, 0, m.NumHosts())
	for h := range int32(m.NumHosts()) {
		if h != but {
			next = append(next, h)
		}
	}
	for len(next) > 0 {
		var row []int32
		for _, v := range next {
			for p := range m.Ports(v) {
				if e, ok := m.Peer(model.End{Node: v, Port: p}); ok && !m.IsHost(e.Node) && !seen[e.Node] {
					seen[e.Node] = true
					row = append(row, e.Node)
				}
			}
		}
		if row != nil {
			rows = append(rows, row)
		}
		next = row
	}
	return rows
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

func picture(name, title string, m *model.Network) []lab.Picture {
	var svg bytes.Buffer
	f := lab.Must(m.ToFabric(title, 4, fabric.SDR))
	lab.Check(layout.Of(f, layout.Options{}).WriteSVG(&svg))
	return []lab.Picture{{Name: name, Title: title, SVG: svg.Bytes()}}
}

// fig5 draws the map of everything.
func fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	claim := lab.NewClaim("hosts, switches and links of the whole map", "100, 40, 193")
	r := &lab.Result{Notes: []string{"Only C is drawn as it was; how A and B were wired and joined is one choice of many."}}
	if s.Want("C+A+B") {
		m := mapOf(ctx, &systems[2])
		claim.Ours = fmt.Sprintf("%d, %d, %d", m.NumHosts(), m.NumSwitches(), m.NumWires())
		claim.Verdict = lab.VerdictOf(claim.Ours == claim.Paper)
		r.Pictures = picture("fig5", "Map of the 100 nodes of C+A+B", m)
	}
	r.Claims = []lab.Claim{claim}
	return r
}
