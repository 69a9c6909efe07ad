package sa

import (
	"encoding/binary"

	"weft/fabric"
	"weft/wire/mad"
)

// Between connects a subnet with others.
type Between struct {
	Prefix uint64 // of its GIDs; 0: mad.DefaultGIDPrefix
	// Router returns the port GUID of a usable router for packets from a source at this switch to a
	// GID of another subnet. Nil: no routers are known. It may be called from several goroutines.
	Router func(gid mad.GID, at fabric.GUID, usable func(port fabric.GUID) bool) (fabric.GUID, bool) `json:"-"`
	// Prefixes are routes that a person has given. They come before Router.
	Prefixes []PrefixRoute `json:",omitempty"`
}

// OwnPrefix returns the prefix of the subnet.
func (b *Between) OwnPrefix() uint64 {
	if b.Prefix == 0 {
		return mad.DefaultGIDPrefix
	}
	return b.Prefix
}

// isLocal reports whether a GID belongs to the subnet: it has the subnet's prefix or the default
// one, which is local in every subnet (4.1.1).
func (b *Between) isLocal(gid []byte) bool {
	prefix := binary.BigEndian.Uint64(gid)
	return prefix == b.OwnPrefix() || prefix == mad.DefaultGIDPrefix
}

// toOwn gives a local GID the prefix of the subnet, in place.
func (b *Between) toOwn(gid []byte) {
	if b.isLocal(gid) {
		binary.BigEndian.PutUint64(gid, b.OwnPrefix())
	}
}

// remoteHops is the default hop limit of paths to other subnets.
const remoteHops = 64

// isRemote reports whether a query asks for paths to another subnet.
func (s *Subnet) isRemote(p *pathQuery) bool {
	return (s.Router != nil || s.Prefixes != nil) && p.mask&pathDGID != 0 && !s.isLocal(p.dgid)
}

// toRemote returns the router port that paths from an end port to another subnet use as their
// target. Their records have its LID, the requested GID, and a hop limit above 1, which means that
// packets need a global route header. MTU and rate cover the path as far as the router; the rest is
// unknown.
func (s *Subnet) toRemote(p *pathQuery, src int32) (ends, mad.Status) {
	usable := func(port fabric.GUID) bool {
		e := s.endOfGUID(port)
		return e >= 0 && s.Plan.Ends.Base[e] != 0
	}
	port, ok := s.byPrefix(binary.BigEndian.Uint64(p.dgid), usable)
	if !ok && s.Router != nil {
		port, ok = s.Router(mad.GID(p.dgid), s.Graph.SwitchGUID[s.Graph.EndSwitch[src]], usable)
	}
	if !ok || !usable(port) {
		return ends{}, mad.StatusInvalidGID
	}
	if mad.PathRecordHopLimit.Get(p.echo[:]) == 0 {
		mad.PathRecordHopLimit.Put(p.echo[:], remoteHops)
	}
	e := s.endOfGUID(port)
	if p.mask&pathDLID != 0 && s.endOfLID(p.dlid) != e {
		return ends{}, mad.StatusNoRecords
	}
	return ends{e, e}, mad.StatusOK
}
