package packets

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"weft/internal/par"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/study/studytest"
)

// usualRequest is one run of uniform traffic.
func usualRequest() *Request {
	r := &Request{Hardware: packet.Default(), Workers: 2}
	r.Pattern, r.Order, r.HotSpots.Share = Uniform, "auto", .05
	r.Seeds, r.Seed, r.Warmup, r.Duration = 1, 1, 10*time.Microsecond, 40*time.Microsecond
	return r
}

// simulated runs a request with its usual settings on 32 hosts.
func simulated(t *testing.T, change func(*Request)) *Simulation {
	t.Helper()
	g, routing := studytest.Routed(t, "rlft(8,2)", "ftree")
	r := usualRequest()
	change(r)
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	out, err := Simulate(t.Context(), g, routing, r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestProgress: while a run goes on, its share is between 0 and 1 and grows; a run that ends early
// is whole in the end.
func TestProgress(t *testing.T) {
	g, routing := studytest.Routed(t, "rlft(8,2)", "ftree")
	r := usualRequest()
	r.Duration, r.Seeds, r.Workers = 400*time.Microsecond, 2, 1
	p := &par.Progress{}
	shares := map[float64]bool{}
	j := &job{Request: r, g: g, plan: routing}
	if err := j.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	step, end := par.Steps(par.WithProgress(t.Context(), p), stepsOfRun)
	defer end()
	if _, err := j.run(t.Context(), 0, 1, func() {
		step()
		_, share := p.Share()
		shares[share] = true
	}); err != nil {
		t.Fatal(err)
	}
	if _, share := p.Share(); share != 1 || len(shares) != stepsOfRun {
		t.Errorf("%g in the end, %d shares", share, len(shares))
	}
}

// TestOverTime: the steps of a run have the mean of the run, and buffers are no fuller than they
// can be.
func TestOverTime(t *testing.T) {
	out := simulated(t, func(r *Request) { r.Steps, r.Loads = 8, []float64{.9} })
	if len(out.OverTime) != 8 {
		t.Fatalf("%d steps, want 8", len(out.OverTime))
	}
	sum, used := 0.0, 0.0
	for i, m := range out.OverTime {
		sum, used = sum+m.Throughput, max(used, m.Used)
		if m.At != float64(i+1)*5000 || m.Used <= 0 || m.Used > m.MostUsed || m.MostUsed > 1.001 || m.Latency < 700 {
			t.Errorf("step %d: %+v", i, m)
		}
		if m.Filled <= 0 || m.Filled > m.MostFilled || m.MostFilled > 16<<10 {
			t.Errorf("step %d: %v and %v bytes in the buffers of a port", i, m.Filled, m.MostFilled)
		}
	}
	if want := out.Rows[0].Throughput.Mean; math.Abs(sum/8-want) > 1e-9*want {
		t.Errorf("%v Gbit/s on average of the steps, %v in the run", sum/8, want)
	}
	if b := out.Busiest[0]; b.Filled <= 0 || b.Most < b.Filled || b.Used < used {
		t.Errorf("%+v, links are used %v on average in a step", b, used)
	}
	if len(out.Links) != 4*8*2+32*2 || out.Links[0].Used < out.Busiest[0].Used {
		t.Errorf("%d links, the busiest %+v", len(out.Links), out.Links[0])
	}
	hosts, total := 0., 0.
	for _, l := range out.Links {
		if l.Ports[0].Type != "switch" {
			hosts += l.Used
		}
		total += l.Used
	}
	// Each packet of 2,048 bytes passes a host's link to the switch once, and that has as many
	// bytes as the run says.
	if want := 32 * out.Rows[0].Share.Mean * (2048 + packet.Headers) / 2048; math.Abs(hosts-want) > .02*want || total < 3*hosts {
		t.Errorf("links of hosts are used %v in all, want %v; all links %v", hosts, want, total)
	}
	var lines, picture strings.Builder
	if err := out.WriteTimes(&lines); err != nil || strings.Count(lines.String(), "\n") != 9 {
		t.Errorf("%v\n%s", err, lines.String())
	}
	if err := out.DrawTimes(&picture); err != nil || !strings.Contains(picture.String(), "fullest") {
		t.Error(err)
	}
	if out := simulated(t, func(*Request) {}); out.OverTime != nil {
		t.Error("steps that nobody asked for")
	}
}

// TestWithin: the interval of one run is about that over seeds of as many runs as it has parts, for
// traffic in which parts of a run know nothing of each other.
func TestWithin(t *testing.T) {
	one := simulated(t, func(r *Request) { r.Loads, r.Duration = []float64{.3}, 400*time.Microsecond })
	many := simulated(t, func(r *Request) { r.Loads, r.Duration, r.Seeds = []float64{.3}, 20*time.Microsecond, 20 })
	within, over := one.Rows[0].Within, many.Rows[0].Throughput.CI95
	if within == nil || within.Throughput < over/2 || within.Throughput > over*2 {
		t.Errorf("%+v in one run, %v over runs", within, over)
	}
	if l := many.Rows[0].RunLatency; within.Latency < l.CI95/3 || within.Latency > l.CI95*3 || math.Abs(l.Mean-one.Rows[0].Latency.Mean) > 4*l.CI95 {
		t.Errorf("latency %+v over runs, +-%v around %v in one", l, within.Latency, one.Rows[0].Latency.Mean)
	}
	throughput, latency := one.Rows[0].interval(one.Seeds)
	if throughput != within.Throughput || latency != within.Latency {
		t.Error("one seed: the interval within the run is not shown")
	}
	if throughput, _ = many.Rows[0].interval(many.Seeds); throughput != over {
		t.Error("many seeds: the interval over them is not shown")
	}
	if once := simulated(t, func(r *Request) { r.Pattern, r.Once = "rand", true }); once.Rows[0].Within != nil {
		t.Error("runs that end with their messages have no parts")
	}
}

// TestCurves: a line for each simulation, told apart by what differs.
func TestCurves(t *testing.T) {
	a := &Simulation{Settings: Settings{Fabric: "one", Engine: "updn", Pattern: Uniform}}
	b := &Simulation{Settings: Settings{Fabric: "two", Pattern: Uniform}}
	for i, o := range []*Simulation{a, b} {
		for _, load := range []float64{.2, .8} {
			r := Row{Load: load}
			r.Share.Mean, r.Latency.Mean, r.RunLatency.Mean = load, 1000, 1000*float64(i+1)
			r.Messages = &Delays{Mean: 2000}
			o.Rows = append(o.Rows, r)
		}
	}
	if got := a.label([]*Simulation{a, b}) + "; " + b.label([]*Simulation{a, b}); got != "updn, one; tables of a file, two" {
		t.Error(got)
	}
	if got := a.label([]*Simulation{a, a}); got != "updn" {
		t.Error(got)
	}
	var svg strings.Builder
	if err := DrawCurves(&svg, []*Simulation{a, b}); err != nil || strings.Count(svg.String(), "tables of a file, two") != 3 {
		t.Error(err)
	}
	for _, bad := range []string{"", `{"rows":[{"load":0}]}`, `[]`} {
		if _, err := Read("old.json", []byte(bad)); err == nil || !strings.Contains(err.Error(), "old.json: ") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestOnWire: the mean size of messages on the wire is that of all sizes, counted one by one.
func TestOnWire(t *testing.T) {
	for _, m := range []MessageSize{{84, 2048}, {1, 10_000}, {4096, 0}, {4097, 4097}, {2000, 6150}} {
		j := &job{Request: &Request{Hardware: packet.Default()}}
		sum, n := 0.0, 0.0
		for b := m.Least; b <= max(m.Least, m.Most); b++ {
			sum, n = sum+float64(b+(b+2047)/2048*packet.Headers), n+1
		}
		if got := j.onWire(m); math.Abs(got-sum/n) > 1e-6 {
			t.Errorf("%+v: %v bytes, want %v", m, got, sum/n)
		}
	}
}

// TestDrawnSizes: the load that is offered is accepted also where sizes are drawn, and packets have
// half an MTU on average.
func TestDrawnSizes(t *testing.T) {
	out := simulated(t, func(r *Request) {
		r.Loads, r.Message, r.Duration, r.Warmup = []float64{.4}, MessageSize{84, 2048}, 200*time.Microsecond, 0
	})
	const payload = (84 + 2048) / 2.
	row := &out.Rows[0]
	if want := .4 * payload / (payload + packet.Headers); math.Abs(row.Share.Mean-want) > .03*want {
		t.Errorf("a share of %v, want %v", row.Share.Mean, want)
	}
	if mean := row.Throughput.Mean * 32 * 200_000 / 8 / float64(out.Packets); math.Abs(mean-payload) > .02*payload {
		t.Errorf("packets of %v bytes on average, want %v", mean, payload)
	}
}

// TestRequestRefuses: what would be left out without a word, or gives no figures, is refused.
func TestRequestRefuses(t *testing.T) {
	nan := math.NaN()
	for want, change := range map[string]func(*Request){
		"load NaN: ":               func(r *Request) { r.Loads = []float64{.5, nan} },
		"hot-share NaN: ":          func(r *Request) { r.HotSpots.Share = nan },
		"hot-spots: the file":      func(r *Request) { r.HotSpots.Groups, r.File = 1, "flows" },
		"hot-spots: pattern b_eff": func(r *Request) { r.HotSpots.Groups, r.Pattern = 1, "b_eff:1" },
		"hot-spots: pattern bise":  func(r *Request) { r.HotSpots.Groups, r.Pattern = 1, "bisect" },
		"hot-spots -1: ":           func(r *Request) { r.HotSpots.Groups = -1 },
		"hot-spots: the file says": func(r *Request) { r.HotSpots.Groups, r.Messages = 2, "messages" },
		"order random: ":           func(r *Request) { r.Order, r.Messages = "random", "messages" },
		"a step of 50ns has less":  func(r *Request) { r.Steps, r.Duration = 100, 5*time.Microsecond },
		"steps 10001: want":        func(r *Request) { r.Steps = 10_001 },
	} {
		r := &Request{}
		r.Pattern, r.Order, r.HotSpots.Share, r.Seeds, r.Duration = Uniform, "auto", .05, 1, time.Millisecond
		if change(r); r.Validate() == nil || !strings.Contains(r.Validate().Error(), want) {
			t.Errorf("%v, want %s", r.Validate(), want)
		}
	}
}

// TestSmallestLoad: however small a load is, it is no more than that.
func TestSmallestLoad(t *testing.T) {
	for _, on := range []packet.Time{0, packet.Microsecond, packet.Second} {
		out := simulated(t, func(r *Request) { r.Loads, r.Bursts.On = []float64{1e-300}, on })
		if out.Packets != 0 {
			t.Errorf("bursts of %d ps: %d packets", on, out.Packets)
		}
	}
}

// TestOnceIntervals: a run that ends with its messages has no parts of its time, also where its
// steps are asked for.
func TestOnceIntervals(t *testing.T) {
	out := simulated(t, func(r *Request) { r.Pattern, r.Once, r.Steps = "shift:1", true, 8 })
	if out.Rows[0].Within != nil || len(out.OverTime) != 8 {
		t.Errorf("%+v, %d steps", out.Rows[0].Within, len(out.OverTime))
	}
}

// TestOnceDeadlock: figures of a run that ends by a deadlock are over all of its time, not only
// until the last message that was over. What is dropped after the head-of-queue time lets it go on,
// and is no fault of the tables.
func TestOnceDeadlock(t *testing.T) {
	g, routing := studytest.Routed(t, "torus(5,hosts=2)", "minhop")
	r := &Request{Hardware: packet.Default(), Workers: 1}
	// A short message is over at once, and a ring stands still.
	r.Pattern, r.Order, r.HotSpots.Share, r.Seeds, r.Duration = Uniform, "auto", .05, 1, 10*time.Millisecond
	r.Messages, r.Text, r.Hardware.Buffer = "messages", []byte("0us 0 1 100\n"), 2112
	for i := range 10 {
		r.Text = fmt.Appendf(r.Text, "1us %d %d 102400\n", i, (i+4)%10)
	}
	out, err := Simulate(t.Context(), g, routing, r)
	if err != nil {
		t.Fatal(err)
	}
	row := &out.Rows[0]
	if row.Deadlocks != 1 || row.Finished.Mean == 0 || row.Finished.Mean > 90_000 || row.Messages == nil {
		t.Fatalf("%d deadlocks, the last message over by %v ns", row.Deadlocks, row.Finished.Mean)
	}
	if got, want := row.Throughput.Mean*10*row.Deadlock.At/8, float64(out.Packets)*2048; got > want {
		t.Errorf("%v Gbit/s for each of 10 in %v ns, but %d packets", row.Throughput.Mean, row.Deadlock.At, out.Packets)
	}
	r.Hardware.HeadOfQueue = 20 * packet.Microsecond
	if out, err = Simulate(t.Context(), g, routing, r); err != nil {
		t.Fatal(err)
	}
	if row := &out.Rows[0]; row.Deadlocks != 1 || row.TooOld == 0 || row.TooOld != row.Lost || len(out.Warnings()) != 0 || out.Packets+row.Lost != 501 {
		t.Errorf("%d packets, %d lost, %v", out.Packets, row.Lost, out.Warnings())
	}
}

// TestBesideBEff: contributors to a hot-spot beside the benchmark slow its rings, and rates and
// sizes reach the simulation.
func TestBesideBEff(t *testing.T) {
	ring := func(streams string) float64 {
		out := simulated(t, func(r *Request) {
			r.Pattern, r.Message.Least = "b_eff:0,0", 20_000
			if streams != "" {
				r.Streams, r.Text = "streams", []byte(streams)
			}
		})
		return out.BEff.Natural.Bandwidth
	}
	free, some, one, full := ring(""), ring("4 0 rate=20 bytes=4096\n"), ring("4 0\n"), ring("4 0\n8 0\n12 0\n")
	if !(full < one && one < some && some < free) {
		t.Errorf("natural ring: %.0f MB/s alone, %.0f beside a stream of 20 Gbit/s, %.0f beside one without pause, %.0f beside three", free, some, one, full)
	}
}

// TestEndsBesideBEff: streams beside the benchmark keep the hosts and switches that the file names,
// also hosts without a rank.
func TestEndsBesideBEff(t *testing.T) {
	g, routing := studytest.Routed(t, "rlft(8,2)", "ftree")
	r := usualRequest()
	r.Pattern, r.Ranks, r.Streams, r.Text = "b_eff:0,0", 4, "streams", []byte("10 0\n\"spine 0\" 3\n")
	j := &job{Request: r, g: g, plan: routing}
	if err := j.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(j.hosts) != 4 || len(j.beside) != 2 {
		t.Fatalf("%d ranks, streams %+v", len(j.hosts), j.beside)
	}
	all, err := flow.New(t.Context(), g, routing.Plan, 1)
	if err != nil {
		t.Fatal(err)
	}
	if s := j.beside[0]; s.Src != all.Hosts[10] || s.Dst != all.Hosts[0] {
		t.Errorf("%+v, want host %d to %d", s, all.Hosts[10], all.Hosts[0])
	}
	if s := j.beside[1]; !g.IsPortZero(s.Src) || g.EndDesc[s.Src] != "spine 0" || s.Dst != all.Hosts[3] {
		t.Errorf("%+v, want spine 0 to host %d", s, all.Hosts[3])
	}
}
