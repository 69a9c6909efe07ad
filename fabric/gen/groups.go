package gen

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
	"weft/fabric/gen/internal/units"
)

// joinGroup joins the copy of a group to all groups, by as many cables as join most of them. In
// each group the switch with the fewest such cables takes the next one.
func (x *extension) joinGroup(model *units.Unit) error {
	l := x.net.Across
	var mine []fabric.NodeID
	for _, s := range l.SwitchesOf(x.net.Pattern, model) {
		mine = append(mine, x.copies[s])
	}
	next := func(switches []fabric.NodeID) fabric.End {
		open := slices.DeleteFunc(slices.Clone(switches), func(s fabric.NodeID) bool { return len(nodes.FreePorts(x.f, s)) == 0 })
		s := slices.MinFunc(open, func(a, b fabric.NodeID) int { return cmp.Compare(l.Global[a], l.Global[b]) })
		l.Global[s]++
		return fabric.End{Node: s, Port: nodes.FreePorts(x.f, s)[0]}
	}
	for i := range x.net.Groups {
		theirs := l.SwitchesOf(x.net.Pattern, &x.net.Groups[i])
		for range l.Each {
			if err := x.connect(next(mine), next(theirs), l.One); err != nil {
				return err
			}
		}
	}
	return nil
}
