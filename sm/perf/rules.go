package perf

import "weft/wire/mad"

// Rule is the threshold of a counter: its maximum growth in a minute.
type Rule struct {
	Counter int
	Most    float64
}

// Rules are the thresholds. A good link has one bit error in 10^12 bits: about 2 symbol errors a
// minute at 40 Gbit/s.
var Rules = []Rule{
	{mad.CounterSymbolError, 10},
	{mad.CounterLinkErrorRecovery, 1},
	{mad.CounterLinkDowned, 2},
	{mad.CounterRcvErrors, 10},
	{mad.CounterLocalLinkIntegrity, 1},
	{mad.CounterBufferOverrun, 1},
	{mad.CounterXmitDiscards, 100},
	{mad.CounterXmitConstraint, 100},
	{mad.CounterRcvConstraint, 100},
	{mad.CounterVL15Dropped, 100},
}

// mostEvents is the maximum number of events per round that are reported one by one.
const mostEvents = 50

// watch creates an event when a rate exceeds its threshold, and when it falls to half of it.
func (m *Monitor) watch(p *port) {
	if p.took <= 0 || p.grew|p.over == 0 {
		return
	}
	for _, r := range Rules {
		rate := float64(p.grown[r.Counter]) / p.took.Minutes()
		was := p.over>>r.Counter&1 == 1
		is := rate > r.Most && p.grown[r.Counter] > 1 || was && rate > r.Most/2 // a single error in a short interval is not a rate
		if is == was {
			continue
		}
		p.over ^= 1 << r.Counter
		if m.passed++; m.passed <= mostEvents {
			m.events = append(m.events, Event{Port: m.subnet.Fabric.PortName(p.end), Counter: Name(r.Counter), Passed: is, Rate: rate, Most: r.Most})
		}
	}
}

// names are the counters' names in the specification.
var names = [mad.NumCounters]string{
	mad.CounterSymbolError: "SymbolErrorCounter", mad.CounterLinkErrorRecovery: "LinkErrorRecoveryCounter", mad.CounterLinkDowned: "LinkDownedCounter",
	mad.CounterRcvErrors: "PortRcvErrors", mad.CounterRcvRemotePhysical: "PortRcvRemotePhysicalErrors", mad.CounterRcvSwitchRelay: "PortRcvSwitchRelayErrors",
	mad.CounterXmitDiscards: "PortXmitDiscards", mad.CounterXmitConstraint: "PortXmitConstraintErrors", mad.CounterRcvConstraint: "PortRcvConstraintErrors",
	mad.CounterLocalLinkIntegrity: "LocalLinkIntegrityErrors", mad.CounterBufferOverrun: "ExcessiveBufferOverrunErrors", mad.CounterVL15Dropped: "VL15Dropped",
	mad.CounterXmitData: "PortXmitData", mad.CounterRcvData: "PortRcvData", mad.CounterXmitPkts: "PortXmitPkts", mad.CounterRcvPkts: "PortRcvPkts",
	mad.CounterXmitWait: "PortXmitWait", mad.CounterQP1Dropped: "QP1Dropped",
}

// Name returns a counter's name in the specification.
func Name(counter int) string { return names[counter] }

// IsFlow reports whether a counter counts no errors.
func IsFlow(counter int) bool {
	switch counter {
	case mad.CounterXmitData, mad.CounterRcvData, mad.CounterXmitPkts, mad.CounterRcvPkts, mad.CounterXmitWait:
		return true
	}
	return false
}
