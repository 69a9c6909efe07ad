package round

import "weft/sm/terms"

// A failed link cuts off everything behind it. Each SMP under way there would use up all its
// retries, and the window allows only a few at a time. On a large subnet that takes longer than the
// rest of the round. SMPs that will be repeated anyway are therefore cancelled.

// overtaken records whether events have made the current sweep or its writes obsolete.
type overtaken struct {
	linkChanged bool // a trap reported a link change since the sweep, or the writing, began
	brokenOff   bool // this phase was cut short
	unsent      bool // this host could not send a request
}

// watchUnsent notes that a request was not sent, though nobody has cancelled it. That is a fault of
// this host: it says nothing of the device. Before the writing the round then ends, since a device
// that was not asked would look lost; later it is repeated.
func (c *Round) watchUnsent(ev *terms.Event) {
	if ev.Outcome == terms.Cancelled && !c.stopped && !c.brokenOff {
		c.unsent = true
		c.noteLoss(terms.NotSent, terms.Place{}, "this host could not send some requests: no device is to blame, and the round is repeated")
	}
}

// mostBrokenOff limits the consecutive rounds whose writing is broken off. The next round goes on
// to its end in any case.
const mostBrokenOff = 3

// overtake handles a link change: the sweep must be repeated, or the writes checked again.
func (c *Round) overtake() {
	c.linkChanged = true
	if c.phase == settling || c.phase == verifying {
		c.breakOff()
	}
}

// onSilence handles a node that stopped answering after discovery. The next round discovers again
// and writes the rest, because a switch may lack tables that a step relies on. Without a trap this
// happens only once: the node may be locked. (Switches without LIDs send no traps.)
func (c *Round) onSilence() {
	if c.phase == reading || c.isWriting() && (c.given.Failed == 0 || c.linkChanged && c.given.Failed < mostBrokenOff) {
		c.breakOff()
	}
}

// breakOff cancels the SMPs under way if they will be repeated: in discovery and reading by
// the next sweep, all others by the next round.
func (s *shared) breakOff() {
	follows := s.phase <= reading && s.sweep < s.given.Limits.Sweeps || s.phase > reading && s.By.Stays
	if !follows || s.outstanding == 0 && !s.isWriting() || s.brokenOff || s.stopped {
		return
	}
	s.brokenOff = true
	s.endUnderWay()
}

// endUnderWay empties the queue, and cancels the SMPs under way.
func (s *shared) endUnderWay() {
	s.queue, s.head = s.queue[:0], 0
	s.out = append(s.out, terms.Action{Kind: terms.End})
}

// isWriting reports whether the round is writing tables and port settings.
func (s *shared) isWriting() bool {
	return s.phase == tables || s.phase == arming || s.phase == activating
}

// leaveHalfWritten ends a round in the middle of its writing. The next round believes nothing that
// this one wrote.
func (w *writer) leaveHalfWritten() {
	w.HalfWritten, w.Way = true, nil
	for id := range w.Prog.Wrong {
		w.Prog.Wrong[id] = true
	}
	w.startVerifying()
}

// startVerifying begins to check PortStateChange after the writing. If a link has changed since
// discovery, the check is skipped: the next round reads everything.
func (w *writer) startVerifying() {
	w.enterPhase(verifying)
	w.brokenOff = (w.linkChanged || w.HalfWritten) && w.By.Stays
}

// noteUnverified notes that the round was broken off and must be repeated.
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

// isLeftOut reports whether a switch was not asked for PortStateChange at the end.
func (w *writer) isLeftOut(id int32) bool { return w.brokenOff && !w.Prog.Verified[id] }
