package share

import "testing"

// TestRule lets ports take places until the rule stops them: few greedy ports leave room for
// everybody, whoever comes first, and all places can be used.
func TestRule(t *testing.T) {
	for _, c := range []struct{ percent, greedy, most, each, all int }{
		{0, 1, 1100, 100, 100},
		{10, 10, 1100, 55, 550},
		{100, 1, 1000, 500, 500},
		{100, 9, 1000, 100, 900},
		{1, 3, 100, Floor, 3 * Floor},
		{10, 1, 10, 10, 10}, // fewer places than the floor
	} {
		r, held, used := Rule{c.percent}, make([]int, c.greedy), 0
		for again := true; again && used <= c.most; {
			again = false
			for p := range held {
				if r.Allows(held[p], used, c.most) {
					held[p]++
					used++
					again = true
				}
			}
		}
		if held[0] != c.each || used != c.all {
			t.Errorf("%+v: one port holds %d, all %d", c, held[0], used)
		}
		for used <= c.most && r.Allows(0, used, c.most) {
			used++
		}
		if used != c.most {
			t.Errorf("%+v: ports without places get %d", c, used)
		}
	}
	if r := (Rule{}); !r.Fits(900, 0, 100, 1000) || r.Fits(901, 0, 100, 1000) || !r.Fits(40, 50, 100, 1000) || r.Fits(41, 50, 100, 1000) {
		t.Error("pieces of different sizes")
	}
}

// TestCount: places are counted by holder and in all, and nothing is kept of a holder without any.
func TestCount(t *testing.T) {
	var c Count[string]
	for c.Allows(Rule{}, "greedy", 100) {
		c.Add("greedy", 1)
	}
	if c.Of("greedy") != Floor || c.All() != Floor || !c.Allows(Rule{}, "other", 100) {
		t.Errorf("one holder has %d of %d places", c.Of("greedy"), c.All())
	}
	c.Add("other", 2)
	if c.Add("greedy", -Floor); c.All() != 2 || c.Of("other") != 2 || len(c.of) != 1 {
		t.Errorf("%+v", c)
	}
	if c.Clear(); c.All() != 0 || len(c.of) > 0 {
		t.Errorf("%+v", c)
	}
}
