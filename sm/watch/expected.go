package watch

import (
	"slices"

	"weft/sm/ledger"
	"weft/sm/terms"
)

// watchExpected reports new deviations from the expected topology, and deviations that are over.
func (m *Manager) watchExpected() {
	if m.cfg.Expected == nil {
		m.deviations = nil
		return
	}
	now := ledger.Deviations(m.cfg.Expected, m.result.Ledger.Fabric)
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
