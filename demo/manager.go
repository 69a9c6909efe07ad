package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/route"
	"weft/route/job"
	"weft/sm"
)

// Repair is an emulated subnet that a manager brings up and keeps up when a cable is pulled.
type Repair struct {
	Fabric   string          `json:"fabric"`
	Pulled   string          `json:"pulled"`         // the cable
	Cold     *sm.BringUpJSON `json:"cold"`           // the bring-up
	Repair   *sm.BringUpJSON `json:"repair"`         // the round that has repaired the tables
	Trap     float64         `json:"trap_seconds"`   // from the pull until the manager has the first trap
	Repaired float64         `json:"repair_seconds"` // from the pull until switches and manager are through
	Entries  int             `json:"entries"`        // of the forwarding tables
	Moved    int             `json:"entries_moved"`  // that differ after the repair
	LIDs     int             `json:"lids_moved"`

	cable string // the cable in short
}

// managed is the fabric of the subnet.
const managed = "fat648"

// patience bounds the wait for a manager that normally takes milliseconds.
const patience = 30 * time.Second

// repair runs a manager of an emulated subnet in real time, and pulls a cable when the subnet is up.
func repair(ctx context.Context, formula string, watch sm.Watch, routing job.Request, clock func() time.Duration) (*Repair, error) {
	f, err := gen.Parse(formula)
	if err != nil {
		return nil, err
	}
	devices, err := emulator.New(f, emulator.Options{})
	if err != nil {
		return nil, err
	}
	at, err := devices.DefaultEnd()
	if err != nil {
		return nil, err
	}
	subnet := live.New(devices, clock)
	defer subnet.Close()
	t, err := subnet.Attach(at)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the manager has not brought %s up within %v", formula, patience))
	defer cancel()
	w := newWitness(clock)
	runner := sm.Runner{Watch: watch, Routing: routing, Clock: clock, Note: w.note, Show: w.show}
	ended := make(chan error, 1)
	go func() {
		_, err := runner.Run(ctx, t)
		ended <- err
	}()
	r, err := w.watch(ctx, subnet, f)
	cancel()
	if failed := <-ended; err == nil && !errors.Is(failed, context.Canceled) {
		err = failed
	}
	return r, err
}

// round is a round of the manager that has ended.
type round struct {
	ended  time.Duration
	report *sm.Report
	routed *sm.Routed
}

// witness notes what a manager shows while it runs.
type witness struct {
	clock  func() time.Duration
	seen   int // the last round that was shown
	traps  chan time.Duration
	rounds chan round
}

func newWitness(clock func() time.Duration) *witness {
	return &witness{clock: clock, traps: make(chan time.Duration, 1), rounds: make(chan round, 16)}
}

// note notes when the first trap comes that nobody has asked for yet.
func (w *witness) note(i sm.Incident) {
	if i.Kind != sm.TrapCame {
		return
	}
	select {
	case w.traps <- w.clock():
	default:
	}
}

// show notes rounds as they end. The manager never waits for who reads them.
func (w *witness) show(s *sm.Snapshot) {
	if s.Last == nil || s.Last.Number == w.seen {
		return
	}
	w.seen = s.Last.Number
	select {
	case w.rounds <- round{w.clock(), s.Last.Report, s.Routed}:
	default:
	}
}

// watch waits until the subnet is up, pulls a cable, and waits until it is up without it.
func (w *witness) watch(ctx context.Context, subnet *live.Live, f *fabric.Fabric) (*Repair, error) {
	cold, err := w.await(ctx, len(f.Links))
	if err != nil {
		return nil, err
	}
	select {
	case <-w.traps: // of links that came up
	default:
	}
	cable := firstSwitchLink(f)
	pulled := w.clock()
	subnet.Do(func(s *emulator.Subnet) { err = s.SetLinkDown(cable, true) })
	if err != nil {
		return nil, err
	}
	mended, err := w.await(ctx, len(f.Links)-1)
	if err != nil {
		return nil, err
	}
	change := route.Compare(cold.routed.Graph, cold.routed.Plan, mended.routed.Graph, mended.routed.Plan)
	e := change.Entries
	r := &Repair{
		Fabric: f.Name, Pulled: f.LinkName(cable), cable: shortName(f, cable), Cold: cold.report.BringUpJSON(), Repair: mended.report.BringUpJSON(),
		Repaired: (mended.ended - pulled).Seconds(), LIDs: change.LIDs.Moved,
		Entries: e.Kept + e.Moved + e.New, Moved: e.Moved + e.New + e.Gone,
	}
	select {
	case came := <-w.traps:
		r.Trap = (came - pulled).Seconds()
	default: // a light sweep was first
	}
	return r, nil
}

// await waits for a round that has brought up a subnet of so many cables.
func (w *witness) await(ctx context.Context, cables int) (round, error) {
	for {
		select {
		case r := <-w.rounds:
			if r.report.State == sm.Up && r.report.Found.Links == cables {
				return r, nil
			}
		case <-ctx.Done():
			return round{}, context.Cause(ctx)
		}
	}
}

// firstSwitchLink returns the first cable between two switches.
func firstSwitchLink(f *fabric.Fabric) fabric.LinkID {
	id := fabric.LinkID(0)
	for !f.IsSwitchLink(id) {
		id++
	}
	return id
}

// shortName names a cable by the descriptions of its nodes.
func shortName(f *fabric.Fabric, cable fabric.LinkID) string {
	ports := f.LinkPorts(cable)
	return ports[0].Short() + " - " + ports[1].Short()
}
