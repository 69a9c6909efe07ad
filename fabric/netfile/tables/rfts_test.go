package tables

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
)

// The entries say what the linear table says, and no two of them could be one.
func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := SwitchLFT{Ports: rapid.SliceOfN(rapid.SampledFrom([]uint8{1, 1, 1, 2, NoPort}), 1, 300).Draw(t, "ports")}
		if rapid.Bool().Draw(t, "long runs") {
			for i := range s.Ports {
				s.Ports[i] = s.Ports[i/64]
			}
		}
		s.Ports[0] = NoPort // LID 0 names nothing
		again := make([]uint8, len(s.Ports))
		for i := range again {
			again[i] = NoPort
		}
		entries := s.randomEntries()
		for i, e := range entries {
			n := 1 << e.LMC
			if int(e.LID)%n != 0 || e.LMC > fabric.MaxLMC || e.Port == NoPort || i > 0 && e.LID <= entries[i-1].LID {
				t.Fatal("entry", e)
			}
			for l := range n {
				again[int(e.LID)+l] = e.Port
			}
			if i > 0 {
				if b := entries[i-1]; b.Port == e.Port && b.LMC == e.LMC && b.LMC < fabric.MaxLMC && int(b.LID)%(2*n) == 0 && b.LID+fabric.LID(n) == e.LID {
					t.Fatal("could be one:", b, e)
				}
			}
		}
		if !slices.Equal(again, s.Ports) {
			t.Fatal(again, s.Ports)
		}
	})
}

func TestWriteRandom(t *testing.T) {
	var b strings.Builder
	tables := &LFTs{Switches: []SwitchLFT{{GUID: 0x10, Desc: "leaf 1", Ports: []uint8{NoPort, 3, 4, 4, 5, 5, 5, 5, NoPort}}}}
	if err := WriteRandom(&b, tables); err != nil {
		t.Fatal(err)
	}
	want := `# random forwarding tables: LID LMC port, for 2^LMC LIDs from LID on
switch 0x0000000000000010 "leaf 1" 3
0x0001 0 3
0x0002 1 4
0x0004 2 5
`
	if b.String() != want {
		t.Error(b.String())
	}
}
