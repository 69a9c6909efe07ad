package ledger

import (
	"weft/fabric"
	"weft/sm/terms"
	"weft/wire/mad"
)

// Kind is the purpose of an SMP. Together with an argument and a node or slot index it makes a tag,
// which determines the whole SMP: kind<<56 | argument<<32 | index.
type Kind uint8

// The kinds, each with the meaning of index and argument.
const (
	GetNode         Kind = iota // slot: the node behind it, NoSlot: our own; argument: M_Key
	GetNodeAgain                // slot, argument: the same again, for a mismatch
	GetLinkAgain                // slot, argument: PortInfo again, for a mismatch
	GetDescription              // node
	GetSwitch                   // node
	ClearChange                 // node: clear PortStateChange
	GetChange                   // node: PortStateChange at the end
	GetPort                     // slot
	GetPKeys                    // slot, argument: block
	SetPKey                     // slot, argument: block
	GetLFT                      // node, argument: block
	SetLFT                      // node, argument: block
	GetSL2VL                    // slot, argument: as SetSL2VL
	GetVLArb                    // slot, argument: block
	SetSL2VL                    // slot of the output port, argument: input port or flags
	SetVLArb                    // slot, argument: block
	SetSwitch                   // node
	SetPort                     // slot: parameters, and Armed
	SetActive                   // slot
	GetPortAfterSet             // slot: after a Set
	GetFDR10                    // slot: whether QDR is FDR10
	GetRole                     // node: its role in a tree
	GetManager                  // slot: the subnet manager at a port that says IsSM
	GetKey                      // slot, argument: which M_Key to try
	SetKey                      // slot: its M_Key alone
	GetTwin                     // slot: PortInfo of the CA port behind it, whose GUID another one has
	NumKinds
)

// Kinds lists method and attribute of every kind, and whether its index is a slot or a node.
var Kinds = [NumKinds]struct {
	Method mad.Method
	Attr   mad.AttrID
	Slot   bool // the index is a slot, not a node
}{
	GetNode:         {mad.Get, mad.AttrNodeInfo, true},
	GetNodeAgain:    {mad.Get, mad.AttrNodeInfo, true},
	GetLinkAgain:    {mad.Get, mad.AttrPortInfo, true},
	GetDescription:  {mad.Get, mad.AttrNodeDescription, false},
	GetSwitch:       {mad.Get, mad.AttrSwitchInfo, false},
	ClearChange:     {mad.Set, mad.AttrSwitchInfo, false},
	GetChange:       {mad.Get, mad.AttrSwitchInfo, false},
	GetPort:         {mad.Get, mad.AttrPortInfo, true},
	GetPKeys:        {mad.Get, mad.AttrPKeyTable, true},
	SetPKey:         {mad.Set, mad.AttrPKeyTable, true},
	GetLFT:          {mad.Get, mad.AttrLinearForwardingTable, false},
	SetLFT:          {mad.Set, mad.AttrLinearForwardingTable, false},
	GetSL2VL:        {mad.Get, mad.AttrSLtoVLMappingTable, true},
	GetVLArb:        {mad.Get, mad.AttrVLArbitrationTable, true},
	SetSL2VL:        {mad.Set, mad.AttrSLtoVLMappingTable, true},
	SetVLArb:        {mad.Set, mad.AttrVLArbitrationTable, true},
	SetSwitch:       {mad.Set, mad.AttrSwitchInfo, false},
	SetPort:         {mad.Set, mad.AttrPortInfo, true},
	SetActive:       {mad.Set, mad.AttrPortInfo, true},
	GetPortAfterSet: {mad.Get, mad.AttrPortInfo, true},
	GetFDR10:        {mad.Get, mad.AttrExtendedPortInfo, true},
	GetRole:         {mad.Get, mad.AttrSwitchRole, false},
	GetManager:      {mad.Get, mad.AttrSMInfo, true},
	GetKey:          {mad.Get, mad.AttrPortInfo, true},
	SetKey:          {mad.Set, mad.AttrPortInfo, true},
	GetTwin:         {mad.Get, mad.AttrPortInfo, true},
}

// AttrName returns the name of an SMP attribute.
func AttrName(id mad.AttrID) string { return mad.ClassDirectedSMP.AttributeName(id) }

// MakeTag returns the tag of an SMP. The argument has 24 bits.
func MakeTag(k Kind, index int32, arg uint32) uint64 {
	return uint64(k)<<56 | uint64(arg&0xFFFFFF)<<32 | uint64(uint32(index))
}

// SplitTag splits a tag into kind, index and argument.
func SplitTag(tag uint64) (k Kind, index int32, arg uint32) {
	return Kind(tag >> 56), int32(uint32(tag)), uint32(tag>>32) & 0xFFFFFF
}

// Agent returns the slot whose M_Key guards an SMP: port 0 of a switch, or a CA port.
func (n *Inventory) Agent(k Kind, index int32) int32 {
	id := index
	if Kinds[k].Slot {
		id = n.Owner[index]
	}
	switch {
	case n.Nodes[id].Typ == fabric.Switch:
		return n.Nodes[id].First
	case Kinds[k].Slot:
		return index
	}
	return n.Nodes[id].Entry
}

// Modifier returns the attribute modifier of an SMP.
func (l *Ledger) Modifier(k Kind, index int32, arg uint32) uint32 {
	switch k {
	case GetPort, GetLinkAgain, GetPortAfterSet, GetFDR10, GetKey:
		return mad.PortModifier(l.PortNumber(index), false)
	case SetPort, SetActive, SetKey:
		return mad.PortModifier(l.PortNumber(index), l.extendedSpeeds(index))
	case GetPKeys, SetPKey:
		return mad.PKeyModifier(l.switchPort(index), uint16(arg))
	case GetLFT, SetLFT:
		return arg
	case GetSL2VL:
		if arg&mad.SLtoVLAllInputs != 0 { // all inputs were written at once, so one stands for all
			arg = 0
		}
		return arg | uint32(l.switchPort(index))
	case SetSL2VL:
		if arg&mad.SLtoVLAllOutputs != 0 { // the port has no meaning then
			return arg
		}
		return arg | uint32(l.switchPort(index))
	case SetVLArb, GetVLArb:
		return mad.VLArbModifier(uint8(arg), l.switchPort(index))
	default:
		return 0
	}
}

// switchPort returns the port number for modifiers that name switch ports; 0 for a CA.
func (l *Ledger) switchPort(slot int32) uint8 {
	if l.Nodes[l.Owner[slot]].Typ != fabric.Switch {
		return 0
	}
	return l.PortNumber(slot)
}

// PathBehind returns the directed route to the node behind a port. It appends the route to memory.
func (l *Ledger) PathBehind(slot int32, memory *[]byte) []byte {
	n := &l.Nodes[l.Owner[slot]]
	at := len(*memory)
	*memory = append(*memory, n.Path...)
	*memory = append(*memory, l.PortNumber(slot))
	return (*memory)[at:]
}

// PathTo returns the directed route to a port. A switch has one route for all its ports; a CA port
// is reached only through its own cable. A new route is appended to memory.
func (l *Ledger) PathTo(slot int32, memory *[]byte) []byte {
	n := &l.Nodes[l.Owner[slot]]
	if n.Typ == fabric.Switch || slot == n.Entry || l.FirstFrom[slot] == NoSlot {
		return n.Path
	}
	return l.PathBehind(l.FirstFrom[slot], memory)
}

// ReadAgain returns a Send that reads the table written by a Set. A new route is appended to
// memory.
func (l *Ledger) ReadAgain(tag uint64, memory *[]byte) terms.Action {
	k, index, arg := SplitTag(tag)
	if k == SetLFT {
		return terms.Action{Attr: mad.AttrLinearForwardingTable, Modifier: arg, Path: l.Nodes[index].Path, Key: l.KeyOf(k, index)}
	}
	return terms.Action{Attr: mad.AttrSLtoVLMappingTable, Modifier: l.Modifier(GetSL2VL, index, arg), Path: l.PathTo(index, memory), Key: l.KeyOf(k, index)}
}
