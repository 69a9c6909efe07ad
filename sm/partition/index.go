package partition

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// Index finds the P_Keys of ports in time that grows with the partitions that a port may belong to, not with all members.
type Index struct {
	ps     Partitions
	open   []int32                 // partitions that do not name all of their members by GUID
	byGUID map[fabric.GUID][]named // members by GUID of a port
}

// named is a Member that names a port.
type named struct {
	part, at int32 // its partition, and its place there
	as       Membership
}

// NewIndex makes an Index. The partitions must not be changed after that.
func NewIndex(ps Partitions) *Index {
	x := &Index{ps: ps, byGUID: map[fabric.GUID][]named{}}
	for i := range ps {
		open := ps[i].Key == defaultKey // to which the manager belongs
		for j := range ps[i].Members {
			if m := &ps[i].Members[j]; m.Who == OnePort {
				x.byGUID[m.GUID] = append(x.byGUID[m.GUID], named{int32(i), int32(j), m.As})
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

// KeysOf returns the P_Keys of a port: those of partitions with IndexZero first, then that of the default partition, then in order. In each
// partition the last Member that names the port counts. If first is set, keys[0] is to stand at index 0 of the table.
func (x *Index) KeysOf(p *Port) (keys []uint16, first bool) {
	of := slices.Clone(x.byGUID[p.GUID])
	for _, i := range x.open {
		part := &x.ps[i]
		if part.Key == defaultKey && p.Manager {
			of = append(of, named{i, int32(len(part.Members)), Full})
		}
		for j := range part.Members {
			if m := &part.Members[j]; m.Who != OnePort && m.names(p) {
				of = append(of, named{i, int32(j), m.As})
			}
		}
	}
	slices.SortFunc(of, func(a, b named) int {
		return cmp.Or(cmp.Compare(x.rank(a.part), x.rank(b.part)), cmp.Compare(a.part, b.part), cmp.Compare(a.at, b.at))
	})
	first = len(of) > 0 && x.ps[of[0].part].IndexZero
	keys = make([]uint16, 0, len(of))
	for i, m := range of {
		if i+1 < len(of) && of[i+1].part == m.part {
			continue
		}
		key := x.ps[m.part].Key
		if m.as&Full != 0 {
			keys = append(keys, key|mad.PKeyFull)
		}
		if m.as&Limited != 0 {
			keys = append(keys, key)
		}
	}
	return keys, first
}

// rank returns 0, 1 or 2: P_Keys of partitions with a lower rank stand before others in a new table.
func (x *Index) rank(part int32) int {
	switch p := &x.ps[part]; {
	case p.IndexZero:
		return 0
	case p.Key == defaultKey:
		return 1
	}
	return 2
}
