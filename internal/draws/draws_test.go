package draws

import (
	"flag"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// recorder stands for a test that may fail.
type recorder struct {
	*testing.T
	failed bool
	text   strings.Builder
}

func (r *recorder) Logf(format string, args ...any) { fmt.Fprintf(&r.text, format+"\n", args...) }
func (r *recorder) Log(args ...any)                 { fmt.Fprintln(&r.text, args...) }
func (r *recorder) Fail()                           { r.failed = true }
func (r *recorder) Failed() bool                    { return r.failed }
func (r *recorder) Error(args ...any)               { r.Log(args...); r.Fail() }
func (r *recorder) Errorf(format string, args ...any) {
	r.Logf(format, args...)
	r.Fail()
}

func (r *recorder) FailNow() {
	r.Fail()
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Logf(format, args...)
	r.FailNow()
}

// check checks as Check does, in a test of its own that may fail.
func check(t *testing.T, property func(*rapid.T), unmet func() string) *recorder {
	t.Helper()
	r, done := &recorder{T: t}, make(chan bool)
	go func() {
		defer close(done)
		Check(r, property, unmet)
	}()
	<-done
	return r
}

// set sets a flag for a test.
func set(t *testing.T, name, value string) {
	t.Helper()
	old := flag.Lookup(name).Value.String()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set(name, old) })
}

// drawn checks until enough different checks have begun, and returns what each drew first, with
// the seed that is left.
func drawn(t *testing.T, fixed string, enough int) (first []uint64, seed string) {
	t.Helper()
	set(t, flagName, fixed)
	begun := true
	r := check(t, func(t *rapid.T) {
		if n := rapid.Uint64().Draw(t, "n"); begun {
			first, begun = append(first, n), false
		}
	}, func() string {
		if begun = true; len(first) < enough {
			return "something"
		}
		return ""
	})
	if r.failed {
		t.Fatal(r.text.String())
	}
	return first, flag.Lookup(flagName).Value.String()
}

// TestDrawnAgain: each check draws something else, from a fixed seed the same in every run, and
// the seed is left as it was.
func TestDrawnAgain(t *testing.T) {
	for _, fixed := range []string{"20261124", "18446744073709551615", "0"} {
		first, left := drawn(t, fixed, most)
		if len(first) != most || left != fixed {
			t.Errorf("seed %s: %d checks, seed %s is left", fixed, len(first), left)
		}
		sorted := slices.Sorted(slices.Values(first))
		if n := len(slices.Compact(sorted)); n < most/2 { // some draws are small numbers
			t.Errorf("seed %s: %d different draws in %d checks", fixed, n, most)
		}
		if again, _ := drawn(t, fixed, most); slices.Equal(again, first) != (fixed != "0") {
			t.Errorf("seed %s: %v, then %v", fixed, first, again)
		}
	}
}

// TestOnce: a property whose cases are met is checked once.
func TestOnce(t *testing.T) {
	asked := 0
	r := check(t, func(*rapid.T) {}, func() string {
		asked++
		return ""
	})
	if r.failed || asked != 1 {
		t.Errorf("failed %v, asked %d times", r.failed, asked)
	}
}

// TestUnmet: a case that is never met fails the test with its name.
func TestUnmet(t *testing.T) {
	set(t, flagName, "7")
	asked := 0
	r := check(t, func(*rapid.T) {}, func() string {
		asked++
		return "no white raven"
	})
	if !r.failed || asked != most || !strings.Contains(r.text.String(), "not met: no white raven") {
		t.Errorf("failed %v, asked %d times: %s", r.failed, asked, &r.text)
	}
	if got := flag.Lookup(flagName).Value.String(); got != "7" {
		t.Errorf("seed %s is left", got)
	}
}

// TestFalse: a property that draws of a later check falsify fails, names the seed that shows it
// at once, and nothing is asked any more.
func TestFalse(t *testing.T) {
	set(t, flagName, "7")
	set(t, "rapid.nofailfile", "true")
	checks := 0
	property := func(t *rapid.T) {
		if n := rapid.Uint64Range(0, 1<<40).Draw(t, "n"); checks >= 3 && n > 1<<20 {
			t.Fatal("too large")
		}
	}
	r := check(t, property, func() string {
		checks++
		return "something"
	})
	text := r.text.String()
	_, after, found := strings.Cut(text, "-rapid.seed=")
	if !r.failed || checks != 3 || !found || !strings.Contains(text, "too large") {
		t.Fatalf("failed %v, %d checks: %s", r.failed, checks, text)
	}
	value, _, _ := strings.Cut(after, "\n")
	set(t, flagName, value)
	again := check(t, property, func() string { return "" })
	if !strings.Contains(again.text.String(), "failed after 0 tests") {
		t.Errorf("seed %s: %s", value, &again.text)
	}
}

// TestMissing: the first case without a count is named.
func TestMissing(t *testing.T) {
	met := map[string]int{"a": 2, "b": 0}
	if got := Missing(met, "a"); got != "" {
		t.Error(got)
	}
	if got := Missing(met, "a", "b", "c"); got != "b: map[a:2 b:0]" {
		t.Error(got)
	}
}
