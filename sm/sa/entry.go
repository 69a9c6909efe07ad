package sa

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"weft/fabric"
	"weft/wire"
	"weft/wire/mad"
)

// EntryKind is the type of an Entry. Its numbers are part of the file format and of replication
// messages.
type EntryKind uint8

// The kinds of entries. Add new kinds of durable state here.
const (
	Nothing      EntryKind = 255 // marks a stored state without entries
	PortLID      EntryKind = 1   // LIDs of a port
	Service      EntryKind = 2
	Subscription EntryKind = 3
	GroupMembers EntryKind = 4 // a multicast group, or a member of one
	PoolTree     EntryKind = 5 // a part of a tree for multicast groups
	Part         EntryKind = 6 // a part of a value longer than LongestValue
	Whole        EntryKind = 7 // follows the parts of such a value, and describes them together
	AliasGUIDs   EntryKind = 8 // a block of a port's further GUIDs
)

// EntryName identifies an Entry.
type EntryName struct {
	Kind EntryKind
	Key  string
}

// Entry is a piece of durable state, for a file or another manager. Its kind defines key and value.
type Entry struct {
	EntryName
	Value []byte // nil: deleted
}

// The maximum lengths of key and value of an Entry.
const (
	LongestKey   = 255
	LongestValue = 4096
)

// Changes returns, in order, the entries changed or ended since the last call.
func (g *Registry) Changes() []Entry {
	list := make([]Entry, 0, len(g.changed))
	for _, name := range slices.SortedFunc(maps.Keys(g.changed), CompareNames) {
		list = append(list, Entry{name, g.value(name)})
	}
	clear(g.changed)
	return list
}

// CompareNames orders entries by kind and key.
func CompareNames(a, b EntryName) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
}

// Entries returns all registrations, in order.
func (g *Registry) Entries() (list []Entry) {
	for _, v := range g.services {
		list = append(list, Entry{EntryName{Service, string(v.key)}, v.value()})
	}
	for _, v := range g.subs {
		list = append(list, Entry{EntryName{Subscription, string(v.key)}, v.value()})
	}
	for _, b := range g.Aliases.list() {
		list = append(list, Entry{EntryName{AliasGUIDs, b.key()}, g.Aliases.value(b.key())})
	}
	return list
}

// value returns the value of an Entry, nil if it does not exist.
func (g *Registry) value(name EntryName) []byte {
	switch name.Kind {
	case Service:
		if at, ok := g.findService([]byte(name.Key)); ok {
			return g.services[at].value()
		}
	case Subscription:
		if at, ok := g.findSubscription([]byte(name.Key)); ok {
			return g.subs[at].value()
		}
	case AliasGUIDs:
		return g.Aliases.value(name.Key)
	default: // stored elsewhere
	}
	return nil
}

// value encodes a service: the port that registered it, and its record.
func (v *service) value() []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(v.port)), v.rec[:]...)
}

// subscriptionValue is the length of the value of a subscription.
const subscriptionValue = 36 + 2 + 1 + 4 + 2 + 1 + 1 + 1 + 4 + 16 + 2

// value encodes a subscription: InformInfo, address of the subscriber, and number.
func (v *subscription) value() []byte {
	b := append([]byte(nil), v.info[:]...)
	b = binary.BigEndian.AppendUint16(b, v.to.DLID)
	b = append(b, v.to.SL)
	b = binary.BigEndian.AppendUint32(b, v.to.QKey)
	b = binary.BigEndian.AppendUint16(b, v.to.PKeyIndex)
	present := byte(0)
	if v.to.GRH.Present {
		present = 1
	}
	b = append(b, present, v.to.GRH.GIDIndex, v.to.GRH.TrafficClass)
	b = binary.BigEndian.AppendUint32(b, v.to.GRH.FlowLabel)
	b = append(b, v.to.GRH.GID[:]...)
	return binary.BigEndian.AppendUint16(b, v.enum)
}

// Restore registers the Entries of a file or another manager. Leases start anew, as their age is
// unknown. It returns the number of malformed entries, which it skips.
func (g *Registry) Restore(now time.Duration, list []Entry) (bad int) {
	for i := range list {
		e := &list[i]
		switch {
		case e.Kind == Service && len(e.Key) == keyOfSvc && len(e.Value) == 8+176 && string(e.Value[8:8+keyOfSvc]) == e.Key && len(g.services) < g.limits.Services:
			g.putService(now, e.Value[8:], fabric.GUID(binary.BigEndian.Uint64(e.Value)))
		case e.Kind == Subscription && len(e.Key) == 16+4+36 && len(e.Value) == subscriptionValue && len(g.subs) < g.limits.Subscriptions:
			if !g.restoreSubscription(e) {
				bad++
			}
		case e.Kind == Service || e.Kind == Subscription:
			bad++
		case e.Kind == AliasGUIDs && !g.Aliases.restore(e):
			bad++
		}
	}
	clear(g.changed)
	return bad
}

// restoreSubscription registers a subscription; false if its value does not match its name.
func (g *Registry) restoreSubscription(e *Entry) bool {
	key, b := []byte(e.Key), e.Value
	to := wire.ToLID(binary.BigEndian.Uint16(b[36:]), 1)
	to.DQP = binary.BigEndian.Uint32(key[16:])
	to.SL, to.QKey, to.PKeyIndex = b[38], binary.BigEndian.Uint32(b[39:]), binary.BigEndian.Uint16(b[43:])
	if b[45] != 0 {
		to.GRH = wire.GRH{Present: true, GIDIndex: b[46], TrafficClass: b[47], FlowLabel: binary.BigEndian.Uint32(b[48:]), GID: [16]byte(b[52:68])}
	}
	port := fabric.GUID(binary.BigEndian.Uint64(key[8:]))
	if to.SL > 15 || mad.InformInfoSubscribe.Get(b) != 1 || string(keyOf(port, to.DQP, b)) != e.Key {
		return false
	}
	g.putSubscription(b[:36], port, to).enum = binary.BigEndian.Uint16(b[68:])
	return true
}
