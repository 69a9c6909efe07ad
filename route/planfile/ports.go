package planfile

import (
	"weft/fabric"
	"weft/route"
)

// arbitration writes the VL arbitration tables.
func (e *planWriter) arbitration(a *route.VLArbitration) {
	for i := range a.Pool {
		t := &a.Pool[i]
		e.u8(t.Limit)
		for _, list := range [2][]route.ArbEntry{t.High, t.Low} {
			e.u8(uint8(len(list)))
			for _, entry := range list {
				e.u8(entry.VL)
				e.u8(entry.Weight)
			}
		}
	}
	e.u16s(a.Host)
	e.u16s(a.Switch)
}

// arbitration reads so many VL arbitration tables and which port uses which.
func (d *planReader) arbitration(pool int, g *fabric.Graph) *route.VLArbitration {
	d.section = "VL arbitration"
	a := &route.VLArbitration{Pool: make([]route.ArbTable, pool)}
	for i := range a.Pool {
		t := &a.Pool[i]
		t.Limit = d.u8()
		for _, list := range [2]*[]route.ArbEntry{&t.High, &t.Low} {
			for range d.u8() {
				*list = append(*list, route.ArbEntry{VL: d.u8(), Weight: d.u8()})
			}
		}
		if d.err != nil {
			break
		}
	}
	a.Host, a.Switch = d.u16s(g.NumHosts), d.u16s(route.SwitchPortCount(g))
	return a
}

// ports writes the parameters of ports.
func (e *planWriter) ports(p *route.Ports) {
	e.u8(p.PacketLife)
	for _, v := range p.Pool {
		e.bytes([]byte{v.MTU, v.VLs, v.HOQLife, v.StallCount})
	}
	e.u16s(p.Host)
	e.u16s(p.Switch)
}

// ports reads so many sets of parameters and which port has which.
func (d *planReader) ports(pool int, g *fabric.Graph) *route.Ports {
	d.section = "ports"
	p := &route.Ports{PacketLife: d.u8(), Pool: make([]route.PortParams, pool)}
	for i := range p.Pool {
		p.Pool[i] = route.PortParams{MTU: d.u8(), VLs: d.u8(), HOQLife: d.u8(), StallCount: d.u8()}
	}
	p.Host, p.Switch = d.u16s(g.NumHosts), d.u16s(route.SwitchPortCount(g))
	return p
}
