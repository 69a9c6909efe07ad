package sm

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
func (c *Core) overtake() {
	c.linkChanged = true
	if c.phase == settling || c.phase == verifying {
		c.breakOff()
	}
}

// onSilence takes that a node has not answered what it was asked or told after discovery. The next round writes what is left, after another discovery: a switch may not hold what a
// step of the writing goes by. Where no trap tells why, that is done once only: the node may be locked. Without LIDs switches send no traps.
func (c *Core) onSilence() {
	if c.phase == reading || c.isWriting() && (c.given.Failed == 0 || c.linkChanged && c.given.Failed < mostBrokenOff) {
		c.breakOff()
	}
}

// breakOff ends what is under way of a phase that is followed by another one which does the same: discovery and reading by the next sweep, all else by the next round.
func (c *Core) breakOff() {
	follows := c.phase <= reading && c.sweep < c.given.Limits.Sweeps || c.phase > reading && c.by.stays
	if !follows || c.outstanding == 0 && !c.isWriting() || c.brokenOff || c.stopped {
		return
	}
	c.brokenOff = true
	c.endUnderWay()
}

// endUnderWay hands out nothing more, and ends what was.
func (c *Core) endUnderWay() {
	c.queue, c.head = c.queue[:0], 0
	c.out = append(c.out, Action{Kind: End})
}

// isWriting reports whether switches and ports are told what they are to have.
func (c *Core) isWriting() bool {
	return c.phase == tables || c.phase == arming || c.phase == activating
}

// leaveHalfWritten ends a round in the middle of its writing. The next one believes nothing of what was written.
func (c *Core) leaveHalfWritten() {
	c.halfWritten, c.way = true, nil
	for id := range c.prog.wrong {
		c.prog.wrong[id] = true
	}
	c.startVerifying()
}

// startVerifying begins the look at what was written. It is of no use where a link has changed since discovery: the next round looks at all.
func (c *Core) startVerifying() {
	c.enterPhase(verifying)
	c.brokenOff = (c.linkChanged || c.halfWritten) && c.by.stays
}

// noteUnverified notes that a round was broken off, by the next one.
func (c *Core) noteUnverified() {
	left := 0
	for id := range c.nodes {
		if n := &c.nodes[id]; n.hasSwitch && !n.silent && !c.prog.wrong[id] && c.isLeftOut(int32(id)) {
			left++
		}
	}
	switch {
	case c.halfWritten:
		c.noteLoss(Changed, Place{}, "something changed while the subnet was brought up, and some of it does not answer: what is not written yet is left, sweep again")
	case left > 0:
		c.noteLoss(Changed, Place{}, "something changed while the subnet was brought up, and %d switches were not asked any more whether a port of them has: sweep again", left)
	}
}

// isLeftOut reports whether a switch was not asked any more whether a port of it has changed its state.
func (c *Core) isLeftOut(id int32) bool { return c.brokenOff && !c.prog.verified[id] }

// dropWork ends all work between rounds that is under way.
func (m *Manager) dropWork() {
	m.dropSweep()
	m.dropLooks()
	m.dropGroups()
}

// dropSweep ends the light sweep that is under way.
func (m *Manager) dropSweep() {
	m.sweep.drop()
	m.endUnderWay(sweepTag, m.sweep.outstanding)
}

// dropLooks ends the look that is under way, and forgets those that are wanted.
func (m *Manager) dropLooks() {
	m.looks.drop()
	m.endUnderWay(lookTag, m.looks.outstanding)
}

// dropGroups ends the work on multicast tables that is under way.
func (m *Manager) dropGroups() {
	m.groups.drop()
	m.endUnderWay(groupTag, m.groups.outstanding)
}

// endUnderWay ends the SMPs of a work between rounds, of which so many are under way.
func (m *Manager) endUnderWay(tag uint64, outstanding int) {
	if outstanding > 0 {
		m.out = append(m.out, Action{Kind: End, Tag: tag << 56})
	}
}
