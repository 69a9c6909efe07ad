package round

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/multicast"
	"weft/route/planfile"
	"weft/sm/ledger"
	"weft/sm/terms"
)

// Given is all that a round goes by. Maps in it are the round's from then on.
type Given struct {
	By     ledger.Policy
	Limits Limits

	ReadOnly bool // only look: nothing is Set, and the round ends after discovery
	TakeOver bool // write although another subnet manager is the master
	AskRoles bool // ask switches for their role in a tree
	Elect    bool // priority and GUID settle who is the master
	Store    bool // LIDs and Plan are stored before a port gets its LID
	Priority uint8

	Admitted []fabric.GUID // the nodes that are taken in, in order; nil for all
	Keys     *ledger.Keyring
	Inherit  Inherit

	Before     *ledger.Ledger       // whose Plan is in force; nil: the subnet is not ours yet
	AskAll     bool                 // nothing that Before says is believed
	Doubted    map[fabric.GUID]bool // by node GUID: nothing is believed of these nodes
	Afresh     bool                 // the Plan of Before is not to be repaired
	Unbalanced bool                 // all is to be routed afresh some time, since that Plan has been repaired
	Failed     int                  // rounds, one after the other, that did not bring up all before this one
	Forgotten  map[fabric.GUID]bool // nodes that are gone, and ports: their LIDs may be given to others
	Apart      Apart

	Claimed    bool        // IsSM is set at our port
	HandedBy   fabric.GUID // port of the manager that hands the subnet over to us, 0 for none
	Reregister bool        // clients are to register again
}

// GivenBy returns what settings say of a round. The watch adds what it knows.
func GivenBy(cfg *terms.Config) Given {
	return Given{
		By:       ledger.Policy{Between: cfg.Between, Partitions: cfg.Partitions, Levels: cfg.Levels, Drain: cfg.Drain, Unproven: cfg.Unproven},
		Limits:   Limits{Pending: cfg.MaxPending, Sweeps: cfg.Sweeps, Pause: cfg.Pause},
		ReadOnly: cfg.ReadOnly, TakeOver: cfg.TakeOver, AskRoles: cfg.AskRoles, Elect: cfg.Elect, Store: cfg.Store, Priority: cfg.Priority,
		Admitted: cfg.AdmittedNodes(), AskAll: true,
		Inherit: Inherit{Stored: cfg.Stored, Trees: cfg.Trees, Last: cfg.Last, Afresh: cfg.LastAfresh, Held: cfg.LastHeld},
	}
}

// Limits bound the work of a round.
type Limits struct {
	Pending int           // SMPs handed out and not ended
	Sweeps  int           // sweeps before the round goes on in a fabric that keeps changing
	Pause   time.Duration // how long packets under way are given to leave
}

// Inherit holds what a round takes over from earlier ones, or from other managers. It gives back
// what the next round is to take over.
type Inherit struct {
	Stored terms.LIDMap          // LIDs remembered; they win over those found
	Trees  []multicast.TreeByLID // for multicast groups, of the manager before us
	Last   *planner.Kept         // the Plan of the last time, to be repaired; nil where none is known
	Afresh bool                  // Last is not to be repaired, but its LIDs to be kept
	Held   bool                  // Last is that of another manager, or others may have changed it since: its tables are those that switches hold
}

// Result is what a round has brought about. While the round is under way, it says how far that is.
type Result struct {
	Report  *terms.Report
	Ledger  *ledger.Ledger
	Inherit Inherit              // for the next round
	Record  *terms.Record        // what is, or was, to be stored; nil where nothing is
	Master  *ledger.OtherManager // another manager to be left alone; nil where it is silent, or none is

	Repaired   bool // the Plan is a repair of the one before
	Moved      int  // entries of forwarding tables that the repair has moved
	Unbalanced bool // all is to be routed afresh some time

	Doubted   map[fabric.GUID]bool              // by node GUID: nothing is to be believed of these nodes
	Held      map[ledger.PortKey]ledger.PortKey // ports in quarantine, as in Apart; without those that were the only way
	Changing  []fabric.GUID                     // switches of Apart whose PortStateChange was set
	BrokenOff bool                              // switches that are not verified were not asked
	Clients   Clients
}

// Result returns what the round has brought about by now.
func (c *Round) Result() *Result {
	return &Result{
		Report: &c.report, Ledger: c.Ledger, Inherit: c.inherit, Record: c.record, Master: c.master,
		Repaired: c.repaired, Moved: c.moved, Unbalanced: c.given.Unbalanced,
		Doubted: c.beliefs.doubted, Held: c.given.Apart.Held, Changing: c.changing, BrokenOff: c.brokenOff, Clients: c.clients,
	}
}

// Fabric returns what discovery found, nil before it ended. LIDs are those found, and
// after SUBNET UP those given.
func (r *Result) Fabric() *fabric.Fabric { return r.Ledger.Fabric }

// Graph returns the Graph of Fabric, nil where there is none.
func (r *Result) Graph() *fabric.Graph { return r.Ledger.Graph }

// Plan returns the Plan that was or is being distributed, nil when none is.
func (r *Result) Plan() *route.Plan { return r.Ledger.Plan }

// IsHeld reports whether a port is in quarantine.
func (r *Result) IsHeld(at ledger.PortKey) bool {
	_, held := r.Held[at]
	return held
}

// IsLeftOut reports whether a switch was not asked any more whether a port of it has changed its state.
func (r *Result) IsLeftOut(id int32) bool { return r.BrokenOff && !r.Ledger.Prog.Verified[id] }

// Phase names the phase of a round that is under way.
func (c *Round) Phase() string { return phaseNames[c.phase] }

// IsDone reports whether the round has ended.
func (c *Round) IsDone() bool { return c.phase == finished }

// Claims reports whether the ports that say IsSM were asked, in this round or an earlier one, and the subnet is ours.
func (f *finder) Claims() bool { return f.granted }

// Unbalances reports whether all is to be routed afresh some time after this round, since its Plan is a repair.
func (w *writer) Unbalances() bool { return w.repaired && w.given.Unbalanced }

// admits reports whether a node is taken in.
func (g *Given) admits(guid fabric.GUID) bool {
	_, ok := slices.BinarySearch(g.Admitted, guid)
	return ok || g.Admitted == nil
}

// WritePlan writes the Plan as planfile.Load reads it. There must be one.
func (r *Result) WritePlan(w io.Writer) error { return planfile.Save(w, r.Ledger.Graph, r.Ledger.Plan) }

// WriteLIDs writes the LIDs of the Plan in the form that ReadLIDs reads, and after
// them those that were remembered of ports that are not here now.
func (r *Result) WriteLIDs(w io.Writer) error {
	var b bytes.Buffer
	l := r.Ledger
	m := r.Inherit.Stored.After(l.Graph, &l.Plan.Ends)
	written := map[fabric.LID]bool{}
	line := func(guid fabric.GUID, p terms.PortLIDs) {
		if !written[p.Base] {
			written[p.Base] = true
			fmt.Fprintf(&b, "%s 0x%04x 0x%04x\n", guid, p.Base, p.Last())
		}
	}
	for _, guid := range l.Graph.EndGUID {
		if p, ok := m[guid]; ok {
			line(guid, p)
		}
	}
	for _, guid := range slices.Sorted(maps.Keys(m)) {
		line(guid, m[guid])
	}
	for _, a := range l.Plan.Absent {
		line(cmp.Or(a.GUID, a.Node), terms.PortLIDs{Base: a.Base, LMC: a.LMC}) // a Plan of long ago does not know port GUIDs
	}
	_, err := w.Write(b.Bytes())
	return err
}
