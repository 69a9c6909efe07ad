package sm

import (
	"fmt"
	"slices"

	"weft/fabric"
)

// watchExpected tells where the subnet differs from what is expected, as that comes and goes.
func (m *Manager) watchExpected() {
	if m.cfg.Expected == nil {
		m.deviations = nil
		return
	}
	now := deviations(m.cfg.Expected, m.result.Ledger.fabric)
	told := 0
	for _, text := range now {
		if slices.Contains(m.deviations, text) {
			continue
		}
		if told++; told <= mostDeviations {
			m.tell(Deviation, "%s", text)
			m.result.Report.Incidents = append(m.result.Report.Incidents, Incident{Kind: Deviation, Text: text})
		}
	}
	if more := told - mostDeviations; more > 0 {
		m.tell(Deviation, "and %d more", more)
	}
	over := 0
	for _, text := range m.deviations {
		if slices.Contains(now, text) {
			continue
		}
		if over++; over <= mostDeviations {
			m.tell(AsExpected, "no more: %s", text)
		}
	}
	if more := over - mostDeviations; more > 0 {
		m.tell(AsExpected, "and %d more", more)
	}
	m.deviations = now
}

// mostDeviations is the number of deviations from what is expected that a round tells one by one.
const mostDeviations = 100

// deviations lists where a fabric differs from the one that is expected, in an order that depends on these alone.
func deviations(expected, found *fabric.Fabric) (list []string) {
	c := compareFabrics(expected, found)
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	e, f := c.a, c.b
	for _, id := range c.gone {
		add("%s is expected, and not there", e.PortName(fabric.End{Node: id}))
	}
	for _, id := range c.came {
		add("%s is there, and not expected", f.PortName(fabric.End{Node: id}))
	}
	for _, m := range c.replaced {
		add("%s leads to %s; %s is expected", f.EndName(m.at), f.EndName(m.to), e.EndName(m.was))
	}
	for _, m := range c.moved {
		add("%s leads to %s; %s is expected", f.EndName(m.at), f.EndName(m.to), e.EndName(m.was))
	}
	for _, r := range c.renamed {
		add("%s is called so; %q is expected", f.PortName(fabric.End{Node: r[1]}), e.Nodes[r[0]].Desc)
	}
	for _, id := range c.linksGone {
		add("the cable %s is expected, and not there or not up", e.LinkName(id))
	}
	for _, id := range c.linksCame {
		add("the cable %s is there, and not expected", f.LinkName(id))
	}
	for _, r := range c.rated {
		was, is := &e.Links[r[0]], &f.Links[r[1]]
		add("the cable %s is %dx%s; %dx%s is expected", f.LinkName(r[1]), is.Width, is.Speed, was.Width, was.Speed)
	}
	return list
}
