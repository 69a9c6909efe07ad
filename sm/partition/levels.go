package partition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/route/levels"
	"weft/wire/mad"
)

// Levels assigns partitions to levels of service: a level's own list of partitions decides, or else
// the partition's SL. byKey holds the index of the level by P_Key, without the membership bit.
// unknown describes level entries that match no partition; without describes partitions whose SL no
// level has.
func (ps Partitions) Levels(list levels.Levels) (byKey map[uint16]uint8, unknown, without []string) {
	byKey = map[uint16]uint8{}
	for i := range ps {
		p := &ps[i]
		if p.SL == 0 {
			continue
		}
		if at := list.BySL(p.SL); at >= 0 {
			byKey[p.Key] = uint8(at)
		} else {
			without = append(without, fmt.Sprintf("partition %s has sl=%d, but no level of service has this SL", ps.NameOf(i), p.SL))
		}
	}
	for i := range list {
		for _, name := range list[i].Partitions {
			if key, ok := ps.keyOf(name); ok {
				byKey[key] = uint8(i)
				continue
			}
			names := make([]string, len(ps))
			for at := range ps {
				names[at] = ps.NameOf(at)
			}
			unknown = append(unknown, fmt.Sprintf("level %s: unknown partition %s: want one of %s", list[i].Name, name, strings.Join(names, ", ")))
		}
	}
	return byKey, unknown, without
}

// NameOf returns the name of a partition, or else its P_Key.
func (ps Partitions) NameOf(i int) string {
	if ps[i].Name == "" {
		return fmt.Sprintf("0x%04x", ps[i].Key)
	}
	return ps[i].Name
}

// keyOf returns the P_Key of the partition with this name or P_Key.
func (ps Partitions) keyOf(name string) (uint16, bool) {
	at := slices.IndexFunc(ps, func(p Partition) bool { return p.Name == name })
	if key, err := strconv.ParseUint(name, 0, 16); at < 0 && err == nil {
		at = slices.IndexFunc(ps, func(p Partition) bool { return p.Key == uint16(key)&^mad.PKeyFull })
	}
	if at < 0 {
		return 0, false
	}
	return ps[at].Key, true
}
