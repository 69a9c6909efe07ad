package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func parse(t testing.TB, text string, ranks int) *Pattern {
	t.Helper()
	p, err := Parse(text, ranks)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// text writes the rounds of a pattern as "0>1 2>3 | 1>0".
func text(p *Pattern) string {
	var rounds []string
	for r := range p.Rounds {
		var f Flows
		var rng rand.PCG
		Seed(&rng, 1, 0, r)
		p.Round(&f, r, &rng)
		var flows []string
		for i := range f.Src {
			flows = append(flows, fmt.Sprintf("%d>%d", f.Src[i], f.Dst[i]))
		}
		rounds = append(rounds, strings.Join(flows, " "))
	}
	return strings.Join(rounds, " | ")
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		ranks   int
		want    string
	}{
		{"bisect", 5, "1>0 3>2"},
		{"bisect_fb_sym", 4, "1>0 0>1 3>2 2>3"},
		{"null", 4, ""},
		{"tree", 6, "0>1 | 0>2 1>3 | 0>4 1>5"},
		{"bruck", 3, "0>1 1>2 2>0 | 0>2 1>0 2>1"},
		{"recdbl", 4, "0>1 1>0 2>3 3>2 | 0>2 1>3 2>0 3>1"},
		{"recdbl", 3, "0>1 1>0 | 0>2"},
		{"recdbl", 7, "0>1 1>0 2>3 3>2 | 0>2 1>3 2>0 3>1 | 0>4 1>5 2>6"},
		{"neighbor:1", 5, "0>1 1>0 2>3 3>2"},
		{"neighbor:2", 7, "0>1 1>0 0>2 2>0 1>2 2>1 3>4 4>3 3>5 5>3 4>5 5>4"},
		{"neighbor:3", 4, "0>1 1>0 0>2 2>0 0>3 3>0 1>2 2>1 1>3 3>1 2>3 3>2"},
		{"recvs_all_src:2,linear", 7, "2>0 3>1 4>0 5>1 6>0"},
		{"recvs_one_src:2,linear", 7, "2>0 3>1"},
		{"recvs_all_src:1,0,1,linear", 4, ""},
		{"recvs_all_src:1,0,linear", 2, "1>0"}, // no other sender is left
		{"ptrnvsptrn:3:tree::ring", 5, "0>1 3>4 | 0>2 4>3"},
		{"ptrnvsptrn:3:ring::bisect", 5, "0>1 4>3 | 1>2 4>3 | 2>0 4>3"},
		{"ptrnvsptrn:2:null::shift", 5, "2>3 3>4 4>2 | 2>4 3>2 4>3"},
		{"ptrnvsptrn:3:ring::null", 5, "0>1 | 1>2 | 2>0"},
		{"ptrnvsptrn:3:ring::tree", 6, "0>1 3>4 | 1>2 3>5 | 2>0 3>4 | 3>5"},
		{"ring", 3, "0>1 | 1>2 | 2>0"},
		{"gather", 3, "1>0 2>0"},
		{"scatter", 3, "0>1 0>2"},
		{"alltoall", 3, "0>1 0>2 1>0 1>2 2>0 2>1"},
		{"shift", 3, "0>1 1>2 2>0 | 0>2 1>0 2>1"},
		{"shift:2", 3, "0>2 1>0 2>1"},
		{"ring_natural", 4, "0>1 0>3 1>2 1>0 2>3 2>1 3>0 3>2"},
		{"ring_random", 2, "0>1 1>0"},
		{"nearest2d:2x3", 7, "0>3 0>1 0>2 1>4 1>2 1>0 2>5 2>0 2>1 3>0 3>4 3>5 4>1 4>5 4>3 5>2 5>3 5>4"},
		{"nearest2d", 4, "0>2 0>1 1>3 1>0 2>0 2>3 3>1 3>2"},
		{"nearest3d", 2, "0>1 1>0"},
		{"tornado", 5, "0>2 1>3 2>4 3>0 4>1"},
		{"tornado", 4, "0>1 1>2 2>3 3>0"},
		{"tornado:3x2", 6, "0>2 1>3 2>4 3>5 4>0 5>1"},
		{"hotspot", 4, "1>0 2>0 3>0"},
		{"incast", 4, "1>0 2>0 3>0"},
		{"incast:2", 5, "1>0 2>0"},
		{"storage:1", 3, "1>0 0>1 2>0 0>2"},
		{"storage:2,write", 6, "1>0 2>3 4>0 5>3"},
		{"storage:3,read", 7, "0>1 2>3 4>5 0>6"},
	} {
		if got := text(parse(t, c.pattern, c.ranks)); got != c.want {
			t.Errorf("%s of %d ranks: %s, want %s", c.pattern, c.ranks, got, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ pattern, want string }{
		{"nosuch", `no pattern is called "nosuch" (there are: bisect, `},
		{"bisect:3", "takes no argument"},
		{"shift:", "wants an argument: shift:S"},
		{"neighbor", "wants an argument: neighbor:N"},
		{"neighbor:10", "no whole number from 1 to 9"},
		{"recvs_one_src:6", "no whole number from 1 to 5"},
		{"recvs_one_src:2,1.5", "\"1.5\" is no chance from 0 to 1"},
		{"recvs_one_src:2,NaN", "no chance"},
		{"recvs_one_src:2,1,1,1", "up to two chances"},
		{"ptrnvsptrn:4:ring", "is not RANKS:PATTERN::PATTERN"},
		{"ptrnvsptrn:10:ring::ring", "no whole number from 1 to 9"},
		{"ptrnvsptrn:4:ring::nosuch", "no pattern is called"},
		{"ptrnvsptrn:4:ring::ptrnvsptrn:6:ring::ring", "no whole number from 1 to 5"},
		{"shift:0", "no whole number from 1 to 9"},
		{"shift:10", "no whole number from 1 to 9"},
		{"incast:10", "no whole number from 1 to 9"},
		{"storage:10", "no whole number from 1 to 9"},
		{"storage:2,both", "want read or write"},
		{"storage", "wants an argument: storage:N[,read|write]"},
		{"hotspot:11", "no whole number from 1 to 10"},
		{"nearest2d:2x2x2", "has 3 sizes, not 2"},
		{"nearest2d:3x4", "more cells than there are ranks, 10"},
		{"nearest3d:axb", "no whole number"},
		{"tornado:2147483647x2147483647x2147483647", "more cells"},
	} {
		_, err := Parse(c.pattern, 10)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.pattern, err, c.want)
		}
	}
	if _, err := Parse("alltoall", 4000); err == nil {
		t.Error("16 million flows at once were not refused")
	}
}

// args are for patterns that want one, and fit 8 ranks.
var args = map[string]string{
	"neighbor": ":3", "recvs_all_src": ":4,0.5,0.3", "recvs_one_src": ":4,0.7", "storage": ":3", "ptrnvsptrn": ":3:recvs_all_src:1,0.5::rand",
}

// What holds for every pattern and number of ranks: ranks in range, none to itself,
// no flow twice in a round, and the same again from the same seed.
func TestEveryPatternIsSound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom(Kinds()).Draw(rt, "kind")
		ranks := rapid.IntRange(0, 40).Draw(rt, "ranks")
		name := kind.Name + args[kind.Name]
		p, err := Parse(name, ranks)
		if err != nil && (args[kind.Name] == "" || ranks >= 8) {
			rt.Fatal(err)
		}
		if err != nil {
			return
		}
		for round := range p.Rounds {
			seen := map[[2]int32]bool{}
			var f Flows
			var rng rand.PCG
			p.Round(&f, round, &rng)
			for i := range f.Src {
				flow := [2]int32{f.Src[i], f.Dst[i]}
				switch {
				case flow[0] == flow[1]:
					rt.Fatalf("%d sends to itself", flow[0])
				case min(flow[0], flow[1]) < 0 || int(max(flow[0], flow[1])) >= ranks:
					rt.Fatalf("flow %v of %d ranks", flow, ranks)
				case seen[flow]:
					rt.Fatalf("flow %v twice in a round", flow)
				}
				seen[flow] = true
			}
		}
		if once, again := text(p), text(p); once != again {
			rt.Fatal("two draws from one seed differ")
		}
	})
}

// The grid with the least sides, by trying all.
func TestSquarest(t *testing.T) {
	for ranks := 1; ranks <= 200; ranks++ {
		least := math.MaxInt
		for a := 1; a <= ranks; a++ {
			for b := 1; b <= ranks; b++ {
				if ranks%(a*b) == 0 {
					least = min(least, a+b+ranks/(a*b))
				}
			}
		}
		if dims := squarest(ranks, 3); sum(dims) != least || product(dims) != ranks || !slices.IsSortedFunc(dims, func(a, b int) int { return b - a }) {
			t.Errorf("%d ranks: %v has sides of %d, the least is %d", ranks, dims, sum(dims), least)
		}
	}
}

// Every order of four is drawn about equally often, and neighbouring runs differ.
func TestShuffleIsUniform(t *testing.T) {
	const runs = 24000
	count := map[[4]int32]int{}
	for run := range runs {
		var rng rand.PCG
		Seed(&rng, 5, run, -1)
		v := [4]int32{0, 1, 2, 3}
		Shuffle(v[:], &rng)
		count[v]++
	}
	chi := 0.0
	for _, n := range count {
		chi += (float64(n) - runs/24) * (float64(n) - runs/24) / (runs / 24)
	}
	if len(count) != 24 || chi > 49.7 { // 99.9 % quantile, 23 degrees of freedom
		t.Errorf("%d orders, chi-squared %.1f", len(count), chi)
	}
}

func TestPermutationMovesAll(t *testing.T) {
	p := parse(t, "rand", 9)
	var f Flows
	var rng rand.PCG
	p.Round(&f, 0, &rng)
	dst := slices.Clone(f.Dst)
	slices.Sort(dst)
	for i, d := range dst {
		if int(d) != i || f.Dst[i] == f.Src[i] {
			t.Fatalf("%v to %v is no permutation without fixed points", f.Src, f.Dst)
		}
	}
}

// FuzzParse: whatever a pattern is called, its flows are between different ranks that
// there are.
func FuzzParse(f *testing.F) {
	for _, k := range Kinds() {
		f.Add(k.Name, 8)
	}
	for _, text := range []string{
		"shift:3", "nearest3d:2x2x2", "nearest2d:1x8", "tornado:3x2", "neighbor:3", "hotspot:2", "incast:5", "storage:3", "storage:2,read", "recvs_all_src:2,0.5,0.5,linear",
		"recvs_one_src:4,0,0,rand", "ptrnvsptrn:3:recdbl::shift", "ptrnvsptrn:1:null::ptrnvsptrn:2:ring::neighbor:1",
	} {
		f.Add(text, 8)
	}
	f.Fuzz(func(t *testing.T, text string, ranks int) {
		ranks = max(0, ranks%40)
		p, err := Parse(text, ranks)
		if err != nil {
			return
		}
		var flows Flows
		var rng rand.PCG
		for round := range p.Rounds {
			Seed(&rng, 1, 0, round)
			p.Round(&flows, round, &rng)
			if len(flows.Src) != len(flows.Dst) {
				t.Fatalf("%d sources and %d targets", len(flows.Src), len(flows.Dst))
			}
			for i, src := range flows.Src {
				if dst := flows.Dst[i]; src < 0 || dst < 0 || int(src) >= ranks || int(dst) >= ranks || src == dst {
					t.Fatalf("%s of %d ranks, round %d of %d: %d to %d", text, ranks, round, p.Rounds, src, dst)
				}
			}
		}
	})
}
