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
	// Differs is nil when the map is the network as it was at the end of the round.
	Differs error
	// During reports whether something happened while the network was mapped.
	During bool
}

// ErrCutOff says that the host that maps is wired to nothing.
var ErrCutOff = errors.New("mapping: the host that maps is wired to no switch")

// Watch maps a network again and again while events happen. Each round takes the map
// of the round before for a hint, so that it costs little where nothing changed. It
// calls each with every round. While the host that maps is cut off it waits for an event;
// it ends with ErrCutOff when there are none left.
func Watch(ctx context.Context, epochs []Epoch, opt *WatchOptions, each func(*Round) error) error {
	w := watcher{epochs: epochs, opt: *opt}
	radix := 0
	for _, e := range epochs {
		radix = max(radix, e.Network.Radix())
	}
	var known *mapping.Network
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
		s := opt.Survey
		s.Self, s.Radix, s.Hint = r.By, radix, known
		if r.Result, err = survey.Run(ctx, &w, &s); err != nil {
			return err
		}
		r.End, r.During = w.now(), w.at != from
		r.Differs = w.compare(r)
		if r.Result.Contradiction == nil {
			if known != nil {
				r.Changes = Diff(known, r.Result.Whole)
			}
			known = r.Result.Whole
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

// compare compares a map with the network as it is.
func (w *watcher) compare(r *Round) error {
	if r.Result.Contradiction != nil {
		return r.Result.Contradiction
	}
	n := w.epochs[w.at].Network
	host := n.HostByID(r.By.ID)
	if host < 0 {
		return ErrCutOff
	}
	return theory.Same(r.Result.Map, theory.Core(theory.Reached(n, host)))
}
