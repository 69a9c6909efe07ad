package sm

import (
	"fmt"

	"weft/fabric"
)

// journal holds what the report will say.
type journal struct {
	report     Report
	counts     [numKinds]Count
	noted      map[Incident]bool
	incomplete bool // something that is there is not managed, or did not take what it was told
}

// note records an incident, once.
func (s *shared) note(k IncidentKind, at Place, format string, args ...any) {
	i := Incident{k, fmt.Sprintf(format, args...), at}
	if s.noted[i] {
		return
	}
	s.noted[i] = true
	s.report.Incidents = append(s.report.Incidents, i)
	s.out = append(s.out, Action{Kind: Note, Incident: i})
}

// noteLoss records an incident that keeps the subnet from being up in full: something
// that is there is left out, or did not take what it was told.
func (s *shared) noteLoss(k IncidentKind, at Place, format string, args ...any) {
	s.incomplete = true
	s.note(k, at, format, args...)
}

// count counts the end of an SMP.
func (s *shared) count(ev *Event) {
	k, _, _ := splitTag(ev.Tag)
	n, sum := &s.counts[k], &s.report.SMPs
	n.Requests++
	n.Sent += ev.Attempts
	sum.Sent += ev.Attempts
	sum.Retried += max(0, ev.Attempts-1)
	if ev.Outcome != Answered {
		n.Failed++
	}
}

// summarise fills in the figures of the report.
func (s *shared) summarise() {
	if s.fabric != nil {
		s.report.Found = countNodes(s.fabric)
	}
	if s.plan != nil {
		l := &s.report.LIDs
		l.Total, l.MaxLMC = s.plan.Ends.Total(), s.plan.Ends.MaxLMC()
		s.report.Routing.VLs = s.plan.VLs
	}
	s.noteHalfWritten()
	s.sumCounts()
}

// sumCounts adds up the counts by method and attribute.
func (s *shared) sumCounts() {
	at := map[[2]string]int{}
	by := &s.report.SMPs.By
	for k, n := range s.counts {
		if n.Requests == 0 {
			continue
		}
		n.Method, n.Attribute = kinds[k].method.String(), attrName(kinds[k].attr)
		key := [2]string{n.Method, n.Attribute}
		i, ok := at[key]
		if !ok {
			at[key] = len(*by)
			*by = append(*by, n)
			continue
		}
		sum := &(*by)[i]
		sum.Requests += n.Requests
		sum.Sent += n.Sent
		sum.Failed += n.Failed
	}
}

// countNodes counts the nodes of a fabric by type, and its links.
func countNodes(f *fabric.Fabric) Found {
	n := Found{Links: len(f.Links)}
	for i := range f.Nodes {
		switch f.Nodes[i].Type {
		case fabric.Switch:
			n.Switches++
		case fabric.CA:
			n.CAs++
		case fabric.Router:
			n.Routers++
		}
	}
	return n
}
