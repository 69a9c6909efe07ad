package ledger

import (
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/levels"
	"weft/sm/partition"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Ledger holds what every device was found to be, what it was told, and what it holds. A round
// fills it. When its Plan is in force the Manager goes by it, and so does the next round. From then
// on a ledger only loses certainty: by doubtBlocks, doubtTables, doubtUnverified, see and
// forgetRewritten, and by nothing else.
type Ledger struct {
	Inventory // found
	Fabric    *fabric.Fabric
	Graph     *fabric.Graph
	Plan      *route.Plan
	Way       *planner.Transition // what is written before the tables of plan; nil for nothing
	Prog      programming         // told, and held
	By        Policy
	Keys      *Keyring       // the Manager's, where there is one
	Others    []OtherManager // that have answered

	HalfWritten bool     // the writing was not done to its end: nobody knows what switches hold
	Rewritten   []uint64 // tags of Sets of tables that were written more than once, or sent again: the next light sweep reads them
	Since       []uint32 // by node: the first round since which it has not restarted; see countSince
}

// Policy holds the settings by which devices are told what they are to hold.
type Policy struct {
	Between    sa.Between
	Partitions *terms.Partitioning
	Levels     levels.Levels
	Drain      []string // what is drained in this round
	Unproven   bool     // the Plan is distributed even if the judge finds faults
	Stays      bool     // other rounds can follow; the Plan has trees for multicast groups
}

// DoubtBlocks takes that a switch does not hold all of its forwarding table any more.
func (l *Ledger) DoubtBlocks(id int32) { l.Prog.Holds[id] = false }

// DoubtTables takes that a table of a node is not the one that it was told.
func (l *Ledger) DoubtTables(id int32) { l.Prog.Wrong[id] = true }

// See takes the PortInfo of a port that no traffic uses.
func (l *Ledger) See(slot int32, info portInfo) { l.Info[slot] = info }

// ForgetRewritten takes that a light sweep has read all again that was written more than once.
func (l *Ledger) ForgetRewritten() { l.Rewritten = nil }

// programming holds what is to be written, and how far that is done.
type programming struct {
	FabricNode []fabric.NodeID // by node, -1 for one that was left out
	Sw         []int32         // by node: switch of the Graph, -1 for none
	End        []int32         // by slot: end port of the Graph, -1 for none
	Top        fabric.LID
	SMLID      fabric.LID
	Blocks     []BlockCount         // by node
	Closed     []bool               // by node: a switch that does not hold what was proven
	Wrong      []bool               // by node: it was noted that a table of it differs, or may have been lost
	Holds      []bool               // by node: a switch that holds all of its forwarding table
	AsBefore   []bool               // by node: it held, as writing began, what it was told in the round before
	Verified   []bool               // by node: a switch that has said at the end that no port of it has changed its state
	PKeys      map[int32]*PKeyTable // by slot
	Members    *partition.Index     // of Config.Partitions, nil without
	Step       int                  // what is being written: what is between, then what the Plan has
}

// BlockCount counts the blocks of a switch's forwarding table: those that it had already, those that it has taken, with those that others
// replace later, and those that it has not.
type BlockCount struct{ Same, Acked, Between, Lost uint32 }

// OtherManager is another subnet manager, as it was when it was asked.
type OtherManager struct {
	GUID     fabric.GUID // of its port
	Priority uint64
	State    uint64 // SMState
	Path     []byte // directed route to its port
	Name     string
	Silent   bool // it did not answer when it was asked last
}

// Precedes reports whether a manager goes before one of this priority and port GUID: the one of
// the higher priority does, of equal ones the one of the lower GUID (14.4.1).
func (o *OtherManager) Precedes(priority uint8, guid fabric.GUID) bool {
	if o.Priority != uint64(priority) {
		return o.Priority > uint64(priority)
	}
	return o.GUID < guid
}

// Addressable yields the ports of the Fabric that a LID can name.
func (l *Ledger) Addressable(yield func(slot int32) bool) {
	for slot := range int32(len(l.Owner)) {
		if l.TakesLID(slot) && l.Prog.FabricNode[l.Owner[slot]] >= 0 && !yield(slot) {
			return
		}
	}
}

// EndOf returns the end port of a port GUID, -1 for none.
func (l *Ledger) EndOf(guid fabric.GUID) int32 {
	for slot, e := range l.Prog.End {
		if e >= 0 && l.GUID[slot] == guid {
			return e
		}
	}
	return -1
}

// KeyOf returns the M_Key of the port that counts for an SMP.
func (l *Ledger) KeyOf(k Kind, index int32) uint64 { return l.Keys.Key(l.GUID[l.Agent(k, index)]) }

// IsLockedOut reports whether our own port hides its M_Key, so that the subnet is that of a manager with other keys.
func (l *Ledger) IsLockedOut() bool {
	return len(l.Nodes) > 0 && IsHidden(l.Info[l.OwnPort()][:])
}

// IsHidden reports whether a PortInfo was given without the M_Key, since that of the request was wrong.
func IsHidden(info []byte) bool {
	return mad.PortInfoMKey.Get(info) == 0 && mad.PortInfoMKeyProtectBits.Get(info) == 1
}

// DoubtUnverified takes that PortStateChange of a switch is set. If it was not read at the end of the round in force, the switch may have restarted after its tables were
// written, and have been told the rest since: then they are written again.
func (l *Ledger) DoubtUnverified(node *Node) {
	if id, ok := l.ByGUID[node.GUID]; ok && !l.Prog.Verified[id] {
		l.Prog.Wrong[id], l.Prog.Holds[id] = true, false
	}
}
