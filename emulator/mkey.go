package emulator

import (
	"time"

	"weft/wire"
	"weft/wire/mad"
)

// admit checks the M_Key of a request (IBA volume 1, 14.2.4). A refused request gets no answer; it
// is counted, starts the lease and sends trap 256.
func (s *Subnet) admit(q *query, d *wire.Datagram) bool {
	m := d.MAD
	x := &s.ports[q.port]
	b := x.info[:]
	key := mad.PortInfoMKey.Get(b)
	if key == 0 {
		q.key = true
		return true
	}
	if requestKey(m) == key {
		q.key = true
		x.stopLease()
		return true
	}
	if !q.set && mad.PortInfoMKeyProtectBits.Get(b) < 2 {
		return true
	}
	if v := mad.PortInfoMKeyViolations.Get(b); v < 0xFFFF {
		mad.PortInfoMKeyViolations.Put(b, v+1)
	}
	s.startLease(q.port)
	s.keyTrap(q.port, d)
	return false
}

func requestKey(m mad.Datagram) uint64 {
	if m.Class() == mad.ClassDirectedSMP {
		return mad.DirectedSMPMKey.Get(m)
	}
	return mad.SMPMKey.Get(m)
}

// stopLease voids the running lease. An odd count is a running lease.
func (x *port) stopLease() { x.leases += x.leases & 1 }

// startLease starts the lease of a port's M_Key unless it is running. If it ends without a request
// with the right key, the protection ends.
func (s *Subnet) startLease(p int32) {
	x := &s.ports[p]
	period := mad.PortInfoMKeyLeasePeriod.Get(x.info[:])
	if period == 0 || x.leases&1 == 1 {
		return
	}
	x.leases++
	s.later(time.Duration(period)*time.Second, leaseEnds, p, x.leases)
}
