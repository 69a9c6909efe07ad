package mapping

import (
	"bytes"
	"context"

	"weft/fabric"
	"weft/fabric/layout"
	"weft/lab"
	model "weft/mapping"
	"weft/mapping/theory"
)

// mapOf returns the Berkeley algorithm's map of a system.
func mapOf(ctx context.Context, s *system) *model.Network {
	n := network(s.formula)
	r := trial{algorithm: "berkeley"}.run(ctx, n)
	lab.Check(theory.Same(r.Map, n))
	return r.Map
}

// fig3 counts the parts that each subcluster adds to the map.
func fig3(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig3", Title: "Subclusters, as what maps have more with each of them",
		Columns: []string{"subcluster", "interfaces", "switches", "links", "paper: interfaces", "switches", "links"},
	}
	if s.Want("C+A+B") {
		printed := []struct {
			name                   string
			hosts, switches, wires int
		}{{"C", 36, 13, 64}, {"A", 34, 13, 64}, {"B", 30, 14, 65}}
		var before [3]int
		for i := range systems {
			m := mapOf(ctx, &systems[i])
			p := printed[i]
			now := [3]int{m.NumHosts(), m.NumSwitches(), m.NumWires()}
			more := [3]int{now[0] - before[0], now[1] - before[1], now[2] - before[2]}
			before = now
			t.Add(p.name, count(more[0]), count(more[1]), count(more[2]), count(p.hosts), count(p.switches), count(p.wires))
		}
	}
	return &lab.Result{Tables: []lab.Table{t}, Notes: []string{
		"The networks are built with these numbers, so that they judge nothing: a map that is right has them. The links of A, B and C add up to the 193 of the whole: those that join the subclusters are counted in A and B.",
	}}
}

// fig4 draws the map of C.
func fig4(ctx context.Context, s *lab.Setup) *lab.Result {
	r := &lab.Result{Notes: []string{"C is built by what the paper says of this figure."}}
	if s.Want("C") {
		r.Pictures = picture("fig4", "Map of subcluster C", mapOf(ctx, &systems[0]))
	}
	return r
}

func picture(name, title string, m *model.Network) []lab.Picture {
	var svg bytes.Buffer
	f := lab.Must(m.ToFabric(title, 4, fabric.SDR))
	lab.Check(layout.Of(f, layout.Options{}).WriteSVG(&svg))
	return []lab.Picture{{Name: name, Title: title, SVG: svg.Bytes()}}
}

// fig5 draws the map of everything.
func fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	r := &lab.Result{Notes: []string{"Only C is drawn as it was; how A and B were wired and joined is one choice of many."}}
	if s.Want("C+A+B") {
		r.Pictures = picture("fig5", "Map of the 100 nodes of C+A+B", mapOf(ctx, &systems[2]))
	}
	return r
}
