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

// Keys are the M_Keys (14.2.4) that a manager gives to ports, and those that it knows ports may have. With neither One nor
// Secret it gives none: M_Keys, protection bits and lease periods are left as they are.
type Keys struct {
	One     uint64                 // for every port, or
	Secret  []byte                 // what the key of a port follows from, with its GUID
	Former  [][]byte               // secrets of before, in the order in which they are tried
	Known   map[fabric.GUID]uint64 // keys of single ports, by port GUID
	Others  []uint64               // keys that any port may have
	Protect uint8                  // M_KeyProtectBits; with 2 or 3 a port does not tell the GUID from which its key follows: see Neighbour
	Lease   uint16                 // M_KeyLeasePeriod in seconds, 0 for without end
}

// Given reports whether ports are given keys.
func (k *Keys) Given() bool { return k.One != 0 || len(k.Secret) > 0 }

// Of returns the key that a port is to have, 0 for none.
func (k *Keys) Of(port fabric.GUID) uint64 {
	if len(k.Secret) > 0 {
		return DeriveKey(k.Secret, port)
	}
	return k.One
}

// DeriveKey returns the key of a port that follows from a secret: the first 8 bytes of HMAC-SHA-256, keyed by the secret, of
// "M_Key" and the port GUID, most significant byte first. In place of 0, which is no key, it is 1.
func DeriveKey(secret []byte, port fabric.GUID) uint64 {
	h := hmac.New(sha256.New, secret)
	h.Write(binary.BigEndian.AppendUint64([]byte("M_Key"), uint64(port)))
	return max(binary.BigEndian.Uint64(h.Sum(nil)), 1)
}

// Candidates returns the keys that a port may have, the one that it is to have first.
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

// Equal reports whether two Keys say the same.
func (k *Keys) Equal(o *Keys) bool {
	return k.GivesSame(o) && slices.Equal(k.Others, o.Others) && maps.Equal(k.Known, o.Known) && slices.EqualFunc(k.Former, o.Former, slices.Equal)
}

// GivesSame reports whether ports are given the same by two Keys.
func (k *Keys) GivesSame(o *Keys) bool {
	return k.One == o.One && k.Protect == o.Protect && k.Lease == o.Lease && slices.Equal(k.Secret, o.Secret)
}

// Reaches reports whether all ports that have keys by old ones are reached by these too: a manager that starts in the middle of the change must
// know both.
func (k *Keys) Reaches(old *Keys) bool {
	isKnown := func(secret []byte) bool {
		return bytes.Equal(k.Secret, secret) || slices.ContainsFunc(k.Former, func(f []byte) bool { return bytes.Equal(f, secret) })
	}
	return (len(old.Secret) == 0 || isKnown(old.Secret)) && (old.One == 0 || k.One == old.One || slices.Contains(k.Others, old.One))
}

// ReadKeys reads keys of ports: a line for each, with the port GUID, or * for a key that any port may have, and the key;
// # begins a remark. A port with key 0 has none, as OpenSM writes it in guid2mkey.
func ReadKeys(name string, data []byte) (known map[fabric.GUID]uint64, others []uint64, err error) {
	known = map[fabric.GUID]uint64{}
	for i, line := range bytes.Split(data, []byte("\n")) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		words := bytes.Fields(line)
		if len(words) == 0 {
			continue
		}
		guid, key, err := parseKey(words)
		if _, twice := known[guid]; err == nil && twice {
			err = fmt.Errorf("port %s is named twice", guid)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		switch {
		case guid == 0:
			others = append(others, key)
		case key != 0:
			known[guid] = key
		}
	}
	return known, others, nil
}

// parseKey reads the words of a line of keys; the GUID of any port is 0.
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
		return 0, 0, errors.New("the second word is no M_Key: want a number of 64 bits other than 0, as 0x1234") // which must not be printed
	}
	return guid, key, nil
}

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

// NeedsNeighbours reports whether the GUIDs of ports must be known before they are asked.
func (k *Keys) NeedsNeighbours() bool {
	return len(k.Secret) > 0 && k.Protect > 1 || len(k.Former) > 0
}
