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
	"weft/planner"
	"weft/route"
	"weft/sm"
	"weft/sm/terms"
	"weft/sm/watch"
)

// Repair is an emulated subnet that a manager brings up and repairs after a pulled cable.
type Repair struct {
	Fabric   string             `json:"fabric"`
	Pulled   string             `json:"pulled"`         // the cable
	Cold     *terms.BringUpJSON `json:"cold"`           // the bring-up
	Repair   *terms.BringUpJSON `json:"repair"`         // the round that repaired the tables
	Trap     float64            `json:"trap_seconds"`   // from the pull until the first trap reached the manager
	Repaired float64            `json:"repair_seconds"` // from the pull until the new tables are written and checked
	Entries  int                `json:"entries"`        // of the forwarding tables
	Moved    int                `json:"entries_moved"`  // entries that differ after the repair
	LIDs     int                `json:"lids_moved"`

	cable string // the cable in short
}

// managed is the fabric of the subnet.
const managed = "fat648"

// patience bounds the wait for a manager that normally takes milliseconds.
const patience = 30 * time.Second

// repair runs a manager of an emulated subnet in real time, and pulls a cable when the subnet is
// up.
func repair(ctx context.Context, formula string, watch terms.Watch, routing planner.Request, clock func() time.Duration) (*Repair, error) {
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
	o := newObserver(clock)
	runner := sm.Runner{Watch: watch, Routing: routing, Clock: clock, Note: o.note, Show: o.show}
	ended := make(chan error, 1)
	go func() {
		_, err := runner.Run(ctx, t)
		ended <- err
		cancel() // who waits for a round waits no more
	}()
	r, err := o.watch(ctx, subnet, f)
	cancel()
	if failed := <-ended; failed != nil && !errors.Is(failed, context.Canceled) && !errors.Is(failed, context.DeadlineExceeded) {
		return nil, failed
	}
	return r, err
}

// round is a finished round of the manager.
type round struct {
	ended  time.Duration
	report *terms.Report
	routed *watch.Routed
}

// observer collects traps and finished rounds of a running manager.
type observer struct {
	clock  func() time.Duration
	seen   int // the last round that was shown
	traps  chan time.Duration
	rounds chan round
}

func newObserver(clock func() time.Duration) *observer {
	return &observer{clock: clock, traps: make(chan time.Duration, 1), rounds: make(chan round, 16)}
}

// note keeps the time of a trap, unless one is kept already.
func (o *observer) note(i terms.Incident) {
	if i.Kind != terms.TrapCame {
		return
	}
	select {
	case o.traps <- o.clock():
	default:
	}
}

// show passes on each round that has ended. It never blocks the manager.
func (o *observer) show(s *watch.Snapshot) {
	if s.Last == nil || s.Last.Number == o.seen {
		return
	}
	o.seen = s.Last.Number
	select {
	case o.rounds <- round{o.clock(), s.Last.Report, s.Routed}:
	default:
	}
}

// watch waits until the subnet is up, pulls a cable, and waits until it is up without it.
func (o *observer) watch(ctx context.Context, subnet *live.Live, f *fabric.Fabric) (*Repair, error) {
	cold, err := o.await(ctx, len(f.Links))
	if err != nil {
		return nil, err
	}
	select {
	case <-o.traps: // of links that came up
	default:
	}
	cable := firstSwitchLink(f)
	pulled := o.clock()
	subnet.Do(func(s *emulator.Subnet) { err = s.SetLinkDown(cable, true) })
	if err != nil {
		return nil, err
	}
	mended, err := o.await(ctx, len(f.Links)-1)
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
	case came := <-o.traps:
		r.Trap = (came - pulled).Seconds()
	default: // a light sweep was first
	}
	return r, nil
}

// await waits for a round that has brought up a subnet of so many cables.
func (o *observer) await(ctx context.Context, cables int) (round, error) {
	for {
		select {
		case r := <-o.rounds:
			if r.report.State == terms.Up && r.report.Found.Links == cables {
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
