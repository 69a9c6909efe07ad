package sm

import (
	"weft/fabric"
	"weft/wire/mad"
)

// kind says what an SMP is for. With an argument and the index of a node or slot it makes
// a tag, from which all of the SMP follows: kind<<56 | argument<<32 | index.
type kind uint8

const (
	getNode         kind = iota // slot: the node behind the port; noSlot: our own
	getNodeAgain                // slot, argument: the same once more, for a mismatch
	getLinkAgain                // slot, argument: the PortInfo once more, for a mismatch
	getDescription              // node
	getSwitch                   // node
	clearChange                 // node: clear PortStateChange
	getChange                   // node: PortStateChange at the end
	getPort                     // slot
	getPKeys                    // slot, argument: block
	setPKey                     // slot, argument: block
	getLFT                      // node, argument: block
	setLFT                      // node, argument: block
	getSL2VL                    // slot, argument: as setSL2VL
	getVLArb                    // slot, argument: block
	setSL2VL                    // slot of the output port, argument: input port or flags
	setVLArb                    // slot, argument: block
	setSwitch                   // node
	setPort                     // slot: parameters, and Armed
	setActive                   // slot
	getPortAfterSet             // slot: after a Set
	getFDR10                    // slot: whether QDR is FDR10
	getRole                     // node: its role in a tree
	getManager                  // slot: the subnet manager at a port that says IsSM
	getKey                      // slot, argument: which of the M_Keys that the port may have, and afterSetKey
	setKey                      // slot: its M_Key alone
	numKinds
)

var kinds = [numKinds]struct {
	method mad.Method
	attr   mad.AttrID
	slot   bool // the index is a slot
}{
	getNode:         {mad.Get, mad.AttrNodeInfo, true},
	getNodeAgain:    {mad.Get, mad.AttrNodeInfo, true},
	getLinkAgain:    {mad.Get, mad.AttrPortInfo, true},
	getDescription:  {mad.Get, mad.AttrNodeDescription, false},
	getSwitch:       {mad.Get, mad.AttrSwitchInfo, false},
	clearChange:     {mad.Set, mad.AttrSwitchInfo, false},
	getChange:       {mad.Get, mad.AttrSwitchInfo, false},
	getPort:         {mad.Get, mad.AttrPortInfo, true},
	getPKeys:        {mad.Get, mad.AttrPKeyTable, true},
	setPKey:         {mad.Set, mad.AttrPKeyTable, true},
	getLFT:          {mad.Get, mad.AttrLinearForwardingTable, false},
	setLFT:          {mad.Set, mad.AttrLinearForwardingTable, false},
	getSL2VL:        {mad.Get, mad.AttrSLtoVLMappingTable, true},
	getVLArb:        {mad.Get, mad.AttrVLArbitrationTable, true},
	setSL2VL:        {mad.Set, mad.AttrSLtoVLMappingTable, true},
	setVLArb:        {mad.Set, mad.AttrVLArbitrationTable, true},
	setSwitch:       {mad.Set, mad.AttrSwitchInfo, false},
	setPort:         {mad.Set, mad.AttrPortInfo, true},
	setActive:       {mad.Set, mad.AttrPortInfo, true},
	getPortAfterSet: {mad.Get, mad.AttrPortInfo, true},
	getFDR10:        {mad.Get, mad.AttrExtendedPortInfo, true},
	getRole:         {mad.Get, mad.AttrSwitchRole, false},
	getManager:      {mad.Get, mad.AttrSMInfo, true},
	getKey:          {mad.Get, mad.AttrPortInfo, true},
	setKey:          {mad.Set, mad.AttrPortInfo, true},
}

// attrName names an attribute.
func attrName(id mad.AttrID) string { return mad.ClassDirectedSMP.AttributeName(id) }

// makeTag makes the tag of an SMP.
func makeTag(k kind, index int32, arg uint32) uint64 {
	return uint64(k)<<56 | uint64(arg&0xFFFFFF)<<32 | uint64(uint32(index))
}

// splitTag takes a tag apart.
func splitTag(tag uint64) (k kind, index int32, arg uint32) {
	return kind(tag >> 56), int32(uint32(tag)), uint32(tag>>32) & 0xFFFFFF
}

// agent returns the port whose M_Key counts for an SMP: port 0 of a switch, or a CA port.
func (n *inventory) agent(k kind, index int32) int32 {
	id := index
	if kinds[k].slot {
		id = n.owner[index]
	}
	switch {
	case n.nodes[id].typ == fabric.Switch:
		return n.nodes[id].first
	case kinds[k].slot:
		return index
	}
	return n.nodes[id].entry
}

// modifier returns the attribute modifier of an SMP.
func (l *ledger) modifier(k kind, index int32, arg uint32) uint32 {
	switch k {
	case getPort, getLinkAgain, getPortAfterSet, getFDR10, getKey:
		return mad.PortModifier(l.portNumber(index), false)
	case setPort, setActive, setKey:
		return mad.PortModifier(l.portNumber(index), l.extendedSpeeds(index))
	case getPKeys, setPKey:
		return mad.PKeyModifier(l.switchPort(index), uint16(arg))
	case getLFT, setLFT:
		return arg
	case getSL2VL:
		if arg == mad.SLtoVLAllInputs { // one input tells, since all were written at once
			arg = 0
		}
		return arg | uint32(l.switchPort(index))
	case setSL2VL:
		return arg | uint32(l.switchPort(index))
	case setVLArb, getVLArb:
		return mad.VLArbModifier(uint8(arg), l.switchPort(index))
	default:
		return 0
	}
}

// switchPort returns the port number for modifiers that name the ports of switches: of a
// CA it is 0.
func (l *ledger) switchPort(slot int32) uint8 {
	if l.nodes[l.owner[slot]].typ != fabric.Switch {
		return 0
	}
	return l.portNumber(slot)
}

// pathBehind returns the directed route to the node behind a port, in memory that it adds to.
func (l *ledger) pathBehind(slot int32, memory *[]byte) []byte {
	n := &l.nodes[l.owner[slot]]
	at := len(*memory)
	*memory = append(*memory, n.path...)
	*memory = append(*memory, l.portNumber(slot))
	return (*memory)[at:]
}

// pathTo returns the directed route to a port: a switch has one for all its ports, a CA
// port is reached only through its own cable. A route that is made is put into memory.
func (l *ledger) pathTo(slot int32, memory *[]byte) []byte {
	n := &l.nodes[l.owner[slot]]
	if n.typ == fabric.Switch || slot == n.entry || l.firstFrom[slot] == noSlot {
		return n.path
	}
	return l.pathBehind(l.firstFrom[slot], memory)
}

// readAgain makes the SMP that reads what a Set has written, with its route in memory.
func (l *ledger) readAgain(tag uint64, memory *[]byte) Action {
	k, index, arg := splitTag(tag)
	if k == setLFT {
		return Action{Attr: mad.AttrLinearForwardingTable, Modifier: arg, Path: l.nodes[index].path, Key: l.keyOf(k, index)}
	}
	return Action{Attr: mad.AttrSLtoVLMappingTable, Modifier: l.modifier(getSL2VL, index, arg), Path: l.pathTo(index, memory), Key: l.keyOf(k, index)}
}
