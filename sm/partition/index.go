package partition

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// Index finds the P_Keys of a port in time that depends on the port's partitions, not on all
// members.
type Index struct {
	ps     Partitions
	open   []int32                 // partitions with members not named by GUID
	byGUID map[fabric.GUID][]named // members by GUID of a port
}

// named is a Member with the GUID of a port.
type named struct {
	part, at int32 // indexes of its partition, and of it there
	as       Membership
	alias    bool // it names the port by an alias
}

// NewIndex builds an Index. Members may name ports by aliases, which lead to port GUIDs. Neither
// may change afterwards.
func NewIndex(ps Partitions, aliases map[fabric.GUID]fabric.GUID) *Index {
	x := &Index{ps: ps, byGUID: map[fabric.GUID][]named{}}
	for i := range ps {
		open := ps[i].Key == DefaultKey // the manager is a member
		for j := range ps[i].Members {
			if m := &ps[i].Members[j]; m.Who == OnePort {
				port, alias := aliases[m.GUID]
				if !alias {
					port = m.GUID
				}
				x.byGUID[port] = append(x.byGUID[port], named{int32(i), int32(j), m.As, alias})
			} else {
				open = true
			}
		}
		if open {
			x.open = append(x.open, int32(i))
		}
	}
	return x
}

// KeysOf returns the P_Keys of a port: of partitions with IndexZero first, then the default
// partition's, then the others in the order of the file. In each partition two kinds of Members
// count: the last one that names the port, and every one that names an alias of it, since several
// functions may use the port. If first is set, keys[0] belongs at index 0 of the table.
func (x *Index) KeysOf(p *Port) (keys []uint16, first bool) {
	of := slices.Clone(x.byGUID[p.GUID])
	for _, i := range x.open {
		part := &x.ps[i]
		if part.Key == DefaultKey && p.Manager {
			of = append(of, named{i, int32(len(part.Members)), Full, false})
		}
		for j := range part.Members {
			if m := &part.Members[j]; m.Who != OnePort && m.names(p) {
				of = append(of, named{i, int32(j), m.As, false})
			}
		}
	}
	slices.SortFunc(of, func(a, b named) int {
		return cmp.Or(cmp.Compare(x.rank(a.part), x.rank(b.part)), cmp.Compare(a.part, b.part), cmp.Compare(a.at, b.at))
	})
	first = len(of) > 0 && x.ps[of[0].part].IndexZero
	keys = make([]uint16, 0, len(of))
	own, others := Membership(0), Membership(0)
	for i, m := range of {
		if m.alias {
			others |= m.as
		} else {
			own = m.as
		}
		if i+1 < len(of) && of[i+1].part == m.part {
			continue
		}
		key, as := x.ps[m.part].Key, own|others
		own, others = 0, 0
		if as&Full != 0 {
			keys = append(keys, key|mad.PKeyFull)
		}
		if as&Limited != 0 {
			keys = append(keys, key)
		}
	}
	return keys, first
}

// rank orders partitions in a new P_Key table: 0 for IndexZero, 1 for the default, 2 for the
// others.
func (x *Index) rank(part int32) int {
	switch p := &x.ps[part]; {
	case p.IndexZero:
		return 0
	case p.Key == DefaultKey:
		return 1
	}
	return 2
}
