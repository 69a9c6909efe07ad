package terms

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"weft/fabric"
)

// Keys are the M_Keys (14.2.4) that a manager assigns to ports, and the ones that ports may already
// have. Without One and Secret it assigns none: M_Keys, protection bits and lease periods stay as
// they are.
type Keys struct {
	One     uint64                 // the same key for every port, or
	Secret  []byte                 // a secret, from which each port's key is derived by its GUID
	Former  [][]byte               // earlier secrets, in the order of trying
	Known   map[fabric.GUID]uint64 // keys of single ports, by port GUID
	Others  []uint64               // keys that any port may have
	Protect uint8                  // M_KeyProtectBits; 2 and 3 hide the GUID: see Neighbour
	Lease   uint16                 // M_KeyLeasePeriod in seconds, 0: unlimited
}

// Given reports whether the manager assigns keys, or is to take away the ones that it knows.
func (k *Keys) Given() bool {
	return k.One != 0 || len(k.Secret) > 0 || len(k.Former) > 0 || len(k.Known) > 0 || len(k.Others) > 0
}

// Of returns the key planned for a port, 0 for none.
func (k *Keys) Of(port fabric.GUID) uint64 {
	if len(k.Secret) > 0 {
		return DeriveKey(k.Secret, port)
	}
	return k.One
}

// DeriveKey returns the key of a port under a secret: the first 8 bytes of HMAC-SHA-256, keyed by
// the secret, of "M_Key" and the port GUID, most significant byte first. A result of 0, which is no
// key, becomes 1.
func DeriveKey(secret []byte, port fabric.GUID) uint64 {
	h := hmac.New(sha256.New, secret)
	h.Write(binary.BigEndian.AppendUint64([]byte("M_Key"), uint64(port)))
	return max(binary.BigEndian.Uint64(h.Sum(nil)), 1)
}

// Candidates returns the keys that a port may have, the planned one first.
func (k *Keys) Candidates(port fabric.GUID) []uint64 {
	out := []uint64{k.Of(port)}
	add := func(key uint64) {
		if !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	for _, secret := range k.Former {
		add(DeriveKey(secret, port))
	}
	if key, ok := k.Known[port]; ok {
		add(key)
	}
	for _, key := range k.Others {
		add(key)
	}
	return out
}

// Equal reports whether all fields of two Keys are equal.
func (k *Keys) Equal(o *Keys) bool {
	return k.GivesSame(o) && slices.Equal(k.Others, o.Others) && maps.Equal(k.Known, o.Known) && slices.EqualFunc(k.Former, o.Former, slices.Equal)
}

// GivesSame reports whether two Keys assign the same keys, protection and lease.
func (k *Keys) GivesSame(o *Keys) bool {
	return k.One == o.One && k.Protect == o.Protect && k.Lease == o.Lease && slices.Equal(k.Secret, o.Secret)
}

// Reaches reports whether these keys still reach every port that has a key of old. A manager that
// starts in the middle of a change must know both.
func (k *Keys) Reaches(old *Keys) bool {
	isKnown := func(secret []byte) bool {
		return bytes.Equal(k.Secret, secret) || slices.ContainsFunc(k.Former, func(f []byte) bool { return bytes.Equal(f, secret) })
	}
	return (len(old.Secret) == 0 || isKnown(old.Secret)) && (old.One == 0 || k.One == old.One || slices.Contains(k.Others, old.One))
}

// ReadKeys parses a file of M_Keys: each line holds a port GUID, or * for any port, and a key; #
// begins a comment. Key 0 means none, as OpenSM writes it in guid2mkey.
func ReadKeys(name string, data []byte) (known map[fabric.GUID]uint64, others []uint64, err error) {
	known = map[fabric.GUID]uint64{}
	err = eachLine(name, data, func(words [][]byte) error {
		guid, key, err := parseKey(words)
		if err != nil {
			return err
		}
		if _, twice := known[guid]; twice {
			return fmt.Errorf("port %s is named twice", guid)
		}
		switch {
		case guid == 0:
			others = append(others, key)
		case key != 0:
			known[guid] = key
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return known, others, nil
}

// parseKey parses a line of keys; GUID 0 stands for any port.
func parseKey(words [][]byte) (guid fabric.GUID, key uint64, err error) {
	if len(words) != 2 {
		return 0, 0, errors.New("want a port GUID, or * for any port, and its M_Key")
	}
	if string(words[0]) != "*" {
		if guid, err = fabric.ParseGUID(string(words[0])); err != nil {
			return 0, 0, err
		}
		if guid == 0 {
			return 0, 0, errors.New("no port has GUID 0; * stands for any port")
		}
	}
	if key, err = strconv.ParseUint(string(words[1]), 0, 64); err != nil || key == 0 && guid == 0 {
		// The word must not be printed: it may be a key.
		return 0, 0, errors.New("the second word is not an M_Key: want a 64-bit number other than 0, such as 0x1234")
	}
	return guid, key, nil
}

// Neighbour is the port last seen at the other end of a cable. A port with protection 2 or 3 hides
// its GUID without its M_Key, and the key is derived from the GUID. So the manager tries the key of
// the port last seen there.
type Neighbour struct {
	Node fabric.GUID // of the near end
	Port uint8
	GUID fabric.GUID // of the far port; for a switch, of its port 0
}

// Neighbours returns both directions of all cables of a fabric.
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

// NeedsNeighbours reports whether the GUIDs of ports must be known before they are asked.
func (k *Keys) NeedsNeighbours() bool {
	return len(k.Secret) > 0 && k.Protect > 1 || len(k.Former) > 0
}
