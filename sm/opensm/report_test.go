package opensm

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestFamilies: unknown options of a vendor's file take a few lines, which count all of them; with
// All each has its line.
func TestFamilies(t *testing.T) {
	var lines []string
	n := 0
	for _, family := range []struct {
		word  string
		count int
	}{{"aa", 30}, {"bb", 120}, {"cc", 39}, {"alone", 1}} {
		for range family.count {
			n++
			lines = append(lines, fmt.Sprintf("%s_nobodys_option_%d 1", family.word, n))
		}
	}
	r, err := Import(&Input{Config: conf(lines...), Open: opener(nil)})
	if err != nil {
		t.Fatal(err)
	}
	print := func(all bool) string {
		var b bytes.Buffer
		if err := (&Report{Notes: r.Notes, All: all}).Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if short := strings.Join(strings.Fields(print(false)), " "); !strings.Contains(short, "190 options that neither") || !strings.Contains(short, "bb_* (120), cc_* (39), aa_* (30), alone_nobodys_option_190") || strings.Count(print(false), "\n") > 12 {
		t.Error(print(false))
	}
	if long := print(true); strings.Count(long, "_nobodys_option_") != n {
		t.Errorf("%d options in full, want %d: %s", strings.Count(long, "_nobodys_option_"), n, long)
	}
}
