package route

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
)

func TestNewTables(t *testing.T) {
	for _, c := range []struct {
		top    fabric.LID
		blocks int
	}{{0, 1}, {63, 1}, {64, 2}, {fabric.MaxUnicastLID, 768}} {
		tables := NewTables(2, c.top)
		if tables.NumSwitches() != 2 || tables.NumBlocks() != c.blocks || int(tables.Top()) != c.blocks*BlockSize-1 {
			t.Errorf("top %d: %d switches, %d blocks, top %d", c.top, tables.NumSwitches(), tables.NumBlocks(), tables.Top())
		}
		for _, lid := range []fabric.LID{0, c.top, tables.Top(), 0xFFFF} {
			if p := tables.Port(1, lid); p != NoPort {
				t.Errorf("new tables send LID %d to port %d", lid, p)
			}
		}
	}
}

// Tables and their clones behave as independent maps, and share exactly the blocks
// that neither has written since.
func TestTablesCloneOnWrite(t *testing.T) {
	const switches, top = 3, 200
	type entry struct {
		s   int32
		lid fabric.LID
	}
	rapid.Check(t, func(rt *rapid.T) {
		all := []*Tables{NewTables(switches, top)}
		model := []map[entry]uint8{{}}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			i := rapid.IntRange(0, len(all)-1).Draw(rt, "tables")
			if rapid.IntRange(0, 9).Draw(rt, "clone") == 0 {
				all = append(all, all[i].Clone())
				model = append(model, maps.Clone(model[i]))
				for s := range int32(switches) {
					for b := range all[i].NumBlocks() {
						if all[i].Block(s, b) != all[len(all)-1].Block(s, b) {
							rt.Fatalf("a fresh clone does not share block %d of switch %d", b, s)
						}
					}
				}
				continue
			}
			e := entry{int32(rapid.IntRange(0, switches-1).Draw(rt, "s")), fabric.LID(rapid.IntRange(0, top).Draw(rt, "lid"))}
			port := rapid.Uint8().Draw(rt, "port")
			all[i].Set(e.s, e.lid, port)
			model[i][e] = port
			for j, other := range all {
				if k := int(e.lid) / BlockSize; j != i && all[i].Block(e.s, k) == other.Block(e.s, k) {
					rt.Fatal("a written block is still shared")
				}
			}
		}
		for i := range all {
			for s := range int32(switches) {
				for lid := range all[i].Top() + 1 {
					want, ok := model[i][entry{s, lid}]
					if !ok {
						want = NoPort
					}
					if got := all[i].Port(s, lid); got != want || all[i].Block(s, int(lid)/BlockSize)[lid%BlockSize] != want {
						rt.Fatalf("tables %d: switch %d sends LID %d to %d, want %d", i, s, lid, got, want)
					}
				}
			}
		}
	})
}

// Switches may share a block until one of them is written.
func TestTablesOf(t *testing.T) {
	b := &Block{5: 7}
	tables := TablesOf(2, [][]*Block{{b, b}, {b, b}})
	tables.Set(1, 69, 9)
	for s, want := range [][]uint8{{7, 7}, {7, 9}} {
		for i, port := range want {
			if got := tables.Port(int32(s), fabric.LID(64*i+5)); got != port {
				t.Errorf("switch %d sends LID %d to %d, want %d", s, 64*i+5, got, port)
			}
		}
	}
	if tables.Top() != 127 || b[5] != 7 {
		t.Errorf("top %d, block %v", tables.Top(), b)
	}
}

// TestRun: entries of LIDs in several blocks are written and read together, and no others.
func TestRun(t *testing.T) {
	tables := NewTables(2, 200)
	want := make([]uint8, 130)
	for i := range want {
		want[i] = uint8(i)
	}
	tables.SetRun(1, 50, want)
	got := make([]uint8, 130)
	tables.ReadRun(1, 50, got)
	if !slices.Equal(got, want) {
		t.Errorf("read %v", got)
	}
	if a, b, c := tables.Port(1, 49), tables.Port(1, 180), tables.Port(0, 60); min(a, b, c) != NoPort {
		t.Errorf("ports %d, %d, %d beside them", a, b, c)
	}
}

func BenchmarkTablesSet(b *testing.B) {
	t := NewTables(16, 49151)
	for b.Loop() {
		for s := range int32(16) {
			for lid := range fabric.LID(49152) {
				t.Set(s, lid, uint8(lid))
			}
		}
	}
}
