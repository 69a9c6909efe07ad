package collective

import (
	"strings"
	"testing"
)

// TestLimits: what would overflow or take all memory is refused, with what to do.
func TestLimits(t *testing.T) {
	for text, want := range map[string]string{
		"allreduce(size=NaN,ranks=4)":                "a size is 0 to 1 PiB",
		"allreduce(size=-1,ranks=4)":                 "a size is 0 to 1 PiB",
		"allgather(bruck,size=1024TiB,ranks=100000)": "more than 2^63",
		"alltoall(atonce,ranks=4097)":                "take pairwise or shift",
		"alltoall(rails,ranks=1048576,group=524288)": "a smaller group=",
		"allreduce":                             "add ranks=N",
		"allreduce(ranks=1)":                    "a number from 2 is expected",
		"allreduce(ranks=99999999999999999999)": "a number from 2 is expected",
		"allreduce(ranks=1048577)":              "2 to 1048576 are possible",
		"allgather(doubling,ranks=6)":           "powers of two",
	} {
		contains(t, text, want)
	}
	s, err := Parse("allreduce(ring,ranks=1048576)", Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Schedule(); err == nil || !strings.Contains(err.Error(), "too many for a schedule") {
		t.Errorf("a schedule of 2^42 operations: %v", err)
	}
}

// contains checks that a text is refused with words.
func contains(t *testing.T, text, want string) {
	t.Helper()
	if _, err := Parse(text, Defaults{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %q", text, err, want)
	}
}

// TestBruck: the blocks of a round are those of the distances with the round's bit.
func TestBruck(t *testing.T) {
	for p := 2; p < 70; p++ {
		r := bruck(p, 10)
		for j := range r.count {
			want := int64(0)
			for i := range p {
				want += 10 * int64(i>>j&1)
			}
			if got := r.of(0, j, nil)[0].bytes; got != want {
				t.Errorf("%d ranks, round %d: %d bytes, want %d", p, j, got, want)
			}
		}
	}
}
