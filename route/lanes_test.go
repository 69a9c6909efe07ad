package route

import (
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route/routetest"
)

// SLs behave as a map from both classes, at any number of classes.
func TestSLs(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		src, dst := rapid.Int32Range(1, 9).Draw(rt, "sources"), rapid.Int32Range(1, 9).Draw(rt, "destinations")
		m := NewSLs([]int32{0, src - 1}, []int32{-1, dst - 1}, int(src), int(dst))
		model := map[[2]int32]uint8{}
		for range rapid.IntRange(0, 50).Draw(rt, "steps") {
			s, d := rapid.Int32Range(0, src-1).Draw(rt, "s"), rapid.Int32Range(0, dst-1).Draw(rt, "d")
			sl := rapid.Uint8Range(0, NumSLs-1).Draw(rt, "sl")
			if rapid.Bool().Draw(rt, "row") {
				row := make([]uint8, src)
				for i := range row {
					row[i] = (sl + uint8(i)) % NumSLs
					model[[2]int32{int32(i), d}] = row[i]
				}
				m.SetRow(d, row)
				continue
			}
			m.Set(s, d, sl)
			model[[2]int32{s, d}] = sl
		}
		for s := range src {
			for d := range dst {
				if got, want := m.ByClass(s, d), model[[2]int32{s, d}]; got != want {
					rt.Fatalf("SL %d from class %d to %d of %dx%d, want %d", got, s, d, src, dst, want)
				}
			}
		}
		if got, want := m.At(1, 1), model[[2]int32{src - 1, dst - 1}]; got != want {
			rt.Fatalf("SL %d by end port and LID, want %d", got, want)
		}
	})
}

// Destination classes can be filled by several goroutines: under the race
// detector this fails if two of them share a byte.
func TestSLsRowsAreSeparate(t *testing.T) {
	m := NewSLs(nil, nil, 5, 2)
	done := make(chan bool)
	for d := range int32(2) {
		go func() {
			for s := range int32(5) {
				m.Set(s, d, uint8(s+d))
			}
			done <- true
		}()
	}
	<-done
	<-done
	for s := range int32(5) {
		if m.ByClass(s, 0) != uint8(s) || m.ByClass(s, 1) != uint8(s+1) {
			t.Errorf("source class %d: SLs %d and %d", s, m.ByClass(s, 0), m.ByClass(s, 1))
		}
	}
}

func TestUniformSL(t *testing.T) {
	ends := Ends{Base: []fabric.LID{3, 7}, LMC: []uint8{0, 0}}
	m := UniformSL(&ends, 5)
	for src := range int32(2) {
		for lid := range ends.Top() + 1 {
			if lid == 3 || lid == 7 {
				if got := m.At(src, lid); got != 5 {
					t.Errorf("SL %d from %d to LID %d", got, src, lid)
				}
			}
		}
	}
}

// A table is found by what the switch chooses it by.
func TestSL2VLTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := routetest.Line(t, 3, 2).Compile()
		m := UniformVL(g, VLTable{})
		for i := range uint8(40) {
			m.Pool = append(m.Pool, VLTable{i % 15, i / 15})
		}
		index := rapid.Uint16Range(0, 40)
		byOut := rapid.SliceOfN(index, 7, 7).Draw(rt, "by output")
		byBoth := rapid.SliceOfN(index, 49, 49).Draw(rt, "by both")
		m.Switch[1] = SwitchSL2VL{By: ByOut, Index: byOut}
		m.Switch[2] = SwitchSL2VL{By: ByInOut, Index: byBoth}
		for in := range uint8(7) {
			for out := range uint8(7) {
				for s, want := range []uint16{0, byOut[out], byBoth[7*int(in)+int(out)]} {
					if got := m.Table(g, int32(s), in, out); got != &m.Pool[want] {
						rt.Fatalf("switch %d, port %d to %d: table %v, want number %d", s, in, out, *got, want)
					}
				}
			}
		}
	})
}

func TestIntern(t *testing.T) {
	m := UniformVL(routetest.Line(t, 1, 1).Compile(), VLTable{})
	other := VLTable{3: 1}
	if a, b, c := m.Intern(VLTable{}), m.Intern(other), m.Intern(other); a != 0 || b != 1 || c != 1 || len(m.Pool) != 2 {
		t.Errorf("tables %d, %d, %d of a pool of %d", a, b, c, len(m.Pool))
	}
	m.Host[0] = 1
	if *m.HostTable(0) != other {
		t.Error("the host does not use its table")
	}
}

// Only the links to hosts that have fewer VLs than the lanes change: their lanes are
// those modulo the VLs, and what is dropped stays so.
func TestFitHosts(t *testing.T) {
	g := routetest.Line(t, 3, 2).Compile()
	lane := VLTable{0, 1, 2, 3, DropVL}
	for h, vls := range []uint8{0, 1, 2, 3, 4, 8} { // two hosts a switch, on ports 5 and 6
		g.PortVLs[g.PortStart[g.EndSwitch[h]]+int32(g.EndPort[h])] = vls
	}
	const ports = 7
	m := UniformVL(g, lane)
	m.Pool = append(m.Pool, VLTable{3, 3, 3, 3})
	all := make([]uint16, ports*ports)
	all[1*ports+5] = 1
	m.Switch[1] = SwitchSL2VL{By: ByInOut, Index: all}
	m.FitHosts(g, 4)
	one, two, three := VLTable{4: DropVL}, VLTable{0, 1, 0, 1, DropVL}, VLTable{0, 1, 2, 0, DropVL}
	for h, want := range []VLTable{lane, one, two, three, lane, lane} {
		s, out := g.EndSwitch[h], g.EndPort[h]
		if got := *m.HostTable(int32(h)); got != want {
			t.Errorf("host %d: %v, want %v", h, got, want)
		}
		if got := *m.Table(g, s, 2, out); got != want {
			t.Errorf("switch %d to host %d: %v, want %v", s, h, got, want)
		}
		if got := *m.Table(g, s, out, 2); got != lane {
			t.Errorf("switch %d from host %d: %v, want %v", s, h, got, lane)
		}
	}
	if got, want := *m.Table(g, 1, 1, 5), (VLTable{1, 1, 1, 1}); got != want {
		t.Errorf("switch 1 from port 1 to 5: %v, want %v", got, want)
	}
	if by := [3]SL2VLBy{m.Switch[0].By, m.Switch[1].By, m.Switch[2].By}; by != [3]SL2VLBy{ByOut, ByInOut, ByNothing} || all[5] != 0 {
		t.Errorf("switches choose in ways %v; what was given changed to %v", by, all)
	}
}

func TestSingleLane(t *testing.T) {
	g := routetest.Line(t, 2, 1).Compile()
	p := &Plan{Ends: Ends{Base: []fabric.LID{1, 2, 3, 4}, LMC: make([]uint8, 4)}}
	p.SingleLane(g)
	for end := range int32(g.NumEnds) {
		for _, lid := range p.Ends.Base {
			if p.SL.At(end, lid) != 0 {
				t.Errorf("SL %d from %d to LID %d", p.SL.At(end, lid), end, lid)
			}
		}
	}
	for s := range int32(g.NumSwitches) {
		if *p.SL2VL.Table(g, s, 1, 2) != (VLTable{}) {
			t.Errorf("switch %d uses more than VL 0", s)
		}
	}
	if p.VLs != 1 {
		t.Errorf("%d VLs", p.VLs)
	}
}
