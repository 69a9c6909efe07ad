package emulator

import (
	"weft/wire"
	"weft/wire/mad"
)

// query is a Get or Set of a subnet management attribute at an agent.
type query struct {
	*devices

	n    *node
	id   int32 // of the node
	port int32 // the agent port that was reached
	in   uint8 // input port of the datagram
	set  bool
	mod  uint32
	data []byte // the attribute, 64 bytes; the answer replaces the request
	key  bool   // the M_Key was right, or none was needed

	// A Set may take down the link that carries the answer, so this is done after answering.
	drops   bool
	retrain int32  // port whose link goes down, to be trained again or to stay down
	phys    uint64 // the requested PortPhysicalState
}

// answerSMP answers a request as the subnet management agent of a node, or loses it if it must not
// answer.
func (s *Subnet) answerSMP(port int32, in uint8, d *wire.Datagram, by origin) {
	m := d.MAD
	q := query{devices: &s.devices, port: port, in: in, set: m.Method() == mad.Set, mod: m.Modifier(), data: m.Data()}
	q.id = s.ports[port].node
	q.n = &s.nodes[q.id]
	var status mad.Status
	switch {
	case q.n.silent:
		s.lose(d, by, LostSilent)
		return
	case mad.HeaderClassVersion.Get(m) != 1:
		status = mad.StatusBadVersion
	case !q.set && m.Method() != mad.Get:
		status = mad.StatusBadMethod
	case !s.admit(&q, d):
		s.lose(d, by, LostMKey)
		return
	default:
		status = s.attribute(&q, m.Attr())
	}
	s.answer(port, in, d, by, status)
	if q.drops {
		s.retrain(q.retrain, q.phys)
	}
}

// attribute gets or sets one attribute.
func (s *Subnet) attribute(q *query, id mad.AttrID) mad.Status {
	switch id {
	case mad.AttrNodeInfo:
		return q.nodeInfo()
	case mad.AttrPortInfo:
		return s.portInfo(q)
	case mad.AttrLinearForwardingTable:
		return q.linearTable()
	case mad.AttrNodeDescription:
		return s.nodeDescription(q)
	case mad.AttrSwitchInfo:
		return q.switchInfo()
	case mad.AttrPKeyTable:
		return q.pkeyTable()
	case mad.AttrSLtoVLMappingTable:
		return q.slToVL()
	case mad.AttrVLArbitrationTable:
		return q.vlArbitration()
	case mad.AttrMulticastForwardingTable:
		return q.multicastTable()
	case mad.AttrGUIDInfo:
		return q.guidInfo()
	case mad.AttrLedInfo:
		return q.ledInfo()
	case mad.AttrExtendedPortInfo:
		return q.extendedPortInfo()
	case mad.AttrSwitchRole:
		return q.switchRole()
	default:
		return mad.StatusBadAttribute
	}
}

// fill writes an answer and clears the rest of the attribute.
func (q *query) fill(b []byte) mad.Status {
	clear(q.data[copy(q.data, b):])
	return mad.StatusOK
}

func (q *query) nodeInfo() mad.Status {
	if q.set {
		return mad.StatusBadAttribute
	}
	q.fill(q.n.info[:])
	mad.NodeInfoPortGUID.Put(q.data, q.ports[q.port].guid)
	mad.NodeInfoLocalPortNum.Put(q.data, uint64(q.in))
	return mad.StatusOK
}

func (s *Subnet) nodeDescription(q *query) mad.Status {
	if !q.set {
		return q.fill(q.n.desc[:])
	}
	if [64]byte(q.data) != q.n.desc {
		copy(q.n.desc[:], q.data)
		s.changesTrap(q.port, changedDescription)
	}
	return mad.StatusOK
}

func (q *query) ledInfo() mad.Status {
	if q.set {
		q.n.led = mad.LedInfoLed.Is(q.data)
	}
	q.fill(nil)
	if q.n.led {
		mad.LedInfoLed.Put(q.data, 1)
	}
	return mad.StatusOK
}

// switchRole answers with the role of the switch in Options.Roles.
func (q *query) switchRole() mad.Status {
	if q.set || q.n.sw < 0 || q.roles == nil {
		return mad.StatusBadAttribute
	}
	r := q.roles[q.id]
	q.fill(nil)
	mad.SwitchRoleSignature.Put(q.data, mad.SwitchRoleMagic)
	mad.SwitchRoleRole.Put(q.data, uint64(r.Role))
	mad.SwitchRoleRank.Put(q.data, uint64(r.Rank))
	return mad.StatusOK
}

func (q *query) switchInfo() mad.Status {
	if q.n.sw < 0 {
		return mad.StatusBadAttribute
	}
	b := q.switches[q.n.sw].info[:]
	if q.set {
		if mad.SwitchInfoLinearFDBTop.Get(q.data) >= mad.SwitchInfoLinearFDBCap.Get(b) {
			return mad.StatusBadField
		}
		mad.SwitchInfoLinearFDBTop.Put(b, mad.SwitchInfoLinearFDBTop.Get(q.data))
		mad.SwitchInfoDefaultPort.Put(b, mad.SwitchInfoDefaultPort.Get(q.data))
		mad.SwitchInfoDefaultMcastPrimary.Put(b, mad.SwitchInfoDefaultMcastPrimary.Get(q.data))
		mad.SwitchInfoDefaultMcastOther.Put(b, mad.SwitchInfoDefaultMcastOther.Get(q.data))
		mad.SwitchInfoLifeTimeValue.Put(b, mad.SwitchInfoLifeTimeValue.Get(q.data))
		mad.SwitchInfoMulticastFDBTop.Put(b, mad.SwitchInfoMulticastFDBTop.Get(q.data))
		if mad.SwitchInfoPortStateChange.Is(q.data) {
			mad.SwitchInfoPortStateChange.Put(b, 0)
		}
	}
	return q.fill(b)
}

// tablesOf returns the rarely written tables of a port. Before the first write they are nil.
func (d *devices) tablesOf(p int32, write bool) *portTables {
	x := &d.ports[p]
	if x.tables == nil && write {
		x.tables = d.freshTables(p)
	}
	return x.tables
}

// freshTables returns the tables of a port after power-on.
func (d *devices) freshTables(p int32) *portTables {
	t := &portTables{sl2vl: identityLanes(mad.DataVLs(mad.PortInfoVLCap.Get(d.ports[p].info[:])))}
	t.vlarb[0] = d.equalTurns(p)
	t.pkeys[0] = 0xFFFF
	t.guids[0] = d.ports[p].guid
	return t
}

func (q *query) guidInfo() mad.Status {
	if q.mod >= guidCap/8 {
		return mad.StatusBadField
	}
	if t := q.tablesOf(q.port, q.set); t != nil {
		block := t.guids[8*q.mod : 8*q.mod+8]
		for i := range block {
			if q.set && (q.mod > 0 || i > 0) {
				block[i] = mad.GUIDInfoGUID.At(q.data, i)
			}
			mad.GUIDInfoGUID.Set(q.data, i, block[i])
		}
		return mad.StatusOK
	}
	q.fill(nil)
	if q.mod == 0 {
		mad.GUIDInfoGUID.Set(q.data, 0, q.ports[q.port].guid)
	}
	return mad.StatusOK
}
