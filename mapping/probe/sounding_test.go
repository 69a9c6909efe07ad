package probe

import (
	"reflect"
	"testing"

	"weft/mapping"
)

// TestSoundings: a string that led to a host in a position is preferred there, a failed one is
// dropped, and clones return their findings once.
func TestSoundings(t *testing.T) {
	var s Soundings
	every := func(mapping.Turn) bool { return true }
	if k, _ := s.Best(1, 2, every); k >= 0 {
		t.Errorf("no string, and the best is %d", k)
	}
	if got := Endings([]mapping.Turn{1, 2, 3}); !reflect.DeepEqual(got, [][]mapping.Turn{{3}, {2, 3}}) {
		t.Errorf("endings %v", got)
	}
	a, b := s.Index([]mapping.Turn{3}), s.Index([]mapping.Turn{2, 3})
	if s.Index([]mapping.Turn{3}) != a {
		t.Error("a string is twice in the list")
	}
	one, two := s.Clone(), s.Clone()
	two.Index([]mapping.Turn{7}) // both learn a string, at the same place in their lists
	one.Index([]mapping.Turn{6})
	one.AddTry(a, 10, 2)
	one.AddTry(b, 10, 2)
	one.AddHit(b, 2)
	two.AddTry(a, 11, 2)
	two.AddTry(two.Index([]mapping.Turn{6}), 11, 100)
	for _, c := range []*Soundings{one, two} {
		s.Absorb(c)
	}
	if len(s.list) != 4 || s.list[a].tries[2] != 2 || s.list[a].hits[2] != 0 || s.list[b].tries[2] != 1 || s.list[b].hits[2] != 1 || s.list[s.Index([]mapping.Turn{6})].tries[Positions-1] != 1 {
		t.Errorf("%+v", s.list)
	}
	if k, share := s.Best(12, 2, every); k != b || share < 0.7 {
		t.Errorf("the best is %d (%v), want %d", k, share, b)
	}
	if k, _ := s.Best(12, 2, func(turn mapping.Turn) bool { return turn == 3 }); k >= 0 {
		t.Errorf("string %d failed twice, and is the best", k)
	}
	s.AddTry(b, 12, 2)
	if k, _ := s.Best(12, 2, every); k == b {
		t.Error("a string is tried again at once")
	}
}
