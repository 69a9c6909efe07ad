package emulator

import (
	"bytes"
	"fmt"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// tableBlocks is the number of CongestionControlTable blocks of an adapter.
const tableBlocks = 2

// congestion holds the congestion control settings of a port: of an adapter, or port 0 of a switch.
// They are stored but not used: emulated traffic meets no congestion.
type congestion struct {
	key   [14]byte     // CongestionKeyInfo
	sw    [76]byte     // SwitchCongestionSetting
	ports [8][128]byte // SwitchPortCongestionSetting, by block
	ca    [132]byte    // CACongestionSetting
	table [tableBlocks][132]byte
}

// Congestion holds the congestion control settings written to a device, as the bytes of the
// attributes.
type Congestion struct {
	Switch  []byte   // SwitchCongestionSetting of a switch
	Adapter []byte   // CACongestionSetting of an adapter
	Table   [][]byte // CongestionControlTable of an adapter, by block
}

// Congestion returns the congestion control settings written to a port of an adapter, or port 0 of
// a switch, since power-on; nil if none.
func (d *devices) Congestion(e fabric.End) (*Congestion, error) {
	p, err := d.portAt(e)
	if err != nil {
		return nil, err
	}
	c := d.congested[p]
	if c == nil {
		return nil, nil
	}
	if d.nodes[d.ports[p].node].sw >= 0 {
		return &Congestion{Switch: bytes.Clone(c.sw[:])}, nil
	}
	out := &Congestion{Adapter: bytes.Clone(c.ca[:])}
	for i := range c.table {
		out.Table = append(out.Table, bytes.Clone(c.table[i][:]))
	}
	return out, nil
}

// SetCongestionControl says whether a node has congestion control, as all have at first. A node
// without it refuses all its requests.
func (d *devices) SetCongestionControl(id fabric.NodeID, has bool) error {
	if int(id) < 0 || int(id) >= len(d.nodes) {
		return fmt.Errorf("emulator: there is no node %d", id)
	}
	d.nodes[id].noCongestion = !has
	return nil
}

// answerCongestion answers a request about congestion control (annex A10), or loses it if its key
// is wrong.
func (s *Subnet) answerCongestion(port int32, d *wire.Datagram, by origin) {
	m, n := d.MAD, &s.nodes[s.ports[port].node]
	set := m.Method() == mad.Set
	c := s.congested[port]
	if c == nil {
		c = &congestion{}
	}
	key := mad.CongestionKeyInfoKey.Get(c.key[:])
	var status mad.Status
	switch {
	case n.silent:
		s.lose(d, by, LostSilent)
		return
	case n.noCongestion || mad.HeaderClassVersion.Get(m) != 2:
		status = mad.StatusBadVersion
	case !set && m.Method() != mad.Get:
		status = mad.StatusBadMethod
	case key != 0 && key != mad.CongestionHeaderKey.Get(m) && (set || mad.CongestionKeyInfoProtect.Is(c.key[:])):
		mad.CongestionKeyInfoViolations.Put(c.key[:], min(mad.CongestionKeyInfoViolations.Get(c.key[:])+1, 0xFFFF))
		s.lose(d, by, LostMKey)
		return
	default:
		if status = c.attribute(m, set, n); set && status == mad.StatusOK {
			if s.congested == nil {
				s.congested = map[int32]*congestion{}
			}
			s.congested[port] = c
		}
	}
	s.answer(port, 0, d, by, status)
}

// attribute gets or sets one attribute.
func (c *congestion) attribute(m mad.Datagram, set bool, n *node) mad.Status {
	data, mod, isSwitch := m.Data(), int(m.Modifier()), n.sw >= 0
	var of []byte
	switch id := m.Attr(); {
	case id == mad.AttrClassPortInfo && !set:
		clear(data)
		mad.ClassPortInfoBaseVersion.Put(data, 1)
		mad.ClassPortInfoClassVersion.Put(data, 2)
		mad.ClassPortInfoRespTimeValue.Put(data, 16)
		return mad.StatusOK
	case id == mad.AttrCongestionInfo && !set:
		clear(data)
		if !isSwitch {
			mad.CongestionInfoTableCap.Put(data, tableBlocks)
		}
		return mad.StatusOK
	case id == mad.AttrCongestionKeyInfo:
		of = c.key[:]
	case id == mad.AttrSwitchCongestionSetting && isSwitch:
		of = c.sw[:]
	case id == mad.AttrSwitchPortCongestionSetting && isSwitch:
		if mod > int(n.numPorts)/32 {
			return mad.StatusBadField
		}
		of = c.ports[mod][:]
	case id == mad.AttrCACongestionSetting && !isSwitch:
		of = c.ca[:]
	case id == mad.AttrCongestionControlTable && !isSwitch:
		if mod >= tableBlocks {
			return mad.StatusBadField
		}
		of = c.table[mod][:]
	default:
		return mad.StatusBadAttribute
	}
	if set {
		violations := mad.CongestionKeyInfoViolations.Get(c.key[:])
		copy(of, data)
		mad.CongestionKeyInfoViolations.Put(c.key[:], violations)
	}
	clear(data)
	copy(data, of)
	return mad.StatusOK
}
