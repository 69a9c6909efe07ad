package watch

import (
	"math/rand/v2"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// tempers stand between managers and an emulated subnet: they make some management agents behave as
// no good agent does.
type tempers struct {
	f  *fabric.Fabric
	of map[fabric.NodeID]*temper
}

// temper is how one agent behaves.
type temper struct {
	obeys   func(m mad.Datagram) deed // what it does with a request; nil: as a good one
	answers func(m mad.Datagram)      // changes its answer; nil: the true one
}

// deed is what an agent does with a request.
type deed uint8

const (
	carryOut deed = iota
	ignore        // neither done nor answered
	refuse        // answered by a status
)

// reached returns the node at the end of a datagram's directed route; nil if it has no temper.
func (x *tempers) reached(from fabric.End, m mad.Datagram) *temper {
	if m.Class() != mad.ClassDirectedSMP || len(x.of) == 0 {
		return nil
	}
	at := from.Node
	for _, port := range mad.DirectedSMPInitialPath.Get(m)[1 : 1+mad.DirectedSMPHopCount.Get(m)] {
		n := &x.f.Nodes[at]
		if int(port) >= len(n.Ports) || n.Ports[port].Link == fabric.NoLink {
			return nil
		}
		at = x.f.Peer(fabric.End{Node: at, Port: port}).Node
	}
	return x.of[at]
}

// hears reports whether an agent takes a request of a manager in a way of its own.
func (x *tempers) hears(v *virtual, d *wire.Datagram) bool {
	if d.MAD.Method() != mad.Get && d.MAD.Method() != mad.Set || d.MAD.Attr() == mad.AttrSMInfo {
		return false
	}
	t := x.reached(v.at, d.MAD)
	if t == nil || t.obeys == nil {
		return false
	}
	switch t.obeys(d.MAD) {
	case carryOut:
	case ignore:
		return true
	case refuse:
		if d.MAD.Answer(mad.StatusBadField) {
			v.inbox = append(v.inbox, *d)
		}
		return true
	}
	return false
}

// answers changes the answer of an agent.
func (x *tempers) answers(at fabric.End, d *wire.Datagram) {
	if d.MAD.Method() != mad.GetResp || d.MAD.Attr() == mad.AttrSMInfo {
		return
	}
	if t := x.reached(at, d.MAD); t != nil && t.answers != nil {
		t.answers(d.MAD)
	}
}

// Frozen agents.
var (
	frozenAgent = &temper{obeys: func(mad.Datagram) deed { return ignore }}
	readOnly    = &temper{obeys: func(m mad.Datagram) deed {
		if m.Method() == mad.Set {
			return ignore
		}
		return carryOut
	}}
	refusing = &temper{obeys: func(m mad.Datagram) deed {
		if m.Method() == mad.Set {
			return refuse
		}
		return carryOut
	}}
)

// size is what a small device has room for; 0: as much as others.
type size struct{ lids, mlids, pkeys, mtu, lmc uint64 }

// none stands for a table without entries, or no LMC.
const none = 1 << 32

// smallAgent tells the limits of a device, and refuses what is beyond them.
func smallAgent(s size) *temper {
	entries := func(n uint64) uint64 { return n % none }
	return &temper{
		obeys: func(m mad.Datagram) deed {
			mod, d := uint64(m.Modifier()), m.Data()
			set := m.Method() == mad.Set
			beyond := false
			switch m.Attr() {
			case mad.AttrLinearForwardingTable:
				beyond = s.lids > 0 && mod*mad.LFTBlock >= s.lids
			case mad.AttrSwitchInfo:
				beyond = set && s.lids > 0 && mad.SwitchInfoLinearFDBTop.Get(d) >= s.lids
			case mad.AttrMulticastForwardingTable:
				beyond = s.mlids > 0 && mod&0x1FF*mad.MFTBlock >= entries(s.mlids)
			case mad.AttrPKeyTable:
				beyond = s.pkeys > 0 && mod&0xFFFF*32 >= s.pkeys
				for i := s.pkeys; set && s.pkeys > 0 && i < 32; i++ {
					beyond = beyond || mad.PKeyTablePKey.At(d, int(i)) != 0
				}
			case mad.AttrPortInfo:
				beyond = set && (s.mtu > 0 && mad.PortInfoNeighborMTU.Get(d) > s.mtu || s.lmc > 0 && mad.PortInfoLMC.Get(d) > 0)
			default: // it has no limit
			}
			if beyond {
				return refuse
			}
			return carryOut
		},
		answers: func(m mad.Datagram) {
			switch d := m.Data(); {
			case m.Attr() == mad.AttrSwitchInfo && s.lids > 0:
				mad.SwitchInfoLinearFDBCap.Put(d, s.lids)
			case m.Attr() == mad.AttrSwitchInfo && s.mlids > 0:
				mad.SwitchInfoMulticastFDBCap.Put(d, entries(s.mlids))
			case m.Attr() == mad.AttrNodeInfo && s.pkeys > 0:
				mad.NodeInfoPartitionCap.Put(d, s.pkeys)
			case m.Attr() == mad.AttrPortInfo && s.mtu > 0:
				mad.PortInfoMTUCap.Put(d, s.mtu)
				mad.PortInfoNeighborMTU.Put(d, min(s.mtu, mad.PortInfoNeighborMTU.Get(d)))
			}
		},
	}
}

// liar is an agent that tells something else about its host than what is. other is the GUID of
// another node, lid the LID of another port.
func liar(kind string, rng *rand.Rand, other fabric.GUID, lid fabric.LID) *temper {
	n := 0
	return &temper{answers: func(m mad.Datagram) {
		d := m.Data()
		n++
		switch attr := m.Attr(); {
		case kind == "a bit of each answer" && rng.IntN(2) == 0:
			d[rng.IntN(len(d))] ^= 1 << rng.IntN(8)
		case kind == "any status" && rng.IntN(2) == 0:
			m.SetStatus(mad.Status(rng.IntN(8) << 2))
		case attr == mad.AttrNodeInfo && kind == "another one's GUID":
			mad.NodeInfoNodeGUID.Put(d, uint64(other))
			mad.NodeInfoPortGUID.Put(d, uint64(other)+1)
		case attr == mad.AttrNodeInfo && kind == "a GUID for each read":
			mad.NodeInfoNodeGUID.Put(d, 0xBAD0000+uint64(n))
			mad.NodeInfoPortGUID.Put(d, 0xBAD0001+uint64(n))
		case attr == mad.AttrNodeInfo && kind == "wrong NumPorts":
			mad.NodeInfoNumPorts.Put(d, uint64(rng.IntN(256)))
		case attr == mad.AttrNodeInfo && kind == "a switch now and then":
			mad.NodeInfoNodeType.Put(d, uint64(1+rng.IntN(2)))
		case attr == mad.AttrPortInfo && kind == "another one's LID":
			mad.PortInfoLID.Put(d, uint64(lid))
		case attr == mad.AttrPortInfo && kind == "a MasterSMLID of its own":
			mad.PortInfoMasterSMLID.Put(d, uint64(1+rng.IntN(40)))
		case attr == mad.AttrPortInfo && kind == "wrong M_Key bits":
			mad.PortInfoMKey.Put(d, rng.Uint64())
			mad.PortInfoMKeyProtectBits.Put(d, uint64(rng.IntN(4)))
			mad.PortInfoMKeyLeasePeriod.Put(d, uint64(rng.IntN(100)))
		case attr == mad.AttrPortInfo && kind == "any port state":
			mad.PortInfoPortState.Put(d, uint64(rng.IntN(6)))
		}
	}}
}

// lies are the kinds of liar.
var lies = []string{
	"a bit of each answer", "any status", "another one's GUID", "a GUID for each read", "wrong NumPorts", "a switch now and then",
	"another one's LID", "a MasterSMLID of its own", "wrong M_Key bits", "any port state",
}
