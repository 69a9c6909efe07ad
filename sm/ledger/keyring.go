package ledger

import (
	"maps"
	"slices"

	"weft/fabric"
	"weft/sm/terms"
)

// Keyring holds the Keys, and the M_Keys that single ports have been found to have. The rounds of a Manager share one.
type Keyring struct {
	terms.Keys
	Has    map[fabric.GUID]uint64  // other keys than those that the ports are to have
	own    map[fabric.GUID]uint64  // derived
	Here   fabric.GUID             // our own port; 0: not known
	Behind map[PortKey]fabric.GUID // Neighbours
	Told   bool                    // the Keys are others than before, and no round has ended since
	Hiding bool                    // ports may be under protection 2 or 3
}

// NewKeyring makes the ring of a manager with these settings.
func NewKeyring(cfg *terms.Config) *Keyring {
	k := &Keyring{
		Keys: cfg.Keys, Has: map[fabric.GUID]uint64{}, own: map[fabric.GUID]uint64{}, Here: cfg.OwnPort,
		Behind: map[PortKey]fabric.GUID{}, Hiding: cfg.Keys.Protect > 1 || len(cfg.Keys.Former) > 0,
	}
	k.Expect(cfg.Neighbours)
	return k
}

// Expect takes which port is behind which.
func (k *Keyring) Expect(list []terms.Neighbour) {
	for _, n := range list {
		k.Behind[PortKey{n.Node, n.Port}] = n.GUID
	}
}

// Change takes other Keys: the ports of a round, which may be nil, have those that they had.
func (k *Keyring) Change(keys terms.Keys, l *Ledger) {
	has := maps.Clone(k.Has)
	if l != nil {
		for slot := range l.Addressable {
			has[l.GUID[slot]] = k.Key(l.GUID[slot])
		}
	}
	k.Keys, k.Told, k.Hiding = keys, k.Told || !k.GivesSame(&keys), k.Hiding || keys.Protect > 1 || len(keys.Former) > 0
	clear(k.Has)
	clear(k.own)
	for guid, key := range has {
		k.Learn(guid, key)
	}
}

// Key returns the M_Key that SMPs to a port carry.
func (k *Keyring) Key(port fabric.GUID) uint64 {
	if key, ok := k.Has[port]; ok {
		return key
	}
	return k.ToHave(port)
}

// ToHave returns the key that a port is to have.
func (k *Keyring) ToHave(port fabric.GUID) uint64 {
	if len(k.Secret) == 0 {
		return k.One
	}
	key, ok := k.own[port]
	if !ok {
		key = k.Of(port)
		k.own[port] = key
	}
	return key
}

// Tries returns the keys that a port is asked with, one after the other: the one that it had first, or last where it was given another since.
func (k *Keyring) Tries(port fabric.GUID, given bool) []uint64 {
	keys := k.Candidates(port)
	key, ok := k.Has[port]
	if !ok {
		return keys
	}
	keys = slices.DeleteFunc(keys, func(other uint64) bool { return other == key })
	if given {
		return append(keys, key)
	}
	return slices.Insert(keys, 0, key)
}

// MostTried bounds the keys that a port is asked with whose GUID is not known.
const MostTried = 16

// OfStrangers returns the keys by which a port may answer whose GUID is not known, expected being that of the port that was there, or 0. The key
// that it is to have is also the last one: another way may have led to the same port, and given it that key meanwhile.
func (k *Keyring) OfStrangers(expected fabric.GUID) []uint64 {
	var out []uint64
	add := func(keys []uint64) {
		for _, key := range keys {
			if !slices.Contains(out, key) && len(out) < MostTried {
				out = append(out, key)
			}
		}
	}
	last := k.One
	if expected != 0 {
		add(k.Tries(expected, false))
		last = k.ToHave(expected)
	}
	if k.One != 0 || expected == 0 { // who answers without a key answers with any
		add([]uint64{k.One})
	}
	add(k.Others)
	add(slices.Sorted(maps.Values(k.Known)))
	if len(out) > 1 {
		out = append(out, last)
	}
	return out
}

// Learn takes the key that a port has, 0 for none.
func (k *Keyring) Learn(port fabric.GUID, key uint64) {
	if delete(k.Has, port); key != 0 && key != k.ToHave(port) {
		k.Has[port] = key
	}
}
