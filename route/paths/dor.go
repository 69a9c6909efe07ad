package paths

import (
	"context"

	"weft/fabric"
	"weft/fabric/shape/coords"
	"weft/route"
)

var dor = &Algorithm{
	Name:     "dor",
	Summary:  "dimension order on a torus or mesh with named coordinates, paths over broken links by unrestricted shortest-widest; deadlocks on rings and after repair",
	Paper:    "Nienaber, Yuan, Duan (paper 000), section VI-C",
	Cost:     "O(pairs x hops), and O(switches x turns) for the repair",
	Rootless: true,
	Options:  []route.Option{weightOption, repairedOption},
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		t, err := newTorus(in.Graph)
		if err != nil {
			return nil, err
		}
		return repairBroken(ctx, in, t.next, t.rule(), repair{[]*Rule{Unrestricted(in.Graph)}, in.word(repairedOption) == repairedFirst})
	},
}

// torus is a torus or mesh whose switches are described as "switch (x,y,..)", with missing links.
type torus struct{ *coords.Grid }

func newTorus(g *fabric.Graph) (torus, error) {
	var t torus
	all := coords.Part{G: g, Switches: make([]int32, g.NumSwitches), Local: make([]int32, g.NumSwitches)}
	for s := range all.Switches {
		all.Switches[s], all.Local[s] = int32(s), int32(s)
	}
	refuse := func(format string, args ...any) (torus, error) {
		return t, route.Refuse("dor", "use shortest-widest", format, args...)
	}
	places := coords.Described(g, all.Switches)
	if places == nil {
		return refuse("the descriptions of the switches give no distinct coordinates, as in \"switch (1,2)\"")
	}
	var err error
	if t.Grid, err = coords.NewGrid(all, places); err == nil {
		err = t.Index()
	}
	if err != nil {
		return refuse("%v", err)
	}
	return t, nil
}

// next returns the channel of the base routing: it corrects the first differing dimension, the
// short way round, up if both are equal.
func (t torus) next(at, dst int32) int32 {
	to := t.G.EndSwitch[dst]
	dim := t.FirstDiffering(at, to)
	x, y := t.Coords(at)[dim], t.Coords(to)[dim]
	dir := coords.Up
	if ahead := t.Distance(dim, coords.Up, x, y); ahead < 0 || t.Wrap[dim] && 2*ahead > t.Size[dim] {
		dir = coords.Down
	}
	if links := t.Links(t.LinkGroup(at, dim, dir)); len(links) > 0 {
		return links[0]
	}
	return noLink
}

// rule lets a path correct one dimension after another, each in one direction.
func (t torus) rule() *Rule {
	return NewRule(t.G, func(c, d int32) bool {
		i, dir, _ := t.Direction(t.G.From[c], t.G.To[c])
		j, next, _ := t.Direction(t.G.From[d], t.G.To[d])
		return j > i || j == i && dir == next
	})
}
