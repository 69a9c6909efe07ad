package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/fabric"
	"weft/internal/par"
	"weft/route/job"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/traffic"
)

// PacketSimulation is the document of `weft simulate packet --json`. Times are of the network, in nanoseconds.
type PacketSimulation struct {
	Fabric  string      `json:"fabric"`
	Engine  string      `json:"engine,omitempty"` // none for tables from a file
	Refused []Refusal   `json:"refused,omitempty"`
	Choice  *job.Choice `json:"auto,omitempty"` // how engine auto chose the engine
	Pattern string      `json:"pattern"`
	Order   string      `json:"order"` // of ranks on hosts: random, natural or leaf
	Ranks   int         `json:"ranks"`
	VLs     int         `json:"vls"` // data VLs in use
	Seeds   int         `json:"seeds"`
	// Message is the bytes of each message, 0 where flows go on without end.
	Message int64       `json:"message_bytes,omitempty"`
	Window  float64     `json:"window_ns,omitempty"` // that is measured, after the warm-up; absent where the run ends with the messages
	Rows    []PacketRow `json:"rows"`
	Busiest []BusyLink  `json:"busiest"` // links between switches that carried the most in the first run of the last row
	Packets int64       `json:"packets"` // in all runs
	Seconds float64     `json:"seconds"` // simulation alone
}

// PacketRow sums up the runs of one load, over their seeds.
type PacketRow struct {
	Load       float64       `json:"load,omitempty"`        // offered, as a share of what a host's link carries; absent for flows without pause
	Throughput flow.Summary  `json:"throughput_gbps"`       // payload that a sending rank gets through
	Share      flow.Summary  `json:"share"`                 // the same, as a share of what the link of a rank carries
	Slowest    flow.Summary  `json:"slowest_gbps"`          // that of the rank that takes least, of those that are sent to
	Fairness   flow.Summary  `json:"fairness"`              // Jain's index over what the ranks that are sent to take
	Latency    Delays        `json:"latency_ns"`            // of packets, from the first byte sent to the last one taken
	Messages   *Delays       `json:"message_ns,omitempty"`  // from the order to send a message to its last byte taken
	Finished   *flow.Summary `json:"finished_ns,omitempty"` // when the last message was over
	Marks      int64         `json:"marks,omitempty"`       // packets that congestion control marked
	Lost       int64         `json:"lost"`                  // packets
	Deadlock   *Deadlock     `json:"deadlock,omitempty"`    // the first that was found
	Deadlocks  int           `json:"deadlocks"`             // runs that had one
}

// Delays are times in nanoseconds, over all runs of a row.
type Delays struct {
	Mean   float64 `json:"mean"`
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	P99    float64 `json:"p99"`
	P999   float64 `json:"p999"`
	Max    float64 `json:"max"`
}

// Deadlock is a cycle of input buffers, each full of packets that wait for room in the next.
type Deadlock struct {
	Seed  uint64       `json:"seed"`
	At    float64      `json:"at_ns"` // when it was found
	Cycle []FullBuffer `json:"cycle"`
}

// FullBuffer is an input buffer of a deadlock.
type FullBuffer struct {
	Ports   []fabric.PortName `json:"ports"` // of the link before it: where packets leave, and where they arrive
	VL      uint8             `json:"vl"`
	Packets int               `json:"packets"`
	From    fabric.PortName   `json:"from"` // source of the first packet
	To      fabric.PortName   `json:"to"`   // its target
}

// BusyLink is a link between switches, in one direction.
type BusyLink struct {
	Ports   []fabric.PortName `json:"ports"`
	Used    float64           `json:"used"`    // share of the time that it carried packets
	Waiting float64           `json:"waiting"` // share of the time that it had packets, but no credits
}

// PacketRequest asks for a simulation of packets.
type PacketRequest struct {
	Pattern string // traffic.Parse reads it, or Uniform
	File    string // of flows in place of the pattern
	Text    []byte
	// Messages is a file of messages at their times in place of the pattern, and Text what it holds.
	Messages string
	Order    string // as in FlowRequest
	Ranks    int    // 0: all hosts
	Seeds    int    // runs of each row
	Seed     uint64 // of the first
	Loads    []float64
	// HotSpots of Uniform: the ranks are so many groups, and a share of the messages of each goes to its first rank.
	HotSpots int
	HotShare float64
	Once     bool  // every flow is one message, and the run ends with the last
	Message  int64 // bytes of a message; 0: an MTU, or 64 KiB with Once
	// Duration is measured after the warm-up. With Once it is the longest time that is simulated.
	Warmup, Duration time.Duration
	Hardware         packet.Config
	Workers          int
}

// Uniform is the pattern in which every rank sends each message to another one, drawn at random.
const Uniform = "uniform"

// onceMessage is the size of a message where each flow is one.
const onceMessage = 64 << 10

// Validate reports what is out of range, by the names of the options of the command.
func (r *PacketRequest) Validate() error {
	switch {
	case !slices.Contains([]string{"auto", "random", "natural", "leaf"}, r.Order):
		return fmt.Errorf("order %q: want auto, random, natural or leaf", r.Order)
	case r.Seeds < 1 || r.Seeds > 10_000:
		return fmt.Errorf("seeds %d: want 1 to 10000", r.Seeds)
	case r.Ranks < 0 || r.Ranks == 1:
		return fmt.Errorf("ranks %d: want at least 2", r.Ranks)
	case r.Message < 0:
		return fmt.Errorf("message %d: want at least 1 byte", r.Message)
	case r.Duration <= 0 || r.Duration > 10*time.Second:
		return fmt.Errorf("duration %v: want more than 0 and at most 10s", r.Duration)
	case r.Warmup < 0 || r.Warmup > 10*time.Second:
		return fmt.Errorf("warmup %v: want 0 to 10s", r.Warmup)
	case r.HotSpots < 0 || r.HotSpots > 0 && r.Pattern != Uniform:
		return fmt.Errorf("hot-spots %d: want at least 1, with pattern uniform", r.HotSpots)
	case r.HotShare <= 0 || r.HotShare > 1:
		return fmt.Errorf("hot-share %v: want more than 0 and at most 1", r.HotShare)
	case (r.Once || r.Messages != "") && len(r.Loads) > 0:
		return errors.New("load: messages that are sent once, or at given times, have none")
	}
	for _, load := range r.Loads {
		if load <= 0 || load > 1 {
			return fmt.Errorf("load %v: want more than 0 and at most 1, a share of what a host's link carries", load)
		}
	}
	return nil
}

// Check reports a pattern, a file of flows or a number of ranks that a fabric cannot have, before it is
// routed.
func (r *PacketRequest) Check(g *fabric.Graph) error {
	switch {
	case r.Messages != "":
		hosts := slices.DeleteFunc(fabric.Numbers(g.NumHosts), func(h int32) bool { return !g.IsHost(h) })
		_, err := traffic.ReadMessages(r.Messages, r.Text, g, hosts)
		return err
	case r.File == "" && r.Pattern == Uniform:
		return nil
	}
	return (&FlowRequest{Pattern: r.Pattern, File: r.File, Text: r.Text, Ranks: r.Ranks}).Check(g)
}

// packetJob is a request with what all its runs share.
type packetJob struct {
	*PacketRequest
	g       *fabric.Graph
	plan    *job.Result
	hosts   []int32           // ranks in place
	pattern *traffic.Pattern  // nil for Uniform
	timed   []traffic.Message // in place of it
	shuffle bool
	once    bool
}

// packetRun is one run of a job.
type packetRun struct {
	load            float64
	seed            uint64
	hosts           []int32 // ranks
	result          *packet.Result
	senders, takers []int32 // end ports
}

// SimulatePackets lets packets of a traffic pattern pass a network in time. Runs differ by load and seed, and are
// made side by side.
func SimulatePackets(ctx context.Context, g *fabric.Graph, routing *job.Result, r *PacketRequest) (*PacketSimulation, error) {
	j := &packetJob{PacketRequest: r, g: g, plan: routing}
	if err := j.prepare(ctx); err != nil {
		return nil, err
	}
	loads := r.Loads
	if len(loads) == 0 {
		loads = []float64{0}
	}
	seeds := r.Seeds
	if j.timed != nil || j.pattern != nil && !j.shuffle && !j.pattern.Drawn && len(r.Loads) == 0 {
		seeds = 1 // all runs are the same
	}
	runs := make([]*packetRun, len(loads)*seeds)
	err := par.For(ctx, r.Workers, len(runs), func(_, i int) (err error) {
		runs[i], err = j.run(ctx, loads[i/seeds], r.Seed+uint64(i%seeds))
		return err
	})
	if err != nil {
		return nil, err
	}
	out := &PacketSimulation{
		Fabric: g.Name, Pattern: Uniform, Order: "natural", Ranks: len(j.hosts), Seeds: seeds, VLs: packet.Lanes(routing.Plan),
		Refused: refusalsOf(routing.Refused), Choice: routing.Choice, Rows: []PacketRow{},
	}
	if routing.Engine != nil {
		out.Engine = routing.Engine.Name
	}
	switch {
	case j.timed != nil:
		out.Pattern = j.Messages
	case j.pattern != nil:
		out.Pattern = j.pattern.Name
	case r.HotSpots > 0:
		out.Pattern = fmt.Sprintf("uniform, %g %% to %s", 100*r.HotShare, Plural(r.HotSpots, "hot-spot"))
	}
	switch {
	case j.shuffle:
		out.Order = "random"
	case r.Order == "leaf":
		out.Order = "leaf"
	}
	switch {
	case j.timed != nil:
	case j.once:
		out.Message = j.message()
	default:
		out.Window = float64(r.Duration)
	}
	for i := range loads {
		out.Rows = append(out.Rows, j.row(runs[i*seeds:(i+1)*seeds]))
	}
	for _, run := range runs {
		out.Packets += run.result.Arrived
	}
	out.Busiest = j.busiest(runs[(len(loads)-1)*seeds].result)
	return out, nil
}

// prepare finds the ranks and the pattern.
func (j *packetJob) prepare(ctx context.Context) error {
	n, err := flow.New(ctx, j.g, j.plan.Plan, j.Workers)
	if err != nil {
		return err
	}
	ranks := len(n.Hosts)
	if j.Ranks > ranks {
		return fmt.Errorf("--ranks %d: the fabric has %d host ports with a LID", j.Ranks, ranks)
	}
	if ranks = cmp.Or(j.Ranks, ranks); ranks < 2 {
		return fmt.Errorf("%s with a LID: traffic needs two", Plural(ranks, "host port"))
	}
	j.hosts = n.Hosts
	if j.Order == "leaf" {
		j.hosts = n.ByLeaf()
	}
	j.once = j.Once
	switch {
	case j.Messages != "":
		j.once, j.hosts = true, j.hosts[:ranks]
		if j.timed, err = traffic.ReadMessages(j.Messages, j.Text, j.g, j.hosts); err != nil {
			return err
		}
	case j.File == "" && j.Pattern == Uniform:
		if j.Once {
			return errors.New("--once: pattern uniform has no end")
		}
		if j.HotSpots > ranks/2 {
			return fmt.Errorf("--hot-spots %d: %d ranks make at most %d groups", j.HotSpots, ranks, ranks/2)
		}
	default:
		f := &FlowRequest{Pattern: j.Pattern, File: j.File, Text: j.Text, Ranks: ranks}
		if j.pattern, err = f.traffic(j.g, n.Hosts); err != nil {
			return err
		}
		j.shuffle = j.Order == "random" || j.Order == "auto" && j.pattern.Shuffled
		if j.pattern.Rounds > 1 {
			if len(j.Loads) > 0 {
				return fmt.Errorf("--load: pattern %s has %d rounds, which wait for one another; a load is for patterns of one round", j.pattern.Name, j.pattern.Rounds)
			}
			j.once = true
		}
	}
	if !j.shuffle {
		j.hosts = j.hosts[:ranks]
	}
	return nil
}

// message is the bytes of one message.
func (j *packetJob) message() int64 {
	if j.once {
		return cmp.Or(j.Message, onceMessage)
	}
	return cmp.Or(j.Message, int64(j.Hardware.MTU))
}

// run makes one run.
func (j *packetJob) run(ctx context.Context, load float64, seed uint64) (*packetRun, error) {
	r := &packetRun{load: load, seed: seed, hosts: j.hosts}
	var rounds []traffic.Flows
	if j.pattern != nil {
		var rng rand.PCG
		if j.shuffle {
			r.hosts = slices.Clone(j.hosts)
			traffic.Seed(&rng, seed, 0, -1)
			traffic.Shuffle(r.hosts, &rng)
		}
		rounds = make([]traffic.Flows, j.pattern.Rounds)
		for i := range rounds {
			traffic.Seed(&rng, seed, 0, i)
			j.pattern.Round(&rounds[i], i, &rng)
		}
		r.hosts = r.hosts[:j.pattern.Ranks]
	}
	work := j.workload(r, rounds)
	sim, err := packet.New(j.g, j.plan.Plan, j.Hardware, work)
	if err != nil {
		return nil, err
	}
	warmup, until := packet.Time(j.Warmup)*packet.Nanosecond, packet.Time(j.Warmup+j.Duration)*packet.Nanosecond
	if j.once {
		warmup, until = 0, packet.Time(j.Duration)*packet.Nanosecond
	}
	if r.result, err = sim.Run(ctx, warmup, until); err != nil {
		return nil, err
	}
	if w, ok := work.(interface{ Done() bool }); ok && !w.Done() && r.result.Deadlock == nil && r.result.Lost.Total() == 0 {
		return nil, fmt.Errorf("after %v of the network's time messages are still under way: give a longer --duration", j.Duration)
	}
	return r, nil
}

// workload makes what the hosts of a run do.
func (j *packetJob) workload(r *packetRun, rounds []traffic.Flows) packet.Workload {
	sends, takes := make([]bool, j.g.NumEnds), make([]bool, j.g.NumEnds)
	defer func() {
		for e := range int32(j.g.NumEnds) {
			if sends[e] {
				r.senders = append(r.senders, e)
			}
			if takes[e] {
				r.takers = append(r.takers, e)
			}
		}
	}()
	if j.timed != nil {
		for _, m := range j.timed {
			sends[r.hosts[m.Src]], takes[r.hosts[m.Dst]] = true, true
		}
		return packet.NewTimed(j.timed, r.hosts)
	}
	streams := &packet.Streams{Targets: r.hosts, Seed: r.seed}
	add := func(src, dst int32, flows int) {
		s := packet.Stream{Src: src, Dst: dst, Bytes: j.message()}
		switch {
		case r.load > 0:
			rate := float64(cmp.Or(j.g.EndRate[src], j.Hardware.UnknownRate)) * r.load / float64(flows)
			s.Gap = packet.Time(float64(j.onWire(s.Bytes)) * 8e6 / rate)
		case dst == packet.Anyone:
			s.Pending = pendingMessages
		default:
			s.Bytes = packet.Forever
		}
		streams.List = append(streams.List, s)
	}
	if j.pattern == nil {
		for i, h := range r.hosts {
			sends[h], takes[h] = true, true
			add(h, packet.Anyone, 1)
			if j.HotSpots > 0 {
				if spot := packet.HotSpot(r.hosts, j.HotSpots, i); spot != h {
					s := &streams.List[len(streams.List)-1]
					s.Spot, s.Share = spot, j.HotShare
				}
			}
		}
		return streams
	}
	flows := make([]int, len(r.hosts))
	for _, round := range rounds {
		for i := range round.Src {
			sends[r.hosts[round.Src[i]]], takes[r.hosts[round.Dst[i]]] = true, true
			flows[round.Src[i]]++
		}
	}
	if j.once {
		return packet.NewRounds(rounds, r.hosts, j.g.NumEnds, j.message())
	}
	for i, src := range rounds[0].Src {
		add(r.hosts[src], r.hosts[rounds[0].Dst[i]], flows[src])
	}
	return streams
}

// pendingMessages lets a host of uniform traffic have so many messages under way, so that one lane does not hold up another.
const pendingMessages = 8

// onWire is the bytes of a message with the headers of its packets.
func (j *packetJob) onWire(bytes int64) int64 {
	mtu := int64(j.Hardware.MTU)
	return bytes + (bytes+mtu-1)/mtu*int64(j.Hardware.Headers)
}

// row puts the runs of one load together.
func (j *packetJob) row(runs []*packetRun) PacketRow {
	row := PacketRow{Load: runs[0].load}
	var through, share, slowest, fair, finished []float64
	var latency, messages packet.Histogram
	for _, run := range runs {
		r := run.result
		window := r.Window
		if j.once {
			window = max(r.Finished, 1)
		}
		bytes, least, rate := int64(0), int64(-1), 0.0
		var sum, squares float64
		for _, e := range run.takers {
			b := r.Bytes[e]
			bytes += b
			if least < 0 || b < least {
				least = b
			}
			sum, squares = sum+float64(b), squares+float64(b)*float64(b)
		}
		for _, e := range run.senders {
			rate += float64(cmp.Or(j.g.EndRate[e], j.Hardware.UnknownRate)) / 1000
		}
		gbps := func(bytes float64) float64 { return bytes * 8000 / float64(max(window, 1)) }
		if n := float64(len(run.senders)); n > 0 {
			through = append(through, gbps(float64(bytes))/n)
			share = append(share, gbps(float64(bytes))/rate)
			slowest = append(slowest, gbps(float64(max(least, 0))))
		}
		if squares > 0 {
			fair = append(fair, sum*sum/squares/float64(len(run.takers)))
		}
		finished = append(finished, float64(r.Finished)/1000)
		latency.Merge(r.Latency)
		messages.Merge(r.Messages)
		row.Lost += r.Lost.Total()
		row.Marks += r.Marks
		if r.Deadlock != nil {
			if row.Deadlocks++; row.Deadlock == nil {
				row.Deadlock = j.deadlock(run)
			}
		}
	}
	row.Throughput, row.Share, row.Slowest, row.Fairness = flow.Summarise(through), flow.Summarise(share), flow.Summarise(slowest), flow.Summarise(fair)
	row.Latency = delays(&latency)
	if messages.Count > 0 {
		d := delays(&messages)
		row.Messages = &d
	}
	if j.once {
		f := flow.Summarise(finished)
		row.Finished = &f
	}
	return row
}

func delays(h *packet.Histogram) Delays {
	ns := func(t packet.Time) float64 { return float64(t) / 1000 }
	return Delays{ns(h.Mean()), ns(h.Min), ns(h.Quantile(.5)), ns(h.Quantile(.99)), ns(h.Quantile(.999)), ns(h.Max)}
}

// deadlock names the buffers of a deadlock.
func (j *packetJob) deadlock(run *packetRun) *Deadlock {
	d := &Deadlock{Seed: run.seed, At: float64(run.result.Deadlock.At) / 1000}
	for _, b := range run.result.Deadlock.Cycle {
		full := FullBuffer{VL: b.VL, Packets: b.Packets, From: j.g.EndName(b.Src), To: j.g.EndName(b.Dst)}
		if b.Channel >= 0 {
			full.Ports = j.g.ChannelPorts(b.Channel)
		}
		d.Cycle = append(d.Cycle, full)
	}
	return d
}

// busiestKept bounds the list of busy links.
const busiestKept = 5

// busiest lists the links between switches that carried packets for the largest share of a run.
func (j *packetJob) busiest(r *packet.Result) []BusyLink {
	channels := fabric.Numbers(j.g.NumChannels)
	slot := func(c int32) int32 { return j.g.PortStart[j.g.From[c]] + int32(j.g.FromPort[c]) }
	slices.SortStableFunc(channels, func(a, b int32) int {
		return cmp.Or(cmp.Compare(j.used(r, b, slot(b)), j.used(r, a, slot(a))), cmp.Compare(r.Waited[slot(b)], r.Waited[slot(a)]))
	})
	list := []BusyLink{}
	for _, c := range channels[:min(len(channels), busiestKept)] {
		if used := j.used(r, c, slot(c)); used > 0 {
			list = append(list, BusyLink{j.g.ChannelPorts(c), used, float64(r.Waited[slot(c)]) / float64(max(r.Window, 1))})
		}
	}
	return list
}

// used is the share of the time that a channel carried packets.
func (j *packetJob) used(r *packet.Result, c, slot int32) float64 {
	rate := float64(cmp.Or(j.g.ChanRate[c], j.Hardware.UnknownRate))
	return float64(r.Carried[slot]) * 8e6 / rate / float64(max(r.Window, 1))
}

// Warnings lists what the figures do not say for themselves.
func (o *PacketSimulation) Warnings() (list []string) {
	for i := range o.Rows {
		if n := o.Rows[i].Lost; n > 0 {
			list = append(list, fmt.Sprintf("%s lost: the tables or lanes do not deliver them", Plural(n, "packet")))
			break
		}
	}
	return list
}

// Deadlocked reports whether a run had a deadlock.
func (o *PacketSimulation) Deadlocked() bool {
	return slices.ContainsFunc(o.Rows, func(r PacketRow) bool { return r.Deadlocks > 0 })
}

// Write prints the simulation for people.
func (o *PacketSimulation) Write(w io.Writer) error {
	rows := [][]string{
		{"engine", cmp.Or(o.Engine, "tables of a file")},
		{"pattern", fmt.Sprintf("%s, %d ranks, %s order", o.Pattern, o.Ranks, o.Order)},
		{"lanes", strconv.Itoa(o.VLs)},
		{"runs", Plural(o.Seeds*len(o.Rows), "run") + ", " + Plural(o.Packets, "packet") + " in all"},
	}
	switch {
	case o.Message > 0:
		rows = append(rows, []string{"messages", Plural(o.Message, "byte") + " each"})
	case o.Window > 0:
		rows = append(rows, []string{"measured", time.Duration(o.Window).String() + " of each run"})
	}
	if err := Table(w, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := Table(w, o.table()); err != nil {
		return err
	}
	for i := range o.Rows {
		if d := o.Rows[i].Deadlock; d != nil {
			d.write(w, &o.Rows[i], o.Seeds)
			break
		}
	}
	if len(o.Busiest) > 0 {
		items := make([]string, len(o.Busiest))
		for i, b := range o.Busiest {
			items[i] = fmt.Sprintf("%s -> %s: %.0f %% used, %.0f %% waiting for credits", b.Ports[0].Short(), b.Ports[1].Short(), 100*b.Used, 100*b.Waiting)
		}
		writeSome(w, "busiest links", items[:min(len(items), hottestShown)], hottestShown)
	}
	return nil
}

// table has a row for each load.
func (o *PacketSimulation) table() [][]string {
	number := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	us := func(ns float64) string { return number(ns/1000, 2) }
	head := []string{"LOAD", "GBIT/S", "+-95%", "SHARE", "SLOWEST", "FAIR", "US MEAN", "P99", "MAX", "LOST"}
	once := o.Window == 0
	if once {
		head[0] = "ENDS, US"
	}
	list := [][]string{head}
	for i := range o.Rows {
		r := &o.Rows[i]
		first := "full"
		switch {
		case once:
			first = us(r.Finished.Mean)
		case r.Load > 0:
			first = number(r.Load, 2)
		}
		list = append(list, []string{
			first, number(r.Throughput.Mean, 2), number(r.Throughput.CI95, 2), number(r.Share.Mean, 3), number(r.Slowest.Mean, 2), number(r.Fairness.Mean, 3),
			us(r.Latency.Mean), us(r.Latency.P99), us(r.Latency.Max), strconv.FormatInt(r.Lost, 10),
		})
	}
	return list
}

func (d *Deadlock) write(w io.Writer, row *PacketRow, seeds int) {
	fmt.Fprintf(w, "\nDEADLOCK in %d of %s, in that of seed %d by %s\n", row.Deadlocks, Plural(seeds, "run"), d.Seed, time.Duration(d.At))
	shown := d.Cycle[:min(len(d.Cycle), deadlockShown)]
	items := make([]string, len(shown))
	for i, b := range shown {
		where := "behind a host"
		if len(b.Ports) == 2 {
			where = fmt.Sprintf("%s -> %s", b.Ports[0].Short(), b.Ports[1].Short())
		}
		items[i] = fmt.Sprintf("%s, VL %d: %s, the first from %s to %s", where, b.VL, Plural(b.Packets, "packet"), b.From.Short(), b.To.Short())
	}
	if more := len(d.Cycle) - len(shown); more > 0 {
		items = append(items, fmt.Sprintf("and %d more (--json lists all)", more))
	}
	writeSome(w, "each waits for room in the next", items, len(items))
}

// deadlockShown limits the buffers of a cycle that are printed; JSON has all.
const deadlockShown = 8

// WriteCSV writes a line for each load, with names in the first line. Times are in nanoseconds.
func (o *PacketSimulation) WriteCSV(w io.Writer) error {
	var b strings.Builder
	b.WriteString("load,throughput_gbps,throughput_ci95,share,slowest_gbps,fairness,latency_mean_ns,latency_p50_ns,latency_p99_ns,latency_p999_ns,latency_max_ns,lost,deadlocks\n")
	for i := range o.Rows {
		r := &o.Rows[i]
		fmt.Fprintf(&b, "%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%g,%d,%d\n", r.Load, r.Throughput.Mean, r.Throughput.CI95, r.Share.Mean, r.Slowest.Mean, r.Fairness.Mean,
			r.Latency.Mean, r.Latency.Median, r.Latency.P99, r.Latency.P999, r.Latency.Max, r.Lost, r.Deadlocks)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
