package relief

import (
	"context"
	"slices"
	"testing"

	"weft/fabric/source"
	"weft/route/engine"
	"weft/route/recipe"
)

// What is counted, before and after paths have moved, is what walks of all pairs give: pairs and
// packets of each round on each channel, and the destinations of each source.
func TestCounts(t *testing.T) {
	for formula, name := range map[string]string{
		"rlft(6,2)|fail(links=3,seed=2)": "updn", "torus(4x3,hosts=2)|fail(links=2,seed=1)": "dfsssp", "kautz(2,3,hosts=19)": "nue", "rlft(4,3)|fail(links=2,seed=4)": "dfsssp",
	} {
		src, err := source.Generate(formula)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := engine.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		g := src.Fabric.Compile()
		plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 1}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		r, err := newRelief(context.Background(), g, plan)
		if err != nil {
			t.Fatal(err)
		}
		r.compare(t, formula)
		if err := r.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		r.compare(t, formula+", relieved")
	}
}

// compare holds the counts against walks of all pairs.
func (r *relief) compare(t *testing.T, name string) {
	g, hosts := r.g, len(r.hosts)
	load, from, packets := make([]int64, g.NumChannels), make([]int32, len(r.from)), make([]uint16, len(r.packets))
	for i, src := range r.hosts {
		for j, dst := range r.hosts {
			for x := g.EndSwitch[src]; x != g.EndSwitch[dst]; {
				c, _ := g.At(x, r.plan.Tables.Port(x, r.plan.Ends.Base[dst]))
				load[c]++
				if r.first[g.EndSwitch[src]] == int32(i) {
					from[int(c)*g.NumSwitches+int(g.EndSwitch[src])]++
				}
				packets[int(c)*hosts+(j-i+hosts)%hosts]++
				x = g.To[c]
			}
		}
	}
	if !slices.Equal(load, r.load) || !slices.Equal(from, r.from) || !slices.Equal(packets, r.packets) {
		t.Errorf("%s: pairs %v, counted %v", name, load, r.load)
	}
}
