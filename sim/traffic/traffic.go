package traffic

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"weft/internal/spelling"
)

// maxFlows is the largest number of flows in one round. All pairs of a larger system are better
// counted by destination trees than flow by flow.
const maxFlows = 1 << 23

// Flows are pairs of ranks that communicate at once: Src[i] sends to Dst[i].
type Flows struct{ Src, Dst []int32 }

// Add appends one flow.
func (f *Flows) Add(src, dst int32) {
	f.Src = append(f.Src, src)
	f.Dst = append(f.Dst, dst)
}

// Reset forgets all flows and keeps the memory.
func (f *Flows) Reset() { f.Src, f.Dst = f.Src[:0], f.Dst[:0] }

// Len is the number of flows.
func (f *Flows) Len() int { return len(f.Src) }

// Pattern is a communication pattern of a number of ranks. It is immutable and safe for concurrent
// use.
type Pattern struct {
	Name   string // as given to Parse, or the name of the file
	Ranks  int
	Rounds int
	// Shuffled makes every run place the ranks on random hosts, unless the user decides otherwise.
	Shuffled bool
	// Drawn says that the pairs themselves differ from run to run.
	Drawn bool
	// Fixed says that the pattern names hosts, so that ranks cannot move.
	Fixed bool

	fill func(f *Flows, round int, rng *rand.PCG)
}

// Round fills f with the flows of one round, 0 to Rounds-1. Only drawn patterns use rng. No flow
// goes from a rank to itself.
func (p *Pattern) Round(f *Flows, round int, rng *rand.PCG) {
	f.Reset()
	p.fill(f, round, rng)
}

// Sample returns the pattern reduced to the given number of rounds, evenly spaced; unchanged if it
// has no more.
func (p *Pattern) Sample(rounds int) *Pattern {
	if p.Rounds <= rounds {
		return p
	}
	all, fill := p.Rounds, p.fill
	s := *p
	s.Rounds = rounds
	s.fill = func(f *Flows, round int, rng *rand.PCG) { fill(f, round*all/rounds, rng) }
	return &s
}

// FromRounds creates a pattern of given flows between ranks, the same in every run.
func FromRounds(name string, ranks int, rounds []Flows) *Pattern {
	return &Pattern{Name: name, Ranks: ranks, Rounds: len(rounds), fill: func(f *Flows, round int, _ *rand.PCG) {
		f.Src = append(f.Src, rounds[round].Src...)
		f.Dst = append(f.Dst, rounds[round].Dst...)
	}}
}

// Kind describes a pattern that Parse knows.
type Kind struct {
	Name     string
	Arg      string // form of the argument after the colon, in brackets if optional; "" if there is none
	Summary  string
	Shuffled bool
	Drawn    bool
	build    func(p *Pattern, arg string) error
}

// Kinds lists the patterns in printing order.
func Kinds() []Kind { return append([]Kind(nil), kinds...) }

// Parse creates the pattern NAME or NAME:ARG for a number of ranks.
func Parse(text string, ranks int) (*Pattern, error) {
	name, arg, given := strings.Cut(text, ":")
	for i := range kinds {
		k := &kinds[i]
		if k.Name != name {
			continue
		}
		switch optional := strings.HasPrefix(k.Arg, "["); {
		case given && k.Arg == "":
			return nil, fmt.Errorf("traffic: pattern %s takes no argument (got %q)", name, arg)
		case k.Arg != "" && arg == "" && (given || !optional):
			want := k.Arg
			if optional {
				want = want[1 : len(want)-1]
			}
			return nil, fmt.Errorf("traffic: pattern %s wants an argument: %s:%s", name, name, want)
		}
		p := &Pattern{Name: text, Ranks: ranks, Rounds: 1, Shuffled: k.Shuffled, Drawn: k.Drawn}
		if err := k.build(p, arg); err != nil {
			return nil, fmt.Errorf("traffic: pattern %s: %w", text, err)
		}
		return p, nil
	}
	var names []string
	for i := range kinds {
		names = append(names, kinds[i].Name)
	}
	return nil, fmt.Errorf("traffic: no pattern is called %q%s (there are: %s)", name, spelling.Hint(name, names), strings.Join(names, ", "))
}

// Seed sets rng for one round of one run; round -1 is for the order of hosts. The three numbers are
// mixed (SplitMix64's finaliser), so that neighbouring runs share nothing.
func Seed(rng *rand.PCG, seed uint64, run, round int) {
	rng.Seed(mix(seed^mix(uint64(run))), mix(uint64(round)+mix(seed)))
}

func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Shuffle puts the elements into a random order (Fisher and Yates).
func Shuffle(v []int32, rng *rand.PCG) {
	for i := len(v) - 1; i > 0; i-- {
		j := below(rng, i+1)
		v[i], v[j] = v[j], v[i]
	}
}

// below draws a number of [0, n). Its bias is below n/2^64.
func below(rng *rand.PCG, n int) int {
	hi, _ := bits.Mul64(rng.Uint64(), uint64(n))
	return int(hi)
}
