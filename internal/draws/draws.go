// Package draws runs property tests whose random draws must include certain cases. If all draws of
// a test missed one of them, it draws again, up to 30 times. So a test rarely fails by chance, and
// never passes without a try of each case. Only tests import it.
package draws

import (
	"flag"
	"fmt"
	"strconv"

	"pgregory.net/rapid"
)

// most is the maximum number of checks of a property until each case is met. A case that one check
// in two misses is missed by chance by one test in a thousand million.
const most = 30

// Check checks a property like rapid.Check, and again with other draws while unmet names a case
// that no check has met. unmet returns "" if nothing is missing. If cases are still not met after
// many checks, the test fails. With a fixed seed the draws are the same in every run.
func Check(t rapid.TB, property func(*rapid.T), unmet func() string) {
	t.Helper()
	defer restore(t, seed(t))
	for n := 1; ; n++ {
		rapid.Check(t, property)
		missing := unmet()
		switch {
		case missing == "":
			return
		case n == most:
			t.Fatalf("after %d checks with other draws each, a case was not met: %s", n, missing)
		}
		t.Logf("drawn again: %s", missing)
		next(t)
	}
}

const flagName = "rapid.seed"

// seed returns the seed that rapid starts from, or 0 if it chooses one by chance.
func seed(t rapid.TB) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(flag.Lookup(flagName).Value.String(), 0, 64)
	if err != nil {
		t.Fatalf("-%s: %v", flagName, err)
	}
	return n
}

// next moves to another seed if it is fixed; otherwise rapid does so itself. 0 is no seed.
func next(t rapid.TB) {
	t.Helper()
	if s := seed(t); s > 0 {
		restore(t, max(s+1, 1))
	}
}

func restore(t rapid.TB, seed uint64) {
	t.Helper()
	if err := flag.Set(flagName, strconv.FormatUint(seed, 10)); err != nil {
		t.Fatalf("-%s: %v", flagName, err)
	}
}

// Missing names the first case that was never met, with all counts, or returns "".
func Missing(met map[string]int, cases ...string) string {
	for _, c := range cases {
		if met[c] == 0 {
			return fmt.Sprintf("%s: %v", c, met)
		}
	}
	return ""
}
