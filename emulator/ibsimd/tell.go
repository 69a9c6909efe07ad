package ibsimd

import (
	"encoding/binary"

	"weft/emulator"
	"weft/wire/ibsim"
	"weft/wire/mad"
)

// tell answers a client's question about its port. Unknown questions come back unchanged.
func (s *Server) tell(x *client, c *ibsim.Control) error {
	var err error
	s.l.Do(func(sub *emulator.Subnet) { err = tell(sub, x, c) })
	return err
}

func tell(sub *emulator.Subnet, x *client, c *ibsim.Control) error {
	at := x.at
	asked := c.Data[0]
	if c.Type == ibsim.ControlPortInfo && asked != 0 {
		at.Port = asked
	}
	port, err := sub.PortInfo(at)
	if err != nil {
		return err
	}
	node, err := sub.NodeInfo(at)
	if err != nil {
		return err
	}
	guid := mad.NodeInfoPortGUID.Get(node) - uint64(x.at.Port)
	put := func(n int, b ...byte) {
		clear(c.Data[:])
		copy(c.Data[:], b)
		c.Len = uint32(n)
	}
	le := binary.LittleEndian
	switch c.Type {
	case ibsim.ControlPort:
		put(3, le.AppendUint16(nil, uint16(mad.PortInfoLID.Get(port)))...)
		c.Data[2] = byte(mad.PortInfoPortState.Get(port))
	case ibsim.ControlVendor:
		put(24)
		le.PutUint32(c.Data[0:], uint32(mad.NodeInfoVendorID.Get(node)))
		le.PutUint32(c.Data[4:], uint32(mad.NodeInfoDeviceID.Get(node)))
		le.PutUint32(c.Data[8:], uint32(mad.NodeInfoRevision.Get(node)))
	case ibsim.ControlGID:
		put(16)
		le.PutUint64(c.Data[0:], mad.PortInfoGidPrefix.Get(port))
		le.PutUint64(c.Data[8:], guid)
	case ibsim.ControlGUID:
		put(8, le.AppendUint64(nil, guid)...)
	case ibsim.ControlNodeInfo:
		mad.NodeInfoNodeGUID.Put(node, guid)
		mad.NodeInfoPortGUID.Put(node, guid)
		put(64, node...)
	case ibsim.ControlPortInfo:
		put(64, port...)
	case ibsim.ControlPKeys:
		keys, err := sub.PKeys(x.at)
		if err != nil {
			return err
		}
		put(64)
		for i, k := range keys[:min(len(keys), 32)] {
			mad.PKeyTablePKey.Set(c.Data[:], i, uint64(k))
		}
	default:
		// Like ibsim, it echoes unknown questions.
	}
	return nil
}
