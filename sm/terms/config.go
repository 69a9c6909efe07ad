package terms

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/route/levels"
	"weft/route/multicast"
	"weft/sm/congestion"
	"weft/sm/partition"
	"weft/sm/perf"
	"weft/sm/sa"
)

// Config says what a Manager is to do. The zero value brings a subnet up.
type Config struct {
	ReadOnly   bool          // only look: nothing is Set, and it ends after discovery
	Unproven   bool          // distribute a Plan even if the judge finds faults
	TakeOver   bool          // write although another subnet manager is the master
	AskRoles   bool          // ask switches for their role in a tree, by the vendor attribute SwitchRole
	Keys       Keys          // M_Keys of ports
	Partitions *Partitioning // nil: all ports are full members of the default partition, and keep what other P_Keys they have
	Levels     levels.Levels // of service: which paths have which
	OwnPort    fabric.GUID   // GUID of our own port, 0 where it is not known: its M_Key may be needed to ask for it
	History
	MaxPending int           // SMPs handed out and not ended, to bound memory; 1024
	Sweeps     int           // sweeps before it goes on in a fabric that keeps changing; 3
	SMKey      uint64        // that other managers are told; OpenSM heeds none that has not its own
	Priority   uint8         // towards other subnet managers, 0 to 15
	Replicates bool          // the subnet is handed over to another manager after MayTakeOver alone
	Pause      time.Duration // how long packets under way are given to leave where old and new tables must not meet; UsualPause
	Elect      bool          // who is the master is settled with other managers by priority and GUID, not by who was first

	Drain               []string       // switches and cables by name: no traffic of others passes through them
	Drains              Drains         // what was drained the last time; Drain is followed from there
	Expected            *fabric.Fabric // what should be there; deviations are told
	QuarantineStrangers bool           // nodes that are not Expected are left out; or not Admitted, where that is not nil
	Admitted            []fabric.GUID  `json:"-"` // in order; of the master before us

	Between    sa.Between           // how the subnet is joined with others
	Congestion *congestion.Settings // what switches and adapters are told of congestion control, by the Runner; nil for nothing
	Options    map[string]string    // by which routes, or what is written, would change, by name, and what they say: managers that stand by tell where theirs differ
}

// History is what was known of the subnet before the manager started, and whether the manager
// stores the same for the next one. Config embeds it, so its fields stand in a recording between
// those of Config, in this order.
type History struct {
	Neighbours []Neighbour           // as they were found before
	Stored     LIDMap                // LIDs remembered; they win over those found
	Trees      []multicast.TreeByLID // for multicast groups, of the manager before us
	Store      bool                  // LIDs and Plan are stored before a port gets its LID: the action Store
	Last       *planner.Kept         // the Plan of the last time, to be repaired in the first round; nil where none is known
	LastAfresh bool                  // it is not to be repaired, but its LIDs to be kept
	LastHeld   bool                  // it is that of another manager, or others may have changed it since: its tables are those that switches hold
}

// UsualPause is the time that packets are given to leave unless Config says otherwise. With credits for 64 KB a lane and links of 10 Gbit/s, a
// packet behind a full buffer at each of 10 hops leaves in less than 1 ms; behind many senders to one host it takes longer.
const UsualPause = 100 * time.Millisecond

// Partitioning says which ports may talk to each other, and whether switches see to it.
type Partitioning struct {
	Partitions partition.Partitions
	// In and Out have switches drop packets with P_Keys that a CA or router port at their own port does not have: those that come from
	// it, and those that go to it.
	In, Out bool
}

// After returns the partitions to be in force after others: where none are told any more, all ports are together again.
func (p *Partitioning) After(was *Partitioning) *Partitioning {
	if p == nil && was != nil {
		return &Partitioning{Partitions: partition.Everyone()}
	}
	return p
}

// FillIn sets the bounds that are not set to the usual ones.
func (cfg *Config) FillIn() {
	if cfg.MaxPending <= 0 {
		cfg.MaxPending = 1024
	}
	if cfg.Sweeps <= 0 {
		cfg.Sweeps = 3
	}
	if cfg.Pause <= 0 {
		cfg.Pause = UsualPause
	}
}

// AdmittedNodes lists the nodes that are expected, in order; nil where all are taken in.
func (cfg *Config) AdmittedNodes() []fabric.GUID {
	switch {
	case !cfg.QuarantineStrangers || cfg.Expected == nil && cfg.Admitted == nil:
		return nil
	case cfg.Admitted != nil:
		return cfg.Admitted
	}
	list := []fabric.GUID{}
	for i := range cfg.Expected.Nodes {
		if n := &cfg.Expected.Nodes[i]; !n.Down {
			list = append(list, n.GUID)
		}
	}
	slices.Sort(list)
	return list
}

// Settings hold the options that a running Manager can be given anew. Of Config it takes Unproven, TakeOver, AskRoles, SMKey, Priority, Keys, Partitions, Levels, Congestion, Drain,
// Expected, QuarantineStrangers and Options; all else holds from the start on.
type Settings struct {
	Config Config
	Watch  Watch
	Afresh bool   // Routing is another one: all is routed afresh
	What   string // has changed, in words

	// Taken by the Runner.
	Routing  planner.Request
	Counters perf.Config
}

// Drains list the switches and cables to be drained: those that Config.Drain names, with the changes by events.
type Drains struct {
	Told []string // Config.Drain, when it was last looked at
	Now  []string
}

// Follow takes a Config.Drain that is another one than before, and reports whether it is.
func (d *Drains) Follow(list []string) bool {
	if slices.Equal(d.Told, list) {
		return false
	}
	kept := slices.DeleteFunc(slices.Clone(d.Now), func(w string) bool { return slices.Contains(d.Told, w) && !slices.Contains(list, w) })
	for _, w := range list {
		if !slices.Contains(d.Told, w) && !slices.Contains(kept, w) {
			kept = append(kept, w)
		}
	}
	d.Told, d.Now = slices.Clone(list), kept
	return true
}

// Watch says how a Manager that stays watches its subnet. The zero value ends it after its first round.
type Watch struct {
	Interval  time.Duration // from the end of a light sweep to the next one
	Quiet     time.Duration // shortly after a round, the next one begins when nothing more has changed for so long, doubled each time; otherwise at once
	MostQuiet time.Duration // and at the latest so long after the first change
	Retry     time.Duration // until the next round after one that did not bring up all, doubled each time
	MostRetry time.Duration // and no more than this
	Rebalance time.Duration // after the last repair, until all is routed afresh; 0: never
	Flaps     FlapRule      // which links are put in quarantine

	KeepAbsent int // rounds that must miss a node until its LIDs may be given to others; 0: they never are
}

// RetryAfter returns how long after a round that did not bring up all the next one begins, if so many before it did not either.
func (w Watch) RetryAfter(failed int) time.Duration {
	after := w.Retry
	for range min(failed, 20) {
		if after > w.MostRetry/2 {
			return w.MostRetry
		}
		after *= 2
	}
	return min(after, w.MostRetry)
}

// UsualWatch has the usual times between looks at a subnet.
var UsualWatch = Watch{
	Interval: 10 * time.Second, Quiet: 25 * time.Millisecond, MostQuiet: time.Second,
	Retry: 10 * time.Second, MostRetry: 10 * time.Minute, Rebalance: time.Minute,
	Flaps: FlapRule{Times: 5, Within: 10 * time.Minute, Hold: time.Minute, MostHold: time.Hour},
}

// FlapRule says which links are put in quarantine: they are not used, and what happens to them begins no round.
type FlapRule struct {
	Times    int           // a link that came back more often than this; 0: none is
	Within   time.Duration // in so long
	Hold     time.Duration // until it has been up without a change for so long, doubled each time
	MostHold time.Duration // and no more than this
}
