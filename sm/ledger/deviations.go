package ledger

import (
	"fmt"

	"weft/fabric"
)

// Deviations lists the differences between a fabric and the expected one. The order depends on
// these two alone.
func Deviations(expected, found *fabric.Fabric) (list []string) {
	c := CompareFabrics(expected, found)
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	e, f := c.A, c.B
	for _, id := range c.Gone {
		add("%s is expected but missing", e.PortName(fabric.End{Node: id}))
	}
	for _, id := range c.Came {
		add("%s is present but not expected", f.PortName(fabric.End{Node: id}))
	}
	for _, m := range c.Replaced {
		add("%s leads to %s; %s is expected", f.EndName(m.At), f.EndName(m.To), e.EndName(m.Was))
	}
	for _, m := range c.Moved {
		add("%s leads to %s; %s is expected", f.EndName(m.At), f.EndName(m.To), e.EndName(m.Was))
	}
	for _, r := range c.Renamed {
		add("%s: the name %q is expected", f.PortName(fabric.End{Node: r[1]}), e.Nodes[r[0]].Desc)
	}
	for _, id := range c.LinksGone {
		add("the cable %s is expected but missing or down", e.LinkName(id))
	}
	for _, id := range c.LinksCame {
		add("the cable %s is present but not expected", f.LinkName(id))
	}
	for _, r := range c.Rated {
		was, is := &e.Links[r[0]], &f.Links[r[1]]
		add("the cable %s is %dx%s; %dx%s is expected", f.LinkName(r[1]), is.Width, is.Speed, was.Width, was.Speed)
	}
	return list
}
