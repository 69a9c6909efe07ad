package mapping_test

import (
	"testing"

	"weft/fabric"
	"weft/mapping"
	"weft/mapping/mappingtest"
)

// TestFabricAndBack keeps everything but the GUIDs of switches.
func TestFabricAndBack(t *testing.T) {
	for seed := range uint64(20) {
		n := mappingtest.Random(seed, 40)
		f, err := n.ToFabric("map", 4, fabric.SDR)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mapping.FromFabric(f)
		if err != nil {
			t.Fatal(err)
		}
		if m.NumHosts() != n.NumHosts() || m.NumSwitches() != n.NumSwitches() || len(m.Wires()) != len(n.Wires()) {
			t.Fatalf("%d: a different network came back", seed)
		}
		for i, w := range n.Wires() {
			if m.Wires()[i] != w {
				t.Fatalf("%d: wire %v came back as %v", seed, w, m.Wires()[i])
			}
		}
	}
}
