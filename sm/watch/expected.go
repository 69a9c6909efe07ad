package watch

import (
	"fmt"
	"slices"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
)

// watchExpected reports new deviations from the expected topology, and deviations that are over.
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
			m.tell(terms.AsExpected, "no longer: %s", text)
		}
	}
	if more := over - mostDeviations; more > 0 {
		m.tell(terms.AsExpected, "and %d more", more)
	}
	m.deviations = now
}

// mostDeviations is the number of deviations that a round reports one by one.
const mostDeviations = 100

// deviations lists the differences between a fabric and the expected one. The order depends on
// these two alone.
func deviations(expected, found *fabric.Fabric) (list []string) {
	c := ledger.CompareFabrics(expected, found)
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
