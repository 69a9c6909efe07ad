package sm

import (
	"weft/fabric"
	"weft/route"
	"weft/route/job"
	"weft/route/levels"
	"weft/sm/sa"
)

// ledger holds what every device was found to be, what it was told, and what it holds. A round
// fills it. When its Plan is in force the Manager goes by it, and so does the next round. From then
// on a ledger only loses certainty: by doubtBlocks, doubtTables, doubtUnverified, see and
// forgetRewritten, and by nothing else.
type ledger struct {
	inventory // found
	fabric    *fabric.Fabric
	graph     *fabric.Graph
	plan      *route.Plan
	way       *job.Transition // what is written before the tables of plan; nil for nothing
	prog      programming     // told, and held
	by        policy
	keys      *keyring       // the Manager's, where there is one
	others    []otherManager // that have answered

	halfWritten bool     // the writing was not done to its end: nobody knows what switches hold
	rewritten   []uint64 // tags of Sets of tables that were written more than once, or sent again: the next light sweep reads them
	since       []uint32 // by node: the first round since which it has not restarted; see countSince
}

// policy holds the settings by which devices are told what they are to hold.
type policy struct {
	between    sa.Between
	partitions *Partitioning
	levels     levels.Levels
	drain      []string // what is drained in this round
	unproven   bool     // the Plan is distributed even if the judge finds faults
	stays      bool     // other rounds can follow; the Plan has trees for multicast groups
}

// newLedger makes a ledger of nothing, for a round with these settings.
func newLedger(cfg *Config) *ledger {
	return &ledger{
		keys: newKeyring(cfg),
		by:   policy{between: cfg.Between, partitions: cfg.Partitions, levels: cfg.Levels, drain: cfg.Drain, unproven: cfg.Unproven},
	}
}

// doubtBlocks takes that a switch does not hold all of its forwarding table any more.
func (l *ledger) doubtBlocks(id int32) { l.prog.holds[id] = false }

// doubtTables takes that a table of a node is not the one that it was told.
func (l *ledger) doubtTables(id int32) { l.prog.wrong[id] = true }

// see takes the PortInfo of a port that no traffic uses.
func (l *ledger) see(slot int32, info portInfo) { l.info[slot] = info }

// forgetRewritten takes that a light sweep has read all again that was written more than once.
func (l *ledger) forgetRewritten() { l.rewritten = nil }
