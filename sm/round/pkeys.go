package round

import (
	"maps"
	"slices"

	"weft/sm/ledger"
	"weft/sm/partition"
	"weft/sm/terms"
	"weft/wire/mad"
)

// findMembers makes the index of partitions, or reuses that of the previous round.
func (w *writer) findMembers() {
	switch p := w.By.Partitions; {
	case p == nil:
	case w.given.Before != nil && w.given.Before.By.Partitions == p && maps.Equal(w.given.Before.By.Aliases, w.By.Aliases):
		w.Prog.Members = w.given.Before.Prog.Members
	default:
		w.Prog.Members = partition.NewIndex(p.Partitions, w.By.Aliases)
	}
}

// queuePKeys queues the read of a P_KeyTable: of an end port, or of the switch port facing it if
// that enforces partitions. Tables known from the previous round are not read again.
func (w *writer) queuePKeys(slot int32) {
	switch {
	case w.Prog.End[slot] < 0 && !w.MayEnforce(slot):
	case !w.IsAsBefore(w.tablesBefore(), slot):
		w.enqueue(ledger.MakeTag(ledger.GetPKeys, slot, 0))
	default:
		old, ok := w.given.Before.SlotOf(w.Nodes[w.Owner[slot]].GUID, w.PortNumber(slot))
		if !ok {
			return
		}
		was := w.given.Before.Prog.PKeys[old]
		switch had := was.Held(); {
		case had != nil && len(had) >= w.PKeyRoom(slot):
			w.Prog.PKeys[slot] = &ledger.PKeyTable{Has: slices.Clone(had)}
			w.planPKeys(slot)
		case was != nil && was.Refuses:
			w.Prog.PKeys[slot] = was
		default: // unknown, or more of the table counts now
			w.enqueue(ledger.MakeTag(ledger.GetPKeys, slot, 0))
		}
	}
}

// onPKeys handles a block of a P_KeyTable, and reads the next one.
func (w *writer) onPKeys(slot int32, block uint32, ev *terms.Event) {
	switch ev.Outcome {
	case terms.Answered:
	case terms.Silent:
		w.noteLoss(terms.NoAnswer, w.PortPlace(slot), "%s does not answer P_KeyTable: which P_Keys it has is not known", w.PortName(slot))
		return
	case terms.Refused:
		w.Prog.PKeys[slot] = &ledger.PKeyTable{Refuses: true}
		return
	default:
		return
	}
	t := w.Prog.PKeys[slot]
	if t == nil {
		t = &ledger.PKeyTable{}
		w.Prog.PKeys[slot] = t
	}
	room := w.PKeyRoom(slot)
	for i := range ledger.PKeyBlock {
		if len(t.Has) < room {
			t.Has = append(t.Has, uint16(mad.PKeyTablePKey.At(ev.Data[:], i)))
		}
	}
	if len(t.Has) < room {
		w.enqueue(ledger.MakeTag(ledger.GetPKeys, slot, block+1))
		return
	}
	w.planPKeys(slot)
}

// planPKeys computes the planned P_KeyTable, and queues the blocks that differ.
func (w *writer) planPKeys(slot int32) {
	t := w.Prog.PKeys[slot]
	enough := false
	if w.By.Partitions == nil {
		t.Planned, enough = withDefault(t.Has)
	} else {
		want, first := w.KeysOf(slot)
		t.Planned, enough = partition.Place(t.Has, want, first)
	}
	if t.Short = !enough; t.Short {
		w.noteLoss(terms.NotEnough, w.PortPlace(slot), "%s has no room for all of its P_Keys: %d places", w.PortName(slot), len(t.Has))
	}
	for from := 0; from < len(t.Has); from += ledger.PKeyBlock {
		to := min(from+ledger.PKeyBlock, len(t.Has))
		if !slices.Equal(t.Has[from:to], t.Planned[from:to]) {
			w.enqueue(ledger.MakeTag(ledger.SetPKey, slot, uint32(from/ledger.PKeyBlock)))
		}
	}
}

// withDefault returns a P_KeyTable with full membership of the default partition. The P_Key
// replaces the limited membership, or else takes the first free entry; ok is false if there is
// none.
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

// onSetPKey compares the P_Keys that a port reports after a Set with the plan.
func (w *writer) onSetPKey(slot int32, block uint32, ev *terms.Event) {
	t := w.Prog.PKeys[slot]
	switch ev.Outcome {
	case terms.Answered:
		from := int(block) * ledger.PKeyBlock
		for i := from; i < min(from+ledger.PKeyBlock, len(t.Has)); i++ {
			if t.Has[i] = uint16(mad.PKeyTablePKey.At(ev.Data[:], i-from)); t.Has[i] != t.Planned[i] {
				w.noteWrongTable(w.Owner[slot], "P_KeyTable of %s differs from what it was told: at index %d it has 0x%04x, not 0x%04x", w.PortName(slot), i, t.Has[i], t.Planned[i])
			}
		}
	case terms.Refused: // its table is unchanged
	default:
		t.Unsure = true
	}
}

// noteLevels notes partitions whose SL belongs to no level of service.
func (c *Round) noteLevels() {
	if c.By.Partitions == nil {
		return
	}
	_, _, without := c.By.Partitions.Partitions.Levels(c.By.Levels)
	for _, text := range without {
		c.note(terms.NoLevel, terms.Place{}, "%s (levels): its paths have the first level", text)
	}
}

// mostUnmatched is the number of unmatched members that a round notes one by one.
const mostUnmatched = 20

// noteUnmatched finds the members of partitions that select no port, and notes those whose port has
// never been there.
func (c *Round) noteUnmatched() {
	c.Prog.Unmatched = c.FindUnmatched()
	noted := 0
	for _, u := range c.Prog.Unmatched {
		if u.Away { // the node that is missing has an incident of its own
			continue
		}
		if noted++; noted <= mostUnmatched {
			c.note(terms.NoMember, terms.Place{}, "member %s of partition %s: %s", u.Member, c.By.Partitions.Partitions.NameOf(u.Part), u.Why)
		}
	}
	if more := noted - mostUnmatched; more > 0 {
		c.note(terms.NoMember, terms.Place{}, "and %d more members of partitions select no port: see /v1/partitions", more)
	}
}
