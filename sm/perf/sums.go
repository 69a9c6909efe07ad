package perf

import "weft/wire/mad"

// sums watches the sums of PortCounters over all ports of a switch (AllPortSelect, 16.1.3.5). While
// no sum moves, no port has counted anything, so its PortCounters need not be read.
//   - A sum that has stopped at its maximum counts as moved.
//   - A counter that was cleared may hide another one that grew by as much. So all ports are read
//     again after mostTrusted rounds; and a port whose PortCountersExtended were cleared, at once.
//   - Sums below what the ports have counted mean that somebody has cleared counters, or that the
//     sums are wrong. All ports are read again. After mostDoubts times without a cleared counter,
//     weft asks the switch for sums no more.
type sums struct {
	can    bool // the agent has them
	doubts int  // times that they were too low
	told   int  // number of the last round with an answer
	since  int  // number of the round that last read all ports; 0: none
	still  bool // they have not moved since
	unsure bool // a counter was cleared since

	// To find out whether they are right: they are at least before + grown after the round since.
	base    counterList // when the round since began
	before  counterList // when the round earlier began; 0 if grown counts from 0
	earlier int
	grown   counterList // what the ports have counted between these rounds
}

type counterList [mad.NumCounters]uint64

// mostTrusted is the number of rounds after which all ports are read again, though no sum has
// moved.
const mostTrusted = 10

// mostDoubts is the number of times that sums may be too low.
const mostDoubts = 3

// take stores the sums. It decides whether the round must read the PortCounters of all ports.
func (s *sums) take(round int, data []byte) {
	var now counterList
	sure, low := s.since != 0 && !s.unsure, false
	s.told, s.still = round, sure && round-s.since < mostTrusted
	for c, f := range mad.PortCountersField {
		now[c] = f.Get(data)
		low = low || sure && now[c] < min(mostOf(c), s.before[c]+s.grown[c])
		if !isData(c) && (now[c] != s.base[c] || now[c] == mostOf(c)) {
			s.still = false
		}
	}
	switch {
	case low:
		if s.doubts++; s.doubts == mostDoubts {
			*s = sums{}
			return
		}
		sure = false
	case s.still:
		return
	}
	s.before, s.earlier = counterList{}, 0
	if sure {
		s.before, s.earlier = s.base, s.since
	}
	s.since, s.unsure, s.base, s.grown = round, false, now, counterList{}
}

// add adds the PortCounters that were read from a port, for the first time since the round since.
// last is the number of the round that read them before.
func (s *sums) add(q *port, last int) {
	if last >= s.since || last < s.earlier {
		return
	}
	for c := range s.grown {
		switch {
		case isData(c): // not read from PortCounters
		case s.earlier == 0:
			s.grown[c] += q.last[c]
		default:
			s.grown[c] += q.counts.grown[c]
		}
	}
}

// cleared notes that a counter of a port was cleared, or will be.
func (s *sums) cleared() { s.unsure, s.doubts = true, 0 }

// isKnown reports whether a port's PortCounters, but for its data, have not changed since they were
// read last.
func (s *sums) isKnown(q *port) bool { return s.can && s.still && q.plain >= s.since }

// isData reports whether PortCountersExtended always has a counter.
func isData(counter int) bool {
	return counter >= mad.CounterXmitData && counter <= mad.CounterRcvPkts
}

// mustTell reports whether the sums must be read before the ports.
func (a *agent) mustTell(round int) bool { return a.known && a.sums.can && a.sums.told != round }

// isOpen reports whether the ports of the agent can be read in a round.
func (a *agent) isOpen(round int) bool { return a.known && !a.mustTell(round) }
