package sm

// Forwarding tables and lane tables are written in steps, so that no packet goes in circles or waits in a ring while some switches hold
// old tables and others new ones: first what the way to the new Plan has between, one after the other, then what the Plan has.

// queueStep queues the blocks of a switch that differ from those of the step before.
func (w *writer) queueStep(id int32) {
	s := w.prog.sw[id]
	if s < 0 {
		return
	}
	was, now := w.stepped(w.prog.step-1).Tables, w.stepped(w.prog.step).Tables
	for b := range w.tableBlocks() {
		if *was.Block(s, int(b)) != *now.Block(s, int(b)) {
			w.enqueue(makeTag(setLFT, id, b))
		}
	}
}

// stepEnded goes on to the next step, once packets under way have left where they must.
func (w *writer) stepEnded() {
	switch {
	case w.prog.step == w.lastStep():
		w.way = nil
		w.enterPhase(arming)
	case w.way.Between[w.prog.step].Drops:
		w.pauseOver = false
		w.enterPhase(pausing)
		w.out = append(w.out, Action{Kind: Pause})
	default:
		w.nextStep()
	}
}

// nextStep begins to write what the next step has.
func (w *writer) nextStep() {
	w.prog.step++
	w.enterPhase(tables)
}

// countHeld counts a block that a switch has already, unless another one replaces it later.
func (w *writer) countHeld(id int32, b uint32) {
	if w.isLast(id, b) {
		w.prog.blocks[id].same++
	}
}
