package watch

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
)

// watchExpected tells where the subnet differs from what is expected, as that comes and goes.
func (m *Manager) watchExpected() {
	if m.cfg.Expected == nil {
		m.deviations = nil
		return
	}
	now := deviations(m.cfg.Expected, m.result.Ledger.Fabric)
	told := 0
	for _, text := range now {
		if slices.Contains(m.deviations, text) {
			continue
		}
		if told++; told <= mostDeviations {
			m.tell(terms.Deviation, "%s", text)
			m.result.Report.Incidents = append(m.result.Report.Incidents, terms.Incident{Kind: terms.Deviation, Text: text})
		}
	}
	if more := told - mostDeviations; more > 0 {
		m.tell(terms.Deviation, "and %d more", more)
	}
	over := 0
	for _, text := range m.deviations {
		if slices.Contains(now, text) {
			continue
		}
		if over++; over <= mostDeviations {
			m.tell(terms.AsExpected, "no more: %s", text)
		}
	}
	if more := over - mostDeviations; more > 0 {
		m.tell(terms.AsExpected, "and %d more", more)
	}
	m.deviations = now
}

// mostDeviations is the number of deviations from what is expected that a round tells one by one.
const mostDeviations = 100

// deviations lists where a fabric differs from the one that is expected, in an order that depends on these alone.
func deviations(expected, found *fabric.Fabric) (list []string) {
	c := ledger.CompareFabrics(expected, found)
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	e, f := c.A, c.B
	for _, id := range c.Gone {
		add("%s is expected, and not there", e.PortName(fabric.End{Node: id}))
	}
	for _, id := range c.Came {
		add("%s is there, and not expected", f.PortName(fabric.End{Node: id}))
	}
	for _, m := range c.Replaced {
		add("%s leads to %s; %s is expected", f.EndName(m.At), f.EndName(m.To), e.EndName(m.Was))
	}
	for _, m := range c.Moved {
		add("%s leads to %s; %s is expected", f.EndName(m.At), f.EndName(m.To), e.EndName(m.Was))
	}
	for _, r := range c.Renamed {
		add("%s is called so; %q is expected", f.PortName(fabric.End{Node: r[1]}), e.Nodes[r[0]].Desc)
	}
	for _, id := range c.LinksGone {
		add("the cable %s is expected, and not there or not up", e.LinkName(id))
	}
	for _, id := range c.LinksCame {
		add("the cable %s is there, and not expected", f.LinkName(id))
	}
	for _, r := range c.Rated {
		was, is := &e.Links[r[0]], &f.Links[r[1]]
		add("the cable %s is %dx%s; %dx%s is expected", f.LinkName(r[1]), is.Width, is.Speed, was.Width, was.Speed)
	}
	return list
}
