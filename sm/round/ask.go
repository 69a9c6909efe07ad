package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// ask appends the Send action for a tag: path, modifier, M_Key and, for a Set, the attribute.
func (c *Round) ask(tag uint64) {
	k, index, arg := ledger.SplitTag(tag)
	what := &ledger.Kinds[k]
	a := terms.Action{Kind: terms.Send, Tag: tag, Method: what.Method, Attr: what.Attr}
	switch {
	case k == ledger.GetNode && index == ledger.NoSlot:
	case k == ledger.GetNode || k == ledger.GetNodeAgain || k == ledger.GetTwin:
		a.Path = c.PathBehind(index, &c.paths)
	case what.Slot:
		a.Path = c.PathTo(index, &c.paths)
	default:
		a.Path = c.Nodes[index].Path
	}
	if len(a.Path) > mad.MaxHops {
		c.noteLoss(terms.TooFar, c.PortPlace(index), "%s is more than %d hops away: nothing behind it is managed", c.PortName(index), mad.MaxHops)
		return
	}
	a.Modifier, a.Key = c.Modifier(k, index, arg), c.keyFor(k, index, arg)
	if k == ledger.GetManager {
		a.Once = c.asksOnce(index)
		a.Data = c.ownSMInfo()
	}
	if what.Method == mad.Set {
		a.Data = c.attributeToSet(k, index, arg)
	}
	c.outstanding++
	c.out = append(c.out, a)
}

// answered passes an answer to the handler of its kind.
func (c *Round) answered(ev *terms.Event) {
	k, index, arg := ledger.SplitTag(ev.Tag)
	if ledger.Kinds[k].Method == mad.Set && k != ledger.SetKey && ev.Outcome != terms.Answered && ev.Attempts > 0 {
		c.noteNotTaken(k, index, arg, ev)
	}
	switch k {
	case ledger.GetNode:
		c.onNodeInfo(index, arg, ev)
	case ledger.GetNodeAgain:
		c.onNodeAgain(arg, ev)
	case ledger.GetLinkAgain:
		c.onLinkAgain(arg, ev)
	case ledger.GetTwin:
		onTwin(&c.finder, index, ev)
	case ledger.GetDescription:
		c.onNodeDescription(index, ev)
	case ledger.GetSwitch:
		c.onSwitchInfo(index, ev)
	case ledger.ClearChange:
		c.queuePorts(index)
	case ledger.GetChange:
		c.onChangeRead(index, ev)
	case ledger.GetPort:
		c.onPortInfo(index, ev)
	case ledger.GetPKeys:
		c.onPKeys(index, arg, ev)
	case ledger.SetPKey:
		c.onSetPKey(index, arg, ev)
	case ledger.GetLFT:
		c.onLFT(index, arg, ev)
	case ledger.SetLFT:
		c.onSetLFT(index, arg, ev)
	case ledger.GetSL2VL, ledger.GetVLArb:
		c.onLanes(k, index, arg, ev)
	case ledger.SetSL2VL:
		c.onSetSL2VL(index, arg, ev)
	case ledger.SetPort, ledger.SetActive:
		c.onSetPort(k, index, ev)
	case ledger.GetPortAfterSet:
		c.onPortAfterSet(index, ev)
	case ledger.GetFDR10:
		if ev.Outcome == terms.Answered && mad.ExtendedPortInfoSpeedActive.Get(ev.Data[:])&1 != 0 {
			c.Flags[index] |= ledger.PortFDR10
		}
	case ledger.GetRole:
		c.onRole(index, ev)
	case ledger.GetManager:
		c.onManager(index, ev)
	case ledger.GetKey:
		c.onKey(index, arg, ev)
	case ledger.SetKey:
		c.onSetKey(index, ev)
	default: // nothing to do after the acknowledgement
	}
}
