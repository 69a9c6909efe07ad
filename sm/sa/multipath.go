package sa

import (
	"weft/fabric"
	"weft/wire/mad"
)

// multiPath answers a query for paths between several ports.
func (r *Responder) multiPath(s *Subnet, q mad.Datagram) mad.Datagram {
	rec, mask := q.Data(), mad.SAHeaderComponentMask.Get(q)
	sources, targets := int(mad.MultiPathRecordSGIDCount.Get(rec)), int(mad.MultiPathRecordDGIDCount.Get(rec))
	const gid = 16
	from := mad.MultiPathRecord.Size
	switch {
	case mask&mad.MultiPathRecord.Mask(mad.MultiPathRecordSGIDCount) == 0 || mask&mad.MultiPathRecord.Mask(mad.MultiPathRecordDGIDCount) == 0 || sources*targets == 0:
		return r.refuse(q, mad.StatusInsufficientComponents)
	case from+gid*(sources+targets) > len(rec):
		return r.refuse(q, mad.StatusRequestInvalid)
	}
	gids := rec[from:]
	p := readMultiPath(rec, mask)
	p.level = s.Levels.ruled(p)
	c := r.open(q, mad.PathRecord.RecordSize())
	mad.HeaderAttributeID.Put(c.out, uint64(mad.AttrPathRecord))
	c.s = s
	for i := range sources {
		src, status := s.ends(pathSGID, pathSGID, 0, gids[gid*i:][:gid], 0)
		if status != mad.StatusOK {
			return r.refuse(q, status)
		}
		for j := range targets {
			dst, status := s.ends(pathDGID, pathDGID, 0, gids[gid*(sources+j):][:gid], 0)
			if status != mad.StatusOK {
				return r.refuse(q, status)
			}
			if p.possible() && !c.done() {
				c.pathsBetween(p, src.first, dst.first)
			}
		}
	}
	return r.close(q)
}

// readMultiPath decodes a MultiPathRecord query, without its ports.
func readMultiPath(rec []byte, mask uint64) *pathQuery {
	has := func(f mad.Field) bool { return mask&mad.MultiPathRecord.Mask(f) != 0 }
	get := func(f mad.Field) uint8 { return uint8(f.Get(rec)) }
	bit := func(f mad.Field) uint64 { return mad.MultiPathRecord.Mask(f) }
	p := &pathQuery{
		number:     mostPaths,
		reversible: has(mad.MultiPathRecordReversible) && mad.MultiPathRecordReversible.Is(rec),
		raw:        has(mad.MultiPathRecordRawTraffic) && mad.MultiPathRecordRawTraffic.Is(rec),
		pkey:       uint16(mad.MultiPathRecordPKey.Get(rec)), sl: get(mad.MultiPathRecordSL),
		mtu:  limitOf(mask, bit(mad.MultiPathRecordMtuSelector), bit(mad.MultiPathRecordMtu), get(mad.MultiPathRecordMtuSelector), get(mad.MultiPathRecordMtu)),
		rate: limitOf(mask, bit(mad.MultiPathRecordRateSelector), bit(mad.MultiPathRecordRate), get(mad.MultiPathRecordRateSelector), rankOf(get(mad.MultiPathRecordRate))),
		life: limitOf(mask, bit(mad.MultiPathRecordPacketLifeTimeSelector), bit(mad.MultiPathRecordPacketLifeTime),
			get(mad.MultiPathRecordPacketLifeTimeSelector), get(mad.MultiPathRecordPacketLifeTime)),
	}
	if has(mad.MultiPathRecordPKey) {
		p.mask |= pathPKey
	}
	if has(mad.MultiPathRecordSL) {
		p.mask |= pathSL
	}
	if has(mad.MultiPathRecordNumbPath) {
		p.number = max(1, int(get(mad.MultiPathRecordNumbPath)))
	}
	for _, same := range [...]struct{ from, to mad.Field }{
		{mad.MultiPathRecordFlowLabel, mad.PathRecordFlowLabel},
		{mad.MultiPathRecordHopLimit, mad.PathRecordHopLimit},
		{mad.MultiPathRecordTClass, mad.PathRecordTClass},
		{mad.MultiPathRecordQoSClass, mad.PathRecordQoSClass},
	} {
		if has(same.from) {
			p.mask |= mad.PathRecord.Mask(same.to)
			same.to.Put(p.echo[:], same.from.Get(rec))
		}
	}
	if has(mad.MultiPathRecordServiceIDHigh) && has(mad.MultiPathRecordServiceIDLow) {
		p.mask |= pathServiceID
		mad.PathRecordServiceID.Put(p.echo[:], mad.MultiPathRecordServiceIDHigh.Get(rec)<<56|mad.MultiPathRecordServiceIDLow.Get(rec))
	}
	return p
}

// trace answers a query for the nodes of a path with TraceRecords from source to target, for the
// first matching path.
func (r *Responder) trace(s *Subnet, q mad.Datagram) mad.Datagram {
	var p pathQuery
	p.readPath(q)
	p.level = s.Levels.ruled(&p)
	from, status := s.ends(p.mask, pathSGID, pathSLID, p.sgid, p.slid)
	if status != mad.StatusOK {
		return r.refuse(q, status)
	}
	to, status := s.ends(p.mask, pathDGID, pathDLID, p.dgid, p.dlid)
	switch {
	case status != mad.StatusOK:
		return r.refuse(q, status)
	case from.first != from.last || to.first != to.last:
		return r.refuse(q, mad.StatusInsufficientComponents)
	}
	c := r.open(q, mad.PathRecord.RecordSize())
	c.s, p.number = s, 1
	if p.possible() {
		c.pathsBetween(&p, from.first, to.first)
	}
	lid := fabric.LID(0)
	if c.found > 0 {
		lid = fabric.LID(mad.PathRecordDLID.Get(c.rec[:64]))
	}
	c = r.open(q, mad.TraceRecord.RecordSize())
	mad.HeaderAttributeID.Put(c.out, uint64(mad.AttrTraceRecord))
	if lid != 0 {
		c.traceTo(from.first, to.first, lid)
	}
	return r.close(q)
}

// traceTo adds a record for each node between two end ports, on the path in the tables.
func (c *search) traceTo(src, dst int32, lid fabric.LID) {
	s, g := c.s, c.s.Graph
	p := &s.Ports[s.endPort[src]]
	in := uint8(0)
	for p.End != dst || p.End == src {
		n := &s.Nodes[p.Node]
		out := p.Num
		if n.Sw >= 0 {
			out = s.Plan.Tables.Port(n.Sw, lid)
		}
		if src == dst || n.Sw >= 0 && out == 0 {
			break
		}
		c.traceNode(n, in, out)
		next := s.Ports[n.First+int32(out)].Peer
		if next < 0 || len(c.out) > mad.SAHeader.Size+c.size*(g.NumSwitches+2) {
			return
		}
		p = &s.Ports[next]
		in = p.Num
	}
	c.traceNode(&s.Nodes[p.Node], in, 0)
}

// traceNode adds the record of a node on a path; port 0 means an end of the path.
func (c *search) traceNode(n *Node, in, out uint8) {
	rec := c.record()
	ports := c.s.portsOf(n)
	mad.TraceRecordGIDPrefix.Put(rec, c.s.OwnPrefix())
	mad.TraceRecordNodeType.Put(rec, mad.NodeInfoNodeType.Get(n.Info[:]))
	mad.TraceRecordNodeID.Put(rec, mad.NodeInfoNodeGUID.Get(n.Info[:]))
	mad.TraceRecordChassisID.Put(rec, mad.NodeInfoSystemImageGUID.Get(n.Info[:]))
	if in > 0 {
		mad.TraceRecordEntryPortID.Put(rec, uint64(ports[in].GUID))
	}
	if out > 0 {
		mad.TraceRecordExitPortID.Put(rec, uint64(ports[out].GUID))
	}
	mad.TraceRecordEntryPort.Put(rec, uint64(in))
	mad.TraceRecordExitPort.Put(rec, uint64(out))
	c.add(rec)
}
