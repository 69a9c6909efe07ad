package emulator

import (
	"weft/mad"
	"weft/wire"
)

// The counters of a port, in the order of CounterSelect of PortCounters, then the
// others.
const (
	symbolError = iota
	linkErrorRecovery
	linkDowned
	rcvErrors
	rcvRemotePhysical
	rcvSwitchRelay
	xmitDiscards
	xmitConstraint
	rcvConstraint
	localLinkIntegrity
	bufferOverrun
	vl15Dropped
	xmitData
	rcvData
	xmitPkts
	rcvPkts
	xmitWait
	qp1Dropped
	numCounters
)

// counters of a port.
type counters [numCounters]uint64

// wordsPerPacket is the size of a management packet as PortXmitData counts it:
// LRH, BTH, DETH, MAD and ICRC in words of 4 bytes. A whole RMPP message counts as
// one packet.
const wordsPerPacket = (8 + 12 + 8 + wire.Size + 4) / 4

// classicCounters are the counters in PortCounters.
var classicCounters = [numCounters]mad.Field{
	symbolError: mad.PortCountersSymbolError, linkErrorRecovery: mad.PortCountersLinkErrorRecovery,
	linkDowned: mad.PortCountersLinkDowned, rcvErrors: mad.PortCountersRcvErrors,
	rcvRemotePhysical: mad.PortCountersRcvRemotePhysical, rcvSwitchRelay: mad.PortCountersRcvSwitchRelay,
	xmitDiscards: mad.PortCountersXmitDiscards, xmitConstraint: mad.PortCountersXmitConstraint,
	rcvConstraint: mad.PortCountersRcvConstraint, localLinkIntegrity: mad.PortCountersLocalLinkIntegrity,
	bufferOverrun: mad.PortCountersBufferOverrun, vl15Dropped: mad.PortCountersVL15Dropped,
	xmitData: mad.PortCountersXmitData, rcvData: mad.PortCountersRcvData,
	xmitPkts: mad.PortCountersXmitPkts, rcvPkts: mad.PortCountersRcvPkts,
	xmitWait: mad.PortCountersXmitWait, qp1Dropped: mad.PortCountersQP1Dropped,
}

// extendedCounter is a counter in PortCountersExtended with the bit that selects
// it: of CounterSelect, or of CounterSelect2 from bit 32 on.
type extendedCounter struct {
	counter int
	field   mad.Field
	bit     int
}

var extendedCounters = [...]extendedCounter{
	{xmitData, mad.PortCountersExtendedXmitData, 0},
	{rcvData, mad.PortCountersExtendedRcvData, 1},
	{xmitPkts, mad.PortCountersExtendedXmitPkts, 2},
	{rcvPkts, mad.PortCountersExtendedRcvPkts, 3},
	{xmitPkts, mad.PortCountersExtendedUnicastXmit, 4},
	{rcvPkts, mad.PortCountersExtendedUnicastRcv, 5},
	{symbolError, mad.PortCountersExtendedSymbolError, 32},
	{linkErrorRecovery, mad.PortCountersExtendedLinkErrorRecovery, 33},
	{linkDowned, mad.PortCountersExtendedLinkDowned, 34},
	{rcvErrors, mad.PortCountersExtendedRcvErrors, 35},
	{rcvRemotePhysical, mad.PortCountersExtendedRcvRemotePhysical, 36},
	{rcvSwitchRelay, mad.PortCountersExtendedRcvSwitchRelay, 37},
	{xmitDiscards, mad.PortCountersExtendedXmitDiscards, 38},
	{xmitConstraint, mad.PortCountersExtendedXmitConstraint, 39},
	{rcvConstraint, mad.PortCountersExtendedRcvConstraint, 40},
	{localLinkIntegrity, mad.PortCountersExtendedLocalLinkIntegrity, 41},
	{bufferOverrun, mad.PortCountersExtendedBufferOverrun, 42},
	{vl15Dropped, mad.PortCountersExtendedVL15Dropped, 43},
	{xmitWait, mad.PortCountersExtendedXmitWait, 44},
	{qp1Dropped, mad.PortCountersExtendedQP1Dropped, 45},
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
		status = s.portCounters(port, set, m.Data())
	case m.Attr() == mad.AttrPortCountersExtended:
		status = s.portCountersExtended(port, set, m.Data())
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

// selected returns the ports that PortSelect names, first to last.
func (s *Subnet) selected(port int32, sel uint8) (first, last int32, ok bool) {
	n := &s.nodes[s.ports[port].node]
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
func (s *Subnet) sum(first, last int32) (total counters) {
	for p := first; p <= last; p++ {
		for i, v := range s.counts[p] {
			total[i] += v
		}
	}
	return total
}

func (s *Subnet) portCounters(port int32, set bool, b []byte) mad.Status {
	sel := mad.PortCountersPortSelect.Get(b)
	first, last, ok := s.selected(port, uint8(sel))
	if !ok {
		return mad.StatusBadField
	}
	if set {
		chosen := mad.PortCountersCounterSelect.Get(b) | mad.PortCountersCounterSelect2.Get(b)&1<<xmitWait
		for i, f := range classicCounters {
			if chosen>>i&1 == 1 {
				s.write(first, last, i, f.Get(b))
			}
		}
	}
	total := s.sum(first, last)
	clear(b)
	mad.PortCountersPortSelect.Put(b, sel)
	for i, f := range classicCounters {
		limit := uint64(1)<<f.Decl().Width - 1
		f.Put(b, min(total[i], limit))
	}
	return mad.StatusOK
}

func (s *Subnet) portCountersExtended(port int32, set bool, b []byte) mad.Status {
	sel := mad.PortCountersExtendedPortSelect.Get(b)
	first, last, ok := s.selected(port, uint8(sel))
	if !ok {
		return mad.StatusBadField
	}
	if set {
		chosen := mad.PortCountersExtendedCounterSelect.Get(b) | mad.PortCountersExtendedCounterSelect2.Get(b)<<32
		for _, x := range extendedCounters {
			if chosen>>x.bit&1 == 1 {
				s.write(first, last, x.counter, x.field.Get(b))
			}
		}
	}
	total := s.sum(first, last)
	clear(b)
	mad.PortCountersExtendedPortSelect.Put(b, sel)
	for _, x := range extendedCounters {
		x.field.Put(b, total[x.counter])
	}
	return mad.StatusOK
}

// write sets a counter of some ports.
func (s *Subnet) write(first, last int32, counter int, v uint64) {
	for p := first; p <= last; p++ {
		s.counts[p][counter] = v
	}
}
