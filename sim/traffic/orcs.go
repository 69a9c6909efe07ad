package traffic

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// neighbours implements ORCS's neighbor: rank by rank, each is joined to the next ranks after it
// that have room, until it has count neighbours. The pairs are always the same.
func neighbours(p *Pattern, arg string) error {
	count, err := number(arg, p.Ranks-1)
	if err != nil {
		return err
	}
	if p.Ranks*count > maxFlows {
		return fmt.Errorf("%d ranks have %d flows at once, more than %d", p.Ranks, p.Ranks*count, maxFlows)
	}
	var flows Flows
	has := make([]int, p.Ranks)
	for i := range p.Ranks {
		for k := i + 1; k < p.Ranks && has[i] < count; k++ {
			if has[k] < count {
				flows.Add(int32(i), int32(k))
				flows.Add(int32(k), int32(i))
				has[i]++
				has[k]++
			}
		}
	}
	p.fill = func(f *Flows, _ int, _ *rand.PCG) {
		f.Src, f.Dst = append(f.Src, flows.Src...), append(f.Dst, flows.Dst...)
	}
	return nil
}

// recvs holds the arguments of recvs_all_src and recvs_one_src.
type recvs struct {
	receivers int
	send      float64 // probability that a sender chooses a receiver
	idle      float64 // probability that a sender without a receiver is idle
	linear    bool    // take senders in order of ranks, not at random
}

// parseRecvs parses N[,SEND[,IDLE]][,rand|linear].
func parseRecvs(arg string, ranks int) (in recvs, err error) {
	words := strings.Split(arg, ",")
	in.send = 1
	if in.receivers, err = number(words[0], ranks/2); err != nil {
		return in, err
	}
	words = words[1:]
	if n := len(words); n > 0 && (words[n-1] == "linear" || words[n-1] == "rand") {
		in.linear = words[n-1] == "linear"
		words = words[:n-1]
	}
	if len(words) > 2 {
		return in, errors.New("want N, up to two chances, and linear or rand")
	}
	for i, chance := range []*float64{&in.send, &in.idle}[:len(words)] {
		if *chance, err = strconv.ParseFloat(words[i], 64); err != nil || !(*chance >= 0 && *chance <= 1) {
			return in, fmt.Errorf("%q is no chance from 0 to 1", words[i])
		}
	}
	return in, nil
}

// receive implements ORCS's recvs_all_src: the first ranks receive, the others send, and senders
// get receivers in turn. A sender that chooses no receiver sends to one of the senders, each of
// which gets at most one such flow. With once (recvs_one_src) a receiver gets one flow too.
func receive(once bool) func(*Pattern, string) error {
	return func(p *Pattern, arg string) error {
		in, err := parseRecvs(arg, p.Ranks)
		if err != nil {
			return err
		}
		p.fill = func(f *Flows, _ int, rng *rand.PCG) { in.fill(f, p.Ranks, once, rng) }
		return nil
	}
}

func (in *recvs) fill(f *Flows, ranks int, once bool, rng *rand.PCG) {
	var receivers, senders, others []int32
	for i := range int32(ranks) {
		if int(i) < in.receivers {
			receivers = append(receivers, i)
		} else {
			senders = append(senders, i)
		}
	}
	others = append(others, senders...)
	if !in.linear {
		Shuffle(senders, rng)
	}
	for i, src := range senders {
		if !chance(rng, in.send) {
			if chance(rng, in.idle) {
				continue
			}
			if dst, ok := other(&others, src, rng); ok {
				f.Add(src, dst)
				continue
			}
		}
		if len(receivers) == 0 {
			continue
		}
		turn := i % len(receivers)
		f.Add(src, receivers[turn])
		if once {
			receivers = append(receivers[:turn], receivers[turn+1:]...)
		}
	}
}

// other draws a rank other than src and removes it from the list; ok is false if there is none.
func other(ranks *[]int32, src int32, rng *rand.PCG) (int32, bool) {
	left := *ranks
	if len(left) == 0 || len(left) == 1 && left[0] == src {
		return 0, false
	}
	at := below(rng, len(left))
	for left[at] == src {
		at = below(rng, len(left))
	}
	dst := left[at]
	*ranks = append(left[:at], left[at+1:]...)
	return dst, true
}

// chance returns true with probability p.
func chance(rng *rand.PCG, p float64) bool { return float64(rng.Uint64()>>11)/(1<<53) < p }

// versus implements ORCS's ptrnvsptrn: two patterns at once, the first on the first ranks. The
// second restarts until the first has ended, and then runs to its end.
func versus(p *Pattern, arg string) error {
	size, both, _ := strings.Cut(arg, ":")
	one, two, ok := strings.Cut(both, "::")
	if !ok {
		return fmt.Errorf("%q is not RANKS:PATTERN::PATTERN", arg)
	}
	first, err := number(size, p.Ranks-1)
	if err != nil {
		return err
	}
	a, err := Parse(one, first)
	if err != nil {
		return err
	}
	b, err := Parse(two, p.Ranks-first)
	if err != nil {
		return err
	}
	p.Drawn = a.Drawn || b.Drawn
	p.Rounds = a.Rounds
	if b.Rounds > 0 {
		p.Rounds = max((a.Rounds+b.Rounds-1)/b.Rounds, 1) * b.Rounds
	}
	p.fill = func(f *Flows, round int, rng *rand.PCG) {
		if round < a.Rounds {
			a.fill(f, round, rng)
		}
		if b.Rounds == 0 {
			return
		}
		var second Flows
		b.fill(&second, round%b.Rounds, rng)
		for i := range second.Src {
			f.Add(second.Src[i]+int32(first), second.Dst[i]+int32(first))
		}
	}
	return nil
}
