package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/fabric"
	"weft/internal/par"
	"weft/judge/check"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/route/recipe"
)

var (
	networks = flag.Int("networks", 300, "random networks that TestRandomNetworks draws")
	drawSeed = flag.Uint64("drawseed", 1, "seed of those networks")
	network1 = flag.Int("network", -1, "draw this one alone")
)

// An engine must be free of deadlock, and may refuse for one of reasons, unless it
// is named here.
var (
	mayDeadlock  = []string{"minhop", "sssp"}
	neverRefuses = []string{"minhop", "updn", "sssp", "nue"}
)

// needsLanes is the refusal of engines with lanes: the number, "more than" before it
// when that is a bound, and the number allowed.
var needsLanes = regexp.MustCompile(`^needs (more than )?(\d+) lanes, (\d+) allowed`)

// madeFor are the shapes that an engine must recognise, unless they are broken.
var madeFor = map[string][]string{"dor": {"torus", "mesh"}, "torus": {"torus"}, "ftree": {"leaf-spine", "three-level tree"}}

// reasons are the refusals that are right when nothing is wrong with the options.
// What is found of them names the kind in the distribution.
var reasons = []*regexp.Regexp{
	needsLanes,
	regexp.MustCompile(`^not an? [a-zA-Z]+([ -][a-z]+)*`),
	regexp.MustCompile(`is drained\b`),
	regexp.MustCompile(`is broken into disjoint segments`),
}

// varied are options that are drawn too, besides the defaults: what is claimed holds
// for all their values.
var varied = map[string][]string{"dfsssp": {"heuristic", "classes", "balance"}, "lash": {"balance"}, "nue": {"vls"}}

// outcome is what an engine made of a network.
type outcome struct {
	vls     int    // 0 when it refused
	refusal string // the kind of reason
	free    check.Answer
}

// trial is what came of a network.
type trial struct {
	switches, hosts  int
	shape            string
	parallel, cyclic bool
	outcomes         []outcome // by engine
	problems         []string
}

// Every engine of the list on random networks of 1 to 200 switches (most to 70): all that can be
// reached is reached, without a loop, and free of deadlock on the lanes it says,
// switches among each other included; or it refuses for a reason that is right.
func TestRandomNetworks(t *testing.T) {
	n := *networks
	if testing.Short() {
		n = min(n, 60)
	}
	first := 0
	if *network1 >= 0 {
		first, n = *network1, 1
	}
	trials := make([]trial, n)
	err := par.For(t.Context(), runtime.GOMAXPROCS(0), n, func(_, i int) error {
		trials[i] = try(t.Context(), *drawSeed, first+i)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range trials {
		for _, p := range trials[i].problems {
			t.Errorf("go test -run TestRandomNetworks -drawseed %d -network %d: %s of %d switches: %s",
				*drawSeed, first+i, trials[i].shape, trials[i].switches, p)
		}
	}
	t.Log(distribution(trials))
	if n < 100 {
		return
	}
	both := share(trials, func(x *trial) bool { return x.parallel && x.cyclic })
	if both < 1./3 {
		t.Errorf("only %.0f %% have parallel links and a cyclic minhop, want a third", 100*both)
	}
}

// try draws a network and runs every engine on it.
func try(ctx context.Context, seed uint64, index int) trial {
	rng := rand.New(rand.NewPCG(seed, uint64(index)))
	most := smallSwitches
	if *large || index%largeEvery == 0 {
		most = maxSwitches
	}
	w := draw(rng, most)
	g := w.f.Compile()
	x := trial{switches: g.NumSwitches, hosts: g.NumHosts, shape: w.shape, parallel: parallel(g)}
	req := recipe.Request{
		MaxVLs: []int{1, 2, 4, 8, 8, 8, 15}[rng.IntN(7)], Workers: 1, Seed: seed,
		Names: lids.Options{LMC: []uint8{0, 0, 0, 0, 1, 2}[rng.IntN(6)]},
	}
	if g.NumEnds > 400 {
		req.Names.LMC = 0
	}
	for _, spec := range engine.All() {
		req.Engine, req.Options = spec, options(rng, spec, req.MaxVLs)
		o, problem := x.run(ctx, g, req)
		if w.intact && slices.Contains(madeFor[spec.Name], w.shape) && strings.HasPrefix(o.refusal, "not a") {
			problem = "refuses what it is for: " + o.refusal
		}
		if problem != "" {
			x.problems = append(x.problems, fmt.Sprintf("%s %v, LMC %d, %d VLs: %s", spec.Name, req.Options, req.Names.LMC, req.MaxVLs, problem))
		}
		x.cyclic = x.cyclic || spec.Name == "minhop" && o.free == check.No
		x.outcomes = append(x.outcomes, o)
	}
	return x
}

// options draws some of the options of an engine.
func options(rng *rand.Rand, spec *route.Spec, vls int) map[string]string {
	drawn := map[string]string{}
	for _, o := range spec.Options {
		if !slices.Contains(varied[spec.Name], o.Name) || rng.IntN(2) == 0 {
			continue
		}
		switch o.Default.(type) {
		case bool:
			drawn[o.Name] = "true"
		case int:
			drawn[o.Name] = strconv.Itoa(o.Min + rng.IntN(vls-o.Min+1))
		case string:
			drawn[o.Name] = o.OneOf[rng.IntN(len(o.OneOf))]
		}
	}
	return drawn
}

// run routes a network with one engine and judges the Plan, or the refusal.
func (x *trial) run(ctx context.Context, g *fabric.Graph, req recipe.Request) (o outcome, problem string) {
	name := req.Engine.Name
	plan, err := recipe.Run(ctx, g, &req, func(string) {})
	if no, ok := errors.AsType[*route.Refusal](err); ok {
		o.refusal, problem = refusal(ctx, g, req, no)
		return o, problem
	}
	if err != nil {
		return o, err.Error()
	}
	r, err := check.Judge(ctx, g, plan, check.Options{Workers: 1})
	if err != nil {
		return o, err.Error()
	}
	o = outcome{vls: max(1, r.VLs), free: r.DeadlockFree}
	switch {
	case len(r.Faults) > 0:
		return o, fmt.Sprintf("faults %+v", r.Faults)
	case r.Unreachable+r.Loops+r.Discarded > 0:
		return o, fmt.Sprintf("%d pairs unreachable, %d loops, %d discarded", r.Unreachable, r.Loops, r.Discarded)
	case r.Find(check.DrainedUsed) != nil:
		return o, fmt.Sprintf("%v", r.Find(check.DrainedUsed).Examples)
	case max(plan.VLs, r.VLs) > req.MaxVLs:
		return o, fmt.Sprintf("%d VLs planned, %d used, %d allowed", plan.VLs, r.VLs, req.MaxVLs)
	case slices.Contains(mayDeadlock, name):
		return o, ""
	case r.Assigned.DeadlockFree != check.Yes || r.AnyDLID.DeadlockFree != check.Yes || r.HostOnly.DeadlockFree != check.Yes:
		return o, fmt.Sprintf("deadlock-free: %v, for any LID %v, hosts alone %v; cycle %+v",
			r.Assigned.DeadlockFree, r.AnyDLID.DeadlockFree, r.HostOnly.DeadlockFree, r.Cycle)
	}
	return o, ""
}

// refusal tells the kind of a refusal, and what is wrong with it. An engine that
// names the lanes it needs must manage with them.
func refusal(ctx context.Context, g *fabric.Graph, req recipe.Request, no *route.Refusal) (kind, problem string) {
	i := slices.IndexFunc(reasons, func(r *regexp.Regexp) bool { return r.MatchString(no.Reason) })
	if i < 0 || slices.Contains(neverRefuses, req.Engine.Name) {
		return no.Reason, "refuses: " + no.Reason
	}
	kind = reasons[i].FindString(no.Reason)
	if reasons[i] != needsLanes {
		return kind, ""
	}
	m := needsLanes.FindStringSubmatch(no.Reason)
	need, _ := strconv.Atoi(m[2])
	allowed, _ := strconv.Atoi(m[3])
	if m[1] != "" {
		need++
	}
	kind = "needs more lanes"
	if allowed != req.MaxVLs || need <= allowed {
		return kind, "refuses " + strconv.Itoa(req.MaxVLs) + " VLs: " + no.Reason
	}
	if m[1] != "" || need > int(route.DropVL) {
		return kind, ""
	}
	req.MaxVLs = need
	if _, err := recipe.Run(ctx, g, &req, func(string) {}); err != nil {
		return kind, fmt.Sprintf("refuses: %s; and with as many: %v", no.Reason, err)
	}
	return kind, ""
}

// parallel reports whether two cables join the same two switches.
func parallel(g *fabric.Graph) bool {
	seen := map[[2]int32]bool{}
	for c := 0; c < g.NumChannels; c += 2 {
		ends := [2]int32{min(g.From[c], g.To[c]), max(g.From[c], g.To[c])}
		if seen[ends] {
			return true
		}
		seen[ends] = true
	}
	return false
}

func share(trials []trial, yes func(*trial) bool) float64 {
	n := 0
	for i := range trials {
		if yes(&trials[i]) {
			n++
		}
	}
	return float64(n) / float64(len(trials))
}

// distribution says what was drawn and what became of it.
func distribution(trials []trial) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d networks, seed %d\nswitches:", len(trials), *drawSeed)
	least := 0
	for _, most := range []int{3, 10, 30, smallSwitches, maxSwitches} {
		part := share(trials, func(x *trial) bool { return x.switches > least && x.switches <= most })
		fmt.Fprintf(&b, "  %d-%d %.0f %%", least+1, most, 100*part)
		least = most
	}
	fmt.Fprintf(&b, "\nparallel links %.0f %%, cyclic minhop %.0f %%, both %.0f %%, no host %.0f %%\n",
		100*share(trials, func(x *trial) bool { return x.parallel }),
		100*share(trials, func(x *trial) bool { return x.cyclic }),
		100*share(trials, func(x *trial) bool { return x.parallel && x.cyclic }),
		100*share(trials, func(x *trial) bool { return x.hosts == 0 }))
	tally(&b, "shapes", trials, func(x *trial) string { return x.shape })
	for e, spec := range engine.All() {
		tally(&b, spec.Name, trials, func(x *trial) string {
			o := x.outcomes[e]
			if o.refusal != "" {
				return "refused: " + o.refusal
			}
			return fmt.Sprintf("%2d lanes, deadlock-free: %v", o.vls, o.free)
		})
	}
	return b.String()
}

// tally writes how often each answer comes.
func tally(b *strings.Builder, title string, trials []trial, answer func(*trial) string) {
	count := map[string]int{}
	for i := range trials {
		count[answer(&trials[i])]++
	}
	fmt.Fprintln(b, title)
	for _, a := range slices.Sorted(maps.Keys(count)) {
		fmt.Fprintf(b, "  %6d  %s\n", count[a], a)
	}
}
