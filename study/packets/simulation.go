package packets

import (
	"cmp"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/planner"
	"weft/sim/beff"
	"weft/sim/flow"
	"weft/sim/packet"
	"weft/study"
	"weft/study/flows"
)

// Simulation is the document of `weft simulate packet --json`. Times are of the network, in
// nanoseconds.
type Simulation struct {
	Settings
	Rows    []Row      `json:"rows"`
	Busiest []BusyLink `json:"busiest"`         // the busiest links between switches in the first run of the last row
	Limit   *Limit     `json:"limit,omitempty"` // the link that limits that run; absent if none is in use nearly all the time
	// Links lists all links in that run, with the links of hosts, the busiest first.
	Links []BusyLink `json:"-"`
	// Hosts and Flows are the rates in that run, if requested.
	Hosts []HostRate `json:"-"`
	Flows []FlowRate `json:"-"`
	// OverTime has the steps of that run, if requested.
	OverTime []Moment `json:"over_time,omitempty"`
	// BEff holds the figures of pattern b_eff, which has no rows.
	BEff    *beff.Result `json:"b_eff,omitempty"`
	Packets int64        `json:"packets"` // in all runs
	Seconds float64      `json:"seconds"` // simulation alone
}

// Settings describes the simulated traffic and network.
type Settings struct {
	Fabric  string          `json:"fabric"`
	Engine  string          `json:"engine,omitempty"` // none for tables from a file
	Refused []study.Refusal `json:"refused,omitempty"`
	Choice  *planner.Choice `json:"auto,omitempty"` // how engine auto chose the engine
	Pattern string          `json:"pattern"`
	Order   string          `json:"order"` // of ranks on hosts: random, natural or leaf
	Ranks   int             `json:"ranks"`
	flows.Where
	VLs   int `json:"vls"` // data VLs in use
	Seeds int `json:"seeds"`
	// Message is the bytes of each message, 0 for the usual: an MTU, or flows without end.
	Message int64 `json:"message_bytes,omitempty"`
	// MostMessage is the size of the largest message if sizes are random; Message is then the
	// smallest.
	MostMessage int64   `json:"message_most_bytes,omitempty"`
	Window      float64 `json:"window_ns,omitempty"` // the measured time after the warm-up; absent if the run ends with the messages
	// Changes lists events of the network during the run.
	Changes []NetworkChange `json:"changes,omitempty"`
}

// Row sums up the runs of one load over their seeds. Intervals use Student's t.
type Row struct {
	Load       float64       `json:"load,omitempty"`        // offered load, as a share of a host's link; absent for continuous flows
	Throughput flow.Summary  `json:"throughput_gbps"`       // delivered payload of a sending rank
	Share      flow.Summary  `json:"share"`                 // the same, as a share of the rank's link
	Slowest    flow.Summary  `json:"slowest_gbps"`          // the throughput of the slowest receiving rank
	Fairness   flow.Summary  `json:"fairness"`              // Jain's index over the throughput of receiving ranks
	Latency    Delays        `json:"latency_ns"`            // latency of packets, from the first byte sent to the last byte received
	RunLatency flow.Summary  `json:"run_latency_ns"`        // means of the runs
	Within     *Within       `json:"within_run,omitempty"`  // absent if the runs end with the messages
	Messages   *Delays       `json:"message_ns,omitempty"`  // from the order to send a message to its last byte received
	Finished   *flow.Summary `json:"finished_ns,omitempty"` // when the last message was over
	Marks      int64         `json:"marks,omitempty"`       // packets marked by congestion control
	Lost       int64         `json:"lost"`                  // packets
	Losses                   // by reason
	Deadlock   *Deadlock     `json:"deadlock,omitempty"` // the first one found
	Deadlocks  int           `json:"deadlocks"`          // runs with a deadlock
}

// Losses are packets that were lost, by reason.
type Losses struct {
	TooOld   int64 `json:"too_old,omitempty"`   // dropped after the head-of-queue time
	OnLink   int64 `json:"on_link,omitempty"`   // on a link when it failed
	NoLink   int64 `json:"no_link,omitempty"`   // sent to a port whose link was down
	Reboot   int64 `json:"reboot,omitempty"`    // packets lost in the buffers of a failed switch
	NoEntry  int64 `json:"no_entry,omitempty"`  // no forwarding entry
	NoLane   int64 `json:"no_lane,omitempty"`   // no lane for the service level
	WrongEnd int64 `json:"wrong_end,omitempty"` // packets lost at an end port with another LID
}

// add adds the losses of a run or of another row.
func (l *Losses) add(r Losses) {
	l.TooOld, l.OnLink, l.NoLink, l.Reboot = l.TooOld+r.TooOld, l.OnLink+r.OnLink, l.NoLink+r.NoLink, l.Reboot+r.Reboot
	l.NoEntry, l.NoLane, l.WrongEnd = l.NoEntry+r.NoEntry, l.NoLane+r.NoLane, l.WrongEnd+r.WrongEnd
}

// lossesOf returns the losses of a run.
func lossesOf(l *packet.Losses) Losses {
	return Losses{TooOld: l.TooOld, OnLink: l.OnLink, NoLink: l.NoLink, Reboot: l.Reboot, NoEntry: l.NoEntry, NoLane: l.NoLane, WrongEnd: l.WrongEnd}
}

// reasons lists the number of lost packets for each reason.
func (l *Losses) reasons() (list []string) {
	for _, x := range []struct {
		n    int64
		text string
	}{
		{l.TooOld, "had waited for too long"},
		{l.OnLink, "were on a link when it failed"},
		{l.NoLink, "were sent to a port whose link was down"},
		{l.Reboot, "were in a switch when it failed"},
		{l.NoEntry, "found no forwarding entry"},
		{l.NoLane, "found no lane for their service level"},
		{l.WrongEnd, "came to a port that has another LID"},
	} {
		if x.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", x.n, x.text))
		}
	}
	return list
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
	Ports   []fabric.PortName `json:"ports"` // sending and receiving port of the link in front of it
	VL      uint8             `json:"vl"`
	Packets int               `json:"packets"`
	From    fabric.PortName   `json:"from"` // source of the first packet
	To      fabric.PortName   `json:"to"`   // its target
}

// BusyLink is a link in one direction.
type BusyLink struct {
	Ports   []fabric.PortName `json:"ports"`
	Used    float64           `json:"used"`    // share of the time with packets on the link
	Waiting float64           `json:"waiting"` // share of the time with packets but no credits
	// Filled and Most are bytes in the input buffers behind the link: the mean, and the largest
	// sample of one of them. They are counted with the steps of the run.
	Filled float64 `json:"filled_bytes,omitempty"`
	Most   float64 `json:"most_filled_bytes,omitempty"`
}

// row sums up the runs of one load.
func (j *job) row(runs []*oneRun) Row {
	row := Row{Load: runs[0].load}
	var through, share, slowest, fair, finished, means []float64
	var latency, messages packet.Histogram
	for _, run := range runs {
		r := run.result
		window := j.window(r)
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
		gbps := func(bytes float64) float64 { return bytes * 8000 / float64(window) }
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
		if r.Latency.Count > 0 {
			means = append(means, float64(r.Latency.Mean())/float64(packet.Nanosecond))
		}
		messages.Merge(r.Messages)
		row.Lost += r.Lost.Total()
		row.add(lossesOf(&r.Lost))
		row.Marks += r.Marks
		if r.Deadlock != nil {
			if row.Deadlocks++; row.Deadlock == nil {
				row.Deadlock = j.deadlock(run)
			}
		}
	}
	row.Throughput, row.Share, row.Slowest, row.Fairness = flow.SummariseFew(through), flow.SummariseFew(share), flow.SummariseFew(slowest), flow.SummariseFew(fair)
	row.Latency, row.RunLatency = delays(&latency), flow.SummariseFew(means)
	if messages.Count > 0 {
		d := delays(&messages)
		row.Messages = &d
	}
	if j.once {
		f := flow.SummariseFew(finished)
		row.Finished = &f
	} else {
		row.Within = within(runs)
	}
	return row
}

func delays(h *packet.Histogram) Delays {
	ns := func(t packet.Time) float64 { return float64(t) / 1000 }
	return Delays{ns(h.Mean()), ns(h.Min), ns(h.Quantile(.5)), ns(h.Quantile(.99)), ns(h.Quantile(.999)), ns(h.Max)}
}

// deadlock describes the deadlock of a run, with the names of its buffers.
func (j *job) deadlock(run *oneRun) *Deadlock {
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

// Warnings lists facts that qualify the figures.
func (o *Simulation) Warnings() (list []string) {
	lost := int64(0)
	for i := range o.Rows {
		if r := &o.Rows[i]; len(o.Changes) == 0 {
			lost += r.Lost - r.TooOld
		}
	}
	if lost > 0 {
		list = append(list, fmt.Sprintf("%s lost: the tables or lanes do not deliver them", study.Plural(lost, "packet")))
	}
	return list
}

// Deadlocked reports whether a run had a deadlock.
func (o *Simulation) Deadlocked() bool {
	return slices.ContainsFunc(o.Rows, func(r Row) bool { return r.Deadlocks > 0 })
}
