package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"weft/mapping/mappingtest"
)

// TestFig4 has the levels of the paper's figure: 35 hosts on top, 7, 4 and 2 switches,
// the utility host below a root.
func TestFig4(t *testing.T) {
	n := mappingtest.Network(t, "now-c")
	l := Place(n, 35)
	if len(l.Levels) != 3 || len(l.Levels[0]) != 7 || len(l.Levels[1]) != 4 || len(l.Levels[2]) != 2 || l.Below != 35 {
		t.Fatalf("levels %v, below %d", l.Levels, l.Below)
	}
	for k, row := range l.Levels {
		for _, s := range row {
			if want := [...]string{"C1", "C2", "C3"}[k]; !strings.HasPrefix(n.NodeName(s), want) {
				t.Errorf("%s is on level %d", n.NodeName(s), k)
			}
		}
	}
	if other := Place(n, 3); other.Below != -1 || len(other.Levels[0]) != 8 {
		t.Errorf("a host among others is below: %d, %d switches on the first level", other.Below, len(other.Levels[0]))
	}
}

// TestNoOverlap: within a row no two switches and no two hosts overlap, all are inside
// the picture, and hosts are above their switch.
func TestNoOverlap(t *testing.T) {
	for seed := range uint64(60) {
		n := mappingtest.Random(seed, 40)
		l := Place(n, int32(seed)%int32(n.NumHosts()))
		placed := 0
		for _, row := range l.Levels {
			placed += len(row)
			for i, s := range row {
				if x := l.X[s]; x < switchWidth/2 || x > l.Width-switchWidth/2 {
					t.Errorf("network %d: a switch at %.0f of %.0f", seed, x, l.Width)
				}
				if i > 0 && l.X[s]-l.X[row[i-1]] < switchWidth {
					t.Errorf("network %d: switches at %.1f and %.1f", seed, l.X[row[i-1]], l.X[s])
				}
			}
		}
		if placed != n.NumSwitches() {
			t.Errorf("network %d: %d of %d switches have a level", seed, placed, n.NumSwitches())
		}
		at := map[int]bool{}
		for h := range n.NumHosts() {
			if int32(h) == l.Below {
				continue
			}
			x := int(l.X[h] * 10)
			if at[x] {
				t.Errorf("network %d: two hosts at %.1f", seed, l.X[h])
			}
			at[x] = true
		}
	}
}

// TestSVG: the picture is well-formed, has everything once, and is the same each time.
func TestSVG(t *testing.T) {
	for seed := range uint64(30) {
		n := mappingtest.Random(seed, 30)
		var one, two bytes.Buffer
		for _, b := range []*bytes.Buffer{&one, &two} {
			if err := SVG(b, n, Options{Title: "a <map> & more", Utility: -1}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("network %d: two pictures differ", seed)
		}
		count := map[string]int{}
		for dec := xml.NewDecoder(&one); ; {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("network %d: %v", seed, err)
			}
			if start, ok := token.(xml.StartElement); ok {
				count[start.Name.Local]++
			}
		}
		free := 0
		for _, d := range n.Degree {
			free += int(d)
		}
		free += n.NumHosts() - 2*n.NumWires()
		if count["rect"] != 1+n.NumNodes() || count["line"]+count["path"] != n.NumWires() || count["circle"] != free || count["text"] != 2+n.NumNodes() {
			t.Errorf("network %d: %v for %d nodes, %d wires, %d unused ports", seed, count, n.NumNodes(), n.NumWires(), free)
		}
	}
}

// TestCrossings: sweeps undo a shuffle of a tree, which needs no crossing.
func TestCrossings(t *testing.T) {
	n := mappingtest.Network(t, "xgft(2;4,4;1,1)")
	l := Place(n, -1)
	p := newPlacer(n, l)
	for k := range l.Levels {
		p.number(k)
	}
	if crossings := p.crossings(); crossings != 0 {
		t.Errorf("%d crossings in a tree", crossings)
	}
}
