package choose

import (
	"slices"
	"testing"
)

// TestApps: with applications, networks are in order of their time, one is beaten only by one that
// runs them as fast, and the recommended one runs them in at most ten ninths of the time on the
// tree. A ring all-reduce needs little between switches, an all-to-all operation all of it.
func TestApps(t *testing.T) {
	want := Want{Hosts: 100, Radix: 24, Rails: 1, Ratio: 1}
	for program, kind := range map[string]string{"allreduce(ring,size=1MiB)": "full-mesh", "alltoall(shift,size=16KiB)": "tree"} {
		apps, err := want.OpenApps([]string{program})
		if err != nil {
			t.Fatal(err)
		}
		p, err := Propose(t.Context(), want, Study{Measure: "always", Runs: 10, Seed: 1, Workers: 1, Apps: apps})
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Concat(p.Proposals, p.Beaten)
		at := slices.IndexFunc(all, func(c *Proposal) bool { return c.Formula == p.Best.Formula })
		tree := slices.IndexFunc(all, func(c *Proposal) bool { return c.Formula == "tree(24,100)" })
		if best := all[at]; best.Kind != kind || best.Apps[0].EndNS > all[tree].Apps[0].EndNS/enough || best.Bill.Switches > all[tree].Bill.Switches {
			t.Errorf("%s: recommended %s: %s; tree %s", program, best.Formula, appText(&best.Apps[0]), appText(&all[tree].Apps[0]))
		}
		for i, c := range p.Proposals {
			if i > 0 && c.Apps[0].EndNS < p.Proposals[i-1].Apps[0].EndNS {
				t.Errorf("%s: %s is behind %s", program, c.Formula, p.Proposals[i-1].Formula)
			}
		}
		for _, c := range p.Beaten {
			by := all[slices.IndexFunc(all, func(b *Proposal) bool { return b.Formula == c.Beaten })]
			if by.Apps[0].EndNS > c.Apps[0].EndNS || by.EBB < c.EBB {
				t.Errorf("%s: %s is beaten by %s, which is slower", program, c.Formula, by.Formula)
			}
		}
	}
	if _, err := want.OpenApps([]string{"allreduce(ranks=101)"}); err == nil {
		t.Error("more ranks than servers: no error")
	}
}
