package probe

import (
	"errors"
	"slices"
	"testing"
	"time"

	"weft/mapping"
)

// tardy is a prober whose answers were delayed so often.
type tardy struct {
	delays  int
	patient bool
}

func (t *tardy) Probe([]mapping.Turn) (mapping.Reply, time.Duration) { return mapping.Reply{}, 0 }
func (t *tardy) Delays() int                                         { return t.delays }
func (t *tardy) WaitLonger()                                         { t.patient = true }

// TestPatiently: a mapper runs once more, with a longer timeout and the rest of its limit, if
// answers were delayed while it ran, and only then.
func TestPatiently(t *testing.T) {
	for _, c := range []struct {
		name    string
		delayed int
		limit   int
		err     error
		want    []int // the limits that it ran with
	}{
		{"nothing delayed", 0, 50, nil, []int{50}},
		{"delayed", 2, 50, nil, []int{50, 40}},
		{"delayed, no limit", 1, 0, nil, []int{0, 0}},
		{"delayed, the limit reached", 1, 10, nil, []int{10, 1}},
		{"an error", 1, 50, ErrLimit, []int{50}},
	} {
		p := &tardy{delays: 3}
		var limits []int
		r, err := Patiently(p, c.limit, func(r int) int { return r }, func(limit, before int) (int, error) {
			if len(limits) > 0 && (before != 10 || !p.patient) {
				t.Errorf("%s: again after %d probes, patient %v", c.name, before, p.patient)
			}
			if limits = append(limits, limit); len(limits) == 1 {
				p.delays += c.delayed
			}
			return 10 * len(limits), c.err
		})
		if !errors.Is(err, c.err) || r != 10*len(c.want) || !slices.Equal(limits, c.want) || p.patient != (len(c.want) > 1) {
			t.Errorf("%s: %d, %v, limits %v, patient %v", c.name, r, err, limits, p.patient)
		}
	}
	runs := 0
	if _, err := Patiently(mapping.ProbeFunc(nil), 5, func(int) int { return 0 }, func(int, int) (int, error) { runs++; return 0, nil }); err != nil || runs != 1 {
		t.Errorf("a prober that knows of no delays: %d runs, %v", runs, err)
	}
}
