package round

import (
	"fmt"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
)

// journal collects the report.
type journal struct {
	report     terms.Report
	counts     [ledger.NumKinds]terms.Count
	noted      map[terms.Incident]bool
	incomplete bool // something present is not managed, or did not take a write
}

// note records an incident, once.
func (s *shared) note(k terms.IncidentKind, at terms.Place, format string, args ...any) {
	i := terms.Incident{Kind: k, Text: fmt.Sprintf(format, args...), At: at}
	if s.noted[i] {
		return
	}
	s.noted[i] = true
	if at.Node != 0 && at.Port >= 0 {
		i.Shared = sharedPort(k, at)
	}
	s.report.Incidents = append(s.report.Incidents, i)
	s.out = append(s.out, terms.Action{Kind: terms.Note, Incident: i})
}

// sharedPort lets incidents at several ports of a node share a line of the log.
func sharedPort(k terms.IncidentKind, at terms.Place) *terms.Shared {
	device := fmt.Sprintf("%q (%s)", at.Name, at.Node)
	part := fmt.Sprintf("port %d", at.Port)
	at.Port = -1
	return &terms.Shared{What: string(k) + " at {n} ports of {at}", Sides: []terms.Side{{Device: device, At: at, Part: part}}, Comes: true}
}

// noteLoss records an incident that makes the bring-up incomplete: a device is left out, or did not
// take a write.
func (s *shared) noteLoss(k terms.IncidentKind, at terms.Place, format string, args ...any) {
	s.incomplete = true
	s.note(k, at, format, args...)
}

// count adds the outcome of one SMP to the counts.
func (s *shared) count(ev *terms.Event) {
	k, _, _ := ledger.SplitTag(ev.Tag)
	n, sum := &s.counts[k], &s.report.SMPs
	n.Requests++
	n.Sent += ev.Attempts
	sum.Sent += ev.Attempts
	sum.Retried += max(0, ev.Attempts-1)
	if ev.Outcome != terms.Answered {
		n.Failed++
	}
}

// summarise fills in the figures of the report.
func (s *shared) summarise() {
	if s.Fabric != nil {
		s.report.Found = countNodes(s.Fabric)
	}
	if s.Plan != nil {
		l := &s.report.LIDs
		l.Total, l.MaxLMC = s.Plan.Ends.Total(), s.Plan.Ends.MaxLMC()
		s.report.Routing.VLs = s.Plan.VLs
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
		n.Method, n.Attribute = ledger.Kinds[k].Method.String(), ledger.AttrName(ledger.Kinds[k].Attr)
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

// countNodes counts the links of a fabric, and its nodes by type.
func countNodes(f *fabric.Fabric) terms.Found {
	n := terms.Found{Links: len(f.Links)}
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
