package sm

import (
	"slices"

	"weft/sm/partition"
	"weft/wire/mad"
)

// findMembers makes the index of partitions, or takes that of the round before.
func (w *writer) findMembers() {
	switch p := w.by.partitions; {
	case p == nil:
	case w.given.Before != nil && w.given.Before.by.partitions == p:
		w.prog.members = w.given.Before.prog.members
	default:
		w.prog.members = partition.NewIndex(p.Partitions)
	}
}

// queuePKeys queues the P_KeyTable of an end port, or of the switch port before it where that enforces partitions. What a port has since the
// round before is not read again.
func (w *writer) queuePKeys(slot int32) {
	switch {
	case w.prog.end[slot] < 0 && !w.mayEnforce(slot):
	case !w.isAsBefore(w.given.Before, slot):
		w.enqueue(makeTag(getPKeys, slot, 0))
	default:
		old, ok := w.given.Before.slotOf(w.nodes[w.owner[slot]].guid, w.portNumber(slot))
		if !ok {
			return
		}
		was := w.given.Before.prog.pkeys[old]
		switch had := was.held(); {
		case had != nil && len(had) >= w.pkeyRoom(slot):
			w.prog.pkeys[slot] = &pkeyTable{has: slices.Clone(had)}
			w.planPKeys(slot)
		case was != nil && was.refuses:
			w.prog.pkeys[slot] = was
		default: // it was not learned, or more of it counts now than was read then
			w.enqueue(makeTag(getPKeys, slot, 0))
		}
	}
}

// onPKeys takes a block of a P_KeyTable, and asks for the next one.
func (w *writer) onPKeys(slot int32, block uint32, ev *Event) {
	switch ev.Outcome {
	case Answered:
	case Silent:
		w.noteLoss(NoAnswer, w.portPlace(slot), "%s does not answer P_KeyTable: which P_Keys it has is not known", w.portName(slot))
		return
	case Refused:
		w.prog.pkeys[slot] = &pkeyTable{refuses: true}
		return
	default:
		return
	}
	t := w.prog.pkeys[slot]
	if t == nil {
		t = &pkeyTable{}
		w.prog.pkeys[slot] = t
	}
	room := w.pkeyRoom(slot)
	for i := range pkeyBlock {
		if len(t.has) < room {
			t.has = append(t.has, uint16(mad.PKeyTablePKey.At(ev.Data[:], i)))
		}
	}
	if len(t.has) < room {
		w.enqueue(makeTag(getPKeys, slot, block+1))
		return
	}
	w.planPKeys(slot)
}

// planPKeys says what a P_KeyTable is to hold, and queues the blocks that differ.
func (w *writer) planPKeys(slot int32) {
	t := w.prog.pkeys[slot]
	enough := false
	if w.by.partitions == nil {
		t.planned, enough = withDefault(t.has)
	} else {
		want, first := w.keysOf(slot)
		t.planned, enough = partition.Place(t.has, want, first)
	}
	if t.short = !enough; t.short {
		w.noteLoss(NotEnough, w.portPlace(slot), "%s has no room for all of its P_Keys: %d places", w.portName(slot), len(t.has))
	}
	for from := 0; from < len(t.has); from += pkeyBlock {
		to := min(from+pkeyBlock, len(t.has))
		if !slices.Equal(t.has[from:to], t.planned[from:to]) {
			w.enqueue(makeTag(setPKey, slot, uint32(from/pkeyBlock)))
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
func (w *writer) onSetPKey(slot int32, block uint32, ev *Event) {
	t := w.prog.pkeys[slot]
	switch ev.Outcome {
	case Answered:
		from := int(block) * pkeyBlock
		for i := from; i < min(from+pkeyBlock, len(t.has)); i++ {
			if t.has[i] = uint16(mad.PKeyTablePKey.At(ev.Data[:], i-from)); t.has[i] != t.planned[i] {
				w.noteWrongTable(w.owner[slot], "P_KeyTable of %s differs from what it was told: at index %d it has 0x%04x, not 0x%04x", w.portName(slot), i, t.has[i], t.planned[i])
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
