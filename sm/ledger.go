package sm

import (
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/levels"
	"weft/sm/partition"
	"weft/sm/sa"
	"weft/wire/mad"
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
	way       *planner.Transition // what is written before the tables of plan; nil for nothing
	prog      programming         // told, and held
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

// doubtBlocks takes that a switch does not hold all of its forwarding table any more.
func (l *ledger) doubtBlocks(id int32) { l.prog.holds[id] = false }

// doubtTables takes that a table of a node is not the one that it was told.
func (l *ledger) doubtTables(id int32) { l.prog.wrong[id] = true }

// see takes the PortInfo of a port that no traffic uses.
func (l *ledger) see(slot int32, info portInfo) { l.info[slot] = info }

// forgetRewritten takes that a light sweep has read all again that was written more than once.
func (l *ledger) forgetRewritten() { l.rewritten = nil }

// programming holds what is to be written, and how far that is done.
type programming struct {
	fabricNode []fabric.NodeID // by node, -1 for one that was left out
	sw         []int32         // by node: switch of the Graph, -1 for none
	end        []int32         // by slot: end port of the Graph, -1 for none
	top        fabric.LID
	smLID      fabric.LID
	blocks     []blockCount         // by node
	closed     []bool               // by node: a switch that does not hold what was proven
	wrong      []bool               // by node: it was noted that a table of it differs, or may have been lost
	holds      []bool               // by node: a switch that holds all of its forwarding table
	asBefore   []bool               // by node: it held, as writing began, what it was told in the round before
	verified   []bool               // by node: a switch that has said at the end that no port of it has changed its state
	pkeys      map[int32]*pkeyTable // by slot
	members    *partition.Index     // of Config.Partitions, nil without
	step       int                  // what is being written: what is between, then what the Plan has
}

// blockCount counts the blocks of a switch's forwarding table: those that it had already, those that it has taken, with those that others
// replace later, and those that it has not.
type blockCount struct{ same, acked, between, lost uint32 }

// otherManager is another subnet manager, as it was when it was asked.
type otherManager struct {
	guid     fabric.GUID // of its port
	priority uint64
	state    uint64 // SMState
	path     []byte // directed route to its port
	name     string
	silent   bool // it did not answer when it was asked last
}

// precedes reports whether a manager goes before one of this priority and port GUID: the one of
// the higher priority does, of equal ones the one of the lower GUID (14.4.1).
func (o *otherManager) precedes(priority uint8, guid fabric.GUID) bool {
	if o.priority != uint64(priority) {
		return o.priority > uint64(priority)
	}
	return o.guid < guid
}

// addressable yields the ports of the Fabric that a LID can name.
func (l *ledger) addressable(yield func(slot int32) bool) {
	for slot := range int32(len(l.owner)) {
		if l.takesLID(slot) && l.prog.fabricNode[l.owner[slot]] >= 0 && !yield(slot) {
			return
		}
	}
}

// endOf returns the end port of a port GUID, -1 for none.
func (l *ledger) endOf(guid fabric.GUID) int32 {
	for slot, e := range l.prog.end {
		if e >= 0 && l.guid[slot] == guid {
			return e
		}
	}
	return -1
}

// keyOf returns the M_Key of the port that counts for an SMP.
func (l *ledger) keyOf(k kind, index int32) uint64 { return l.keys.key(l.guid[l.agent(k, index)]) }

// isLockedOut reports whether our own port hides its M_Key, so that the subnet is that of a manager with other keys.
func (l *ledger) isLockedOut() bool {
	return len(l.nodes) > 0 && isHidden(l.info[l.ownPort()][:])
}

// isHidden reports whether a PortInfo was given without the M_Key, since that of the request was wrong.
func isHidden(info []byte) bool {
	return mad.PortInfoMKey.Get(info) == 0 && mad.PortInfoMKeyProtectBits.Get(info) == 1
}

// doubtUnverified takes that PortStateChange of a switch is set. If it was not read at the end of the round in force, the switch may have restarted after its tables were
// written, and have been told the rest since: then they are written again.
func (l *ledger) doubtUnverified(node *node) {
	if id, ok := l.byGUID[node.guid]; ok && !l.prog.verified[id] {
		l.prog.wrong[id], l.prog.holds[id] = true, false
	}
}
