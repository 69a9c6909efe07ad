package studies

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"weft/sm/perf"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/study/show"
	"weft/wire/mad"
)

// Faults notes when cables were lost last. It is safe for concurrent use.
type Faults struct {
	mu sync.Mutex
	at map[terms.Cable]time.Time // by the ports without their names
}

// mostFaults is the maximum number of cables.
const mostFaults = 1 << 14

// Note notes the cable that an incident tells of. Beyond the limit it forgets the oldest one.
func (f *Faults) Note(i *terms.Incident, now time.Time) {
	if i.Lost == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at == nil {
		f.at = map[terms.Cable]time.Time{}
	}
	key := terms.Cable{{GUID: i.Lost[0].GUID, Port: i.Lost[0].Port}, {GUID: i.Lost[1].GUID, Port: i.Lost[1].Port}}
	if _, known := f.at[key]; !known && len(f.at) >= mostFaults {
		oldest, when := terms.Cable{}, now
		for c, at := range f.at {
			if at.Before(when) {
				oldest, when = c, at
			}
		}
		delete(f.at, oldest)
	}
	f.at[key] = now
}

// ages returns the seconds since the losses.
func (f *Faults) ages(now time.Time) *show.Values {
	v := &show.Values{Unit: "when a cable of a line was lost last, since the manager started", Ages: true}
	f.mu.Lock()
	defer f.mu.Unlock()
	for c, at := range f.at {
		for _, p := range c {
			v.Ports = append(v.Ports, show.PortValue{Node: p.GUID, Port: p.Port, Value: now.Sub(at).Seconds()})
		}
	}
	return v
}

// values returns the manager's measurements for a colour of cables.
func values(colour string, s *watch.Snapshot, faults *Faults, now time.Time) (*show.Values, error) {
	if colour == show.ByFault {
		return faults.ages(now), nil
	}
	if s == nil || s.Counters == nil || s.Counters.Reading == nil {
		return nil, errors.New("colour: no counters have been read yet: the option counters makes the manager read them")
	}
	v := &show.Values{Unit: map[string]string{show.ByTraffic: "Gbit/s", show.ByWaits: "wait ticks per second", show.ByErrorRate: "errors per minute"}[colour]}
	v.Unit += fmt.Sprintf(" at the last reading, one every %v,", time.Duration(s.Counters.Interval*float64(time.Second)))
	r := s.Counters.Reading
	for i := range r.Ports {
		c := &r.Counts[i]
		if c.Took <= 0 {
			continue
		}
		v.Ports = append(v.Ports, show.PortValue{Node: r.Ports[i].Name.GUID, Port: r.Ports[i].Name.Port, Value: rateOf(colour, c)})
	}
	return v, nil
}

// rateOf returns the growth of a port's counters, in the unit of a colour.
func rateOf(colour string, c *perf.Counts) float64 {
	switch colour {
	case show.ByTraffic:
		return float64(c.Grown[mad.CounterXmitData]) * bitsInWord / 1e9 / c.Took.Seconds()
	case show.ByWaits:
		return float64(c.Grown[mad.CounterXmitWait]) / c.Took.Seconds()
	}
	errs := uint64(0)
	for counter, n := range c.Grown {
		if !perf.IsFlow(counter) {
			errs += n
		}
	}
	return float64(errs) / c.Took.Minutes()
}

// bitsInWord is the number of bits in a word of PortXmitData.
const bitsInWord = 32
