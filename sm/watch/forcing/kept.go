package forcing

import (
	"encoding/json"
	"time"

	"weft/sm/ledger"
)

// mostKept bounds the texts that are read of a state or a master.
const mostKept = 1000

// kept is a trial or a failure, as text.
type kept struct {
	Trial  *link    `json:",omitempty"`
	Failed *Failure `json:",omitempty"`
}

// Kept returns trials and failures for a successor, and whether they have changed since the last
// call.
func (m *Machine) Kept() (list []string, changed bool) {
	add := func(k kept) {
		text, _ := json.Marshal(k) // names and numbers
		list = append(list, string(text))
	}
	for _, t := range m.trials {
		add(kept{Trial: &t.link})
	}
	for i := range m.failed {
		add(kept{Failed: &m.failed[i]})
	}
	changed, m.changed = m.changed, false
	return list, changed
}

// Resume goes on with what a predecessor has left: links in a trial must return within a minute
// from now. Texts that are none of weft's are left out.
func Resume(list []string, now time.Duration) (m Machine) {
	for _, text := range list[:min(len(list), mostKept)] {
		var k kept
		if json.Unmarshal([]byte(text), &k) != nil {
			continue
		}
		switch {
		case k.Failed != nil:
			m.failed = append(m.failed, *k.Failed)
		case k.Trial != nil && k.Trial.Ends[0] != ledger.PortKey{}:
			k.Trial.Ports = min(max(k.Trial.Ports, 1), len(k.Trial.Ends))
			m.trials = append(m.trials, &trial{link: *k.Trial, resumed: true, phase: waiting, since: now, due: now})
		}
	}
	return m
}

// Report counts and names links by the state of their trials.
type Report struct {
	Waiting int       // links that wait for a trial
	Bound   int       // links that stay as they are: the only way to a switch
	Trying  []string  // links in a trial, by name
	Failed  []Failure // links that got back what they had
	Stopped bool      // no more links are tried
}

// Report returns the present state; nil if nothing is to be said.
func (m *Machine) Report() *Report {
	r := &Report{Waiting: len(m.waiting), Bound: m.bound, Failed: m.failed, Stopped: m.stopped()}
	for _, t := range m.trials {
		r.Trying = append(r.Trying, t.Name)
	}
	if r.Waiting+r.Bound+len(r.Trying)+len(r.Failed) == 0 {
		return nil
	}
	return r
}

// What describes the trials that begin next, for a list of planned work; "" for none.
func (m *Machine) What() string {
	if len(m.waiting) == 0 || len(m.trials) > 0 || m.stopped() {
		return ""
	}
	return "a speed or width is forced: " + m.waiting[0].Name
}
