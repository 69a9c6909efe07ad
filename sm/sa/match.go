package sa

import (
	"weft/fabric"
	"weft/wire/mad"
)

// kind is a kind of records that belong to nodes.
type kind struct {
	attr   mad.AttrID
	layout *mad.Layout
	fill   func(c *search, n *Node) // offers all records of a node
	secret bool                     // for those who are trusted alone
	lids   []mad.Field              // of base LIDs; the first one is that of the node

	masks [64][]byte // by bit of the ComponentMask: the bits of the record that it stands for, nil for none
}

// kinds holds all kinds by attribute.
var kinds = func() map[mad.AttrID]*kind {
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
}()

// findMasks finds the bits of the record that each bit of the ComponentMask stands for, in a layout at an offset.
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
			if d.Count == 1 { // two bits of ServiceID stand for all of it
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

// search collects the records of a kind that a query asks for.
type search struct {
	s       *Subnet
	trusted bool
	asks    []uint16  // P_Keys of the port that asks, nil where it may see all
	asker   int32     // that port, -1 where it is not known
	care    [256]byte // bits of a record that count
	want    [256]byte // what they must be
	rec     [256]byte // the record that is being made
	size    int

	out     []byte // header and records
	found   int
	enough  int // records after which no more are looked for
	most    int // bytes of out
	tries   int // pairs of LIDs that may still be looked at for paths
	tooMany bool
}

// begin prepares a search for what a datagram asks for; false where nothing can match.
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
		for i := range 4 { // those that are set must be set
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

// record returns room for a record.
func (c *search) record() []byte {
	clear(c.rec[:c.size])
	return c.rec[:c.size]
}

// offer takes the record that was made, if it is one of those that are asked for.
func (c *search) offer() {
	if c.matches() {
		c.add(c.rec[:c.size])
	}
}

// matches reports whether the record that was made is one of those that are asked for.
func (c *search) matches() bool {
	for i, b := range c.rec[:c.size] {
		if b&c.care[i] != c.want[i] {
			return false
		}
	}
	return true
}

// add takes a record.
func (c *search) add(record []byte) {
	if len(c.out)+len(record) > c.most {
		c.tooMany = true
		return
	}
	c.found++
	c.out = append(c.out, record...)
}

// done reports whether no more records are looked for.
func (c *search) done() bool { return c.found >= c.enough || c.tooMany }
