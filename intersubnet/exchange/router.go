package exchange

import (
	"maps"
	"slices"

	"weft/fabric"
	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/wire/mad"
)

// Limits of a Router: notes that it holds, and bytes of a note or table.
const (
	maxNotes = 4096
	maxBytes = 1 << 22
)

// Router is the router's side of the exchange. It holds notes about subnets, and for each port a
// table of the GIDs that leave through it.
type Router struct {
	guid  fabric.GUID
	notes map[subnets.Prefix]versioned
	ports []routerPort
}

// routerPort holds the table of one port.
type routerPort struct {
	number uint8
	table  versioned
	leaves map[subnets.GID]Entry
	note   partial // that comes in through this port
	next   partial // table that comes in
}

// NewRouter makes a router that knows nothing, with ports of some numbers.
func NewRouter(guid fabric.GUID, numbers []uint8) *Router {
	r := &Router{guid: guid, notes: map[subnets.Prefix]versioned{}, ports: make([]routerPort, len(numbers))}
	for i, n := range numbers {
		r.ports[i].number = n
	}
	return r
}

// Answer answers a request of mad.ClassRouter in place. It came through a port from a LID; master
// is the LID of the subnet manager that the port knows.
func (r *Router) Answer(port int, from, master fabric.LID, m mad.Datagram) mad.Status {
	set := m.Method() == mad.Set
	if !set && m.Method() != mad.Get {
		return mad.StatusBadMethod
	}
	p, data := &r.ports[port], m.Data()
	switch m.Attr() {
	case mad.AttrRouterInfo:
		if set {
			return mad.StatusBadAttribute
		}
		r.info(p, data, m.Modifier())
	case mad.AttrRouterNote:
		if set {
			return r.setNote(p, from == master && master != 0, data, m.Modifier())
		}
		note := r.notes[subnets.Prefix(mad.RouterBlockPrefix.Get(data))]
		note.putBlock(data, m.Modifier())
	case mad.AttrRouterTable:
		if set {
			return p.setTable(from == master && master != 0, data, m.Modifier())
		}
		p.table.putBlock(data, m.Modifier())
	default:
		return mad.StatusBadAttribute
	}
	return mad.StatusOK
}

// info writes the identity of the router, and the prefix, version and length of one note, numbered
// in the order of prefixes.
func (r *Router) info(p *routerPort, data []byte, number uint32) {
	clear(data[:mad.RouterInfo.Size])
	mad.RouterInfoSignature.Put(data, mad.RouterMagic)
	mad.RouterInfoPort.Put(data, uint64(p.number))
	mad.RouterInfoNotes.Put(data, uint64(len(r.notes)))
	mad.RouterInfoGUID.Put(data, uint64(r.guid))
	if int64(number) < int64(len(r.notes)) {
		prefix := slices.Sorted(maps.Keys(r.notes))[number]
		mad.RouterInfoPrefix.Put(data, uint64(prefix))
		mad.RouterInfoVersion.Put(data, r.notes[prefix].version)
		mad.RouterInfoLength.Put(data, uint64(len(r.notes[prefix].bytes)))
	}
}

// setNote takes a block of a note. It refuses a version older than the stored one.
func (r *Router) setNote(p *routerPort, trusted bool, data []byte, number uint32) mad.Status {
	prefix, version := subnets.Prefix(mad.RouterBlockPrefix.Get(data)), mad.RouterBlockVersion.Get(data)
	was, known := r.notes[prefix]
	switch {
	case !trusted || mad.RouterBlockLength.Get(data) > maxBytes || version == 0 || version < was.version || !known && len(r.notes) >= maxNotes:
		return mad.StatusBadField
	case version == was.version: // by another port
		return mad.StatusOK
	}
	if p.note.take(data, number) {
		r.notes[prefix] = p.note.versioned
		p.note = partial{}
	}
	return mad.StatusOK
}

// setTable takes a block of the table of a port. It refuses an invalid table.
func (p *routerPort) setTable(trusted bool, data []byte, number uint32) mad.Status {
	if !trusted || mad.RouterBlockLength.Get(data) > maxBytes || mad.RouterBlockVersion.Get(data) == 0 {
		return mad.StatusBadField
	}
	if !p.next.take(data, number) {
		return mad.StatusOK
	}
	whole := p.next.versioned
	p.next = partial{}
	t, err := decodeTable(whole.bytes)
	if err != nil {
		return mad.StatusBadField
	}
	p.table, p.leaves = whole, make(map[subnets.GID]Entry, len(t))
	for _, e := range t {
		p.leaves[e.To] = e
	}
	return mad.StatusOK
}

// Forward finds the port for packets from a source LID to a GID: the port whose table has the GID
// with the fewest routers behind it. Of several ports into one subnet, the hash of source and
// destination LID chooses (algorithm 1 of the paper). Port numbers are places in the list of
// NewRouter.
func (r *Router) Forward(source fabric.LID, to subnets.GID, subnetOf func(port int) int) (port int, e Entry, ok bool) {
	var ports []int
	for i := range r.ports {
		at, leaves := r.ports[i].leaves[to]
		switch {
		case !leaves || len(ports) > 0 && at.Distance > e.Distance:
		case len(ports) == 0 || at.Distance < e.Distance:
			ports, e = append(ports[:0], i), at
		case subnetOf(i) == subnetOf(ports[0]):
			ports = append(ports, i)
		}
	}
	if len(ports) == 0 {
		return 0, e, false
	}
	port = ports[intersubnet.Hash(source, e.LID, len(ports))]
	return port, r.ports[port].leaves[to], true
}
