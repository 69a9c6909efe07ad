// Package ping asks subnet administration for the path to a GID, and then the performance agent of
// that port for an answer by this path. If the path leads through routers, datagrams have a global
// route header.
//
// Cost: two datagrams and their answers for a path and a first answer, then one and its answer
// each.
package ping

import (
	"context"
	"fmt"

	"weft/wire"
	"weft/wire/mad"
)

// Path has the parts of a path record that a ping needs.
type Path struct {
	Source, To mad.GID
	LID        uint16 // LID of the port, or of a router
	SL         uint8
	HopLimit   uint8 // above 1: through routers, with a global route header
}

// Routed reports whether the path leads through routers.
func (p *Path) Routed() bool { return p.HopLimit > 1 }

// Find asks for the path from our port to a GID.
func Find(ctx context.Context, r *wire.Requester, to mad.GID) (*Path, error) {
	port, err := r.Transport().Port(ctx)
	if err != nil {
		return nil, err
	}
	if port.SMLID == 0 {
		return nil, fmt.Errorf("port %d of %s knows no subnet manager: is the subnet up?", port.Number, port.Device)
	}
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrPathRecord}.SA(make([]byte, mad.Size), mad.PathRecord.Mask(mad.PathRecordDGID, mad.PathRecordSGID))
	if err != nil {
		return nil, err
	}
	p := &Path{Source: mad.MakeGID(port.GIDPrefix, port.PortGUID), To: to}
	mad.PathRecordDGID.Put(m.Data(), to[:])
	mad.PathRecordSGID.Put(m.Data(), p.Source[:])
	a := wire.ToLID(port.SMLID, 1)
	a.SL = port.SMSL
	answer, err := r.Ask(ctx, &wire.Request{Addr: a, MAD: m})
	if err != nil {
		return nil, fmt.Errorf("subnet administration (LID %d) returned no path to %s: %w", port.SMLID, to, err)
	}
	rec := answer.Data()
	p.LID, p.SL, p.HopLimit = uint16(mad.PathRecordDLID.Get(rec)), uint8(mad.PathRecordSL.Get(rec)), uint8(mad.PathRecordHopLimit.Get(rec))
	return p, nil
}

// Ask asks the performance agent at the end of a path for its ClassPortInfo.
func Ask(ctx context.Context, r *wire.Requester, p *Path) error {
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrClassPortInfo}.New(make([]byte, mad.Size), mad.ClassPerf)
	if err != nil {
		return err
	}
	a := wire.ToLID(p.LID, 1)
	a.SL = p.SL
	if p.Routed() {
		a.GRH = wire.GRH{Present: true, HopLimit: p.HopLimit, GID: p.To}
	}
	_, err = r.Ask(ctx, &wire.Request{Addr: a, MAD: m})
	return err
}
