package sa

import (
	"encoding/binary"

	"weft/fabric"
	"weft/wire/mad"
)

// Between says how a subnet is joined with others.
type Between struct {
	Prefix uint64 // of its GIDs; 0: mad.DefaultGIDPrefix
	// Router returns the GUID of the router port to which packets of a source at a switch for a GID of another subnet go, one that can be used now; nil: none is
	// known. It may be called from several goroutines.
	Router func(gid mad.GID, at fabric.GUID, usable func(port fabric.GUID) bool) (fabric.GUID, bool) `json:"-"`
}

// OwnPrefix returns the prefix of the subnet.
func (b *Between) OwnPrefix() uint64 {
	if b.Prefix == 0 {
		return mad.DefaultGIDPrefix
	}
	return b.Prefix
}

// remoteHops is the hop limit of paths to other subnets, for who asks for none.
const remoteHops = 64

// isRemote reports whether a query is for paths to a GID of another subnet.
func (s *Subnet) isRemote(p *pathQuery) bool {
	return s.Router != nil && p.mask&pathDGID != 0 && binary.BigEndian.Uint64(p.dgid) != s.OwnPrefix()
}

// toRemote returns the router port by which paths from an end port to a GID of another subnet leave, as the target of a query inside the subnet: records have its
// LID, the GID that was asked for, and a hop limit above 1, which says that a global route header is needed. MTU and rate are those as far as
// the router, since nothing is known of what is behind it.
func (s *Subnet) toRemote(p *pathQuery, src int32) (ends, mad.Status) {
	usable := func(port fabric.GUID) bool {
		e := s.endOfGUID(port)
		return e >= 0 && s.Plan.Ends.Base[e] != 0
	}
	port, ok := s.Router(mad.GID(p.dgid), s.Graph.SwitchGUID[s.Graph.EndSwitch[src]], usable)
	if !ok || !usable(port) {
		return ends{}, mad.StatusInvalidGID
	}
	p.remote = p.dgid
	if mad.PathRecordHopLimit.Get(p.echo[:]) == 0 {
		mad.PathRecordHopLimit.Put(p.echo[:], remoteHops)
	}
	e := s.endOfGUID(port)
	if p.mask&pathDLID != 0 && s.endOfLID(p.dlid) != e {
		return ends{}, mad.StatusNoRecords
	}
	return ends{e, e}, mad.StatusOK
}
