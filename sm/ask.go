package sm

import "weft/wire/mad"

// ask hands out the SMP of a tag.
func (c *Core) ask(tag uint64) {
	k, index, arg := splitTag(tag)
	what := &kinds[k]
	a := Action{Kind: Send, Tag: tag, Method: what.method, Attr: what.attr}
	switch {
	case k == getNode && index == noSlot:
	case k == getNode || k == getNodeAgain:
		a.Path = c.pathBehind(index, &c.paths)
	case what.slot:
		a.Path = c.pathTo(index, &c.paths)
	default:
		a.Path = c.nodes[index].path
	}
	if len(a.Path) > mad.MaxHops {
		c.noteLoss(TooFar, c.portPlace(index), "%s is more than %d hops away: nothing behind it is managed", c.portName(index), mad.MaxHops)
		return
	}
	a.Modifier, a.Key = c.modifier(k, index, arg), c.keyFor(k, index, arg)
	a.Once = k == getManager && c.isKnownStandby(index)
	if what.method == mad.Set {
		a.Data = c.attributeToSet(k, index, arg)
	}
	c.outstanding++
	c.out = append(c.out, a)
}

// answered sends an answer to the handler of its kind.
func (c *Core) answered(ev *Event) {
	k, index, arg := splitTag(ev.Tag)
	if kinds[k].method == mad.Set && k != setKey && ev.Outcome != Answered && ev.Attempts > 0 {
		c.noteNotTaken(k, index, arg, ev)
	}
	switch k {
	case getNode:
		c.onNodeInfo(index, arg, ev)
	case getNodeAgain:
		c.onNodeAgain(arg, ev)
	case getLinkAgain:
		c.onLinkAgain(arg, ev)
	case getDescription:
		c.onNodeDescription(index, ev)
	case getSwitch:
		c.onSwitchInfo(index, ev)
	case clearChange:
		c.queuePorts(index)
	case getChange:
		c.onChangeRead(index, ev)
	case getPort:
		c.onPortInfo(index, ev)
	case getPKeys:
		c.onPKeys(index, arg, ev)
	case setPKey:
		c.onSetPKey(index, arg, ev)
	case getLFT:
		c.onLFT(index, arg, ev)
	case setLFT:
		c.onSetLFT(index, arg, ev)
	case getSL2VL, getVLArb:
		c.onLanes(k, index, arg, ev)
	case setSL2VL:
		c.onSetSL2VL(index, arg, ev)
	case setPort, setActive:
		c.onSetPort(k, index, ev)
	case getPortAfterSet:
		c.onPortAfterSet(index, ev)
	case getFDR10:
		if ev.Outcome == Answered && mad.ExtendedPortInfoSpeedActive.Get(ev.Data[:])&1 != 0 {
			c.flags[index] |= portFDR10
		}
	case getRole:
		c.onRole(index, ev)
	case getManager:
		c.onManager(index, ev)
	case getKey:
		c.onKey(index, arg, ev)
	case setKey:
		c.onSetKey(index, ev)
	default: // that it was taken needs no more
	}
}
