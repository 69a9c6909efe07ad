package ledger

import (
	"maps"
	"slices"

	"weft/fabric"
	"weft/sm/terms"
)

// Keyring stores the configured M_Keys, and differing ones found at single ports. All rounds of a
// Manager share one. It is not for concurrent use.
type Keyring struct {
	terms.Keys
	Has    map[fabric.GUID]uint64  // by port GUID: keys found that differ from the planned ones
	own    map[fabric.GUID]uint64  // cache of derived keys, by port GUID
	Here   fabric.GUID             // GUID of our own port, 0: unknown
	Behind map[PortKey]fabric.GUID // by port: GUID of the port at the other end of its cable
	Told   bool                    // Keys were changed, and no round has ended since
	Hiding bool                    // ports may have protection 2 or 3
}

// NewKeyring returns the keyring for these settings.
func NewKeyring(cfg *terms.Config) *Keyring {
	k := &Keyring{
		Keys: cfg.Keys, Has: map[fabric.GUID]uint64{}, own: map[fabric.GUID]uint64{}, Here: cfg.OwnPort,
		Behind: map[PortKey]fabric.GUID{}, Hiding: cfg.Keys.Protect > 1 || len(cfg.Keys.Former) > 0,
	}
	k.Expect(cfg.Neighbours)
	return k
}

// Expect stores which port is behind which.
func (k *Keyring) Expect(list []terms.Neighbour) {
	for _, n := range list {
		k.Behind[PortKey{n.Node, n.Port}] = n.GUID
	}
}

// Change replaces the configured keys. The ports of l keep their current keys until they get new
// ones. l may be nil.
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

// Key returns the M_Key that SMPs to a port carry: the present key of the port, as far as known.
func (k *Keyring) Key(port fabric.GUID) uint64 {
	if key, ok := k.Has[port]; ok {
		return key
	}
	return k.ToHave(port)
}

// ToHave returns the M_Key planned for a port.
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

// Tries returns the M_Keys to ask a port with, in order. The key that it last had comes first, or
// last if it has been given another one since.
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

// MostTried limits the keys tried on a port with an unknown GUID.
const MostTried = 16

// OfStrangers returns the M_Keys to ask a port of unknown GUID with, in order. expected is the GUID
// of the port previously found there, or 0. The planned key is repeated at the end: another path
// may have led to the same port, and given it that key meanwhile.
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
	if k.One != 0 || expected == 0 { // a port that answers without a key answers with any
		add([]uint64{k.One})
	}
	add(k.Others)
	add(slices.Sorted(maps.Values(k.Known)))
	if len(out) > 1 {
		out = append(out, last)
	}
	return out
}

// Learn stores the M_Key that a port has, 0 for none.
func (k *Keyring) Learn(port fabric.GUID, key uint64) {
	if delete(k.Has, port); key != 0 && key != k.ToHave(port) {
		k.Has[port] = key
	}
}
