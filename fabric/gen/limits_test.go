package gen

import (
	"runtime"
	"testing"
)

// TestWithin: each formula and suffix of the catalogue builds within as many nodes as it has, and not
// within one less; what is far too large is refused before it is built.
func TestWithin(t *testing.T) {
	for _, e := range Catalogue() {
		f, err := Parse(e.Example)
		if err != nil {
			t.Fatal(err)
		}
		most := Limits{len(f.Nodes), usual.Links, usual.SwitchPorts}
		if _, err := Within(e.Example, most); err != nil {
			t.Errorf("%s: %v", e.Example, err)
		}
		most.Nodes--
		if _, err := Within(e.Example, most); err == nil {
			t.Errorf("%s was built within %+v", e.Example, most)
		}
	}
	small := Limits{1 << 10, 1 << 12, 1 << 14}
	for _, expr := range []string{
		"torus(64x64x64,hosts=0)", "mesh(64x64x64)", "hyperx(16x16x16)", "hypercube(16)", "rlft(64,3)", "mport(64,3)", "karytree(32,3)", "xgft(2;64,64;1,32)",
		"pgft(3;18,18,36;1,18,18;1,1,1)", "kautz(30,2)", "slimfly(29)", "dragonfly(16,32,16)", "dragonflyplus(16,16,16,16)", "rail(8,32,64)", "random(switches=60000)", "irregular(switches=9000)",
		"regular(switches=60000)", "tree(64,60000)", "butterfly(16,4)", "torus(4x4)|planes(250)", "torus(4x4)|plane(torus(64x64x64))", "rlft(4,2)|merge(rlft(64,3))",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Within(expr, small)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s was built", expr)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s took %d bytes: %v", expr, took, err)
		}
	}
}
