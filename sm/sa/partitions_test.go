package sa

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"weft/wire/mad"
)

// mayTalk reports whether two ports may, by the words of the specification: a P_Key of one and one
// of the other have the same partition, and one of them is that of a full member.
func mayTalk(a, b []uint16, asked uint16) bool {
	for _, k := range a {
		for _, l := range b {
			full := k>>15 == 1 || l>>15 == 1
			if k&0x7fff == l&0x7fff && full && (asked == 0 || asked&0x7fff == k&0x7fff) {
				return true
			}
		}
	}
	return false
}

// A path joins ports that share a partition, by a P_Key of the source, and is shown to those who
// share one with both; nodes are shown to those who share one with them. A port sees itself, also
// where it is a limited member of all its partitions. Trusted requests see all.
func TestPartitions(t *testing.T) {
	s := *subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.Custom(func(t *rapid.T) uint16 {
			return rapid.Uint16Range(1, 3).Draw(t, "partition") | rapid.SampledFrom([]uint16{0, 0x8000}).Draw(t, "full")
		})
		s.Keys = rapid.SliceOfN(rapid.SliceOfN(key, 0, 3), s.Graph.NumEnds, s.Graph.NumEnds).Draw(t, "keys")
		end := rapid.Int32Range(0, int32(s.Graph.NumEnds)-1)
		from, src, dst := end.Draw(t, "asks"), end.Draw(t, "source"), end.Draw(t, "target")
		asked := rapid.OneOf(rapid.Just(uint16(0)), key).Draw(t, "asked")
		trusted := rapid.Bool().Draw(t, "trusted")
		query := func(attr mad.AttrID, mask uint64, rec []byte) [][]byte {
			q := ask(mad.GetTable, attr, mask, rec)
			if !trusted {
				mad.SAHeaderSMKey.Put(q, 0)
			}
			r := Responder{Asks: s.Plan.Ends.Base[from]}
			return recordsOf(t, r.Answer(&s, q))
		}
		sees := func(e int32) bool { return trusted || e == from || mayTalk(s.Keys[from], s.Keys[e], 0) }
		rec := make([]byte, 64)
		binary.BigEndian.PutUint16(rec[40:], uint16(s.Plan.Ends.Base[dst]))
		binary.BigEndian.PutUint16(rec[42:], uint16(s.Plan.Ends.Base[src]))
		mask := pathDLID | pathSLID
		if asked != 0 {
			binary.BigEndian.PutUint16(rec[50:], asked)
			mask |= pathPKey
		}
		paths := query(mad.AttrPathRecord, mask, rec)
		want := mayTalk(s.Keys[src], s.Keys[dst], asked)
		if src == dst {
			want = false
			for _, k := range s.Keys[src] {
				want = want || asked == 0 || asked&0x7fff == k&0x7fff
			}
		}
		if want = want && sees(src) && sees(dst); (len(paths) == 1) != want {
			t.Fatalf("%d paths, want %v", len(paths), want)
		}
		if want {
			got, found := binary.BigEndian.Uint16(paths[0][50:]), false
			for _, k := range s.Keys[src] {
				found = found || k == got
			}
			if !found {
				t.Fatalf("P_Key %#x is not one of %#x", got, s.Keys[src])
			}
		}
		visible := 0
		for e := range int32(s.Graph.NumEnds) {
			if sees(e) {
				visible++
			}
		}
		if n := len(query(mad.AttrNodeRecord, 0, nil)); n != visible {
			t.Fatalf("%d nodes are shown, want %d", n, visible)
		}
	})
}
