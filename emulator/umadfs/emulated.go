package umadfs

import (
	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/wire"
)

// emulated is a port of an emulated subnet.
type emulated struct {
	l  *live.Live
	at fabric.End
	id emulator.ClientID
}

// Emulated attaches to a port of an emulated subnet: port 0 of a switch, another port of other
// nodes.
func Emulated(l *live.Live, at fabric.End) Attach {
	return func(deliver func(*wire.Datagram)) (Adapter, error) {
		p := &emulated{l: l, at: at}
		var err error
		l.Do(func(s *emulator.Subnet) {
			p.id, err = s.Attach(emulator.Client{At: at, Deliver: deliver})
		})
		if err != nil {
			return nil, err
		}
		return p, nil
	}
}

func (p *emulated) Send(d *wire.Datagram) { p.l.Send(p.id, d) }

func (p *emulated) SetIsSM(on bool) {
	p.l.Do(func(s *emulator.Subnet) { s.SetIsSM(p.id, on) })
}

func (p *emulated) Close() { p.l.Do(func(s *emulator.Subnet) { s.Detach(p.id) }) }

func (p *emulated) Info() (i Info) {
	p.l.Do(func(s *emulator.Subnet) {
		node, err := s.NodeInfo(p.at)
		if err != nil {
			return // Attach refused such a port
		}
		port, _ := s.PortInfo(p.at)
		i.PKeys, _ = s.PKeys(p.at)
		copy(i.NodeInfo[:], node)
		copy(i.PortInfo[:], port)
	})
	return i
}
