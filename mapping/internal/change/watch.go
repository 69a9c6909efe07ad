package change

import (
	"context"
	"errors"
	"time"

	"weft/mapping"
	"weft/mapping/internal/survey"
	"weft/mapping/theory"
)

// WatchOptions controls Watch.
type WatchOptions struct {
	Rule       mapping.Collision
	Hardware   mapping.Hardware
	Conditions mapping.Conditions
	Survey     survey.Options // Self, Radix and Hint are set by Watch
	// Mapper is the address of the mapping host.
	Mapper uint64
	// Election lets the lowest address present at the start of a round map.
	Election bool
	// Every is the time from the start of a round to the next, unless a round takes longer.
	Every time.Duration
}

// Round is one map of a changing network.
type Round struct {
	Begin, End time.Duration // modelled
	By         mapping.Host
	Result     *survey.Result
	Changes    []Change // since the previous round
	// Certain is set if two successive maps, both made without a doubt, are the same. Then the map
	// was the network at the time AsOf, between them, unless a moved part was put back before it
	// was probed again. The network may have changed later.
	Certain bool
	AsOf    time.Duration
	// Differs is nil if the map is the network at the time AsOf or, without certainty, at the end
	// of the round.
	Differs error
	// During reports whether an event happened while the network was mapped.
	During bool
}

// ErrCutOff says that the mapping host has no wire.
var ErrCutOff = errors.New("mapping: the mapping host is not wired to a switch")

// Watch maps a network again and again while events happen, and calls each with every round. A
// round takes the previous map as a hint, so that it costs little if nothing changed; after a
// change, it maps until two maps are the same. While the mapping host is cut off, Watch waits for
// an event; it ends with ErrCutOff if none are left.
func Watch(ctx context.Context, epochs []Epoch, opt *WatchOptions, each func(*Round) error) error {
	w := watcher{epochs: epochs, opt: *opt}
	radix := 0
	for _, e := range epochs {
		radix = max(radix, e.Network.Radix())
	}
	var known *survey.Result // the last map
	for {
		by, err := w.master()
		for ; err != nil; by, err = w.master() {
			if w.at+1 == len(epochs) || w.mapper == nil {
				return err
			}
			w.wait(epochs[w.at+1].From)
		}
		r := &Round{Begin: w.now(), By: by}
		from := w.at
		if err := w.mapUntilCertain(ctx, r, known, radix); err != nil {
			return err
		}
		r.End, r.During = w.now(), w.at != from
		r.Differs = w.compare(r)
		if r.Result.Contradiction == nil {
			if known != nil {
				r.Changes = Diff(known.Whole, r.Result.Whole)
			}
			known = r.Result
		}
		if err := each(r); err != nil {
			return err
		}
		if from == len(epochs)-1 { // the round began after the last event
			return nil
		}
		w.wait(r.Begin + opt.Every)
	}
}

// mostMaps is the maximum number of maps in a round until two in a row are the same.
const mostMaps = 4

// mapUntilCertain maps the network until a map equals the previous one, each a hint for the next.
// The cost covers all of them.
func (w *watcher) mapUntilCertain(ctx context.Context, r *Round, known *survey.Result, radix int) error {
	for maps := 0; maps < mostMaps && !r.Certain; maps++ {
		opt, begin := w.opt.Survey, w.now()
		opt.Self, opt.Radix = r.By, radix
		if known != nil {
			opt.Hint = known.Whole
		}
		if opt.Limit > 0 && r.Result != nil {
			if opt.Limit -= r.Result.Probes.Total().Sent; opt.Limit <= 0 {
				return nil
			}
		}
		made, err := survey.Run(ctx, w, &opt)
		if err != nil {
			return err
		}
		if known != nil && known.Certain() && made.Certain() && theory.Same(known.Whole, made.Whole) == nil {
			r.Certain, r.AsOf = true, begin
		}
		if r.Result != nil {
			made.AddCost(r.Result)
		}
		r.Result = made
		if made.Contradiction == nil {
			known = made
		}
	}
	return nil
}

// watcher is a prober in a changing network.
type watcher struct {
	epochs []Epoch
	opt    WatchOptions
	at     int // epoch
	mapper *mapping.Mapper
}

func (w *watcher) now() time.Duration {
	if w.mapper == nil {
		return 0
	}
	return w.mapper.Elapsed
}

// wait lets time pass, and applies the events that are due.
func (w *watcher) wait(until time.Duration) {
	w.mapper.Elapsed = max(w.mapper.Elapsed, until)
	w.catchUp()
}

// catchUp applies the events that are due.
func (w *watcher) catchUp() {
	for w.at+1 < len(w.epochs) && w.epochs[w.at+1].From <= w.now() {
		w.at++
		n := w.epochs[w.at].Network
		w.mapper.Reconnect(mapping.NewModel(n, w.opt.Rule, w.opt.Hardware), n.HostByID(w.opt.Mapper))
	}
}

// master returns the mapping host from now on.
func (w *watcher) master() (mapping.Host, error) {
	n := w.epochs[w.at].Network
	if w.opt.Election {
		for i, h := range n.Hosts {
			if n.OnSwitch(int32(i)) && (n.HostByID(w.opt.Mapper) < 0 || h.ID < w.opt.Mapper) {
				w.opt.Mapper = h.ID
			}
		}
	}
	host := n.HostByID(w.opt.Mapper)
	if host < 0 || !n.OnSwitch(host) {
		return mapping.Host{}, ErrCutOff
	}
	if w.mapper == nil {
		w.mapper = mapping.NewMapper(mapping.NewModel(n, w.opt.Rule, w.opt.Hardware), host, w.opt.Conditions)
	}
	w.mapper.Host = host
	return n.Hosts[host], nil
}

// Probe sends a probe from the mapping host.
func (w *watcher) Probe(turns []mapping.Turn) (mapping.Reply, time.Duration) {
	w.catchUp()
	return w.mapper.Probe(turns)
}

// Delays returns the number of delayed answers.
func (w *watcher) Delays() int { return w.mapper.Delays() }

// WaitLonger makes the timeout longer than any wire can be held.
func (w *watcher) WaitLonger() { w.mapper.WaitLonger() }

// compare compares a map with the network.
func (w *watcher) compare(r *Round) error {
	if r.Result.Contradiction != nil {
		return r.Result.Contradiction
	}
	at := w.at
	for r.Certain && w.epochs[at].From > r.AsOf {
		at--
	}
	n := w.epochs[at].Network
	host := n.HostByID(r.By.ID)
	if host < 0 {
		return ErrCutOff
	}
	return theory.Same(r.Result.Map, theory.Core(theory.Reached(n, host)))
}
