package emulator

import (
	"weft/wire"
	"weft/wire/mad"
)

// counters holds the counters of a port, indexed as in package mad.
type counters [mad.NumCounters]uint64

// wordsPerPacket is the size of a management packet in PortXmitData: LRH, BTH, DETH, MAD and ICRC
// in words of 4 bytes. A whole RMPP message counts as one packet.
const wordsPerPacket = (8 + 12 + 8 + wire.Size + 4) / 4

// counterField is a counter in an attribute, with its select bit: of CounterSelect, or of
// CounterSelect2 from bit 32 on.
type counterField struct {
	counter int
	field   mad.Field
	bit     int
}

// unselected is the bit of a counter without a select bit.
const unselected = 63

// counterAttribute is an attribute of counters.
type counterAttribute struct {
	portSelect, counterSelect, counterSelect2 mad.Field

	fields []counterField
}

var portCounters = counterAttribute{
	mad.PortCountersPortSelect, mad.PortCountersCounterSelect, mad.PortCountersCounterSelect2, plainFields(),
}

// plainFields lists the fields of PortCounters.
func plainFields() (fields []counterField) {
	for counter, f := range mad.PortCountersField {
		bit := counter
		switch counter {
		case mad.CounterXmitWait:
			bit = 32
		case mad.CounterQP1Dropped:
			bit = unselected
		}
		fields = append(fields, counterField{counter, f, bit})
	}
	return fields
}

var portCountersExtended = counterAttribute{
	mad.PortCountersExtendedPortSelect, mad.PortCountersExtendedCounterSelect, mad.PortCountersExtendedCounterSelect2, extendedFields(),
}

// extendedFields lists the fields of PortCountersExtended. All packets are unicast.
func extendedFields() (fields []counterField) {
	const none = -1
	for i, counter := range [...]int{
		mad.CounterXmitData, mad.CounterRcvData, mad.CounterXmitPkts, mad.CounterRcvPkts,
		mad.CounterXmitPkts, mad.CounterRcvPkts, none, none,
		mad.CounterSymbolError, mad.CounterLinkErrorRecovery, mad.CounterLinkDowned, mad.CounterRcvErrors,
		mad.CounterRcvRemotePhysical, mad.CounterRcvSwitchRelay, mad.CounterXmitDiscards, mad.CounterXmitConstraint,
		mad.CounterRcvConstraint, mad.CounterLocalLinkIntegrity, mad.CounterBufferOverrun, mad.CounterVL15Dropped,
		mad.CounterXmitWait, mad.CounterQP1Dropped,
	} {
		bit := i
		if i >= 8 {
			bit = 32 + i - 8
		}
		if counter != none {
			fields = append(fields, counterField{counter, mad.PortCountersExtendedFields[i], bit})
		}
	}
	return fields
}

// answerPerf answers a request as the performance management agent of a node.
func (s *Subnet) answerPerf(port int32, d *wire.Datagram, by origin) {
	m := d.MAD
	if s.nodes[s.ports[port].node].silent {
		s.lose(d, by, LostSilent)
		return
	}
	set := m.Method() == mad.Set
	status := mad.StatusBadAttribute
	switch {
	case mad.HeaderClassVersion.Get(m) != 1:
		status = mad.StatusBadVersion
	case !set && m.Method() != mad.Get:
		status = mad.StatusBadMethod
	case m.Attr() == mad.AttrClassPortInfo && !set:
		status = perfClass(m.Data())
	case m.Attr() == mad.AttrPortCounters:
		status = s.readCounters(&portCounters, port, set, m.Data())
	case m.Attr() == mad.AttrPortCountersExtended:
		status = s.readCounters(&portCountersExtended, port, set, m.Data())
	}
	s.answer(port, 0, d, by, status)
}

func perfClass(b []byte) mad.Status {
	clear(b)
	mad.ClassPortInfoBaseVersion.Put(b, 1)
	mad.ClassPortInfoClassVersion.Put(b, 1)
	mad.ClassPortInfoCapabilityMask.Put(b, mad.PerfCapAllPortSelect|mad.PerfCapExtendedCounters|mad.PerfCapXmitWait|mad.PerfCapQP1Drop)
	mad.ClassPortInfoCapabilityMask2.Put(b, mad.PerfCap2ExtendedErrors)
	mad.ClassPortInfoRespTimeValue.Put(b, 16)
	return mad.StatusOK
}

// selected returns the ports of PortSelect, first to last.
func (d *devices) selected(port int32, sel uint8) (first, last int32, ok bool) {
	n := &d.nodes[d.ports[port].node]
	switch {
	case sel == mad.PerfPortSelectAll:
		return n.first + 1, n.first + int32(n.numPorts), true
	case sel == 0 && n.sw < 0:
		return port, port, true // as real adapters understand it
	case sel > n.numPorts:
		return 0, 0, false
	}
	p := n.first + int32(sel)
	return p, p, true
}

// sum adds up the counters of ports.
func (d *devices) sum(first, last int32) (total counters) {
	for p := first; p <= last; p++ {
		for i, v := range d.counts[p] {
			total[i] += v
		}
	}
	return total
}

// readCounters answers with the counters of the ports of PortSelect; a Set first writes the
// selected ones. Counters stick at the maximum of their field.
func (d *devices) readCounters(a *counterAttribute, port int32, set bool, b []byte) mad.Status {
	sel := a.portSelect.Get(b)
	first, last, ok := d.selected(port, uint8(sel))
	if !ok {
		return mad.StatusBadField
	}
	if set {
		chosen := a.counterSelect.Get(b) | a.counterSelect2.Get(b)<<32
		for _, x := range a.fields {
			if chosen>>x.bit&1 == 1 && x.bit != unselected {
				d.write(first, last, x.counter, x.field.Get(b))
			}
		}
	}
	total := d.sum(first, last)
	clear(b)
	a.portSelect.Put(b, sel)
	for _, x := range a.fields {
		x.field.Put(b, min(total[x.counter], ^uint64(0)>>(64-x.field.Decl().Width)))
	}
	return mad.StatusOK
}

// write sets a counter of some ports.
func (d *devices) write(first, last int32, counter int, v uint64) {
	for p := first; p <= last; p++ {
		d.counts[p][counter] = v
	}
}
