package emulator

import (
	"fmt"
	"time"

	"weft/fabric"
	"weft/wire/mad"
)

// SetLinkDown pulls a cable (true) or plugs it in again (false).
func (s *Subnet) SetLinkDown(id fabric.LinkID, down bool) error {
	if err := s.checkLink(id); err != nil {
		return err
	}
	s.setCut(int32(id), down)
	return nil
}

// checkLink refuses an unknown link number.
func (d *devices) checkLink(id fabric.LinkID) error {
	if id < 0 || int(id) >= len(d.cables) || d.cables[id].a < 0 {
		return fmt.Errorf("emulator: no link %d", id)
	}
	return nil
}

// Flap pulls a cable and plugs it in again after some time.
func (s *Subnet) Flap(id fabric.LinkID, down time.Duration) error {
	if err := s.SetLinkDown(id, true); err != nil {
		return err
	}
	s.later(down, linkReturns, int32(id), s.cables[id].cuts)
	return nil
}

// Connect plugs a new cable of the given width and speed into two ports, after pulling any cables
// in them. Both may be ports of one switch.
func (s *Subnet) Connect(a, b fabric.End, w fabric.Width, speed fabric.Speed) (fabric.LinkID, error) {
	p, err := s.external(a)
	if err != nil {
		return fabric.NoLink, err
	}
	q, err := s.external(b)
	if err != nil {
		return fabric.NoLink, err
	}
	if p == q {
		return fabric.NoLink, fmt.Errorf("emulator: port %s cannot be cabled to itself", s.fab.EndName(a))
	}
	for _, x := range [2]int32{p, q} {
		s.unplug(x)
	}
	c := int32(len(s.cables))
	s.cables = append(s.cables, cable{a: p, b: q, width: w, speed: speed})
	s.ports[p].cable, s.ports[q].cable = c, c
	s.initRates(p)
	s.initRates(q)
	s.bringUp(c)
	return fabric.LinkID(c), nil
}

// unplug removes the cable in a port from both its ports.
func (s *Subnet) unplug(p int32) {
	id := s.ports[p].cable
	if id < 0 {
		return
	}
	s.setCut(id, true)
	c := &s.cables[id]
	s.ports[c.a].cable, s.ports[c.b].cable = -1, -1
	c.a, c.b = -1, -1
}

// LinkAt returns the link plugged into a port.
func (d *devices) LinkAt(e fabric.End) (fabric.LinkID, error) {
	p, err := d.external(e)
	if err != nil {
		return fabric.NoLink, err
	}
	if d.ports[p].cable < 0 {
		return fabric.NoLink, fmt.Errorf("emulator: port %s has no cable", d.fab.EndName(e))
	}
	return fabric.LinkID(d.ports[p].cable), nil
}

// checkNode finds a node by its number.
func (d *devices) checkNode(id fabric.NodeID) (*node, error) {
	if id < 0 || int(id) >= len(d.nodes) {
		return nil, fmt.Errorf("emulator: no node %d", id)
	}
	return &d.nodes[id], nil
}

// SetNodeDown switches a node off (true) or on again (false). It restarts as after power-on:
// without LIDs, keys and tables.
func (s *Subnet) SetNodeDown(id fabric.NodeID, down bool) error {
	n, err := s.checkNode(id)
	if err != nil {
		return err
	}
	n.reboots++
	if down {
		s.powerOff(int32(id))
	} else {
		s.powerOn(int32(id))
	}
	return nil
}

// Reboot switches a node off and on again after some time; it loses its state.
func (s *Subnet) Reboot(id fabric.NodeID, down time.Duration) error {
	if err := s.SetNodeDown(id, true); err != nil {
		return err
	}
	s.later(down, nodeReturns, int32(id), s.nodes[id].reboots)
	return nil
}

func (s *Subnet) powerOff(id int32) {
	n := &s.nodes[id]
	if n.off {
		return
	}
	n.off = true
	s.logPort(n.first, "the node is off")
	for p := n.first + 1; p <= n.first+int32(n.numPorts); p++ {
		if c := s.ports[p].cable; c >= 0 {
			s.takeDown(c)
		}
	}
}

func (s *Subnet) powerOn(id int32) {
	n := &s.nodes[id]
	if !n.off {
		return
	}
	n.off = false
	s.logPort(n.first, "the node is on")
	s.reset(id)
	for p := n.first; p <= n.first+int32(n.numPorts); p++ {
		if s.smAt(p) >= 0 {
			mask := mad.PortInfoCapabilityMask.Get(s.ports[p].info[:])
			mad.PortInfoCapabilityMask.Put(s.ports[p].info[:], mask|mad.CapIsSM)
		}
		if c := s.ports[p].cable; c >= 0 {
			s.bringUp(c)
		}
	}
}

// SetSilent makes the management agents of a node stop answering (true), while it still forwards,
// or answer again (false).
func (d *devices) SetSilent(id fabric.NodeID, silent bool) error {
	n, err := d.checkNode(id)
	if err == nil {
		n.silent = silent
	}
	return err
}

// SetSlow sets the time that the management agents of a node take to answer.
func (d *devices) SetSlow(id fabric.NodeID, by time.Duration) error {
	n, err := d.checkNode(id)
	if err == nil && by < 0 {
		err = fmt.Errorf("emulator: delays cannot be negative")
	}
	if err == nil {
		n.slow = by
	}
	return err
}

// SetNumPorts sets the number of ports in a node's NodeInfo, right or wrong. Its real ports stay
// the same.
func (d *devices) SetNumPorts(id fabric.NodeID, ports uint8) error {
	n, err := d.checkNode(id)
	if err == nil {
		mad.NodeInfoNumPorts.Put(n.info[:], uint64(ports))
	}
	return err
}

// SetGUID sets a node GUID, possibly a duplicate, and the matching port GUIDs: on a switch the
// same, on other nodes the GUID plus the port number.
func (d *devices) SetGUID(id fabric.NodeID, guid fabric.GUID) error {
	n, err := d.checkNode(id)
	if err != nil {
		return err
	}
	mad.NodeInfoNodeGUID.Put(n.info[:], uint64(guid))
	for p := range int32(n.numPorts) + 1 {
		x := &d.ports[n.first+p]
		x.guid = uint64(guid)
		if n.sw < 0 {
			x.guid += uint64(p)
		}
		if x.tables != nil {
			x.tables.guids[0] = x.guid
		}
	}
	return nil
}

// Count adds to a counter of a port, as a hardware error would. counter is the bit of CounterSelect
// in PortCounters, 0 to 15.
func (d *devices) Count(e fabric.End, counter int, by uint64) error {
	p, err := d.portAt(e)
	if err == nil && (counter < 0 || counter > mad.CounterRcvPkts) {
		err = fmt.Errorf("emulator: no counter %d (want 0 to %d)", counter, mad.CounterRcvPkts)
	}
	if err == nil {
		d.counts[p][counter] += by
	}
	return err
}

// LimitLink lets a link come up only at these speeds, from its next training on: a cable that is
// marginal at others. None: at all of its ports.
func (s *Subnet) LimitLink(id fabric.LinkID, speeds []fabric.Speed) error {
	if err := s.checkLink(id); err != nil {
		return err
	}
	c := &s.cables[id]
	c.only = [3]uint64{}
	for _, speed := range speeds {
		switch {
		case speed <= fabric.QDR:
			c.only[0] |= 1 << (speed - fabric.SDR)
		case speed == fabric.FDR10:
			c.only[0] |= 4
		case speed == fabric.XDR:
			c.only[2] |= 1
		default:
			c.only[1] |= 1 << (speed - fabric.FDR)
		}
	}
	return nil
}
