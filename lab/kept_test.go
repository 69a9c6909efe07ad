package lab

import (
	"slices"
	"sync"
	"testing"
)

// TestKept: a result is computed once by name, also where computing it asks for another one.
func TestKept(t *testing.T) {
	var k Kept[int]
	computed := 0
	for range 3 {
		if v := k.Once("seven", func() int {
			computed++
			return 1 + k.Once("six", func() int {
				computed++
				return 6
			})
		}); v != 7 {
			t.Errorf("%d", v)
		}
	}
	if computed != 2 {
		t.Errorf("%d results were computed, not 2", computed)
	}
}

// TestKeptExtend: more is made of what is there only where that is not enough.
func TestKeptExtend(t *testing.T) {
	var k Kept[[]int]
	made := 0
	upTo := func(n int) []int {
		return k.Extend("numbers", func(had []int) bool { return len(had) >= n }, func(had []int) []int {
			made++
			all := slices.Clone(had)
			for len(all) < n {
				all = append(all, len(all))
			}
			return all
		})
	}
	for _, x := range []struct{ n, length, made int }{{2, 2, 1}, {1, 2, 1}, {2, 2, 1}, {5, 5, 2}, {4, 5, 2}} {
		if got := upTo(x.n); len(got) != x.length || made != x.made {
			t.Errorf("%d numbers: there are %d, made %d times; want %d and %d", x.n, len(got), made, x.length, x.made)
		}
	}
}

// TestKeptTogether: goroutines that ask for the same get the same.
func TestKeptTogether(t *testing.T) {
	var k Kept[int]
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				if v := k.Once(string(rune('a'+i%26)), func() int { return i % 26 }); v != i%26 {
					t.Errorf("%d: %d", i, v)
				}
			}
		})
	}
	wg.Wait()
}
