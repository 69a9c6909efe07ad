package traffic

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
)

var kinds []Kind

// init and not the declaration, because ptrnvsptrn is built from other kinds.
func init() {
	kinds = []Kind{
		{Name: "bisect", Shuffled: true, build: bisect(false), Summary: "random halves, one way: neighbours in the list of hosts, 1 to 0, 3 to 2 and so on; an odd last rank is idle"},
		{Name: "bisect_fb_sym", Shuffled: true, build: bisect(true), Summary: "the same pairs, both ways at once"},
		{Name: "rand", Shuffled: true, Drawn: true, build: permutation, Summary: "a random permutation that leaves no rank in place"},
		{Name: "null", Shuffled: true, build: null, Summary: "nothing"},
		{Name: "tree", Shuffled: true, build: tree, Summary: "binomial tree; round l: i to i+2^l for i < 2^l"},
		{Name: "bruck", Shuffled: true, build: bruck, Summary: "dissemination; round l: i to i+2^l modulo the ranks"},
		{Name: "recdbl", Shuffled: true, build: recdbl, Summary: "recursive doubling; round l: i and i xor 2^l in the largest power of two q, then one round i to q+i"},
		{Name: "ring", Shuffled: true, build: ring, Summary: "one flow a round: round l is l to l+1"},
		{Name: "gather", Shuffled: true, build: star(true), Summary: "all to rank 0 at once"},
		{Name: "scatter", Shuffled: true, build: star(false), Summary: "rank 0 to all at once"},
		{Name: "neighbor", Arg: "N", Shuffled: true, build: neighbours, Summary: "every rank to and from up to N others at once; rank by rank, each takes the next ones that have room"},
		{Name: "recvs_all_src", Arg: "N[,P[,Q]][,rand|linear]", Shuffled: true, Drawn: true, build: receive(false), Summary: "the first N ranks receive from all others in turn; with chance 1-P a sender takes another sender, or with chance Q of these none"},
		{Name: "recvs_one_src", Arg: "N[,P[,Q]][,rand|linear]", Shuffled: true, Drawn: true, build: receive(true), Summary: "the same, but a receiver has one sender; the others are idle"},
		{Name: "ptrnvsptrn", Arg: "K:PATTERN::PATTERN", Shuffled: true, build: versus, Summary: "two patterns at once, the first on the first K ranks; the second begins again until the first has ended"},
		{Name: "alltoall", build: allToAll, Summary: "every rank to every other, all at once"},
		{Name: "shift", Arg: "[S]", build: shift, Summary: "i to i+S modulo the ranks; without S all shifts, one a round"},
		{Name: "ring_natural", build: rings, Summary: "HPCC's ring: every rank to both neighbours at once, ranks in order of hosts"},
		{Name: "ring_random", Shuffled: true, build: rings, Summary: "the same ring over shuffled hosts"},
		{Name: "nearest2d", Arg: "[AxB]", build: nearest(2), Summary: "every rank to its 4 neighbours on a periodic grid, at once; without sizes the squarest grid"},
		{Name: "nearest3d", Arg: "[AxBxC]", build: nearest(3), Summary: "every rank to its 6 neighbours on a periodic grid, at once; without sizes the most cubic grid"},
		{Name: "tornado", Arg: "[AxBx..]", build: tornado, Summary: "each coordinate of k to (x + ceil(k/2) - 1) modulo k; without sizes one ring"},
		{Name: "incast", Arg: "[N]", Shuffled: true, build: incast, Summary: "N ranks to one other at once; without N all"},
		{Name: "storage", Arg: "N[,read|write]", build: storage, Summary: "N ranks, evenly spread, are servers: every other one writes to one of them and reads from it, at once; or does one of the two"},
		{Name: "hotspot", Arg: "[N]", Shuffled: true, Drawn: true, build: hotspot, Summary: "every rank to one of the first N (1), drawn at random"},
	}
}

func null(p *Pattern, _ string) error {
	p.Rounds = 0
	return nil
}

func bisect(both bool) func(*Pattern, string) error {
	return func(p *Pattern, _ string) error {
		n := int32(p.Ranks)
		p.fill = func(f *Flows, _ int, _ *rand.PCG) {
			for i := int32(1); i < n; i += 2 {
				f.Add(i, i-1)
				if both {
					f.Add(i-1, i)
				}
			}
		}
		return nil
	}
}

// permutation draws until no rank stays in place: 2.7 times on average.
func permutation(p *Pattern, _ string) error {
	n := p.Ranks
	p.fill = func(f *Flows, _ int, rng *rand.PCG) {
		if n < 2 {
			return
		}
		for i := range int32(n) {
			f.Add(i, i)
		}
		for fixed := true; fixed; {
			Shuffle(f.Dst, rng)
			fixed = false
			for i, d := range f.Dst {
				fixed = fixed || int32(i) == d
			}
		}
	}
	return nil
}

// doublings returns the number of doublings until n ranks are reached.
func doublings(n int) int { return bits.Len(uint(max(n, 1) - 1)) }

func tree(p *Pattern, _ string) error {
	n := int32(p.Ranks)
	p.Rounds = doublings(p.Ranks)
	p.fill = func(f *Flows, round int, _ *rand.PCG) {
		for i := int32(0); i < 1<<round && i+1<<round < n; i++ {
			f.Add(i, i+1<<round)
		}
	}
	return nil
}

func bruck(p *Pattern, _ string) error {
	p.Rounds = doublings(p.Ranks)
	p.fill = func(f *Flows, round int, _ *rand.PCG) { addShift(f, p.Ranks, 1<<round) }
	return nil
}

func addShift(f *Flows, ranks, by int) {
	for i := range ranks {
		f.Add(int32(i), int32((i+by)%ranks))
	}
}

func recdbl(p *Pattern, _ string) error {
	if p.Ranks < 2 {
		return null(p, "")
	}
	levels := bits.Len(uint(p.Ranks)) - 1
	q := 1 << levels
	if p.Rounds = levels; q < p.Ranks {
		p.Rounds++
	}
	p.fill = func(f *Flows, round int, _ *rand.PCG) {
		if round == levels {
			for i := range p.Ranks - q {
				f.Add(int32(i), int32(q+i))
			}
			return
		}
		for i := range q {
			f.Add(int32(i), int32(i^1<<round))
		}
	}
	return nil
}

func ring(p *Pattern, _ string) error {
	if p.Ranks < 2 {
		return null(p, "")
	}
	p.Rounds = p.Ranks
	p.fill = func(f *Flows, round int, _ *rand.PCG) { f.Add(int32(round), int32((round+1)%p.Ranks)) }
	return nil
}

func star(in bool) func(*Pattern, string) error {
	return func(p *Pattern, _ string) error {
		p.fill = func(f *Flows, _ int, _ *rand.PCG) {
			for i := int32(1); i < int32(p.Ranks); i++ {
				if in {
					f.Add(i, 0)
				} else {
					f.Add(0, i)
				}
			}
		}
		return nil
	}
}

func allToAll(p *Pattern, _ string) error {
	n := int32(p.Ranks)
	if p.Ranks*(p.Ranks-1) > maxFlows {
		return fmt.Errorf("%d ranks have %d flows at once, more than %d: take shift, or the loads over all pairs of hosts", n, p.Ranks*(p.Ranks-1), maxFlows)
	}
	p.fill = func(f *Flows, _ int, _ *rand.PCG) {
		for i := range n {
			for j := range n {
				if i != j {
					f.Add(i, j)
				}
			}
		}
	}
	return nil
}

func shift(p *Pattern, arg string) error {
	if arg == "" {
		p.Rounds = max(p.Ranks-1, 0)
		p.fill = func(f *Flows, round int, _ *rand.PCG) { addShift(f, p.Ranks, round+1) }
		return nil
	}
	by, err := number(arg, p.Ranks-1)
	if err != nil {
		return err
	}
	p.fill = func(f *Flows, _ int, _ *rand.PCG) { addShift(f, p.Ranks, by) }
	return nil
}

func rings(p *Pattern, _ string) error {
	return grid(p, []int{p.Ranks})
}

func hotspot(p *Pattern, arg string) error {
	spots := 1
	if arg != "" {
		var err error
		if spots, err = number(arg, p.Ranks); err != nil {
			return err
		}
	}
	p.fill = func(f *Flows, _ int, rng *rand.PCG) {
		for i := range int32(p.Ranks) {
			if d := int32(below(rng, spots)); d != i {
				f.Add(i, d)
			}
		}
	}
	return nil
}

// incast is a gather from the first ranks only.
func incast(p *Pattern, arg string) error {
	if arg == "" {
		return star(true)(p, "")
	}
	senders, err := number(arg, p.Ranks-1)
	if err != nil {
		return err
	}
	p.fill = func(f *Flows, _ int, _ *rand.PCG) {
		for i := range int32(senders) {
			f.Add(i+1, 0)
		}
	}
	return nil
}

// storage spreads the servers over the ranks, and the other ranks over the servers in turn.
func storage(p *Pattern, arg string) error {
	count, what, _ := strings.Cut(arg, ",")
	servers, err := number(count, p.Ranks-1)
	if err != nil {
		return err
	}
	if what != "" && what != "read" && what != "write" {
		return fmt.Errorf("%q: want read or write", what)
	}
	at := func(k int) int32 { return int32(k * p.Ranks / servers) }
	p.fill = func(f *Flows, _ int, _ *rand.PCG) {
		clients := 0
		for i := range int32(p.Ranks) {
			if i == at(int(i)-clients) { // the next server
				continue
			}
			server := at(clients % servers)
			clients++
			if what != "read" {
				f.Add(i, server)
			}
			if what != "write" {
				f.Add(server, i)
			}
		}
	}
	return nil
}

// number parses a number from 1 to most.
func number(s string, most int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("%q is no whole number from 1 to %d", s, most)
	}
	return n, nil
}
