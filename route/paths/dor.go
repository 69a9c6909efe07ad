package paths

import (
	"context"

	"weft/fabric"
	"weft/route"
)

var dor = &Algorithm{
	Name:     "dor",
	Summary:  "dimension order on a torus or mesh with named coordinates, paths over broken links by unrestricted shortest-widest; deadlocks on rings and after repair",
	Paper:    "Nienaber, Yuan, Duan (paper 000), section VI-C",
	Cost:     "O(pairs x hops), and O(switches x turns) for the repair",
	Rootless: true,
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return dimensionOrder(ctx, in, false)
	},
}

// dimensionOrder is dor; in an experiment the new paths come first.
func dimensionOrder(ctx context.Context, in *Input, newFirst bool) (*Set, error) {
	t, err := newTorus(in.Graph)
	if err != nil {
		return nil, err
	}
	return repaired(ctx, in.Graph, t.next, t.rule(), repair{[]*Rule{Unrestricted(in.Graph)}, newFirst})
}

// torus is a torus or mesh whose switches are described as "switch (x,y,..)", with
// links missing.
type torus struct {
	g     *fabric.Graph
	size  []int32
	wraps []bool
	coord [][]int32 // by switch
	link  [][]int32 // by switch: channel by dimension and direction (0 rising), or broken
}

func newTorus(g *fabric.Graph) (*torus, error) {
	refuse := func(format string, args ...any) error {
		return route.Refuse("dor", "use shortest-widest", format, args...)
	}
	t := &torus{g: g, coord: make([][]int32, g.NumSwitches), link: make([][]int32, g.NumSwitches)}
	for s := range t.coord {
		x, ok := coordinates(g.SwitchDesc[s])
		if !ok || len(x) != len(t.coord[0]) && s > 0 {
			return nil, refuse("%s has no coordinates in its description, as in \"switch (1,2)\"", route.SwitchName(g, int32(s)))
		}
		t.coord[s] = x
		if s == 0 {
			t.size, t.wraps = make([]int32, len(x)), make([]bool, len(x))
		}
		for i, v := range x {
			t.size[i] = max(t.size[i], v+1)
		}
	}
	for c := range int32(g.NumChannels) {
		if i, step := t.step(c); i >= 0 && step < -1 {
			t.wraps[i] = true
		}
	}
	for s := range t.link {
		t.link[s] = make([]int32, 2*len(t.size))
		for i := range t.link[s] {
			t.link[s][i] = broken
		}
		for _, c := range g.OutOf(int32(s)) {
			i, step := t.step(c)
			if i < 0 || step != 1 && step != -1 && step != 1-t.size[i] && step != t.size[i]-1 {
				return nil, refuse("%s and %s are joined, but are no neighbours", route.SwitchName(g, g.From[c]), route.SwitchName(g, g.To[c]))
			}
			back := 1
			if rising(step) {
				back = 0
			}
			if at := &t.link[s][2*i+back]; *at == broken {
				*at = c
			}
		}
	}
	return t, nil
}

// step is the one dimension in which the ends of a channel differ, and by how much;
// dimension -1 if there is none or several.
func (t *torus) step(c int32) (dim int, step int32) {
	dim = -1
	from, to := t.coord[t.g.From[c]], t.coord[t.g.To[c]]
	for i := range from {
		if from[i] != to[i] {
			if dim >= 0 {
				return -1, 0
			}
			dim, step = i, to[i]-from[i]
		}
	}
	return dim, step
}

// rising reports whether a step goes up, or up over the edge.
func rising(step int32) bool { return step == 1 || step < -1 }

// next corrects the first dimension that differs, the short way round, up when both
// are equal.
func (t *torus) next(at, dst int32) int32 {
	here, there := t.coord[at], t.coord[t.g.EndSwitch[dst]]
	for i := range here {
		if here[i] == there[i] {
			continue
		}
		back := 0
		if t.wraps[i] {
			if ahead := (there[i] - here[i] + t.size[i]) % t.size[i]; 2*ahead > t.size[i] {
				back = 1
			}
		} else if there[i] < here[i] {
			back = 1
		}
		return t.link[at][2*i+back]
	}
	return broken
}

// rule lets a path correct one dimension after the other, each in one direction.
func (t *torus) rule() *Rule {
	return NewRule(t.g, func(c, d int32) bool {
		i, step := t.step(c)
		j, next := t.step(d)
		return j > i || j == i && rising(step) == rising(next)
	})
}

// coordinates reads "switch (1,2,3)".
func coordinates(desc string) ([]int32, bool) {
	var x []int32
	value, digits, open := int32(0), 0, false
	for _, r := range desc {
		switch {
		case r == '(' && !open:
			open = true
		case !open:
		case r >= '0' && r <= '9' && digits < 6:
			value, digits = 10*value+r-'0', digits+1
		case (r == ',' || r == ')') && digits > 0:
			x = append(x, value)
			if r == ')' {
				return x, true
			}
			value, digits = 0, 0
		default:
			return nil, false
		}
	}
	return nil, false
}
