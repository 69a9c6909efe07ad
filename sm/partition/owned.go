package partition

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
)

// Owner says who may change a partition.
type Owner uint8

// The owners. What a file names is the file's, even where programs own the same P_Key: theirs is
// then hidden.
const (
	TheFile  Owner = iota
	Programs       // by the API
	Nobody         // the default partition where no file names partitions, until a program owns it
)

// Version tells states of the partitions of programs apart. The zero value says that no program
// ever wrote one.
type Version struct {
	Number uint64 // of changes
	Sum    uint32 // of the contents: two managers that were apart may have the same number
}

// String formats a Version for programs: "0" for none.
func (v Version) String() string {
	if v == (Version{}) {
		return "0"
	}
	return fmt.Sprintf("%d-%08x", v.Number, v.Sum)
}

// Owned holds the partitions of programs. It is never changed, only replaced.
type Owned struct {
	Version Version
	List    Partitions // by P_Key
}

// next returns the Owned that follows with other partitions.
func (o *Owned) next(list Partitions) Owned {
	if len(list) == 0 {
		list = nil
	}
	text, _ := json.Marshal(list) // it has nothing that JSON cannot hold
	sum := sha256.Sum256(text)
	return Owned{Version{o.Version.Number + 1, binary.BigEndian.Uint32(sum[:])}, list}
}

// members counts the members of all partitions.
func (ps Partitions) members() (n int) {
	for i := range ps {
		n += len(ps[i].Members)
	}
	return n
}

// find returns the partition with a P_Key, nil if there is none.
func (ps Partitions) find(key uint16) *Partition {
	if i := slices.IndexFunc(ps, func(p Partition) bool { return p.Key == key }); i >= 0 {
		return &ps[i]
	}
	return nil
}

// byKey returns the partitions by P_Key.
func (ps Partitions) byKey() map[uint16]*Partition {
	by := make(map[uint16]*Partition, len(ps))
	for i := range ps {
		by[ps[i].Key] = &ps[i]
	}
	return by
}

// Of returns the partitions of an owner, in their order.
func (ps Partitions) Of(owner Owner) (list Partitions) {
	for i := range ps {
		if ps[i].Owner == owner {
			list = append(list, ps[i])
		}
	}
	return list
}

// Join returns the partitions of a file and of programs together, and the ones of programs that the
// file hides. Without a file (nil) the default partition is there even if no program owns it.
func Join(file, owned Partitions) (all, hidden Partitions) {
	if all = slices.Clip(file); file == nil && owned.find(DefaultKey) == nil {
		all = Everyone()
	}
	named := file.byKey()
	for i := range owned {
		if named[owned[i].Key] == nil {
			all = append(all, owned[i])
		} else {
			hidden = append(hidden, owned[i])
		}
	}
	return all, hidden
}

// membershipOf returns the membership that the last member naming a port gives it, 0 if none does.
func (p *Partition) membershipOf(port *Port) (as Membership) {
	for i := range p.Members {
		if p.Members[i].names(port) {
			as = p.Members[i].As
		}
	}
	return as
}

// sameMember reports whether two members select ports in the same way.
func sameMember(a, b *Member) bool {
	return a.Who == b.Who && a.GUID == b.GUID && a.Pattern == b.Pattern
}

// compareMembers orders the members of programs: words, patterns, SELF, then single ports. The last
// that names a port counts, so the more precise one does.
func compareMembers(a, b Member) int {
	rank := func(m *Member) int {
		switch m.Who {
		case OnePort:
			return 7
		case Self:
			return 6
		case Described:
			return 5
		default:
			return int(m.Who) - int(All)
		}
	}
	return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(a.GUID, b.GUID), cmp.Compare(a.Pattern, b.Pattern))
}

// ordered sorts members and leaves each selector once: of several the last. It returns nil for
// none, so that equal partitions are equal bytes.
func ordered(list []Member) []Member {
	if len(list) == 0 {
		return nil
	}
	out := slices.Clone(list)
	slices.Reverse(out)
	slices.SortStableFunc(out, compareMembers)
	return slices.CompactFunc(out, func(a, b Member) bool { return sameMember(&a, &b) })
}
