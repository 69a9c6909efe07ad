package sm

import (
	"slices"

	"weft/mad"
	"weft/sm/partition"
)

// findMembers makes the index of partitions, or takes that of the round before.
func (c *Core) findMembers() {
	switch p := c.by.partitions; {
	case p == nil:
	case c.given.Before != nil && c.given.Before.by.partitions == p:
		c.prog.members = c.given.Before.prog.members
	default:
		c.prog.members = partition.NewIndex(p.Partitions)
	}
}

// queuePKeys queues the P_KeyTable of an end port, or of the switch port before it where that enforces partitions. What a port has since the
// round before is not read again.
func (c *Core) queuePKeys(slot int32) {
	switch {
	case c.prog.end[slot] < 0 && !c.mayEnforce(slot):
	case !c.isAsBefore(c.given.Before, slot):
		c.enqueue(makeTag(getPKeys, slot, 0))
	default:
		old, ok := c.given.Before.slotOf(c.nodes[c.owner[slot]].guid, c.portNumber(slot))
		if !ok {
			return
		}
		was := c.given.Before.prog.pkeys[old]
		switch had := was.held(); {
		case had != nil && len(had) >= c.pkeyRoom(slot):
			c.prog.pkeys[slot] = &pkeyTable{has: slices.Clone(had)}
			c.planPKeys(slot)
		case was != nil && was.refuses:
			c.prog.pkeys[slot] = was
		default: // it was not learned, or more of it counts now than was read then
			c.enqueue(makeTag(getPKeys, slot, 0))
		}
	}
}

// onPKeys takes a block of a P_KeyTable, and asks for the next one.
func (c *Core) onPKeys(slot int32, block uint32, ev *Event) {
	switch ev.Outcome {
	case Answered:
	case Silent:
		c.noteLoss(NoAnswer, c.portPlace(slot), "%s does not answer P_KeyTable: which P_Keys it has is not known", c.portName(slot))
		return
	case Refused:
		c.prog.pkeys[slot] = &pkeyTable{refuses: true}
		return
	default:
		return
	}
	t := c.prog.pkeys[slot]
	if t == nil {
		t = &pkeyTable{}
		c.prog.pkeys[slot] = t
	}
	room := c.pkeyRoom(slot)
	for i := range pkeyBlock {
		if len(t.has) < room {
			t.has = append(t.has, uint16(mad.PKeyTablePKey.At(ev.Data[:], i)))
		}
	}
	if len(t.has) < room {
		c.enqueue(makeTag(getPKeys, slot, block+1))
		return
	}
	c.planPKeys(slot)
}

// planPKeys says what a P_KeyTable is to hold, and queues the blocks that differ.
func (c *Core) planPKeys(slot int32) {
	t := c.prog.pkeys[slot]
	enough := false
	if c.by.partitions == nil {
		t.planned, enough = withDefault(t.has)
	} else {
		want, first := c.keysOf(slot)
		t.planned, enough = partition.Place(t.has, want, first)
	}
	if t.short = !enough; t.short {
		c.noteLoss(NotEnough, c.portPlace(slot), "%s has no room for all of its P_Keys: %d places", c.portName(slot), len(t.has))
	}
	for from := 0; from < len(t.has); from += pkeyBlock {
		to := min(from+pkeyBlock, len(t.has))
		if !slices.Equal(t.has[from:to], t.planned[from:to]) {
			c.enqueue(makeTag(setPKey, slot, uint32(from/pkeyBlock)))
		}
	}
}

// withDefault returns a table in which a port is a full member of the default partition: that P_Key takes the place of the limited
// membership, or else the first free one.
func withDefault(has []uint16) (table []uint16, ok bool) {
	table = slices.Clone(has)
	if slices.Contains(has, mad.DefaultPKey) {
		return table, true
	}
	at := slices.Index(has, mad.DefaultPKey&^mad.PKeyFull)
	if at < 0 {
		at = slices.IndexFunc(has, func(key uint16) bool { return key&^mad.PKeyFull == 0 })
	}
	if at < 0 {
		return table, false
	}
	table[at] = mad.DefaultPKey
	return table, true
}

// onSetPKey takes a block as the port says that it holds it after a Set.
func (c *Core) onSetPKey(slot int32, block uint32, ev *Event) {
	t := c.prog.pkeys[slot]
	switch ev.Outcome {
	case Answered:
		from := int(block) * pkeyBlock
		for i := from; i < min(from+pkeyBlock, len(t.has)); i++ {
			if t.has[i] = uint16(mad.PKeyTablePKey.At(ev.Data[:], i-from)); t.has[i] != t.planned[i] {
				c.noteWrongTable(c.owner[slot], "P_KeyTable of %s differs from what it was told: at index %d it has 0x%04x, not 0x%04x", c.portName(slot), i, t.has[i], t.planned[i])
			}
		}
	case Refused: // it has what it had
	default:
		t.unsure = true
	}
}

// noteLevels tells of partitions whose SL no level of service has.
func (c *Core) noteLevels() {
	if c.by.partitions == nil {
		return
	}
	_, _, without := c.by.partitions.Partitions.Levels(c.by.levels)
	for _, text := range without {
		c.note(NoLevel, Place{}, "%s (levels): its paths have the first level", text)
	}
}
