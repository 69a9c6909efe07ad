package round

import (
	"weft/sm/ledger"
	"weft/sm/terms"
)

// Forwarding tables and lane tables are written in steps. So no packet loops or waits in a cycle
// while some switches hold old tables and others new ones. The steps between the Plans come first,
// then the new Plan.

// queueStep queues the blocks of a switch that change in this step.
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

// stepEnded begins the next step, after a pause if packets under way must leave first.
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

// nextStep begins to write the next step.
func (w *writer) nextStep() {
	w.Prog.Step++
	w.enterPhase(tables)
}

// countHeld counts a block that a switch holds already, unless a later step replaces it.
func (w *writer) countHeld(id int32, b uint32) {
	if w.IsLast(id, b) {
		w.Prog.Blocks[id].Same++
	}
}
