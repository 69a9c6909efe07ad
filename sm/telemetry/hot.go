package telemetry

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"weft/fabric"
	"weft/sm/perf"
	"weft/wire/mad"
)

// Moment is the JSON document of a moment of the history: the busiest links, the longest waits and
// the errors of the readings that cover it.
type Moment struct {
	At       string     `json:"at"`               // UTC
	From     string     `json:"from"`             // begin of the first reading that covers the moment
	To       string     `json:"to"`               // end of the last one
	Interval float64    `json:"interval_seconds"` // between two readings
	Ports    int        `json:"ports"`            // ports with a reading that covers the moment
	Hot      []perf.Hot `json:"hot"`              // busiest links by share of their rate, in their busier direction, at most 50
	Waiting  []perf.Hot `json:"waiting"`          // ports whose data waited longest, at most 50
	Doubtful []perf.Hot `json:"doubtful"`         // ports whose counters say that they sent more than their links carry, at most 50; they are in no other list
	Errors   []Growth   `json:"errors"`           // counters of errors that grew, the fastest first, at most 50
}

// Growth is the growth of a counter of errors.
type Growth struct {
	Port    fabric.PortName `json:"port"`
	Peer    fabric.PortName `json:"peer"` // other end of the cable
	Counter string          `json:"counter"`
	Grown   uint64          `json:"grown"` // within the reading
	Rate    float64         `json:"per_minute"`
}

// mostListed is the maximum length of each list of a Moment.
const mostListed = 50

// portKey identifies a port in several Frames.
type portKey struct {
	guid fabric.GUID
	port uint8
}

// moment collects the readings that cover a moment.
type moment struct {
	*Moment
	from, to time.Time
	links    map[portKey]perf.Hot // the busier direction, by the end with the lower GUID and number
	seen     map[portKey]bool
}

// At describes a moment by the rounds whose readings may cover it, oldest first. Without a reading
// that covers it the error is ErrNotKept.
func At(at time.Time, frames []*Frame) (*Moment, error) {
	m := moment{
		Moment: &Moment{At: utc(at), Hot: []perf.Hot{}, Waiting: []perf.Hot{}, Doubtful: []perf.Hot{}, Errors: []Growth{}},
		links:  map[portKey]perf.Hot{}, seen: map[portKey]bool{},
	}
	for _, f := range frames {
		for i := range f.Counts {
			c := &f.Counts[i]
			to := f.End.Add(-c.Age)
			if from := to.Add(-c.Took); c.Took > 0 && !at.Before(from) && !at.After(to) {
				m.add(&f.Ports[i], c, from, to)
				m.Interval = f.Interval.Seconds()
			}
		}
	}
	if m.Ports == 0 {
		return nil, ErrNotKept
	}
	m.From, m.To = utc(m.from), utc(m.to)
	for _, h := range m.links {
		m.Hot = append(m.Hot, h)
	}
	byName := func(a, b fabric.PortName) int {
		return cmp.Or(cmp.Compare(a.GUID, b.GUID), cmp.Compare(a.Port, b.Port))
	}
	slices.SortFunc(m.Hot, func(a, b perf.Hot) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), cmp.Compare(b.Gbps, a.Gbps), byName(a.From, b.From))
	})
	slices.SortFunc(m.Waiting, func(a, b perf.Hot) int { return cmp.Or(cmp.Compare(b.Wait, a.Wait), byName(a.From, b.From)) })
	slices.SortFunc(m.Errors, func(a, b Growth) int {
		return cmp.Or(cmp.Compare(b.Rate, a.Rate), byName(a.Port, b.Port), cmp.Compare(a.Counter, b.Counter))
	})
	slices.SortFunc(m.Doubtful, func(a, b perf.Hot) int { return byName(a.From, b.From) })
	for _, list := range []*[]perf.Hot{&m.Hot, &m.Waiting, &m.Doubtful} {
		*list = (*list)[:min(len(*list), mostListed)]
	}
	m.Errors = m.Errors[:min(len(m.Errors), mostListed)]
	return m.Moment, nil
}

// add adds the reading of a port. A moment between two readings of a port belongs to both: the
// first one counts.
func (m *moment) add(p *perf.Port, c *perf.Counts, from, to time.Time) {
	key := portKey{p.Name.GUID, p.Name.Port}
	if m.seen[key] {
		return
	}
	m.seen[key] = true
	if m.Ports++; m.Ports == 1 || from.Before(m.from) {
		m.from = from
	}
	if to.After(m.to) {
		m.to = to
	}
	h := perf.Hot{From: p.Name, To: p.Peer, Gbps: c.Gbps(), Wait: float64(c.Grown[mad.CounterXmitWait]) / c.Took.Seconds()}
	if p.Rate > 0 {
		h.Share = h.Gbps / (float64(p.Rate) / 1000)
	}
	if h.Share > mostShare {
		m.Doubtful = append(m.Doubtful, h)
		return
	}
	if h.Gbps > 0 {
		link := key
		if peer := (portKey{p.Peer.GUID, p.Peer.Port}); p.Peer.GUID != 0 && (peer.guid < key.guid || peer.guid == key.guid && peer.port < key.port) {
			link = peer
		}
		if best, there := m.links[link]; !there || cmp.Or(cmp.Compare(h.Share, best.Share), cmp.Compare(h.Gbps, best.Gbps)) > 0 {
			m.links[link] = h
		}
	}
	if h.Wait > 0 {
		m.Waiting = append(m.Waiting, h)
	}
	for n, grown := range c.Grown {
		if grown > 0 && !perf.IsFlow(n) {
			m.Errors = append(m.Errors, Growth{p.Name, p.Peer, perf.Name(n), grown, float64(grown) / c.Took.Minutes()})
		}
	}
}

// mostShare is the maximum share of a link's rate that is believed: ports are not read to the
// millisecond.
const mostShare = 1.1

// utc formats a time.
func utc(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Write prints a Moment as text, with a maximum number of lines for each list.
func (m *Moment) Write(w io.Writer, most int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "at %s, by readings from %s to %s of %d ports\n", m.At, m.From, m.To, m.Ports)
	list := func(title string, all []perf.Hot) {
		if len(all) > 0 {
			b.WriteString(title + "\n")
		}
		for i := range all[:min(len(all), most)] {
			h := &all[i]
			share := ""
			if h.Share > 0 {
				share = fmt.Sprintf(", %.1f %%", 100*h.Share)
			}
			fmt.Fprintf(&b, "  %s - %s\n    %.3g Gbit/s%s; data waited %.3g ticks a second\n", h.From.Short(), h.To.Short(), h.Gbps, share, h.Wait)
		}
	}
	list("busiest links, in their busier direction:", m.Hot)
	list("longest waits, by the sending port:", m.Waiting)
	list("counters that say more than the link carries, so they are wrong:", m.Doubtful)
	if len(m.Errors) > 0 {
		b.WriteString("errors:\n")
	}
	for i := range m.Errors[:min(len(m.Errors), most)] {
		e := &m.Errors[i]
		fmt.Fprintf(&b, "  %s - %s\n    %s: %d, %.3g a minute\n", e.Port.Short(), e.Peer.Short(), e.Counter, e.Grown, e.Rate)
	}
	if len(m.Hot)+len(m.Waiting)+len(m.Doubtful)+len(m.Errors) == 0 {
		b.WriteString("no traffic, no waits, no errors\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
