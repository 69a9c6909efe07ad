package partition

import (
	"cmp"
	"slices"

	"weft/fabric"
	"weft/mad"
)

// Index finds the P_Keys of ports in time that grows with the partitions that a port may belong to, not with all members.
type Index struct {
	ps     Partitions
	open   []int32                 // partitions that do not name all of their members by GUID
	byGUID map[fabric.GUID][]named // members by GUID of a port
}

// named is a partition that names a port, and how.
type named struct {
	part int32
	as   Membership
}

// NewIndex makes an Index. The partitions must not be changed after that.
func NewIndex(ps Partitions) *Index {
	x := &Index{ps: ps, byGUID: map[fabric.GUID][]named{}}
	for i := range ps {
		open := ps[i].Key == defaultKey // to which the manager belongs
		for j := range ps[i].Members {
			if m := &ps[i].Members[j]; m.Who == OnePort {
				x.byGUID[m.GUID] = append(x.byGUID[m.GUID], named{int32(i), m.As})
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
// partition a full membership goes before a limited one, unless a Member says Both.
func (x *Index) KeysOf(p *Port) []uint16 {
	of := slices.Clone(x.byGUID[p.GUID])
	for _, i := range x.open {
		part := &x.ps[i]
		if part.Key == defaultKey && p.Manager {
			of = append(of, named{i, Full})
		}
		for j := range part.Members {
			if m := &part.Members[j]; m.Who != OnePort && m.names(p) {
				of = append(of, named{i, m.As})
			}
		}
	}
	slices.SortStableFunc(of, func(a, b named) int {
		return cmp.Or(cmp.Compare(x.rank(a.part), x.rank(b.part)), cmp.Compare(a.part, b.part))
	})
	keys := make([]uint16, 0, len(of))
	for len(of) > 0 {
		part, both, full := of[0].part, false, false
		for ; len(of) > 0 && of[0].part == part; of = of[1:] {
			both, full = both || of[0].as == Both, full || of[0].as&Full != 0
		}
		key := x.ps[part].Key
		if full {
			keys = append(keys, key|mad.PKeyFull)
		}
		if both || !full {
			keys = append(keys, key)
		}
	}
	return keys
}

// rank orders partitions in a table.
func (x *Index) rank(part int32) int {
	switch p := &x.ps[part]; {
	case p.IndexZero:
		return 0
	case p.Key == defaultKey:
		return 1
	}
	return 2
}

// KeysOf returns the P_Keys of one port; an Index is faster for many.
func (ps Partitions) KeysOf(p *Port) []uint16 { return NewIndex(ps).KeysOf(p) }
