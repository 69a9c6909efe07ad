package round

import "weft/sm/terms"

// A link that fails cuts off what was reached by it. SMPs that are under way there would each be tried as often as any other, no more at a time than the window
// allows: on a large subnet for longer than all the rest of a round. Where what they are to tell is asked again anyway they are ended.

// overtaken says whether what a sweep has found, or what is written by it, is of use still.
type overtaken struct {
	linkChanged bool // a trap has told of a link since the sweep, or the writing, began
	brokenOff   bool // the phase is not done to its end
}

// mostBrokenOff bounds the rounds, one after the other, whose writing is broken off. The next one goes on to its end whatever happens.
const mostBrokenOff = 3

// overtake takes that a link has changed its state. What was found by now is to be found anew, and what was written looked at again.
func (c *Round) overtake() {
	c.linkChanged = true
	if c.phase == settling || c.phase == verifying {
		c.breakOff()
	}
}

// onSilence takes that a node has not answered what it was asked or told after discovery. The next round writes what is left, after another discovery: a switch may not hold what a
// step of the writing goes by. Where no trap tells why, that is done once only: the node may be locked. Without LIDs switches send no traps.
func (c *Round) onSilence() {
	if c.phase == reading || c.isWriting() && (c.given.Failed == 0 || c.linkChanged && c.given.Failed < mostBrokenOff) {
		c.breakOff()
	}
}

// breakOff ends what is under way of a phase that is followed by another one which does the same: discovery and reading by the next sweep, all else by the next round.
func (s *shared) breakOff() {
	follows := s.phase <= reading && s.sweep < s.given.Limits.Sweeps || s.phase > reading && s.By.Stays
	if !follows || s.outstanding == 0 && !s.isWriting() || s.brokenOff || s.stopped {
		return
	}
	s.brokenOff = true
	s.endUnderWay()
}

// endUnderWay hands out nothing more, and ends what was.
func (s *shared) endUnderWay() {
	s.queue, s.head = s.queue[:0], 0
	s.out = append(s.out, terms.Action{Kind: terms.End})
}

// isWriting reports whether switches and ports are told what they are to have.
func (s *shared) isWriting() bool {
	return s.phase == tables || s.phase == arming || s.phase == activating
}

// leaveHalfWritten ends a round in the middle of its writing. The next one believes nothing of what was written.
func (w *writer) leaveHalfWritten() {
	w.HalfWritten, w.Way = true, nil
	for id := range w.Prog.Wrong {
		w.Prog.Wrong[id] = true
	}
	w.startVerifying()
}

// startVerifying begins the look at what was written. It is of no use where a link has changed since discovery: the next round looks at all.
func (w *writer) startVerifying() {
	w.enterPhase(verifying)
	w.brokenOff = (w.linkChanged || w.HalfWritten) && w.By.Stays
}

// noteUnverified notes that a round was broken off, by the next one.
func (w *writer) noteUnverified() {
	left := 0
	for id := range w.Nodes {
		if n := &w.Nodes[id]; n.HasSwitch && !n.Silent && !w.Prog.Wrong[id] && w.isLeftOut(int32(id)) {
			left++
		}
	}
	switch {
	case w.HalfWritten:
		w.noteLoss(terms.Changed, terms.Place{}, "something changed while the subnet was brought up, and some of it does not answer: what is not written yet is left, sweep again")
	case left > 0:
		w.noteLoss(terms.Changed, terms.Place{}, "something changed while the subnet was brought up, and %d switches were not asked any more whether a port of them has: sweep again", left)
	}
}

// isLeftOut reports whether a switch was not asked any more whether a port of it has changed its state.
func (w *writer) isLeftOut(id int32) bool { return w.brokenOff && !w.Prog.Verified[id] }
