package sm

import (
	"weft/fabric"
	"weft/mad"
)

// kind of an SMP: what it is for. A tag is kind, argument and index, and says all
// about its SMP: kind<<56 | argument<<32 | index of a node or slot.
type kind uint8

const (
	askNode     kind = iota // slot: what is behind the port; noSlot: ourselves
	askAgain                // slot: the same once more, in doubt
	askLinked               // slot, argument: doubt; has the port a link after all
	askDesc                 // node
	askSwitch               // node
	clearChange             // node: clear PortStateChange
	askSettled              // node: did anything change meanwhile
	askPort                 // slot
	askPKey                 // slot, block 0
	setPKey                 // slot
	askLFT                  // node, argument: block
	setLFT                  // node, argument: block
	setSL2VL                // slot of the output port, argument: input port or flags
	setVLArb                // slot, argument: block
	setSwitch               // node
	setPort                 // slot: parameters, and Armed
	setActive               // slot
	checkPort               // slot: what has become of it
	askFDR10                // slot: is what looks like QDR FDR10
	askRole                 // node: its role in a tree
	askManager              // slot: the subnet manager at a port that says IsSM
	numKinds
)

var kinds = [numKinds]struct {
	method mad.Method
	attr   mad.AttrID
	slot   bool // the index is a slot
}{
	askNode:     {mad.Get, mad.AttrNodeInfo, true},
	askAgain:    {mad.Get, mad.AttrNodeInfo, true},
	askLinked:   {mad.Get, mad.AttrPortInfo, true},
	askDesc:     {mad.Get, mad.AttrNodeDescription, false},
	askSwitch:   {mad.Get, mad.AttrSwitchInfo, false},
	clearChange: {mad.Set, mad.AttrSwitchInfo, false},
	askSettled:  {mad.Get, mad.AttrSwitchInfo, false},
	askPort:     {mad.Get, mad.AttrPortInfo, true},
	askPKey:     {mad.Get, mad.AttrPKeyTable, true},
	setPKey:     {mad.Set, mad.AttrPKeyTable, true},
	askLFT:      {mad.Get, mad.AttrLinearForwardingTable, false},
	setLFT:      {mad.Set, mad.AttrLinearForwardingTable, false},
	setSL2VL:    {mad.Set, mad.AttrSLtoVLMappingTable, true},
	setVLArb:    {mad.Set, mad.AttrVLArbitrationTable, true},
	setSwitch:   {mad.Set, mad.AttrSwitchInfo, false},
	setPort:     {mad.Set, mad.AttrPortInfo, true},
	setActive:   {mad.Set, mad.AttrPortInfo, true},
	checkPort:   {mad.Get, mad.AttrPortInfo, true},
	askFDR10:    {mad.Get, mad.AttrExtendedPortInfo, true},
	askRole:     {mad.Get, mad.AttrSwitchRole, false},
	askManager:  {mad.Get, mad.AttrSMInfo, true},
}

func attrName(id mad.AttrID) string { return mad.ClassDirectedSMP.AttributeName(id) }

func makeTag(k kind, index int32, arg uint32) uint64 {
	return uint64(k)<<56 | uint64(arg&0xFFFFFF)<<32 | uint64(uint32(index))
}

func splitTag(tag uint64) (k kind, index int32, arg uint32) {
	return kind(tag >> 56), int32(uint32(tag)), uint32(tag>>32) & 0xFFFFFF
}

// ask emits the SMP of a tag.
func (c *Core) ask(tag uint64) {
	k, index, arg := splitTag(tag)
	what := &kinds[k]
	a := Action{Kind: Ask, Tag: tag, Method: what.method, Attr: what.attr}
	switch {
	case k == askNode && index == noSlot:
	case k == askNode || k == askAgain:
		a.Path = c.pathBehind(index)
	case what.slot:
		a.Path = c.pathTo(index)
	default:
		a.Path = c.nodes[index].path
	}
	if len(a.Path) > mad.MaxHops {
		c.noteLoss(TooFar, c.portPlace(index), "%s is more than %d hops away: nothing behind it is managed", c.slotName(index), mad.MaxHops)
		return
	}
	a.Modifier = c.modifier(k, index, arg)
	if what.method == mad.Set {
		a.Data = c.setData(k, index, arg)
	}
	c.outstanding++
	c.out = append(c.out, a)
}

// modifier is the attribute modifier of an SMP.
func (c *Core) modifier(k kind, index int32, arg uint32) uint32 {
	switch k {
	case askPort, askLinked, checkPort, askFDR10:
		return mad.PortModifier(c.portOf(index), false)
	case setPort, setActive:
		return mad.PortModifier(c.portOf(index), c.extendedSpeeds(index))
	case askPKey, setPKey:
		return mad.PKeyModifier(c.switchPort(index), 0)
	case askLFT, setLFT:
		return arg
	case setSL2VL:
		return arg | uint32(c.switchPort(index))
	case setVLArb:
		return mad.VLArbModifier(uint8(arg), c.switchPort(index))
	default:
		return 0
	}
}

// switchPort is the port number in modifiers that are 0 on a CA.
func (c *Core) switchPort(slot int32) uint8 {
	if c.nodes[c.owner[slot]].typ != fabric.Switch {
		return 0
	}
	return c.portOf(slot)
}

// pathBehind is the directed route to what is behind a port.
func (c *Core) pathBehind(slot int32) []byte {
	n := &c.nodes[c.owner[slot]]
	at := len(c.paths)
	c.paths = append(c.paths, n.path...)
	c.paths = append(c.paths, c.portOf(slot))
	return c.paths[at:]
}

// pathTo is the directed route to a port: a switch is reached in one way for all
// its ports, a CA port only through its own cable.
func (c *Core) pathTo(slot int32) []byte {
	n := &c.nodes[c.owner[slot]]
	if n.typ == fabric.Switch || slot == n.entry || c.claimedBy[slot] == noSlot {
		return n.path
	}
	return c.pathBehind(c.claimedBy[slot])
}

// answered sends an answer to the handler of its kind.
func (c *Core) answered(ev *Event) {
	k, index, arg := splitTag(ev.Tag)
	if kinds[k].method == mad.Set && ev.Outcome != Answered && ev.Attempts > 0 {
		c.unanswered(k, index, arg, ev)
	}
	switch k {
	case askNode:
		c.onNode(index, ev)
	case askAgain:
		c.onAgain(arg, ev)
	case askLinked:
		c.onLinked(arg, ev)
	case askDesc:
		c.onDesc(index, ev)
	case askSwitch:
		c.onSwitch(index, ev)
	case clearChange:
		c.queuePorts(index)
	case askSettled:
		c.onSettled(index, ev)
	case askPort:
		c.onPort(index, ev)
	case askPKey:
		c.onPKey(index, ev)
	case askLFT:
		c.onLFT(index, arg, ev)
	case setLFT:
		c.onSetLFT(index, arg, ev)
	case setSL2VL:
		c.onSetSL2VL(index, arg, ev)
	case setPort, setActive:
		c.onSetPort(k, index, ev)
	case checkPort:
		c.onCheckPort(index, ev)
	case askFDR10:
		if ev.Outcome == Answered && mad.ExtendedPortInfoSpeedActive.Get(ev.Data[:])&1 != 0 {
			c.flags[index] |= fdr10
		}
	case askRole:
		c.onRole(index, ev)
	case askManager:
		c.onManager(index, ev)
	default: // that it was taken is all there is to say
	}
}
