package sm

import (
	"maps"
	"slices"

	"weft/fabric"
)

// keyring holds the Keys, and the M_Keys that single ports have been found to have. The rounds of a Manager share one.
type keyring struct {
	Keys
	has    map[fabric.GUID]uint64  // other keys than those that the ports are to have
	own    map[fabric.GUID]uint64  // derived
	here   fabric.GUID             // our own port; 0: not known
	behind map[portKey]fabric.GUID // Neighbours
	told   bool                    // the Keys are others than before, and no round has ended since
	hiding bool                    // ports may be under protection 2 or 3
}

func newKeyring(cfg *Config) *keyring {
	k := &keyring{
		Keys: cfg.Keys, has: map[fabric.GUID]uint64{}, own: map[fabric.GUID]uint64{}, here: cfg.OwnPort,
		behind: map[portKey]fabric.GUID{}, hiding: cfg.Keys.Protect > 1 || len(cfg.Keys.Former) > 0,
	}
	k.expect(cfg.Neighbours)
	return k
}

// expect takes which port is behind which.
func (k *keyring) expect(list []Neighbour) {
	for _, n := range list {
		k.behind[portKey{n.Node, n.Port}] = n.GUID
	}
}

// change takes other Keys: the ports of a round, which may be nil, have those that they had.
func (k *keyring) change(keys Keys, l *ledger) {
	has := maps.Clone(k.has)
	if l != nil {
		for slot := range l.addressable {
			has[l.guid[slot]] = k.key(l.guid[slot])
		}
	}
	k.Keys, k.told, k.hiding = keys, k.told || !k.givesSame(&keys), k.hiding || keys.Protect > 1 || len(keys.Former) > 0
	clear(k.has)
	clear(k.own)
	for guid, key := range has {
		k.learn(guid, key)
	}
}

// key returns the M_Key that SMPs to a port carry.
func (k *keyring) key(port fabric.GUID) uint64 {
	if key, ok := k.has[port]; ok {
		return key
	}
	return k.toHave(port)
}

// toHave returns the key that a port is to have.
func (k *keyring) toHave(port fabric.GUID) uint64 {
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

// tries returns the keys that a port is asked with, one after the other: the one that it had first, or last where it was given another since.
func (k *keyring) tries(port fabric.GUID, given bool) []uint64 {
	keys := k.of(port)
	key, ok := k.has[port]
	if !ok {
		return keys
	}
	keys = slices.DeleteFunc(keys, func(other uint64) bool { return other == key })
	if given {
		return append(keys, key)
	}
	return slices.Insert(keys, 0, key)
}

// mostTried bounds the keys that a port is asked with whose GUID is not known.
const mostTried = 16

// ofStrangers returns the keys by which a port may answer whose GUID is not known, expected being that of the port that was there, or 0. The key
// that it is to have is also the last one: another way may have led to the same port, and given it that key meanwhile.
func (k *keyring) ofStrangers(expected fabric.GUID) []uint64 {
	var out []uint64
	add := func(keys []uint64) {
		for _, key := range keys {
			if !slices.Contains(out, key) && len(out) < mostTried {
				out = append(out, key)
			}
		}
	}
	last := k.One
	if expected != 0 {
		add(k.tries(expected, false))
		last = k.toHave(expected)
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

// learn takes the key that a port has, 0 for none.
func (k *keyring) learn(port fabric.GUID, key uint64) {
	if delete(k.has, port); key != 0 && key != k.toHave(port) {
		k.has[port] = key
	}
}
