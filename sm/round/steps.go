package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
)

// Forwarding tables and lane tables are written in steps, so that no packet goes in circles or waits in a ring while some switches hold
// old tables and others new ones: first what the way to the new Plan has between, one after the other, then what the Plan has.

// queueStep queues the blocks of a switch that differ from those of the step before.
func (w *writer) queueStep(id int32) {
	s := w.Prog.Sw[id]
	if s < 0 {
		return
	}
	was, now := w.Stepped(w.Prog.Step-1).Tables, w.Stepped(w.Prog.Step).Tables
	for b := range w.TableBlocks() {
		if *was.Block(s, int(b)) != *now.Block(s, int(b)) {
			w.enqueue(ledger.MakeTag(ledger.SetLFT, id, b))
		}
	}
}

// stepEnded goes on to the next step, once packets under way have left where they must.
func (w *writer) stepEnded() {
	switch {
	case w.Prog.Step == w.LastStep():
		w.Way = nil
		w.enterPhase(arming)
	case w.Way.Between[w.Prog.Step].Drops:
		w.pauseOver = false
		w.enterPhase(pausing)
		w.out = append(w.out, terms.Action{Kind: terms.Pause})
	default:
		w.nextStep()
	}
}

// nextStep begins to write what the next step has.
func (w *writer) nextStep() {
	w.Prog.Step++
	w.enterPhase(tables)
}

// countHeld counts a block that a switch has already, unless another one replaces it later.
func (w *writer) countHeld(id int32, b uint32) {
	if w.IsLast(id, b) {
		w.Prog.Blocks[id].Same++
	}
}
