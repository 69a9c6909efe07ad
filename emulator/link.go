package emulator

import (
	"fmt"
	"math/bits"

	"weft/fabric"
	"weft/wire/mad"
)

func (p *port) state() uint64 { return mad.PortInfoPortState.Get(p.info[:]) }
func (p *port) phys() uint64  { return mad.PortInfoPhysicalState.Get(p.info[:]) }

func (p *port) set(state, phys uint64) {
	mad.PortInfoPortState.Put(p.info[:], state)
	mad.PortInfoPhysicalState.Put(p.info[:], phys)
}

// trainable reports whether a cable's two ports would train.
func (d *devices) trainable(c int32) bool {
	x := &d.cables[c]
	a, b := &d.ports[x.a], &d.ports[x.b]
	return !x.cut && a.phys() != mad.PhysDisabled && b.phys() != mad.PhysDisabled &&
		!d.nodes[a.node].off && !d.nodes[b.node].off
}

// up reports whether a cable's link has been trained.
func (d *devices) up(c int32) bool { return d.ports[d.cables[c].a].peer >= 0 }

// bringUp trains a link if possible, now or after the training time.
func (s *Subnet) bringUp(c int32) {
	if s.up(c) || !s.trainable(c) {
		return
	}
	if s.opt.Training > 0 {
		s.cables[c].changes++
		s.later(s.opt.Training, linkTrains, c, s.cables[c].changes)
		return
	}
	s.train(c)
}

// train brings a link to Init with the best width and speed enabled at both ports; without a common
// one it stays down.
func (s *Subnet) train(c int32) {
	x := &s.cables[c]
	if !s.negotiate(x) {
		s.logLink(c, "stays Down: no width or speed in common")
		return
	}
	x.changes++
	s.ports[x.a].peer, s.ports[x.b].peer = x.b, x.a
	for _, p := range [2]int32{x.a, x.b} {
		s.ports[p].set(mad.PortInit, mad.PhysLinkUp)
		s.stateChanged(p)
	}
	s.logLink(c, "Init")
}

// takeDown takes a link down.
func (s *Subnet) takeDown(c int32) {
	x := &s.cables[c]
	x.changes++
	if !s.up(c) {
		return
	}
	s.ports[x.a].peer, s.ports[x.b].peer = -1, -1
	for _, p := range [2]int32{x.a, x.b} {
		s.ports[p].set(mad.PortDown, mad.PhysPolling)
		s.counts[p][mad.CounterLinkDowned]++
		s.stateChanged(p)
	}
	s.logLink(c, "Down")
}

// setCut pulls a cable or plugs it in again.
func (s *Subnet) setCut(c int32, cut bool) {
	s.cables[c].cut = cut
	s.cables[c].cuts++
	if cut {
		s.takeDown(c)
	} else {
		s.bringUp(c)
	}
}

// stateChanged notes at a switch that the state of a port has changed other than by Set(PortInfo),
// and notifies its subnet manager.
func (s *Subnet) stateChanged(p int32) {
	n := &s.nodes[s.ports[p].node]
	if n.sw < 0 || n.off {
		return
	}
	mad.SwitchInfoPortStateChange.Put(s.switches[n.sw].info[:], 1)
	s.linkTrap(n.first)
}

func (s *Subnet) logLink(c int32, what string) {
	if s.opt.Log != nil {
		x := &s.cables[c]
		s.opt.Log(s.now, fmt.Sprintf("link %s - %s: %s", s.fab.EndName(s.end(x.a)), s.fab.EndName(s.end(x.b)), what))
	}
}

// widthBits lists the bits of PortInfo's LinkWidth*, the widest last.
var widthBits = [...]struct {
	width fabric.Width
	bit   uint64
}{{1, 1}, {2, 16}, {4, 2}, {8, 4}, {12, 8}}

// speedBits maps a port's best speed to LinkSpeedSupported, LinkSpeedExtSupported and
// LinkSpeedExtSupported2.
var speedBits = [...][3]uint64{
	fabric.SDR: {1}, fabric.DDR: {3}, fabric.QDR: {7}, fabric.FDR10: {7}, fabric.FDR: {7, 1},
	fabric.EDR: {7, 3}, fabric.HDR: {7, 7}, fabric.NDR: {7, 15}, fabric.XDR: {7, 15, 1},
}

// initRates writes the rates that a port supports: its cable's and everything slower. A cable of
// unknown width or speed counts as 4x, QDR.
func (d *devices) initRates(p int32) {
	x := &d.ports[p]
	b := x.info[:]
	width, speed := fabric.Width(4), fabric.QDR
	if x.cable >= 0 {
		c := &d.cables[x.cable]
		if c.width != 0 {
			width = c.width
		}
		if c.speed != fabric.SpeedUnknown {
			speed = c.speed
		}
	}
	widths := uint64(1)
	for _, w := range widthBits {
		if w.width == width {
			widths |= w.bit
		}
	}
	supported := speedBits[speed]
	x.fdr10 = speed == fabric.FDR10
	mad.PortInfoWidthSupported.Put(b, widths)
	mad.PortInfoWidthEnabled.Put(b, widths)
	mad.PortInfoWidthActive.Put(b, highest(widths))
	mad.PortInfoSpeedSupported.Put(b, supported[0])
	mad.PortInfoSpeedEnabled.Put(b, supported[0])
	mad.PortInfoSpeedActive.Put(b, 1)
	mad.PortInfoSpeedExtSupported.Put(b, supported[1])
	mad.PortInfoSpeedExtEnabled.Put(b, supported[1])
	mad.PortInfoSpeedExt2Support.Put(b, supported[2])
	mad.PortInfoSpeedExt2Enabled.Put(b, supported[2])
}

// negotiate sets the active width and speed of both ports of a cable.
func (d *devices) negotiate(x *cable) bool {
	a, b := d.ports[x.a].info[:], d.ports[x.b].info[:]
	widths := mad.PortInfoWidthEnabled.Get(a) & mad.PortInfoWidthEnabled.Get(b)
	base := mad.PortInfoSpeedEnabled.Get(a) & mad.PortInfoSpeedEnabled.Get(b)
	ext := mad.PortInfoSpeedExtEnabled.Get(a) & mad.PortInfoSpeedExtEnabled.Get(b)
	ext2 := mad.PortInfoSpeedExt2Enabled.Get(a) & mad.PortInfoSpeedExt2Enabled.Get(b)
	if x.only != [3]uint64{} {
		base, ext, ext2 = base&x.only[0], ext&x.only[1], ext2&x.only[2]
	}
	width := uint64(0)
	for _, w := range widthBits {
		if widths&w.bit != 0 {
			width = w.bit
		}
	}
	if width == 0 || base|ext|ext2 == 0 {
		return false
	}
	for _, i := range [2][]byte{a, b} {
		mad.PortInfoWidthActive.Put(i, width)
		mad.PortInfoSpeedActive.Put(i, highest(base))
		mad.PortInfoSpeedExtActive.Put(i, highest(ext))
		mad.PortInfoSpeedExt2Active.Put(i, highest(ext2))
	}
	return true
}

// highest returns the highest bit of v that is set.
func highest(v uint64) uint64 {
	if v == 0 {
		return 0
	}
	return 1 << (bits.Len64(v) - 1)
}
