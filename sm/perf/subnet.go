package perf

import (
	"bytes"
	"iter"
	"math/bits"
	"time"

	"weft/fabric"
	"weft/wire/mad"
)

// Config bounds the requests. They are spread over nine tenths of the Interval.
type Config struct {
	Interval time.Duration // between the starts of two rounds over all ports
	Rate     int           // maximum requests per second; 0: UsualRate
	Window   int           // maximum requests under way; 0: UsualWindow
}

// fillIn replaces unset bounds by their defaults.
func (cfg *Config) fillIn() {
	if cfg.Rate <= 0 {
		cfg.Rate = UsualRate
	}
	if cfg.Window <= 0 {
		cfg.Window = UsualWindow
	}
}

// The default bounds. A round over 11,664 hosts has 69,984 requests: 1,296 a second, evenly spread,
// for a round per minute. Delayed requests catch up as fast as the bounds allow. Most of a window
// is sent at a time, to as many agents if there are so many, since each time wakes the process
// several times. Linux has 512 receive buffers for a queue pair of management datagrams
// (IB_MAD_QP_RECV_SIZE), so no more answers may come at a time. The requests do not delay SMPs:
// they are patient (wire.Request).
const (
	UsualRate   = 4000
	UsualWindow = 512
)

// Agent is a performance management agent. Port 0 of a switch answers for all its ports, each
// adapter port for itself.
type Agent struct {
	Node  fabric.NodeID
	LID   fabric.LID
	SL    uint8
	Ports []uint8 // ports with a cable
}

// Subnet lists the agents to poll. It must not change later.
type Subnet struct {
	Fabric *fabric.Fabric
	Agents []Agent
}

// NewSubnet lists the agents of a fabric whose ports have LIDs. sl returns the SL to use for a LID.
func NewSubnet(f *fabric.Fabric, sl func(fabric.LID) uint8) *Subnet {
	s := &Subnet{Fabric: f}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Down {
			continue
		}
		var all []uint8
		for p := 1; p < len(n.Ports); p++ {
			link := n.Ports[p].Link
			if link == fabric.NoLink || f.Links[link].Down {
				continue
			}
			if all = append(all, uint8(p)); n.Type != fabric.Switch && n.Ports[p].LID != 0 {
				s.Agents = append(s.Agents, Agent{fabric.NodeID(i), n.Ports[p].LID, sl(n.Ports[p].LID), []uint8{uint8(p)}})
			}
		}
		if n.Type == fabric.Switch && n.Ports[0].LID != 0 && all != nil {
			s.Agents = append(s.Agents, Agent{fabric.NodeID(i), n.Ports[0].LID, sl(n.Ports[0].LID), all})
		}
	}
	return s
}

// key identifies a port, whatever else changes in the subnet.
type key struct {
	node fabric.GUID
	port uint8
}

// port is the state of a port.
type port struct {
	peer  fabric.PortName // other end of its cable, now or before it was lost
	id    key
	end   fabric.End    // in the subnet's Fabric
	agent *agent        // the last one
	asked int           // number of the last round that asked it
	plain int           // number of the last round that read its PortCounters
	at    time.Duration // time of the last reading
	took  time.Duration // interval before the last reading; 0 after the first one
	over  uint32        // bit per counter: its rate is above its threshold

	counts
}

// counts are the counters of a port, indexed by the numbers of package mad. Sets of counters have a
// bit for each, and come first: a report reads little else of a port without traffic, and all ports
// are more than caches hold.
type counts struct {
	grew    uint32  // counters whose grown is not 0
	counted uint32  // counters whose total is not 0
	least   uint32  // counters that have stopped at their maximum, so total is a lower bound
	shown   *Growth // total and grown in the last Reading; nil if they have changed since
	from    [mad.NumCounters]source
	last    [mad.NumCounters]uint64 // as read
	total   [mad.NumCounters]uint64 // grown since the first reading
	grown   [mad.NumCounters]uint64 // between the last two readings
}

// source is the attribute that holds a counter.
type source uint8

const (
	unread source = iota
	inPlain
	inExtended
)

// extendedCounters maps the fields of PortCountersExtended to counters; -1: PortCounters lack it.
var extendedCounters = [...]int{
	mad.CounterXmitData, mad.CounterRcvData, mad.CounterXmitPkts, mad.CounterRcvPkts, -1, -1, -1, -1,
	mad.CounterSymbolError, mad.CounterLinkErrorRecovery, mad.CounterLinkDowned, mad.CounterRcvErrors,
	mad.CounterRcvRemotePhysical, mad.CounterRcvSwitchRelay, mad.CounterXmitDiscards, mad.CounterXmitConstraint,
	mad.CounterRcvConstraint, mad.CounterLocalLinkIntegrity, mad.CounterBufferOverrun, mad.CounterVL15Dropped,
	mad.CounterXmitWait, mad.CounterQP1Dropped,
}

// firstError is the first field of PortCountersExtended that needs the additional capability.
const firstError = 8

// mostOf returns the maximum of a counter in PortCounters.
func mostOf(counter int) uint64 { return most[counter] }

var most = func() (list [mad.NumCounters]uint64) {
	ones := bytes.Repeat([]byte{0xFF}, mad.Size)
	for counter, f := range mad.PortCountersField {
		list[counter] = f.Get(ones)
	}
	return list
}()

// A 64-bit counter of nearEnd or more may wrap around. A counter that drops
// from a lower value was cleared.
const nearEnd = 1<<64 - 1<<56

// take stores a reading of a counter. It reports whether the counter was cleared since the last
// one.
func (c *counts) take(counter int, value uint64, from source) (back bool) {
	old, grown := c.last[counter], uint64(0)
	first := c.from[counter] != from
	c.last[counter], c.from[counter] = value, from
	if from == inPlain && value == mostOf(counter) {
		c.least |= 1 << counter
	}
	switch {
	case first:
	case value >= old:
		grown = value - old
	case from == inExtended && old >= nearEnd:
		grown = value - old // wraps around
	default:
		grown, back = value, true
	}
	c.grow(counter, grown)
	return back
}

// grow stores the growth of a counter.
func (c *counts) grow(counter int, by uint64) {
	bit := uint32(1) << counter
	switch {
	case by > 0:
		c.grew |= bit
		c.counted |= bit
	case c.grew&bit == 0:
		return
	default:
		c.grew &^= bit
	}
	c.grown[counter] = by
	c.total[counter] += by
	c.shown = nil
}

// growth returns total and grown for a Reading. Grown is 0 if the round has not measured it.
func (c *counts) growth(measured bool) *Growth {
	switch {
	case c.counted == 0:
		return noGrowth
	case !measured && c.grew != 0:
		return &Growth{Total: c.total}
	case c.shown == nil:
		c.shown = &Growth{c.total, c.grown}
	}
	return c.shown
}

// takePlain stores PortCounters, except those from the other attribute.
func (c *counts) takePlain(data []byte, but func(counter int) bool) (back int) {
	for counter, f := range mad.PortCountersField {
		if !but(counter) && c.take(counter, f.Get(data), inPlain) {
			back++
		}
	}
	return back
}

// takeExtended stores PortCountersExtended.
func (c *counts) takeExtended(data []byte, errors bool) (back int) {
	for i, counter := range extendedCounters {
		if counter >= 0 && (i < firstError || errors) && c.take(counter, mad.PortCountersExtendedFields[i].Get(data), inExtended) {
			back++
		}
	}
	return back
}

// keepPlain takes the counters of PortCounters for unchanged.
func (c *counts) keepPlain() {
	for counter := range members(c.grew) {
		if c.from[counter] == inPlain {
			c.grow(counter, 0)
		}
	}
}

// members returns the counters of a set.
func members(set uint32) iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; set != 0 && yield(bits.TrailingZeros32(set)); set &= set - 1 {
		}
	}
}

// full returns the counters to clear, as they near their maximum: bits of CounterSelect, from 16 on
// of CounterSelect2.
func (c *counts) full() (mask uint32) {
	for counter := range mad.CounterQP1Dropped { // no bit selects QP1Dropped
		if c.from[counter] == inPlain && c.last[counter] >= mostOf(counter)/4*3 && c.last[counter] > 0 {
			mask |= 1 << counter
		}
	}
	return mask
}
