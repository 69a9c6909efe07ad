package perf

import (
	"slices"
	"time"

	"weft/fabric"
	"weft/wire/mad"
)

// answered handles an answer, and queues the agent's next requests.
func (m *Monitor) answered(now time.Duration, p pending, data []byte) {
	a := &m.agents[p.agent]
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
		m.readAll(p.agent)
	case readExtended:
		m.noteTime(now, p.port)
		m.back += m.ports[p.port].takeExtended(data, a.errors)
		if !a.errors {
			m.more = append(m.more, pending{kind: readPlain, agent: p.agent, port: p.port, mask: 1})
			return
		}
		m.watch(p.port)
	case readPlain:
		if p.mask == 0 { // not read in addition to PortCountersExtended
			m.noteTime(now, p.port)
		}
		told := func(counter int) bool {
			return p.mask != 0 && counter >= mad.CounterXmitData && counter <= mad.CounterRcvPkts
		}
		q := &m.ports[p.port]
		m.back += q.takePlain(data, told)
		if mask := q.full(); mask != 0 {
			m.more = append(m.more, pending{kind: clearPlain, agent: p.agent, port: p.port, mask: mask})
		}
		m.watch(p.port)
	case clearPlain:
		q := &m.ports[p.port]
		for counter := range mad.CounterQP1Dropped {
			if p.mask>>counter&1 == 1 {
				q.last[counter] = 0
			}
		}
	}
}

// readAll queues reads of the counters of all ports of an agent, before all other requests.
func (m *Monitor) readAll(i int32) {
	for at := m.agents[i].num - 1; at >= 0; at-- {
		m.more = append(m.more, m.reading(i, at))
	}
}

// noteTime stores the time of a port's reading, and the time since the one before.
func (m *Monitor) noteTime(now time.Duration, i int32) {
	p := &m.ports[i]
	if p.took = 0; p.at > 0 {
		p.took = now - p.at
	}
	p.at = max(now, 1)
}

// redirected follows a redirection once.
func (m *Monitor) redirected(p pending, data []byte) {
	a := &m.agents[p.agent]
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
	a := &m.agents[p.agent]
	switch p.kind {
	case classInfo:
		a.known = true // it has PortCounters, which are mandatory
		m.readAll(p.agent)
	case readExtended:
		a.ext, a.errors = false, false
		m.more = append(m.more, pending{kind: readPlain, agent: p.agent, port: p.port})
	default:
		m.failures++
	}
}

// mostSkipped is the maximum number of rounds for which a silent agent is skipped.
const mostSkipped = 16

// giveUp skips the remaining ports of a silent agent, and the agent itself for some rounds.
func (m *Monitor) giveUp(i int32) {
	a := &m.agents[i]
	if m.atAgent == int(i) {
		m.atPort = a.num
	}
	m.more = slices.DeleteFunc(m.more, func(p pending) bool { return p.agent == i })
	if a.skip == 0 {
		a.failed++
		a.skip = min(1<<min(a.failed-1, 10), mostSkipped)
	}
	a.known = false // it may be another device when it answers again
	if a.moved {
		s := &m.subnet.Agents[i]
		a.moved, a.at = false, Address{LID: s.LID, SL: s.SL, QP: 1}
	}
}
