package lab

import (
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
