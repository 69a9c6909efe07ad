package emulator

import (
	"fmt"
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// trapKey names a trap: a port can have one active trap of each number.
type trapKey struct {
	port   int32
	number uint16
}

// trap is a trap that is repeated until repressed.
type trap struct {
	trapKey
	active bool
	again  bool   // due again since the last sending
	tid    uint32 // bits 31..8: index of the trap; bits 7..0: a count
	notice [64]byte
}

// traps holds all traps that were ever active; their memory is reused.
type traps struct {
	all   []trap
	byKey map[trapKey]int32 // into all
}

// shortestTrapInterval is the least time after which a trap is repeated.
const shortestTrapInterval = 100 * time.Millisecond

// Change flags of trap 144.
const (
	changedDescription = 1 << 0
	changedWidths      = 1 << 1
	changedSpeeds      = 1 << 2
)

// notice starts a Notice of a node.
func (s *Subnet) notice(port int32, kind uint64, number uint16) (n [64]byte) {
	mad.NoticeIsGeneric.Put(n[:], 1)
	mad.NoticeType.Put(n[:], kind)
	mad.NoticeProducerType.Put(n[:], uint64(s.fab.Nodes[s.ports[port].node].Type))
	mad.NoticeTrapNumber.Put(n[:], uint64(number))
	mad.NoticeIssuerLID.Put(n[:], uint64(s.lid(port)))
	return n
}

// linkTrap raises trap 128: the state of a link of a switch has changed.
func (s *Subnet) linkTrap(port int32) {
	n := s.notice(port, mad.NoticeTypeUrgent, mad.TrapLinkState)
	mad.Trap128LID.Put(n[:], uint64(s.lid(port)))
	s.raiseTrap(port, mad.TrapLinkState, n)
}

// changesTrap raises trap 144: something of the node has changed. Without flags it is the
// CapabilityMask.
func (s *Subnet) changesTrap(port int32, flags uint64) {
	n := s.notice(port, mad.NoticeTypeInfo, mad.TrapLocalChanges)
	b := s.ports[port].info[:]
	mad.Trap144LID.Put(n[:], uint64(s.lid(port)))
	mad.Trap144CapabilityMask.Put(n[:], mad.PortInfoCapabilityMask.Get(b))
	mad.Trap144CapabilityMask2.Put(n[:], mad.PortInfoCapabilityMask2.Get(b))
	if flags != 0 {
		mad.Trap144OtherLocalChanges.Put(n[:], 1)
		mad.Trap144ChangeFlags.Put(n[:], flags)
	}
	s.raiseTrap(port, mad.TrapLocalChanges, n)
}

// enabledTrap raises trap 144 when enabled widths or speeds have changed.
func (s *Subnet) enabledTrap(port int32, widths, speeds bool) {
	flags := uint64(0)
	if widths {
		flags |= changedWidths
	}
	if speeds {
		flags |= changedSpeeds
	}
	if flags != 0 {
		s.changesTrap(port, flags)
	}
}

// keyTrap raises trap 256: a request had the wrong M_Key. Its LID is the requester's, or with a
// directed route, which has none, the port's.
func (s *Subnet) keyTrap(port int32, d *wire.Datagram) {
	m, lid := d.MAD, d.Addr.SLID
	if m.Class() == mad.ClassDirectedSMP {
		lid = s.lid(port)
	}
	n := s.notice(port, mad.NoticeTypeSecurity, mad.TrapBadMKey)
	mad.Trap256LID.Put(n[:], uint64(lid))
	mad.Trap256Method.Put(n[:], uint64(m.Method()))
	mad.Trap256AttributeID.Put(n[:], uint64(m.Attr()))
	mad.Trap256Modifier.Put(n[:], uint64(m.Modifier()))
	mad.Trap256MKey.Put(n[:], requestKey(m))
	if m.Class() == mad.ClassDirectedSMP {
		hops := mad.DirectedSMPHopCount.Get(m)
		mad.Trap256DrSLID.Put(n[:], mad.DirectedSMPDrSLID.Get(m))
		mad.Trap256DRNotice.Put(n[:], 1)
		mad.Trap256HopCount.Put(n[:], hops)
		room := len(mad.Trap256ReturnPath.Get(n[:]))
		if int(hops)+1 > room {
			mad.Trap256PathTruncated.Put(n[:], 1)
		}
		mad.Trap256ReturnPath.Put(n[:], mad.DirectedSMPReturnPath.Get(m)[:min(room, int(hops)+1)])
	}
	s.raiseTrap(port, mad.TrapBadMKey, n)
}

// raiseTrap sends a trap, or notes that it is due again if it still waits to be repressed.
func (s *Subnet) raiseTrap(port int32, number uint16, notice [64]byte) {
	key := trapKey{port, number}
	i, ok := s.traps.byKey[key]
	if !ok {
		i = int32(len(s.traps.all))
		s.traps.byKey[key] = i
		s.traps.all = append(s.traps.all, trap{trapKey: key, tid: uint32(i) << 8})
	}
	t := &s.traps.all[i]
	t.notice = notice
	if t.active {
		t.again = true
		return
	}
	s.openTrap(i)
}

// openTrap starts sending a trap, under a new transaction ID.
func (s *Subnet) openTrap(i int32) {
	t := &s.traps.all[i]
	t.active, t.again = true, false
	t.tid = t.tid&^0xFF | (t.tid+1)&0xFF
	s.sendTrap(i)
}

// sendTrap sends a trap and schedules its repetition. A port without its own LID or its subnet
// manager's LID gives up.
func (s *Subnet) sendTrap(i int32) {
	t := &s.traps.all[i]
	b := s.ports[t.port].info[:]
	sm := uint16(mad.PortInfoMasterSMLID.Get(b))
	if s.lid(t.port) == 0 || sm == 0 || s.nodes[s.ports[t.port].node].off {
		t.active = false
		return
	}
	var buf [wire.Size]byte
	m, err := mad.Request{Method: mad.Trap, Attr: mad.AttrNotice, TID: uint64(t.tid)}.Routed(buf[:])
	if err != nil {
		panic(err) // the buffer is large enough
	}
	copy(m.Data(), t.notice[:])
	d := wire.Datagram{Addr: wire.ToLID(sm, 0), MAD: m}
	d.Addr.SLID = s.lid(t.port)
	d.Addr.SL = uint8(mad.PortInfoMasterSMSL.Get(b))
	s.later(s.trapInterval(b), trapRepeats, i, t.tid)
	s.stats.Traps++
	if s.opt.Log != nil {
		s.logPort(t.port, fmt.Sprintf("trap %d to LID %d", t.number, sm))
	}
	s.transmit(t.port, &d, origin{client: -1})
}

func (s *Subnet) trapInterval(portInfo []byte) time.Duration {
	if s.opt.TrapInterval > 0 {
		return s.opt.TrapInterval
	}
	timeout := time.Duration(4096) << mad.PortInfoSubnetTimeOut.Get(portInfo) // 4.096 us * 2^v
	return max(timeout, shortestTrapInterval)
}

// repressed takes a TrapRepress; it returns false if it is for no trap of this port. Programs may
// have sent traps themselves. Media change the upper half of a transaction ID.
func (s *Subnet) repressed(port int32, m mad.Datagram) bool {
	tid := uint32(m.TID())
	i := int(tid >> 8)
	if i >= len(s.traps.all) {
		return false
	}
	t := &s.traps.all[i]
	if t.port != port || t.tid != tid || mad.NoticeTrapNumber.Get(m.Data()) != uint64(t.number) {
		return false
	}
	again := t.active && t.again
	t.active = false
	if again {
		s.openTrap(int32(i))
	}
	return true
}
