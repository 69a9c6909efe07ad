package change

import (
	"context"
	"errors"
	"time"

	"weft/mapping"
	"weft/mapping/survey"
	"weft/mapping/theory"
)

// WatchOptions controls Watch.
type WatchOptions struct {
	Rule       mapping.Collision
	Hardware   mapping.Hardware
	Conditions mapping.Conditions
	Survey     survey.Options // Self, Radix and Hint are set by Watch
	// Mapper is the address of the host that maps.
	Mapper uint64
	// Election lets the lowest address map that is there when a round begins.
	Election bool
	// Every is the time from the begin of a round to the next, unless a round takes longer.
	Every time.Duration
}

// Round is one map of a network that changes.
type Round struct {
	Begin, End time.Duration // modelled
	By         mapping.Host
	Result     *survey.Result
	Changes    []Change // since the round before
	// Certain is set when two maps in a row, made without a doubt, are the same: then it was
	// the network at the time AsOf, between them, unless what moved was put back before it
	// was probed again. Later something may have moved.
	Certain bool
	AsOf    time.Duration
	// Differs is nil when the map is the network as it was then, or without certainty as it
	// was at the end of the round.
	Differs error
	// During reports whether something happened while the network was mapped.
	During bool
}

// ErrCutOff says that the host that maps is wired to nothing.
var ErrCutOff = errors.New("mapping: the host that maps is wired to no switch")

// Watch maps a network again and again while events happen. Each round takes the map
// of the round before for a hint, so that it costs little where nothing changed; where
// something did, the network is mapped again until two maps are the same. It calls each with every round. While the host that maps is cut off it waits for an event;
// it ends with ErrCutOff when there are none left.
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
		if from == len(epochs)-1 { // it began after the last event
			return nil
		}
		w.wait(r.Begin + opt.Every)
	}
}

// mostMaps is the number of maps that are made in a round until two in a row are the same.
const mostMaps = 4

// mapUntilCertain maps the network until a map is the same as the one before, each a hint
// for the next. The cost is that of all.
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

// watcher is a prober in a network that changes.
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

// wait lets time pass, and the events that are due happen.
func (w *watcher) wait(until time.Duration) {
	w.mapper.Elapsed = max(w.mapper.Elapsed, until)
	w.catchUp()
}

// catchUp lets the events happen that are due.
func (w *watcher) catchUp() {
	for w.at+1 < len(w.epochs) && w.epochs[w.at+1].From <= w.now() {
		w.at++
		n := w.epochs[w.at].Network
		w.mapper.Reconnect(mapping.NewModel(n, w.opt.Rule, w.opt.Hardware), n.HostByID(w.opt.Mapper))
	}
}

// master returns the host that maps from now on.
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

// Probe sends a probe of the host that maps.
func (w *watcher) Probe(turns []mapping.Turn) (mapping.Reply, time.Duration) {
	w.catchUp()
	return w.mapper.Probe(turns)
}

// Delays returns the number of answers that were delayed.
func (w *watcher) Delays() int { return w.mapper.Delays() }

// WaitLonger makes the timeout longer than any wire is held.
func (w *watcher) WaitLonger() { w.mapper.WaitLonger() }

// compare compares a map with the network as it is.
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
