package tables

import (
	"bytes"
	"cmp"
	"slices"

	"weft/fabric"
)

// IsLFTs recognises a file of forwarding tables by its first lines.
func IsLFTs(data []byte) bool {
	for range 20 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		line = bytes.TrimSpace(line)
		for _, begin := range []string{"Unicast lids [", "dump_ucast_routes: Switch ", "osm_ucast_mgr_dump_ucast_routes: Switch "} {
			if bytes.HasPrefix(line, []byte(begin)) {
				return true
			}
		}
		if len(line) > 0 && line[0] != '#' || len(rest) == 0 {
			return false
		}
		data = rest
	}
	return false
}

// Change is a difference between two files of tables: a switch that only one of them has, or LIDs
// whose entries at a switch changed in the same way.
type Change struct {
	Kind   string       `json:"kind"` // "switch added", "switch removed", "entries added", "entries removed", "entries changed"
	Switch fabric.GUID  `json:"switch"`
	Name   string       `json:"name,omitempty"` // of the switch, where a file has it
	LIDs   []fabric.LID `json:"lids,omitempty"` // with this change, sorted
	From   *uint8       `json:"from,omitempty"` // port before; absent without an entry
	To     *uint8       `json:"to,omitempty"`   // port now; absent without an entry
}

// Changes lists the changes from t to u, by GUID of the switch, then by port. LIDs without a path
// and LIDs that are not listed are the same: some programs leave them out.
func (t *LFTs) Changes(u *LFTs) (out []Change) {
	was, is := t.byGUID(), u.byGUID()
	var guids []fabric.GUID
	for g := range was {
		guids = append(guids, g)
	}
	for g := range is {
		guids = append(guids, g)
	}
	slices.Sort(guids)
	for _, g := range slices.Compact(guids) {
		a, b := was[g], is[g]
		switch {
		case a == nil:
			out = append(out, Change{Kind: "switch added", Switch: g, Name: b.Desc})
		case b == nil:
			out = append(out, Change{Kind: "switch removed", Switch: g, Name: a.Desc})
		default:
			out = append(out, a.changes(b)...)
		}
	}
	return out
}

func (t *LFTs) byGUID() map[fabric.GUID]*SwitchLFT {
	m := make(map[fabric.GUID]*SwitchLFT, len(t.Switches))
	for i := range t.Switches {
		m[t.Switches[i].GUID] = &t.Switches[i]
	}
	return m
}

// changes lists the changes of a switch, one for each pair of ports.
func (s *SwitchLFT) changes(now *SwitchLFT) (out []Change) {
	lids := map[[2]uint8][]fabric.LID{}
	for lid := range max(len(s.Ports), len(now.Ports)) {
		if from, to := s.Port(fabric.LID(lid)), now.Port(fabric.LID(lid)); from != to {
			lids[[2]uint8{from, to}] = append(lids[[2]uint8{from, to}], fabric.LID(lid))
		}
	}
	pairs := make([][2]uint8, 0, len(lids))
	for pair := range lids {
		pairs = append(pairs, pair)
	}
	slices.SortFunc(pairs, func(a, b [2]uint8) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, pair := range pairs {
		c := Change{Kind: "entries changed", Switch: s.GUID, Name: cmp.Or(now.Desc, s.Desc), LIDs: lids[pair]}
		if from := pair[0]; from != NoPort {
			c.From = &from
		} else {
			c.Kind = "entries added"
		}
		if to := pair[1]; to != NoPort {
			c.To = &to
		} else {
			c.Kind = "entries removed"
		}
		out = append(out, c)
	}
	return out
}
