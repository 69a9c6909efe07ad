package emulator

import "weft/wire/mad"

// portNamed finds the port of a modifier: on a switch any port, on other nodes 0 for the port that
// was reached, or a port's number.
func (q *query) portNamed(num uint8) (int32, bool) {
	switch {
	case num == 0:
		return q.port, true
	case num > q.n.numPorts:
		return 0, false
	}
	return q.n.first + int32(num), true
}

func (s *Subnet) portInfo(q *query) mad.Status {
	p, ok := q.portNamed(uint8(q.mod))
	if !ok {
		return mad.StatusBadField
	}
	if q.set {
		if status := s.setPortInfo(q, p); status != mad.StatusOK {
			return status
		}
	}
	copy(q.data, s.ports[p].info[:])
	mad.PortInfoLocalPortNum.Put(q.data, uint64(q.in))
	if q.drops {
		s.announce(q)
	}
	if !q.key && mad.PortInfoMKeyProtectBits.Get(q.data) == 1 {
		mad.PortInfoMKey.Put(q.data, 0)
	}
	return mad.StatusOK
}

// Fields that Set(PortInfo) stores unchanged; writableAtEnds at end ports only.
var (
	writable = [...]mad.Field{
		mad.PortInfoVLHighLimit, mad.PortInfoVLStallCount, mad.PortInfoHOQLife,
		mad.PortInfoEnforceInbound, mad.PortInfoEnforceOutbound,
		mad.PortInfoFilterRawInbound, mad.PortInfoFilterRawOutbound,
		mad.PortInfoLocalPhyErrors, mad.PortInfoOverrunErrors,
	}
	writableAtEnds = [...]mad.Field{
		mad.PortInfoMKey, mad.PortInfoGidPrefix, mad.PortInfoLID, mad.PortInfoMasterSMLID,
		mad.PortInfoMKeyLeasePeriod, mad.PortInfoMKeyProtectBits, mad.PortInfoLMC,
		mad.PortInfoMasterSMSL, mad.PortInfoInitTypeReply,
		mad.PortInfoMcastPKeyTrapSup, mad.PortInfoSubnetTimeOut,
	}
	// violations are reset by writing 0.
	violations = [...]mad.Field{mad.PortInfoMKeyViolations, mad.PortInfoPKeyViolations, mad.PortInfoQKeyViolations}
)

// setPortInfo writes all writable fields of a port, or none if a value is invalid.
func (s *Subnet) setPortInfo(q *query, p int32) mad.Status {
	x, d := &s.ports[p], q.data
	b := x.info[:]
	if q.n.sw < 0 && p != q.port || !validPortInfo(b, d) {
		return mad.StatusBadField
	}
	end := q.n.sw < 0 || x.num == 0
	if end && !validLID(d) {
		return mad.StatusBadField
	}
	state, phys := mad.PortInfoPortState.Get(d), mad.PortInfoPhysicalState.Get(d)
	if !s.mayChange(x, state, phys) {
		return mad.StatusBadField
	}
	for _, f := range writable {
		f.Put(b, f.Get(d))
	}
	if end {
		for _, f := range writableAtEnds {
			f.Put(b, f.Get(d))
		}
	}
	for _, f := range violations {
		if f.Get(d) == 0 {
			f.Put(b, 0)
		}
	}
	putUnlessZero(mad.PortInfoNeighborMTU, b, d)
	putUnlessZero(mad.PortInfoOperationalVLs, b, d)
	putUnlessZero(mad.PortInfoLinkDownDefault, b, d)
	changed := putEnabled(mad.PortInfoWidthEnabled, mad.PortInfoWidthSupported, 0xFF, b, d)
	speeds := putEnabled(mad.PortInfoSpeedEnabled, mad.PortInfoSpeedSupported, 15, b, d)
	speeds = putEnabled(mad.PortInfoSpeedExtEnabled, mad.PortInfoSpeedExtSupported, 31, b, d) || speeds
	s.enabledTrap(q.port, changed, speeds)
	q.changeState(p, state, phys)
	return mad.StatusOK
}

func putUnlessZero(f mad.Field, b, d []byte) {
	if v := f.Get(d); v != 0 {
		f.Put(b, v)
	}
}

// extDisabled is the value of LinkSpeedExtEnabled that allows no extended speed.
const extDisabled = 30

// putEnabled writes a field that enables widths or speeds out of the supported ones: 0 changes
// nothing, all enables everything. It reports whether the field changed.
func putEnabled(f, supported mad.Field, all uint64, b, d []byte) bool {
	was, v := f.Get(b), f.Get(d)
	switch {
	case v == 0:
		return false
	case v == all:
		v = supported.Get(b)
	case v == extDisabled && all == 31:
		v = 0
	}
	f.Put(b, v)
	return v != was
}

// validPortInfo checks the requested values against the port.
func validPortInfo(b, d []byte) bool {
	within := func(f, supported mad.Field, all uint64) bool {
		v := f.Get(d)
		return v == all || v&^supported.Get(b) == 0
	}
	ext := mad.PortInfoSpeedExtEnabled.Get(d)
	return within(mad.PortInfoWidthEnabled, mad.PortInfoWidthSupported, 0xFF) &&
		within(mad.PortInfoSpeedEnabled, mad.PortInfoSpeedSupported, 15) &&
		(ext == extDisabled || within(mad.PortInfoSpeedExtEnabled, mad.PortInfoSpeedExtSupported, 31)) &&
		mad.PortInfoOperationalVLs.Get(d) <= mad.PortInfoVLCap.Get(b) &&
		mad.PortInfoNeighborMTU.Get(d) <= mad.PortInfoMTUCap.Get(b) &&
		mad.PortInfoLinkDownDefault.Get(d) <= mad.PhysPolling &&
		mad.PortInfoPhysicalState.Get(d) <= mad.PhysDisabled
}

// validLID checks the LIDs of an end port; 0 removes the LID.
func validLID(d []byte) bool {
	lid, lmc := mad.PortInfoLID.Get(d), mad.PortInfoLMC.Get(d)
	return lid+1<<lmc-1 <= 0xBFFF && lid&(1<<lmc-1) == 0 && mad.PortInfoMasterSMLID.Get(d) <= 0xBFFF
}

// mayChange reports whether a subnet manager may set a port to a state: Down at any time, Armed
// from Init, Active from Armed if the peer is at least Armed. The current state is allowed, so that
// a repeated Set does no harm.
func (d *devices) mayChange(x *port, state, phys uint64) bool {
	now := x.state()
	switch {
	case x.num == 0 && d.nodes[x.node].sw >= 0:
		return (state == mad.PortNoChange || state == mad.PortActive) && (phys == mad.PhysNoChange || phys == mad.PhysLinkUp)
	case phys != mad.PhysNoChange && state > mad.PortDown:
		return false
	case state == mad.PortNoChange || state == mad.PortDown || state == now:
		return true
	case state == mad.PortArmed:
		return now == mad.PortInit
	case state == mad.PortActive:
		return now == mad.PortArmed && x.peer >= 0 && d.ports[x.peer].state() >= mad.PortArmed
	}
	return false
}

// changeState applies PortState and PortPhysicalState; taking the link down waits until after the
// answer.
func (q *query) changeState(p int32, state, phys uint64) {
	x := &q.ports[p]
	switch {
	case x.num == 0 && q.n.sw >= 0:
	case phys != mad.PhysNoChange, state == mad.PortDown && x.phys() != mad.PhysDisabled:
		q.drops, q.retrain, q.phys = true, p, phys
	case state > mad.PortInit:
		mad.PortInfoPortState.Put(x.info[:], state)
	}
}

// announce writes into an answer the states of the port after its link has gone down and, if
// training takes no time, come up again.
func (s *Subnet) announce(q *query) {
	state, phys := uint64(mad.PortDown), uint64(mad.PhysPolling)
	x := &s.ports[q.retrain]
	switch {
	case q.phys == mad.PhysDisabled:
		phys = mad.PhysDisabled
	case s.opt.Training == 0 && x.peer >= 0:
		state, phys = mad.PortInit, mad.PhysLinkUp
	}
	mad.PortInfoPortState.Put(q.data, state)
	mad.PortInfoPhysicalState.Put(q.data, phys)
}

// retrain takes a port's link down and trains it again, unless the port is Disabled: then only
// PortPhysicalState brings it back.
func (s *Subnet) retrain(p int32, phys uint64) {
	x := &s.ports[p]
	if x.cable >= 0 {
		s.takeDown(x.cable)
	}
	if phys == mad.PhysDisabled {
		mad.PortInfoPhysicalState.Put(x.info[:], mad.PhysDisabled)
		return
	}
	mad.PortInfoPhysicalState.Put(x.info[:], mad.PhysPolling)
	if x.cable >= 0 {
		s.bringUp(x.cable)
	}
}

// extendedPortInfo answers the vendor's attribute that distinguishes FDR10 from QDR.
func (q *query) extendedPortInfo() mad.Status {
	p, ok := q.portNamed(uint8(q.mod))
	if !ok {
		return mad.StatusBadField
	}
	q.fill(nil)
	if x := &q.ports[p]; x.fdr10 {
		mad.ExtendedPortInfoSpeedSupported.Put(q.data, 1)
		mad.ExtendedPortInfoSpeedEnabled.Put(q.data, 1)
		if x.peer >= 0 && mad.PortInfoSpeedActive.Get(x.info[:]) == 4 {
			mad.ExtendedPortInfoSpeedActive.Put(q.data, 1)
		}
	}
	return mad.StatusOK
}
