package perf

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/wire/mad"
)

// answered handles an answer, and queues the agent's next requests.
func (m *Monitor) answered(now time.Duration, p pending, data []byte) {
	a, q := p.agent, p.port
	if len(data) < mad.PortCountersExtended.Size {
		m.failures++
		return
	}
	switch p.kind {
	case classInfo:
		caps := mad.ClassPortInfoCapabilityMask.Get(data)
		a.known = true
		a.ext = caps&(mad.PerfCapExtendedCounters|mad.PerfCapExtendedNoIETF) != 0
		a.errors = a.ext && mad.ClassPortInfoCapabilityMask2.Get(data)&mad.PerfCap2ExtendedErrors != 0
		a.sums = sums{can: a.ext && !a.errors && len(a.ports) > 1 && caps&mad.PerfCapAllPortSelect != 0}
		m.readNext(a)
	case readSums:
		a.sums.take(m.number, data)
		m.readNext(a)
	case readExtended:
		q.noteTime(now)
		back := q.takeExtended(data, a.errors)
		m.back += back
		switch {
		case a.errors:
		case back == 0 && a.sums.isKnown(q):
			q.keepPlain()
		default:
			m.more = append(m.more, pending{kind: readPlain, agent: a, port: q, mask: 1})
			return
		}
		m.watch(q)
	case readPlain:
		if p.mask == 0 { // not read in addition to PortCountersExtended
			q.noteTime(now)
		}
		told := func(counter int) bool { return p.mask != 0 && isData(counter) }
		back := q.takePlain(data, told)
		m.back += back
		a.sums.add(q, q.plain)
		q.plain = m.number
		mask := q.full()
		if back > 0 || mask != 0 {
			a.sums.cleared()
		}
		if mask != 0 {
			m.more = append(m.more, pending{kind: clearPlain, agent: a, port: q, mask: mask})
		}
		m.watch(q)
	case clearPlain:
		for counter := range mad.CounterQP1Dropped {
			if p.mask>>counter&1 == 1 {
				q.last[counter] = 0
			}
		}
	}
}

// readNext has the sums or the next port of an agent read before the other agents get their turn.
func (m *Monitor) readNext(a *agent) {
	p := a.port(m.number)
	switch {
	case p == nil:
	case a.mustTell(m.number):
		m.more = append(m.more, pending{kind: readSums, agent: a, port: p})
	default:
		p.asked = m.number
		m.more = append(m.more, a.reading(p))
	}
}

// noteTime stores the time of a port's reading, and the time since the one before.
func (p *port) noteTime(now time.Duration) {
	if p.took = 0; p.at > 0 {
		p.took = now - p.at
	}
	p.at = max(now, 1)
}

// redirected follows a redirection once.
func (m *Monitor) redirected(p pending, data []byte) {
	a := p.agent
	if len(data) < mad.ClassPortInfo.Size {
		m.failures++
		return
	}
	lid, qp := mad.ClassPortInfoRedirectLID.Get(data), mad.ClassPortInfoRedirectQP.Get(data)
	if a.moved || lid == 0 || lid > uint64(fabric.MaxUnicastLID) || qp == 0 {
		m.failures++
		m.giveUp(p.agent)
		return
	}
	a.moved = true
	a.at = Address{fabric.LID(lid), uint8(mad.ClassPortInfoRedirectSL.Get(data)), uint32(qp), uint32(mad.ClassPortInfoRedirectQKey.Get(data))}
	m.more = append(m.more, p) // same request, new address
}

// refused notes that the agent lacks an attribute, and continues without it.
func (m *Monitor) refused(p pending) {
	a := p.agent
	switch p.kind {
	case classInfo:
		a.known = true // it has PortCounters, which are mandatory
		m.readNext(a)
	case readSums:
		a.sums = sums{}
		m.readNext(a)
	case readExtended:
		a.ext, a.errors, a.sums = false, false, sums{}
		m.more = append(m.more, pending{kind: readPlain, agent: a, port: p.port})
	default:
		m.failures++
	}
}

// mostSkipped is the maximum number of rounds for which a silent agent is skipped.
const mostSkipped = 16

// giveUp skips the remaining ports of a silent agent, and the agent itself for some rounds.
func (m *Monitor) giveUp(a *agent) {
	m.more = slices.DeleteFunc(m.more, func(p pending) bool { return p.agent == a })
	if a.skip == 0 {
		a.failed++
		a.skip = min(1<<min(a.failed-1, 10), mostSkipped)
	}
	a.known = false // it may be another device when it answers again
	a.moved, a.at = false, a.home
}
