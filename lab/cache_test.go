package lab

import (
	"sync"
	"testing"
)

// TestCache: a result is computed once by name, also where computing it asks for another one.
func TestCache(t *testing.T) {
	var c Cache[int]
	computed := 0
	for range 3 {
		if v := c.Get("seven", func() int {
			computed++
			return 1 + c.Get("six", func() int {
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

// TestCacheTogether: goroutines that ask for the same get the same.
func TestCacheTogether(t *testing.T) {
	var c Cache[int]
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				if v := c.Get(string(rune('a'+i%26)), func() int { return i % 26 }); v != i%26 {
					t.Errorf("%d: %d", i, v)
				}
			}
		})
	}
	wg.Wait()
}
