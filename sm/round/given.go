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
	"weft/route/repair"
	"weft/sm/ledger"
	"weft/sm/terms"
)

// Given is the complete input of a round. The round owns the maps in it, and changes them.
type Given struct {
	By     ledger.Policy
	Limits Limits

	ReadOnly bool  // discover only: Set nothing, and end after discovery
	TakeOver bool  // write even if another subnet manager is the master
	AskRoles bool  // ask switches for their role in a tree
	Elect    bool  // priority and GUID decide between managers
	Store    bool  // store LIDs and Plan before a port gets its LID
	Priority uint8 // ours as subnet manager, 0 to 15
	SMKey    uint64

	Admitted []fabric.GUID // node GUIDs to be managed, sorted; nil: all
	Keys     *ledger.Keyring
	Inherit  Inherit

	Before     *ledger.Ledger       // whose Plan is in force; nil: the subnet is not ours yet
	AskAll     bool                 // ask all devices for what they are
	ReadTables bool                 // read all tables: another manager may have written them since Before
	Doubted    map[fabric.GUID]bool // node GUIDs of which nothing is believed
	Afresh     bool                 // route from scratch, do not repair the Plan of Before
	Better     *terms.Better        // a better Plan than that of Before, to be used in this round; nil: none
	Failed     int                  // consecutive incomplete rounds before this one
	Forgotten  map[fabric.GUID]bool // GUIDs of absent nodes or ports whose LIDs may be reused
	Apart      Apart

	Claimed    bool        // IsSM is set at our port
	HandedBy   fabric.GUID // port of the manager that hands the subnet over to us, 0: none
	Reregister bool        // ask clients to register again
	// Idle holds, by port GUID, managers that had the subnet to themselves and did nothing with it,
	// with that reason in words. What they say of themselves does not count.
	Idle map[fabric.GUID]string
}

// GivenBy returns the part of a round's input that follows from settings. The watch fills in the
// rest.
func GivenBy(cfg *terms.Config) Given {
	return Given{
		By:       ledger.Policy{Between: cfg.Between, Partitions: cfg.Partitions, Levels: cfg.Levels, Drain: cfg.Drain, Unproven: cfg.Unproven, Names: cfg.Names, Tuning: cfg.Tuning},
		Limits:   Limits{Pending: cfg.MaxPending, Sweeps: cfg.Sweeps, Pause: cfg.Pause},
		ReadOnly: cfg.ReadOnly, TakeOver: cfg.TakeOver, AskRoles: cfg.AskRoles, Elect: cfg.Elect, Store: cfg.Store, Priority: cfg.Priority,
		SMKey:    cfg.SMKey,
		Admitted: cfg.AdmittedNodes(), AskAll: true,
		Inherit: Inherit{Stored: cfg.Stored, Trees: cfg.Trees, Last: cfg.Last, Afresh: cfg.LastAfresh, Held: cfg.LastHeld},
	}
}

// Limits bound a round in memory and time.
type Limits struct {
	Pending int           // SMPs handed out and not ended
	Sweeps  int           // sweeps before the round accepts a fabric that keeps changing
	Pause   time.Duration // time for packets under way to leave
	Moves   int           // entries that move to less loaded links, besides a repair; 0: none
}

// Inherit holds the state that a round takes over from earlier rounds or other managers. Result
// returns it for the next round.
type Inherit struct {
	Stored terms.LIDMap          // stored LIDs; they take precedence over LIDs found
	Trees  []multicast.TreeByLID // of the multicast groups of the previous master
	Last   *planner.Kept         // the last Plan, to be repaired; nil: unknown
	Afresh bool                  // route from scratch, but keep the LIDs of Last
	// Held says that Last is another manager's Plan, or that others may have changed it. The round
	// then uses the tables that switches hold.
	Held bool
	Seen *ledger.Ledger // without Before: what the last round found, which wrote nothing
	// IsLeft says that HandedBy was our master, or had the subnet and did nothing: nobody else may
	// have it.
	IsLeft bool
}

// Result is the outcome of a round. During the round it shows the state so far.
type Result struct {
	Report  *terms.Report
	Ledger  *ledger.Ledger
	Inherit Inherit              // for the next round
	Record  *terms.Record        // sent to be stored; nil: nothing
	Master  *ledger.OtherManager // another manager that is the master; nil: none, or silent
	// Overwritten is the MasterSMLID that another manager has written to a port of ours; 0: none.
	Overwritten fabric.LID

	Repaired   bool              // the Plan is a repair of the previous one
	Moved      int               // forwarding-table entries that the repair moved
	Improvable bool              // the repair changed entries or left links unused: moves may gain, and routing from scratch
	More       bool              // a better Plan may be found, beside the loop
	Unfit      error             // why Given.Better was not used; nil: it was, or there was none
	Spread     *repair.Spreading // of Limits.Moves; nil: no entry was moved

	Doubted map[fabric.GUID]bool // node GUIDs of which the next round believes nothing
	// Held holds the ports in quarantine, as Apart does, except the only links to switches.
	Held      map[ledger.PortKey]ledger.PortKey
	Changing  []fabric.GUID // switches of Apart whose PortStateChange was set
	BrokenOff bool          // unverified switches were not asked for changes
	Clients   Clients
}

// Result returns the outcome of the round so far. It shares memory with the round.
func (c *Round) Result() *Result {
	return &Result{
		Report: &c.report, Ledger: c.Ledger, Inherit: c.inherit, Record: c.record, Master: c.master, Overwritten: c.overwritten,
		Repaired: c.repaired, Moved: c.moved, Improvable: c.improvable, Spread: c.spread, More: c.more, Unfit: c.notUsed,
		Doubted: c.beliefs.doubted, Held: c.given.Apart.Held, Changing: c.changing, BrokenOff: c.brokenOff, Clients: c.clients,
	}
}

// Fabric returns the discovered Fabric, nil before discovery has ended. Its LIDs are those found;
// after SUBNET UP, those assigned.
func (r *Result) Fabric() *fabric.Fabric { return r.Ledger.Fabric }

// Graph returns the Graph of Fabric, nil if there is none.
func (r *Result) Graph() *fabric.Graph { return r.Ledger.Graph }

// Plan returns the Plan that is being or was distributed, nil if there is none.
func (r *Result) Plan() *route.Plan { return r.Ledger.Plan }

// IsHeld reports whether a port is in quarantine.
func (r *Result) IsHeld(at ledger.PortKey) bool {
	_, held := r.Held[at]
	return held
}

// IsLeftOut reports whether a switch, by node index, was not asked for PortStateChange at the end.
func (r *Result) IsLeftOut(id int32) bool { return r.BrokenOff && !r.Ledger.Prog.Verified[id] }

// Phase returns the name of the current phase, for example "discover".
func (c *Round) Phase() string { return phaseNames[c.phase] }

// IsDone reports whether the round has ended.
func (c *Round) IsDone() bool { return c.phase == finished }

// Claims reports whether the round may write: in this round or an earlier one, the ports that say
// IsSM were asked, and no other master forbids it.
func (f *finder) Claims() bool { return f.granted }

// admits reports whether a node is to be managed.
func (g *Given) admits(guid fabric.GUID) bool {
	_, ok := slices.BinarySearch(g.Admitted, guid)
	return ok || g.Admitted == nil
}

// WritePlan writes the Plan in the format of planfile.Load. There must be one.
func (r *Result) WritePlan(w io.Writer) error { return planfile.Save(w, r.Ledger.Graph, r.Ledger.Plan) }

// WriteLIDs writes the LIDs of the Plan, followed by the reserved LIDs of absent ports, in the
// format of terms.ReadLIDs.
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
		line(cmp.Or(a.GUID, a.Node), terms.PortLIDs{Base: a.Base, LMC: a.LMC}) // an old Plan may lack port GUIDs
	}
	_, err := w.Write(b.Bytes())
	return err
}
