package sa

import (
	"encoding/binary"

	"weft/fabric"
	"weft/route"
	"weft/wire/mad"
)

// The bits of the ComponentMask of a PathRecord.
var (
	pathServiceID    = mad.PathRecord.Mask(mad.PathRecordServiceID)
	pathDGID         = mad.PathRecord.Mask(mad.PathRecordDGID)
	pathSGID         = mad.PathRecord.Mask(mad.PathRecordSGID)
	pathDLID         = mad.PathRecord.Mask(mad.PathRecordDLID)
	pathSLID         = mad.PathRecord.Mask(mad.PathRecordSLID)
	pathRaw          = mad.PathRecord.Mask(mad.PathRecordRawTraffic)
	pathFlowLabel    = mad.PathRecord.Mask(mad.PathRecordFlowLabel)
	pathHopLimit     = mad.PathRecord.Mask(mad.PathRecordHopLimit)
	pathTClass       = mad.PathRecord.Mask(mad.PathRecordTClass)
	pathReversible   = mad.PathRecord.Mask(mad.PathRecordReversible)
	pathNumbPath     = mad.PathRecord.Mask(mad.PathRecordNumbPath)
	pathPKey         = mad.PathRecord.Mask(mad.PathRecordPKey)
	pathQoSClass     = mad.PathRecord.Mask(mad.PathRecordQoSClass)
	pathSL           = mad.PathRecord.Mask(mad.PathRecordSL)
	pathMtuSelector  = mad.PathRecord.Mask(mad.PathRecordMtuSelector)
	pathMtu          = mad.PathRecord.Mask(mad.PathRecordMtu)
	pathRateSelector = mad.PathRecord.Mask(mad.PathRecordRateSelector)
	pathRate         = mad.PathRecord.Mask(mad.PathRecordRate)
	pathLifeSelector = mad.PathRecord.Mask(mad.PathRecordPacketLifeTimeSelector)
	pathLife         = mad.PathRecord.Mask(mad.PathRecordPacketLifeTime)
)

// mostPaths is the maximum number of paths between two ports in an answer.
const mostPaths = 127

// pathQuery is a decoded query for paths.
type pathQuery struct {
	mask            uint64
	sgid, dgid      []byte     // 16 bytes each
	slid, dlid      fabric.LID // 0 for any
	number          int        // maximum number of paths between two ports
	reversible      bool       // reversible paths only
	raw             bool
	pkey            uint16
	sl              uint8
	level           int8 // by the rules, before partitions; noRule for none
	mtu, rate, life limit
	echo            [64]byte // fields copied from the query into each record
}

// readPath decodes a query for PathRecords.
func (p *pathQuery) readPath(q mad.Datagram) {
	rec, mask := q.Data(), mad.SAHeaderComponentMask.Get(q)
	*p = pathQuery{
		mask: mask, sgid: rec[24:40], dgid: rec[8:24], number: mostPaths,
		reversible: mask&pathReversible != 0 && mad.PathRecordReversible.Is(rec),
		raw:        mask&pathRaw != 0 && mad.PathRecordRawTraffic.Is(rec),
		pkey:       uint16(mad.PathRecordPKey.Get(rec)),
		sl:         uint8(mad.PathRecordSL.Get(rec)),
		mtu:        limitOf(mask, pathMtuSelector, pathMtu, uint8(mad.PathRecordMtuSelector.Get(rec)), uint8(mad.PathRecordMtu.Get(rec))),
		rate:       limitOf(mask, pathRateSelector, pathRate, uint8(mad.PathRecordRateSelector.Get(rec)), rankOf(uint8(mad.PathRecordRate.Get(rec)))),
		life:       limitOf(mask, pathLifeSelector, pathLife, uint8(mad.PathRecordPacketLifeTimeSelector.Get(rec)), uint8(mad.PathRecordPacketLifeTime.Get(rec))),
	}
	if mask&pathNumbPath != 0 {
		p.number = max(1, int(mad.PathRecordNumbPath.Get(rec)))
	}
	if mask&pathSLID != 0 {
		p.slid = fabric.LID(mad.PathRecordSLID.Get(rec))
	}
	if mask&pathDLID != 0 {
		p.dlid = fabric.LID(mad.PathRecordDLID.Get(rec))
	}
	if mask&(pathServiceID|pathFlowLabel|pathHopLimit|pathTClass|pathQoSClass) == 0 {
		return
	}
	for _, f := range [...]struct {
		bit   uint64
		field mad.Field
	}{
		{pathServiceID, mad.PathRecordServiceID},
		{pathFlowLabel, mad.PathRecordFlowLabel},
		{pathHopLimit, mad.PathRecordHopLimit},
		{pathTClass, mad.PathRecordTClass},
		{pathQoSClass, mad.PathRecordQoSClass},
	} {
		if mask&f.bit != 0 {
			f.field.Put(p.echo[:], f.field.Get(rec))
		}
	}
}

// ends is a range of end ports, from first to last.
type ends struct{ first, last int32 }

// ends returns the end ports that match a GID and a LID, as far as the mask selects them, or a
// status.
func (s *Subnet) ends(mask, gidBit, lidBit uint64, gid []byte, lid fabric.LID) (ends, mad.Status) {
	all := ends{0, int32(s.Graph.NumEnds) - 1}
	if mask&gidBit != 0 {
		e := int32(-1)
		if s.isLocal(gid) {
			e = s.endOfGUID(fabric.GUID(binary.BigEndian.Uint64(gid[8:])))
		}
		if e < 0 || s.Plan.Ends.Base[e] == 0 {
			return all, mad.StatusInvalidGID
		}
		all = ends{e, e}
	}
	if mask&lidBit != 0 {
		e := s.endOfLID(lid)
		if e < all.first || e > all.last || lid == 0 {
			return all, mad.StatusNoRecords
		}
		all = ends{e, e}
	}
	return all, mad.StatusOK
}

// paths answers a query for PathRecords.
func (r *Responder) paths(s *Subnet, q mad.Datagram) mad.Datagram {
	var p pathQuery
	p.readPath(q)
	p.level = s.Levels.ruled(&p)
	c := r.open(q, mad.PathRecord.RecordSize())
	if q.Method() == mad.Get {
		p.number, c.enough = 1, 1
	}
	from, status := s.ends(p.mask, pathSGID, pathSLID, p.sgid, p.slid)
	var to ends
	remote := s.isRemote(&p)
	switch {
	case status != mad.StatusOK:
	case remote:
		to, status = s.toRemote(&p, from.first)
	default:
		to, status = s.ends(p.mask, pathDGID, pathDLID, p.dgid, p.dlid)
	}
	if noEnd := status == mad.StatusNoRecords || status == mad.StatusInvalidGID; noEnd && q.Method() == mad.GetTable {
		return r.close(q) // a table without records, as for other records
	}
	if status != mad.StatusOK {
		return r.refuse(q, status)
	}
	if !p.possible() {
		return r.close(q)
	}
	c.s = s
	for src := from.first; src <= from.last && !c.done(); src++ {
		if remote && src > from.first {
			if to, status = s.toRemote(&p, src); status != mad.StatusOK {
				continue
			}
		}
		for dst := to.first; dst <= to.last && !c.done(); dst++ {
			c.pathsBetween(&p, src, dst)
		}
	}
	return r.close(q)
}

// possible reports whether any path can match.
func (p *pathQuery) possible() bool {
	return !p.raw && (p.mask&pathPKey == 0 || p.pkey&^mad.PKeyFull != 0)
}

// offsets lists LIDs of a port as distances from its base LID.
type offsets struct {
	n    int
	list [1 << fabric.MaxLMC]uint8
}

// usable stores the target LIDs that a source may send to; a nonzero lid selects that one.
func (o *offsets) usable(plan *route.Plan, source, target int32, lid fabric.LID) {
	o.n = 0
	base := plan.Ends.Base[target]
	if lid != 0 {
		if plan.Uses(source, target, lid) {
			o.list[0], o.n = uint8(lid-base), 1
		}
		return
	}
	switch count := plan.Ends.Count(target); {
	case count == 0:
	case count == 1 || plan.Choice.By == route.BaseLID:
		o.list[0], o.n = 0, 1
	case plan.Choice.By == route.HashedLID:
		o.list[0], o.n = route.HashedOffset(plan.Ends.Base[source], plan.Ends.LMC[source], count), 1
	case plan.Choice.By == route.ListedLIDs:
		o.n = copy(o.list[:], plan.Choice.Offsets(source, target))
	default:
		for i := range count {
			o.list[i] = uint8(i)
		}
		o.n = count
	}
}

// pathsBetween adds the matching paths between two end ports.
func (c *search) pathsBetween(p *pathQuery, src, dst int32) {
	var there, back offsets
	plan := c.s.Plan
	if plan.Ends.Base[src] == 0 {
		return
	}
	there.usable(plan, src, dst, p.dlid)
	back.usable(plan, dst, src, p.slid)
	asked := uint16(0)
	if p.mask&pathPKey != 0 {
		asked = p.pkey
	}
	pkey, ok := c.s.sharedKey(src, dst, asked)
	if !ok || !c.sees(src) || !c.sees(dst) {
		return
	}
	left := p.number
	for shift := range back.n {
		for i := range there.n {
			if left == 0 || c.done() {
				return
			}
			slid := plan.Ends.Base[src] + fabric.LID(back.list[(i+shift)%back.n])
			dlid := plan.Ends.Base[dst] + fabric.LID(there.list[i])
			if c.path(p, src, dst, slid, dlid, pkey) {
				left--
			}
		}
	}
}

// path adds the path between two LIDs if it matches, and reports whether it did.
func (c *search) path(p *pathQuery, src, dst int32, slid, dlid fabric.LID, pkey uint16) bool {
	if c.tries == 0 {
		c.tooMany = true
		return false
	}
	c.tries--
	plan := c.s.Plan
	sl, backSL := uint8(0), uint8(0)
	if plan.SL != nil {
		sl = plan.SL.At(src, dlid)
		if backSL = sl; plan.SL.OneWay {
			backSL = plan.SL.At(dst, slid)
		}
	}
	sl, backSL = c.s.slsOf(p, pkey, sl, backSL)
	sl, backSL = c.s.onCopy(p, src, dst, sl, backSL)
	if p.mask&pathSL != 0 && c.s.anySL {
		sl, backSL = p.sl, p.sl
	}
	reversible := sl == backSL
	if reversible {
		_, _, reversible = c.s.walk(dst, src, slid)
	}
	if p.mask&pathSL != 0 && sl != p.sl || p.reversible && !reversible {
		return false
	}
	mtu, rank, delivered := c.s.walk(src, dst, dlid)
	life := c.s.Timeout
	if src == dst {
		life = 0
	}
	mtu, fits := p.mtu.atMost(mtu)
	rank, fast := p.rate.atMost(rank)
	if !delivered || !fits || !fast || !p.life.holds(life) {
		return false
	}
	rec := c.rec[:64]
	copy(rec, p.echo[:])
	c.s.putGID(rec[8:24], dst)
	if p.mask&pathDGID != 0 { // of another subnet, or with the default prefix
		copy(rec[8:24], p.dgid)
	}
	c.s.putGID(rec[24:40], src)
	if p.mask&pathSGID != 0 {
		copy(rec[24:40], p.sgid)
	}
	binary.BigEndian.PutUint16(rec[40:], uint16(dlid))
	binary.BigEndian.PutUint16(rec[42:], uint16(slid))
	if reversible {
		rec[49] = 0x80
	}
	binary.BigEndian.PutUint16(rec[50:], pkey)
	rec[53] = rec[53]&0xF0 | sl
	rec[54] = mad.SelectExactly<<6 | mtu
	rec[55] = mad.SelectExactly<<6 | codeByRank[rank]
	rec[56] = mad.SelectExactly<<6 | life
	c.add(rec)
	return true
}

// putGID writes an end port's GID.
func (s *Subnet) putGID(b []byte, end int32) {
	binary.BigEndian.PutUint64(b, s.OwnPrefix())
	binary.BigEndian.PutUint64(b[8:], uint64(s.Graph.EndGUID[end]))
}

// The MTU and the rate of a path whose ports report neither.
const (
	leastMTU  = 1 // 256 bytes
	leastRate = 2 // 2.5 Gbit/s
)

// walk follows the tables from an end port to a LID of another, and returns the minimum MTU and
// rank on the path; ok is false if the tables do not deliver it.
func (s *Subnet) walk(src, dst int32, lid fabric.LID) (mtu, rank uint8, ok bool) {
	g := s.Graph
	mtu, rank = min(s.endMTU[src], s.endMTU[dst]), min(s.endRank[src], s.endRank[dst])
	if src != dst {
		sw := g.EndSwitch[src]
		for hops := 0; ; hops++ {
			port := s.Plan.Tables.Port(sw, lid)
			if port == 0 {
				ok = g.PortZero(sw) == dst
				break
			}
			c, host := g.At(sw, port)
			if c < 0 || hops > g.NumSwitches {
				ok = host >= 0 && host == dst
				break
			}
			at := g.PortStart[sw] + int32(port)
			mtu, rank = min(mtu, s.mtu[at]), min(rank, s.rank[at])
			sw = g.To[c]
		}
		if !ok {
			return 0, 0, false
		}
	}
	if mtu == unlimited {
		mtu = leastMTU
	}
	if rank == unlimited {
		rank = rankOf(leastRate)
	}
	return mtu, rank, true
}
