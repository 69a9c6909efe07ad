package perf

import (
	"bytes"
	"time"

	"weft/fabric"
	"weft/wire/mad"
)

// Config says how much is asked. Requests are spread over nine tenths of the Interval.
type Config struct {
	Interval time.Duration // from the begin of a round over all ports to the next one
	Rate     int           // requests a second, at most; 0: UsualRate
	Window   int           // requests under way, at most; 0: UsualWindow
}

// The usual bounds. A round over 11,664 hosts has 69,984 requests: 1,296 a second where it is to take a minute, spread evenly. What comes late is made up
// for as fast as the bounds allow. SMPs are not held up by so few that are under way: a requester has room for 16.
const (
	UsualRate   = 4000
	UsualWindow = 8
)

// Agent is a performance management agent, which answers for ports of a node: port 0 of a switch for all of them, every port of an adapter for itself.
type Agent struct {
	Node  fabric.NodeID
	LID   fabric.LID
	SL    uint8
	Ports []uint8 // that have a cable
}

// Subnet lists the agents that are to be read. Nothing of it changes later.
type Subnet struct {
	Fabric *fabric.Fabric
	Agents []Agent
}

// NewSubnet lists the agents of a fabric whose ports have LIDs. sl returns the SL to a LID.
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

// key names a port over changes of the subnet.
type key struct {
	node fabric.GUID
	port uint8
}

// port holds what is known of a port.
type port struct {
	end   fabric.End
	agent int32
	at    time.Duration // of the last reading
	took  time.Duration // from the reading before to that; 0 where there was none
	over  uint32        // by counter: its rate is over its threshold

	counts
}

// counts are the counters of a port, by the numbers of package mad.
type counts struct {
	last  [mad.NumCounters]uint64 // as read
	from  [mad.NumCounters]source
	total [mad.NumCounters]uint64 // grown since the first reading
	grown [mad.NumCounters]uint64 // since the one before the last
	least uint32                  // by counter: it has stopped at its most, so that the total is at least that
}

// source is the attribute that a counter was read from.
type source uint8

const (
	unread source = iota
	plain
	extended
)

// extendedCounters are the counters in the fields of PortCountersExtended; -1 for those that no other attribute has.
var extendedCounters = [...]int{
	mad.CounterXmitData, mad.CounterRcvData, mad.CounterXmitPkts, mad.CounterRcvPkts, -1, -1, -1, -1,
	mad.CounterSymbolError, mad.CounterLinkErrorRecovery, mad.CounterLinkDowned, mad.CounterRcvErrors,
	mad.CounterRcvRemotePhysical, mad.CounterRcvSwitchRelay, mad.CounterXmitDiscards, mad.CounterXmitConstraint,
	mad.CounterRcvConstraint, mad.CounterLocalLinkIntegrity, mad.CounterBufferOverrun, mad.CounterVL15Dropped,
	mad.CounterXmitWait, mad.CounterQP1Dropped,
}

// firstError is the first field of PortCountersExtended that only devices with the additional counters have.
const firstError = 8

// mostOf returns the value at which a counter of PortCounters stops.
func mostOf(counter int) uint64 { return most[counter] }

var most = func() (list [mad.NumCounters]uint64) {
	ones := bytes.Repeat([]byte{0xFF}, mad.Size)
	for counter, f := range mad.PortCountersField {
		list[counter] = f.Get(ones)
	}
	return list
}()

// nearEnd is the least value of a 64-bit counter after which a smaller one counts as gone round, not as set back.
const nearEnd = 1<<64 - 1<<56

// take takes a reading of a counter. It reports whether the counter was set back since the last one.
func (c *counts) take(counter int, value uint64, from source) (back bool) {
	old := c.last[counter]
	first := c.from[counter] != from
	c.last[counter], c.from[counter] = value, from
	if from == plain && value == mostOf(counter) {
		c.least |= 1 << counter
	}
	switch {
	case first:
		c.grown[counter] = 0
		return false
	case value >= old:
		c.grown[counter] = value - old
	case from == extended && old >= nearEnd:
		c.grown[counter] = value - old // goes round
	default:
		c.grown[counter], back = value, true
	}
	c.total[counter] += c.grown[counter]
	return back
}

// takePlain takes PortCounters, without those that the other attribute has told.
func (c *counts) takePlain(data []byte, but func(counter int) bool) (back int) {
	for counter, f := range mad.PortCountersField {
		if !but(counter) && c.take(counter, f.Get(data), plain) {
			back++
		}
	}
	return back
}

// takeExtended takes PortCountersExtended.
func (c *counts) takeExtended(data []byte, errors bool) (back int) {
	for i, counter := range extendedCounters {
		if counter >= 0 && (i < firstError || errors) && c.take(counter, mad.PortCountersExtendedFields[i].Get(data), extended) {
			back++
		}
	}
	return back
}

// full returns the counters that should be set to 0 since they come near their most, as the bits of CounterSelect, and of CounterSelect2 from 16 on.
func (c *counts) full() (mask uint32) {
	for counter := range mad.CounterQP1Dropped { // no bit selects that one
		if c.from[counter] == plain && c.last[counter] >= mostOf(counter)/4*3 && c.last[counter] > 0 {
			mask |= 1 << counter
		}
	}
	return mask
}
