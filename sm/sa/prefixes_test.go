package sa

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/wire/mad"
)

// TestPrefixRoutes: the first line that fits names the router for a GID with another prefix. Other
// nodes, routers that are away and groups are none.
func TestPrefixRoutes(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Nodes {
		if d := f.Nodes[i].Desc; d == "host 3" || d == "host 5" {
			f.Nodes[i].Type = fabric.Router
		}
	}
	g, plan := routed(t, f, "updn", 0)
	s := fill(f, g, plan, rand.New(rand.NewPCG(1, 0)))
	byName := map[string]fabric.GUID{}
	for e, guid := range g.EndGUID {
		if id, ok := f.NodeByGUID(g.EndNodeGUID[e]); ok && f.Nodes[id].Type != fabric.Switch {
			byName[f.Nodes[id].Desc] = guid
		}
	}
	text := strings.NewReplacer("R3", byName["host 3"].String(), "R5", byName["host 5"].String(), "H1", byName["host 1"].String()).Replace(
		"# routes\n0xFEC0000000000001 R5\nfec0000000000002 H1\n0xfec0000000000003 0x99 # away\n0xfec0000000000001 R3\n* *\n")
	if s.Prefixes, err = ReadPrefixRoutes("routes", []byte(text)); err != nil || len(s.Prefixes) != 5 {
		t.Fatalf("%v, %v", s.Prefixes, err)
	}
	for _, r := range s.Prefixes {
		if again, err := ReadPrefixRoutes("again", []byte(r.String())); err != nil || again[0] != r {
			t.Errorf("%s reads as %v, %v", r, again, err)
		}
	}
	s = New(*s)
	first := min(byName["host 3"], byName["host 5"])
	var r Responder
	for prefix, want := range map[uint64]fabric.GUID{
		0xfec0000000000001: byName["host 5"], 0xfec0000000000002: 0, 0xfec0000000000003: 0, 0x2001 << 48: first, 0xff12401bffff0000: 0,
	} {
		dgid, sgid := mad.MakeGID(prefix, 0x77), mad.MakeGID(mad.DefaultGIDPrefix, uint64(byName["host 0"]))
		q, err := mad.Request{Method: mad.Get, Attr: mad.AttrPathRecord}.SA(make([]byte, mad.Size), 0)
		if err != nil {
			t.Fatal(err)
		}
		copy(q.Data()[8:], dgid[:])
		copy(q.Data()[24:], sgid[:])
		mad.SAHeaderComponentMask.Put(q, mad.PathRecord.Mask(mad.PathRecordDGID, mad.PathRecordSGID))
		a := r.Answer(s, q)
		if want == 0 {
			if a.Status() != mad.StatusInvalidGID {
				t.Errorf("%x: %v", prefix, a.Status())
			}
			continue
		}
		rec := a.Data()
		if lid := mad.PathRecordDLID.Get(rec); a.Status() != mad.StatusOK || lid != uint64(plan.Ends.Base[s.endOfGUID(want)]) || !bytes.Equal(rec[8:24], dgid[:]) || mad.PathRecordHopLimit.Get(rec) != remoteHops {
			t.Errorf("%x: %v, LID %d, hop limit %d", prefix, a.Status(), lid, mad.PathRecordHopLimit.Get(rec))
		}
	}
	for text, want := range map[string]string{
		"0xfec0000000000001": "routes:1: want PREFIX GUID", "\n1 2 3": "routes:2: want PREFIX GUID", "x *": "\"x\": want up to 16", "* 0x12345678901234567": "want up to 16",
	} {
		if list, err := ReadPrefixRoutes("routes", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v", text, list, err)
		}
	}
}

// FuzzReadPrefixRoutes: any bytes give routes that read back, or an error with a line.
func FuzzReadPrefixRoutes(f *testing.F) {
	f.Add([]byte("0xfec0000000000001 0x10\n* * # all\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadPrefixRoutes("f", data)
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Fatal(err)
		}
		for _, r := range list {
			if again, err := ReadPrefixRoutes("g", []byte(r.String())); err != nil || again[0] != r {
				t.Fatalf("%s: %v, %v", r, again, err)
			}
		}
	})
}
