package terms

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/planner"
	"weft/route/levels"
	"weft/route/multicast"
	"weft/sm/congestion"
	"weft/sm/perf"
	"weft/sm/sa"
	"weft/sm/tuning"
)

// Config is the configuration of a Manager. The zero value brings a subnet up.
type Config struct {
	ReadOnly bool // discover only: Set nothing, and end after discovery
	Unproven bool // distribute a Plan even if the judge finds faults
	TakeOver bool // write even if another subnet manager is the master
	AskRoles bool // ask switches for the vendor attribute SwitchRole
	Keys     Keys // M_Keys of ports
	// Partitions assigns P_Keys to ports. nil: all ports are full members of the default partition,
	// and keep their other P_Keys.
	Partitions *Partitioning
	Levels     levels.Levels // which paths use which level of service
	// OwnPort is our own port, 0: unknown until the first answer, which may need its M_Key. Other
	// managers are not answered before it is known.
	OwnPort fabric.GUID
	History
	MaxPending int    // SMPs handed out and not ended, to limit memory; default 1024
	Sweeps     int    // sweeps while the fabric keeps changing; default 3
	SMKey      uint64 // OpenSM ignores managers with another SM_Key
	Priority   uint8  // as subnet manager, 0 to 15
	// Pause is the time for packets under way to leave, where old and new table entries must not
	// meet. The default is UsualPause.
	Pause time.Duration
	Elect bool // priority and GUID decide who is the master, not who came first

	Drain               []string       // names of switches and cables without transit traffic
	Drains              Drains         // drains of the last run, as Follow left them
	Expected            *fabric.Fabric // the expected fabric; deviations are logged
	QuarantineStrangers bool           // leave out nodes not in Admitted, or not in Expected
	Admitted            []fabric.GUID  `json:"-"` // sorted node GUIDs; from the previous master

	Names map[fabric.GUID]string // what people call nodes, by GUID; others have their descriptions

	Between    sa.Between           // how the subnet is connected to others
	Congestion *congestion.Settings // congestion control, set by the Runner; nil: unchanged
	Tuning     *tuning.Settings     // of ports: times, and speeds and widths of links; nil: as usual
	Succession
}

// Succession concerns other managers of weft. Config embeds it, so a recording holds its fields
// among the fields of Config.
type Succession struct {
	Replicates bool // hand the subnet over to managers in MayTakeOver only
	// Options holds the options that affect routes or written values, by name. A standby compares
	// them with the master's and logs differences.
	Options map[string]string
}

// History is the state known before the manager started; Store says whether the manager stores its
// own state for the next start. Config embeds it, so a recording holds its fields among the fields
// of Config, in this order.
type History struct {
	Neighbours []Neighbour           // as found before
	Stored     LIDMap                // stored LIDs; they take precedence over LIDs found
	Trees      []multicast.TreeByLID // of the multicast groups of the previous master
	// Aliases holds port GUIDs by alias. Without them the first round would take the P_Keys of
	// aliases from ports.
	Aliases    map[fabric.GUID]fabric.GUID `json:",omitzero"`
	Store      bool                        // action Store is wanted before a port gets its LID
	Last       *planner.Kept               // the last Plan, repaired in the first round; nil: unknown
	LastAfresh bool                        // route from scratch, but keep the LIDs of Last
	// LastHeld says that Last is another manager's Plan, or that others may have changed it. The
	// first round then uses the tables that switches hold.
	LastHeld bool
	Jobs     []Job `json:",omitempty"` // that run
}

// UsualPause is the default of Config.Pause. With credits for 64 KB a lane and links of 10 Gbit/s,
// a packet behind a full buffer at each of 10 hops leaves in less than 1 ms. Behind many senders to
// one host it takes longer.
const UsualPause = 100 * time.Millisecond

// FillIn replaces unset limits by their defaults.
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

// AdmittedNodes returns the sorted GUIDs of the nodes to be managed, nil for all.
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

// Settings holds the options that can change while a Manager runs. Of Config it takes Unproven,
// TakeOver, AskRoles, SMKey, Priority, Keys, Partitions, Levels, Congestion, Pause, Drain,
// Expected, QuarantineStrangers, Tuning, Between.Prefixes and Options. All others keep their values
// from the start.
type Settings struct {
	Config Config
	Watch  Watch
	Afresh bool   // Routing has changed: route from scratch
	What   string // what has changed, in words
	// Enforce says how switches enforce partitions of programs where Config has none of a file.
	Enforce Enforcement

	// Used by the Runner.
	Routing  planner.Request
	Counters perf.Config
}

// Drains lists the switches and cables to be drained, by name: Config.Drain with later
// changes by events.
type Drains struct {
	Told []string // Config.Drain as last followed
	Now  []string // drained now
	// Trials are links whose speeds are being forced, or did not return, as package forcing keeps
	// them.
	Trials []string `json:",omitempty"`
}

// Follow applies the changes of Config.Drain since the last call. It reports whether there are any.
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

// Watch holds the intervals of a Manager that stays. The zero value ends it after its first round.
type Watch struct {
	Interval time.Duration // from the end of a light sweep to the next one
	// Quiet delays a round that follows shortly after another: it begins when nothing has changed
	// for this time, doubled each time. Otherwise a round begins at once.
	Quiet     time.Duration
	MostQuiet time.Duration // the longest such delay after the first change
	Retry     time.Duration // from an incomplete round to the next one, doubled each time
	MostRetry time.Duration // the longest such delay
	Rebalance time.Duration // from the last repair to a routing from scratch; 0: never
	Moves     int           // entries of forwarding tables a minute that may move to less loaded links; 0: none
	NoMoves   []Hours       // when no entry moves but for repairs
	Windows   []Window      // when entries may move, and speeds be forced, though nothing has failed; none: always
	Zone      Zone          // local time, for Windows
	Epoch     time.Duration `json:"Midnight"` // from 1970 in UTC to time 0 of the Manager, for NoMoves and Windows
	Flaps     FlapRule      // which links are put in quarantine
	Babble    BabbleRule    // what happens to ports that send too much
	Jobs      JobRule       `json:",omitzero"` // when entries move for jobs that start

	KeepAbsent int // rounds that must miss a node before its LIDs can be reused; 0: never
}

// RetryAfter returns the delay from an incomplete round to the next one. failed is the number of
// consecutive incomplete rounds before it.
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

// UsualWatch holds the defaults.
var UsualWatch = Watch{
	Interval: 10 * time.Second, Quiet: 25 * time.Millisecond, MostQuiet: time.Second,
	Retry: 10 * time.Second, MostRetry: 10 * time.Minute, Rebalance: time.Minute, Moves: 2000,
	Babble: BabbleRule{Rate: 250}, Jobs: JobRule{Interval: 10 * time.Second, Moves: 2000},
	Flaps: FlapRule{Times: 5, Within: 10 * time.Minute, Hold: time.Minute, MostHold: time.Hour},
}

// BabbleRule says which ports babble, and whether they are disabled.
type BabbleRule struct {
	Rate    int  // a port that sends more traps and other SMPs within a minute babbles; 0: none does
	Disable bool // disable a babbling port, unless that cuts off a switch or the manager; otherwise it is reported
}

// FlapRule decides which links are put in quarantine: they carry nothing, and their changes start
// no round.
type FlapRule struct {
	Times    int           // quarantine a link that came back more often than this; 0: never
	Within   time.Duration // within this time
	Hold     time.Duration // release a link up unchanged for this time, doubled each time
	MostHold time.Duration // at most this long
}
