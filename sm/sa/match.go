package sa

import (
	"sync"

	"weft/fabric"
	"weft/wire/mad"
)

// kind describes a type of records about nodes.
type kind struct {
	attr   mad.AttrID
	layout *mad.Layout
	fill   func(c *search, n *Node) // offers all records of a node
	secret bool                     // for trusted requesters only
	lids   []mad.Field              // fields with base LIDs, the node's first

	masks [64][]byte // by bit of the ComponentMask: the bits that it selects in the record; nil for none
}

// kinds returns the kinds by attribute.
var kinds = sync.OnceValue(func() map[mad.AttrID]*kind {
	all := map[mad.AttrID]*kind{}
	for _, k := range []*kind{
		{attr: mad.AttrNodeRecord, layout: mad.NodeRecord, fill: (*search).nodes, lids: []mad.Field{mad.NodeRecordLID}},
		{attr: mad.AttrPortInfoRecord, layout: mad.PortInfoRecord, fill: (*search).portInfos, lids: []mad.Field{mad.PortInfoRecordLID}},
		{attr: mad.AttrSwitchInfoRecord, layout: mad.SwitchInfoRecord, fill: (*search).switchInfos, lids: []mad.Field{mad.SwitchInfoRecordLID}},
		{attr: mad.AttrLinkRecord, layout: mad.LinkRecord, fill: (*search).links, lids: []mad.Field{mad.LinkRecordFromLID, mad.LinkRecordToLID}},
		{attr: mad.AttrSMInfoRecord, layout: mad.SMInfoRecord, fill: (*search).managers, lids: []mad.Field{mad.SMInfoRecordLID}},
		{attr: mad.AttrLinearForwardingTableRecord, layout: mad.LinearForwardingTableRecord, fill: (*search).tables, lids: []mad.Field{mad.LinearForwardingTableRecordLID}},
		{attr: mad.AttrMulticastForwardingTableRecord, layout: mad.MulticastForwardingTableRecord, fill: (*search).multicastTables, lids: []mad.Field{mad.MulticastForwardingTableRecordLID}},
		{attr: mad.AttrSLtoVLMappingTableRecord, layout: mad.SLtoVLMappingTableRecord, fill: (*search).lanes, lids: []mad.Field{mad.SLtoVLMappingTableRecordLID}},
		{attr: mad.AttrVLArbitrationTableRecord, layout: mad.VLArbitrationTableRecord, fill: (*search).arbitration, lids: []mad.Field{mad.VLArbitrationTableRecordLID}},
		{attr: mad.AttrPKeyTableRecord, layout: mad.PKeyTableRecord, fill: (*search).pkeys, secret: true, lids: []mad.Field{mad.PKeyTableRecordLID}},
		{attr: mad.AttrGUIDInfoRecord, layout: mad.GUIDInfoRecord, fill: (*search).guids, lids: []mad.Field{mad.GUIDInfoRecordLID}},
	} {
		k.findMasks(k.layout, 0)
		all[k.attr] = k
	}
	return all
})

// findMasks sets the record bits of each bit of the ComponentMask, for a layout at an offset.
func (k *kind) findMasks(l *mad.Layout, off int) {
	for _, d := range l.Fields() {
		bits := k.layout.Component(d)
		if d.Part != nil {
			k.findMasks(d.Part, off+d.Off)
		}
		for i := 0; bits != 0; i++ {
			bit := lowestBit(bits)
			bits &= bits - 1
			if k.masks[bit] == nil {
				k.masks[bit] = make([]byte, k.layout.RecordSize())
			}
			from, to := off+d.Off+i*d.Stride, off+d.Off+i*d.Stride+d.Width
			if d.Count == 1 { // two mask bits select the whole ServiceID
				from, to = off+d.Off, off+d.Off+d.Width
			}
			for b := from; b < to; b++ {
				k.masks[bit][b/8] |= 0x80 >> (b % 8)
			}
		}
	}
}

func lowestBit(v uint64) int {
	n := 0
	for ; v&1 == 0; v >>= 1 {
		n++
	}
	return n
}

// search collects the matching records of a kind.
type search struct {
	s       *Subnet
	trusted bool
	asks    []uint16  // P_Keys of the requester, nil if it sees all
	asker   int32     // port of the requester, -1 if unknown
	care    [256]byte // bits of a record to compare
	want    [256]byte // their required values
	rec     [256]byte // the record being built
	size    int

	out     []byte // header and records
	found   int
	enough  int // maximum number of records
	most    int // maximum length of out
	tries   int // pairs of LIDs left to try for paths
	tooMany bool
}

// begin prepares a search, and returns the nodes to visit; false if nothing can match.
func (c *search) begin(s *Subnet, k *kind, q mad.Datagram, nodes []Node) ([]Node, bool) {
	c.s, c.size = s, k.layout.RecordSize()
	clear(c.care[:c.size])
	mask := mad.SAHeaderComponentMask.Get(q)
	for bit, m := range k.masks {
		if mask>>bit&1 != 0 {
			for i, b := range m {
				c.care[i] |= b
			}
		}
	}
	data := q.Data()
	if k.attr == mad.AttrPortInfoRecord && q.Modifier()&mad.PortInfoRecordMatchCaps != 0 {
		at := mad.PortInfoRecordPortInfo.Decl().Off/8 + mad.PortInfoCapabilityMask.Decl().Off/8
		for i := range 4 { // all requested bits must be set
			c.care[at+i] &= data[at+i]
		}
	}
	copy(c.want[:c.size], data[:c.size])
	for i, f := range k.lids {
		if mask&k.layout.Component(f.Decl()) == 0 {
			continue
		}
		e := s.endOfLID(fabric.LID(f.Get(data)))
		if e < 0 {
			return nil, false
		}
		f.Put(c.want[:], uint64(s.Plan.Ends.Base[e]))
		if i == 0 {
			n := s.Ports[s.endPort[e]].Node
			nodes = nodes[n : n+1]
		}
	}
	for i := range c.care[:c.size] {
		c.want[i] &= c.care[i]
	}
	return nodes, true
}

// record returns an empty record.
func (c *search) record() []byte {
	clear(c.rec[:c.size])
	return c.rec[:c.size]
}

// offer adds the current record if it matches.
func (c *search) offer() {
	if c.matches() {
		c.add(c.rec[:c.size])
	}
}

// matches reports whether the current record matches the query.
func (c *search) matches() bool {
	for i, b := range c.rec[:c.size] {
		if b&c.care[i] != c.want[i] {
			return false
		}
	}
	return true
}

// add adds a record to the answer.
func (c *search) add(record []byte) {
	if len(c.out)+len(record) > c.most {
		c.tooMany = true
		return
	}
	c.found++
	c.out = append(c.out, record...)
}

// done reports whether the search is complete.
func (c *search) done() bool { return c.found >= c.enough || c.tooMany }
