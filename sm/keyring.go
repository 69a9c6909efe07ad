package sm

import (
	"cmp"
	"maps"
	"slices"

	"weft/fabric"
)

// Neighbour is the port that was at the other end of a cable. A port with protection 2 or 3 tells its GUID only to who has its M_Key, which
// with a secret follows from that GUID: the key of the port that was there is tried.
type Neighbour struct {
	Node fabric.GUID // of the other end
	Port uint8
	GUID fabric.GUID // of the port; of a switch that of port 0
}

// Neighbours lists both ends of all cables of a fabric.
func Neighbours(f *fabric.Fabric) (list []Neighbour) {
	agent := func(e fabric.End) fabric.GUID {
		n := &f.Nodes[e.Node]
		if n.Type == fabric.Switch {
			return cmp.Or(n.Ports[0].GUID, n.GUID)
		}
		return n.Ports[e.Port].GUID
	}
	for _, l := range f.Links {
		list = append(list, Neighbour{f.Nodes[l.A.Node].GUID, l.A.Port, agent(l.B)}, Neighbour{f.Nodes[l.B.Node].GUID, l.B.Port, agent(l.A)})
	}
	return list
}

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

// tellKeys tells, after the first round with other Keys, whether all ports have got theirs.
func (m *Manager) tellKeys() {
	k := m.keys
	if !k.told || !k.Given() {
		return
	}
	k.told = false
	ports, old := 0, 0
	for slot := range m.result.Ledger.addressable {
		ports++
		if _, ok := k.has[m.result.Ledger.guid[slot]]; ok {
			old++
		}
	}
	if old > 0 {
		m.tell(KeysGiven, "%d of %d ports have not taken their new M_Keys", old, ports)
		return
	}
	m.tell(KeysGiven, "%d ports have their new M_Keys; ports that are not there now may have those of before", ports)
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

// expected returns the port that was behind one, noSlot standing for our own; 0 where that is not known, or no key is needed to ask.
func (c *Core) expected(slot int32) fabric.GUID {
	switch {
	case !c.keys.Given() || !c.keys.hiding:
		return 0
	case slot == noSlot:
		return c.keys.here
	}
	return c.keys.behind[c.portKey(slot)]
}

// rememberNeighbours remembers what was found behind all ports.
func (c *Core) rememberNeighbours() {
	if !c.usesKeys() {
		return
	}
	c.keys.here = c.guid[c.ownPort()]
	for slot, peer := range c.peer {
		if peer != noSlot {
			c.keys.behind[c.portKey(int32(slot))] = c.guid[c.agent(getPort, peer)]
		}
	}
}

// triesMoved is added to the argument of a getNode that has the key of a port that may have moved.
const triesMoved = 0x10000

// tryMoved asks once more through ports behind which nobody has answered: with the keys of other ports that were not found this time. It reports whether there is anything to ask.
func (c *Core) tryMoved() bool {
	silent := c.silent
	c.silent, c.movedKeys = nil, nil
	if len(silent) == 0 {
		return false
	}
	found := map[fabric.GUID]bool{}
	for _, guid := range c.guid {
		found[guid] = true
	}
	var moved []fabric.GUID
	for _, guid := range c.keys.behind {
		if !found[guid] {
			moved = append(moved, guid)
		}
	}
	slices.Sort(moved)
	moved = slices.Compact(moved)
	for _, guid := range moved[:min(len(moved), mostTried)] {
		c.movedKeys = append(c.movedKeys, c.keys.key(guid))
	}
	asked := false
	for _, slot := range silent {
		was := c.expected(slot) // with its key it was asked
		if !slices.ContainsFunc(moved, func(guid fabric.GUID) bool { return guid != was }) {
			c.noteNothingBehind(slot, &Event{Outcome: Silent})
			continue
		}
		asked = true
		c.enqueue(makeTag(getNode, slot, triesMoved))
	}
	return asked
}

// learn takes the key that a port has, 0 for none.
func (k *keyring) learn(port fabric.GUID, key uint64) {
	if delete(k.has, port); key != 0 && key != k.toHave(port) {
		k.has[port] = key
	}
}
