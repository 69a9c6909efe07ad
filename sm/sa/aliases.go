package sa

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"sync"

	"weft/fabric"
	"weft/wire/mad"
)

// Aliases are further GUIDs of ports, as virtual functions of an adapter have them. Hosts set and
// delete them in GuidInfoRecords; each names the port in paths and groups as the port's own GUID
// does. Aliases are safe for concurrent use.
type Aliases struct {
	mu     sync.RWMutex
	blocks map[AliasBlock]*[aliasesOfBlock]fabric.GUID // without empty ones
	places map[fabric.GUID]aliasPlace

	version uint64 // counts changes
}

// AliasBlock names a block of a port's GUIDs (14.2.5.5). GUID 0 of block 0 is the port's own and
// stands in none.
type AliasBlock struct {
	Port   fabric.GUID
	Number uint8
}

// aliasPlace is the place of an alias.
type aliasPlace struct {
	AliasBlock
	at int
}

const (
	aliasesOfBlock = 8
	mostAliases    = 1 << 17 // of all ports; a port has at most 255
)

// NewAliases returns none.
func NewAliases() *Aliases {
	return &Aliases{blocks: map[AliasBlock]*[aliasesOfBlock]fabric.GUID{}, places: map[fabric.GUID]aliasPlace{}}
}

// PortOf returns the port GUID of a GUID: the GUID itself if it is no alias.
func (a *Aliases) PortOf(guid fabric.GUID) fabric.GUID {
	if a == nil {
		return guid
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if p, is := a.places[guid]; is {
		return p.Port
	}
	return guid
}

// Version grows with every change.
func (a *Aliases) Version() uint64 {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.version
}

// Ports returns the port GUIDs by alias.
func (a *Aliases) Ports() map[fabric.GUID]fabric.GUID {
	a.mu.RLock()
	defer a.mu.RUnlock()
	ports := make(map[fabric.GUID]fabric.GUID, len(a.places))
	for guid, p := range a.places {
		ports[guid] = p.Port
	}
	return ports
}

// Block returns a block of a port's GUIDs, for the port and for records.
func (a *Aliases) Block(b AliasBlock) (list [aliasesOfBlock]fabric.GUID) {
	if a != nil {
		a.mu.RLock()
		defer a.mu.RUnlock()
		if has := a.blocks[b]; has != nil {
			list = *has
		}
	}
	if b.Number == 0 {
		list[0] = b.Port
	}
	return list
}

// put replaces a GUID of a block; 0 for none.
func (a *Aliases) put(p aliasPlace, guid fabric.GUID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	has := a.blocks[p.AliasBlock]
	if has == nil {
		has = &[aliasesOfBlock]fabric.GUID{}
		a.blocks[p.AliasBlock] = has
	}
	if has[p.at] != guid {
		a.version++
	}
	if has[p.at] != 0 {
		delete(a.places, has[p.at])
	}
	if has[p.at] = guid; guid != 0 {
		a.places[guid] = p
	}
	if *has == ([aliasesOfBlock]fabric.GUID{}) {
		delete(a.blocks, p.AliasBlock)
	}
}

// isFree reports whether a GUID is no alias.
func (a *Aliases) isFree(guid fabric.GUID) bool { return a.PortOf(guid) == guid }

// count counts all aliases.
func (a *Aliases) count() int {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return len(a.places)
}

// clear deletes all.
func (a *Aliases) clear() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.places) > 0 {
		a.version++
	}
	clear(a.blocks)
	clear(a.places)
}

// list returns all blocks in order.
func (a *Aliases) list() []AliasBlock {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return slices.SortedFunc(maps.Keys(a.blocks), func(x, y AliasBlock) int {
		return cmp.Or(cmp.Compare(x.Port, y.Port), cmp.Compare(x.Number, y.Number))
	})
}

// key is the key of a block's Entry.
func (b AliasBlock) key() string {
	return string(append(binary.BigEndian.AppendUint64(nil, uint64(b.Port)), b.Number))
}

// value is the value of a block's Entry; nil without aliases.
func (a *Aliases) value(key string) []byte {
	if len(key) != 9 {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	has := a.blocks[AliasBlock{fabric.GUID(binary.BigEndian.Uint64([]byte(key))), key[8]}]
	if has == nil {
		return nil
	}
	var b []byte
	for _, guid := range has {
		b = binary.BigEndian.AppendUint64(b, uint64(guid))
	}
	return b
}

// restore takes a block of an Entry; false if it is malformed, or has the alias of another port.
func (a *Aliases) restore(e *Entry) bool {
	if len(e.Key) != 9 || len(e.Value) != 8*aliasesOfBlock {
		return false
	}
	b, ok := AliasBlock{fabric.GUID(binary.BigEndian.Uint64([]byte(e.Key))), e.Key[8]}, true
	for at := range aliasesOfBlock {
		guid := fabric.GUID(binary.BigEndian.Uint64(e.Value[8*at:]))
		switch {
		case guid == 0:
		case !a.isFree(guid) || b.Number == 0 && at == 0 || a.count() >= mostAliases:
			ok = false
		default:
			a.put(aliasPlace{b, at}, guid)
		}
	}
	return ok
}

// AliasesIn returns the port GUIDs by alias in the Entries of a file or another manager.
func AliasesIn(list []Entry) map[fabric.GUID]fabric.GUID {
	a := NewAliases()
	for i := range list {
		if list[i].Kind == AliasGUIDs {
			a.restore(&list[i])
		}
	}
	return a.Ports()
}

var (
	guidLID   = mad.GUIDInfoRecord.Mask(mad.GUIDInfoRecordLID)
	guidBlock = mad.GUIDInfoRecord.Mask(mad.GUIDInfoRecordBlock)
)

// guidBit is the bit of the ComponentMask of GUID 0 of the record's block; the others follow.
const guidBit = 4

// changeAliases answers the Set or Delete of a GuidInfoRecord. Its mask names port, block and the
// GUIDs to change. Set with 0 has the manager choose one.
func (g *Registry) changeAliases(s *Subnet, from uint16, q mad.Datagram) mad.Datagram {
	r, rec, mask := &g.responder, q.Data(), mad.SAHeaderComponentMask.Get(q)
	if mask&(guidLID|guidBlock) != guidLID|guidBlock {
		return r.refuse(q, mad.StatusInsufficientComponents)
	}
	end, asker := s.endOfLID(fabric.LID(mad.GUIDInfoRecordLID.Get(rec))), s.endOfLID(fabric.LID(from))
	b := AliasBlock{Number: uint8(mad.GUIDInfoRecordBlock.Get(rec))}
	if end < 0 || s.endPort[end] < 0 {
		return r.refuse(q, mad.StatusNoRecords)
	}
	b.Port = s.Graph.EndGUID[end]
	room := int(mad.PortInfoGUIDCap.Get(s.Ports[s.endPort[end]].Info[:])) - aliasesOfBlock*int(b.Number)
	var status mad.Status
	switch bits := mask >> guidBit & 0xFF; {
	case !r.search.trusted && (asker < 0 || s.Graph.EndNode[asker] != s.Graph.EndNode[end]):
		status = mad.StatusDenied // a node names its own ports
	case room <= 0:
		status = mad.StatusNoRecords
	case b.Number == 0 && bits&1 != 0: // the port's own GUID
		status = mad.StatusRequestInvalid
	case q.Method() == mad.Set:
		status = g.setAliases(s, b, bits, min(room, aliasesOfBlock), mad.GUIDInfoRecordGUIDInfo.Get(rec))
	default:
		status = g.deleteAliases(b, bits, min(room, aliasesOfBlock))
	}
	if status != mad.StatusOK {
		return r.refuse(q, status)
	}
	g.changed[EntryName{AliasGUIDs, b.key()}] = true
	g.toPorts.add(b) // also if nothing has changed: the port may have lost its own
	a := r.echo(q)
	mad.GUIDInfoRecordLID.Put(a.Data(), uint64(s.Plan.Ends.Base[end]))
	putBlock(mad.GUIDInfoRecordGUIDInfo.Get(a.Data()), g.Aliases.Block(b))
	return a
}

// putBlock writes a block of GUIDs into a GUIDInfo.
func putBlock(info []byte, list [aliasesOfBlock]fabric.GUID) {
	for i, guid := range list {
		mad.GUIDInfoGUID.Set(info, i, uint64(guid))
	}
}

// setAliases sets the GUIDs of a block that the bits name. A GUID that something else has stays
// there, and the answer shows what the block has.
func (g *Registry) setAliases(s *Subnet, b AliasBlock, bits uint64, room int, info []byte) mad.Status {
	has := g.Aliases.Block(b)
	for at := range room {
		if bits>>at&1 == 0 {
			continue
		}
		p, guid := aliasPlace{b, at}, fabric.GUID(mad.GUIDInfoGUID.At(info, at))
		if guid == 0 {
			if has[at] != 0 {
				continue
			}
			guid = g.chosen(s, p)
		}
		if guid == has[at] || !g.isFree(s, guid) {
			continue
		}
		if has[at] == 0 && g.Aliases.count() >= mostAliases {
			return mad.StatusNoResources
		}
		g.Aliases.put(p, guid)
	}
	return mad.StatusOK
}

// isFree reports whether a GUID may become an alias: it is neither one nor a port's own. The GUID
// of a port that is away is not free either, or a host could take the paths and the P_Keys of
// another one that is switched off.
func (g *Registry) isFree(s *Subnet, guid fabric.GUID) bool {
	return g.Aliases.isFree(guid) && s.endOfPort(guid) < 0 && (g.IsPort == nil || !g.IsPort(guid))
}

// chosen returns a free GUID for a place, always the same one if nothing else has taken it.
func (g *Registry) chosen(s *Subnet, p aliasPlace) fabric.GUID {
	for try := byte(0); ; try++ {
		text := binary.BigEndian.AppendUint64([]byte("weft alias GUID"), uint64(p.Port))
		sum := sha256.Sum256(append(text, p.Number, byte(p.at), try))
		// Locally administered, so that no maker's GUID is the same.
		guid := fabric.GUID(binary.BigEndian.Uint64(sum[:])&^(0xFF<<56) | 0x02<<56)
		if g.isFree(s, guid) || try == 255 {
			return guid
		}
	}
}

// deleteAliases deletes the GUIDs of a block that the bits name, unless one is the member of a
// group.
func (g *Registry) deleteAliases(b AliasBlock, bits uint64, room int) mad.Status {
	has := g.Aliases.Block(b)
	for at := range room {
		if bits>>at&1 != 0 && has[at] != 0 && g.IsMember != nil && g.IsMember(has[at]) {
			return mad.StatusDenied
		}
	}
	for at := range room {
		if bits>>at&1 != 0 {
			g.Aliases.put(aliasPlace{b, at}, 0)
		}
	}
	return mad.StatusOK
}

// followAliases has the aliases written to ports that have come into service. An alias ends when a
// port has it as its own GUID.
func (g *Registry) followAliases(before, now *Subnet) {
	for _, b := range g.Aliases.list() {
		for at, guid := range g.Aliases.Block(b) {
			if p := (aliasPlace{b, at}); guid != b.Port && now.endOfPort(guid) >= 0 {
				g.Aliases.put(p, 0)
				g.changed[EntryName{AliasGUIDs, b.key()}] = true
				g.toPorts.add(b)
			}
		}
		if now.endInService(b.Port) >= 0 && (before == nil || before.endInService(b.Port) < 0) {
			g.toPorts.add(b)
		}
	}
}

// blockQueue lists blocks in order, each once.
type blockQueue struct {
	order []AliasBlock
	has   map[AliasBlock]bool
}

func (q *blockQueue) add(b AliasBlock) {
	if q.has == nil {
		q.has = map[AliasBlock]bool{}
	}
	if !q.has[b] {
		q.has[b], q.order = true, append(q.order, b)
	}
}

func (q *blockQueue) take() AliasBlock {
	b := q.order[0]
	q.order = q.order[1:]
	delete(q.has, b)
	return b
}

// NextToPort returns the next block that its port must be told, with the LID of the port and the
// contents of its GUIDInfo; false if there is none.
func (g *Registry) NextToPort(s *Subnet) (b AliasBlock, lid fabric.LID, info [64]byte, ok bool) {
	for len(g.toPorts.order) > 0 && s != nil {
		b = g.toPorts.take()
		if end := s.endInService(b.Port); end >= 0 {
			putBlock(info[:], g.Aliases.Block(b))
			return b, s.Plan.Ends.Base[end], info, true
		}
	}
	return b, 0, info, false
}

// ChangedAliases returns the aliases that two maps of port GUIDs by alias do not have alike.
func ChangedAliases(a, b map[fabric.GUID]fabric.GUID) map[fabric.GUID]bool {
	changed := map[fabric.GUID]bool{}
	for _, pair := range [...][2]map[fabric.GUID]fabric.GUID{{a, b}, {b, a}} {
		for alias, port := range pair[0] {
			if pair[1][alias] != port {
				changed[alias] = true
			}
		}
	}
	return changed
}
