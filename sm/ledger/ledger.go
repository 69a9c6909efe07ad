package ledger

import (
	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/levels"
	"weft/sm/partition"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/sm/tuning"
	"weft/wire/mad"
)

// Ledger records what every device was found to be, was sent, and holds. A round fills it. When its
// Plan is in force, the Manager and the next round use it. From then on it only loses certainty, by
// DoubtBlocks, DoubtTables, DoubtUnverified, See and ForgetRewritten.
type Ledger struct {
	Inventory // as found
	Fabric    *fabric.Fabric
	Graph     *fabric.Graph
	Plan      *route.Plan
	Way       *planner.Transition // steps before the tables of Plan; nil: none
	Prog      programming         // progress of writing
	By        Policy
	Keys      *Keyring       // the Manager's; may be nil
	Others    []OtherManager // other managers that answered
	Mute      []fabric.GUID  // ports that say IsSM, and did not answer SMInfo

	HalfWritten bool // the writing was broken off: the contents of switches are unknown
	// Rewritten lists the tags of table Sets that were repeated, part of a later step, or part of a
	// repair, after which entries move; the next light sweep reads these tables.
	Rewritten []uint64
	Since     []uint32 // by node: number of the first round after its last restart; see CountSince
}

// Policy holds the settings that determine the planned contents of devices.
type Policy struct {
	Between    sa.Between
	Partitions *terms.Partitioning
	Levels     levels.Levels
	Drain      []string                    // names of drained switches and cables
	Avoid      []string                    // GUIDs of switches that no path is to cross where there is another way
	Unproven   bool                        // distribute a Plan even if the judge finds faults
	Stays      bool                        // other rounds can follow; the Plan has trees for multicast groups
	Contested  fabric.LID                  // a port with this MasterSMLID keeps it: its manager writes to our ports too; 0: none
	Names      map[fabric.GUID]string      // what people call nodes
	Aliases    map[fabric.GUID]fabric.GUID // port GUIDs by alias
	Tuning     *tuning.Settings            // of ports; nil: the usual values
	Jobs       []terms.Job                 // that run
}

// DoubtBlocks records that a switch may have lost part of its forwarding table.
func (l *Ledger) DoubtBlocks(id int32) { l.Prog.Holds[id] = false }

// DoubtTables records that a table of a node may differ from the one written.
func (l *Ledger) DoubtTables(id int32) { l.Prog.Wrong[id] = true }

// See stores the PortInfo of a port without traffic.
func (l *Ledger) See(slot int32, info portInfo) { l.Info[slot] = info }

// ForgetRewritten records that a light sweep has verified all repeated writes.
func (l *Ledger) ForgetRewritten() { l.Rewritten = nil }

// programming holds the progress of writing a Plan.
type programming struct {
	FabricNode []fabric.NodeID      // by node, -1: left out
	Sw         []int32              // by node: index of the switch in the Graph, -1: none
	End        []int32              // by slot: index of the end port in the Graph, -1: none
	Top        fabric.LID           // highest LID of the Plan
	SMLID      fabric.LID           // our own LID
	Blocks     []BlockCount         // by node
	Closed     []bool               // by node: a switch without its proven tables
	Wrong      []bool               // by node: a table differs, or may be lost; this was noted
	Holds      []bool               // by node: a switch with its complete forwarding table
	AsBefore   []bool               // by node: it held the previous values as writing began
	Verified   []bool               // by node: a switch that reported no PortStateChange at the end
	PKeys      map[int32]*PKeyTable // by slot
	Members    *partition.Index     // of Policy.Partitions, nil without
	Unmatched  []Unmatched          // members of Policy.Partitions that select no port
	Passes     []bool               // by slot: with one lane, packets of every SL pass the lane tables
	Step       int                  // the step being written: first Way.Between, then the Plan
}

// BlockCount counts the blocks of a switch's forwarding table: held before (Same), acknowledged
// (Acked), acknowledged but replaced by a later step (Between), failed (Lost).
type BlockCount struct{ Same, Acked, Between, Lost uint32 }

// OtherManager is another subnet manager, as it last answered.
type OtherManager struct {
	GUID     fabric.GUID // of its port
	Priority uint64
	State    uint64 // SMState of SMInfo
	Path     []byte // directed route to its port
	Name     string
	Silent   bool // it did not answer the last request
}

// Precedes reports whether the other manager beats a manager with this priority and port GUID: the
// higher priority wins, then the lower GUID (14.4.1).
func (o *OtherManager) Precedes(priority uint8, guid fabric.GUID) bool {
	if o.Priority != uint64(priority) {
		return o.Priority > uint64(priority)
	}
	return o.GUID < guid
}

// Addressable yields the slots of all ports in the Fabric that can have a LID.
func (l *Ledger) Addressable(yield func(slot int32) bool) {
	for slot := range int32(len(l.Owner)) {
		if l.TakesLID(slot) && l.Prog.FabricNode[l.Owner[slot]] >= 0 && !yield(slot) {
			return
		}
	}
}

// EndOf returns the index in the Graph of the end port with this GUID, -1 if there is none.
func (l *Ledger) EndOf(guid fabric.GUID) int32 {
	for slot, e := range l.Prog.End {
		if e >= 0 && l.GUID[slot] == guid {
			return e
		}
	}
	return -1
}

// KeyOf returns the M_Key that an SMP carries.
func (l *Ledger) KeyOf(k Kind, index int32) uint64 { return l.Keys.Key(l.GUID[l.Agent(k, index)]) }

// IsLockedOut reports whether our own port hides its M_Key: the subnet belongs to a manager with
// other keys.
func (l *Ledger) IsLockedOut() bool {
	return len(l.Nodes) > 0 && IsHidden(l.Info[l.OwnPort()][:])
}

// IsHidden reports whether a PortInfo hides the M_Key, because the request carried a wrong one.
func IsHidden(info []byte) bool {
	return mad.PortInfoMKey.Get(info) == 0 && mad.PortInfoMKeyProtectBits.Get(info) == 1
}

// DoubtUnverified handles a set PortStateChange of a switch. If the bit was not read at the end of
// the previous round, the switch may have restarted after its tables were written, and have got
// only later writes. Its tables are then written again.
func (l *Ledger) DoubtUnverified(node *Node) {
	if id, ok := l.ByGUID[node.GUID]; ok && !l.Prog.Verified[id] {
		l.Prog.Wrong[id], l.Prog.Holds[id] = true, false
	}
}
