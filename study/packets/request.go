package packets

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/fabric"
	"weft/sim/packet"
	"weft/sim/traffic"
	"weft/study/flows"
)

// Request describes a simulation of packets.
type Request struct {
	Traffic
	Runs
	Changes  Changes
	Hardware packet.Config
	Between  *Between // several subnets; nil for one fabric
	Workers  int
}

// Traffic selects the senders, receivers and messages.
type Traffic struct {
	Pattern string // for traffic.Parse, or Uniform, or BEff
	File    string // of flows in place of the pattern
	// Messages is a file of messages with their times, in place of the pattern.
	Messages string
	// Streams is a file of streams with their rates and times, in place of the pattern, or beside
	// BEff.
	Streams  string
	Text     []byte // content of File, Messages or Streams
	Order    string // as in flows.Request
	Ranks    int    // 0: all hosts
	RanksOn  string // as in flows.Request
	HotSpots HotSpots
	// FarShare is the share of Uniform messages that go to another subnet; nil: targets are drawn
	// among all hosts.
	FarShare *float64
	Loads    []float64
	// Bursts alternate between sending at the rate of the link and silence. If Off is 0, each of
	// Loads determines it.
	Bursts  packet.Bursts
	Once    bool        // every flow is one message, and the run ends with the last
	Message MessageSize // zero: an MTU, or 64 KiB with Once
}

// MessageSize is the size of messages in bytes: Least for all, or, if Most is larger, a size drawn
// between the two for each.
type MessageSize struct{ Least, Most int64 }

// ParseMessageSize reads BYTES or LEAST-MOST.
func ParseMessageSize(text string) (m MessageSize, err error) {
	least, most, drawn := strings.Cut(text, "-")
	if m.Least, err = strconv.ParseInt(least, 10, 64); err == nil && drawn {
		m.Most, err = strconv.ParseInt(most, 10, 64)
	}
	if err != nil || m.Least < 1 || drawn && m.Most <= m.Least || max(m.Least, m.Most) > 1<<40 {
		return m, fmt.Errorf("message %s: want at least 1 byte, or LEAST-MOST", text)
	}
	return m, nil
}

// drawn reports whether messages have different sizes.
func (m MessageSize) drawn() bool { return m.Most > m.Least }

// loads returns the offered load of each row, 0 for continuous traffic.
func (t *Traffic) loads() []float64 {
	switch b := t.Bursts; {
	case len(t.Loads) > 0:
		return t.Loads
	case b.On > 0:
		return []float64{float64(b.On) / float64(b.On+b.Off)}
	}
	return []float64{0}
}

// HotSpots are targets of Uniform traffic that receive more than others. The ranks form groups, and
// a share of each group's messages goes to its first rank.
type HotSpots struct {
	Groups int // 0: none
	Share  float64
}

// Runs sets the number and the length of runs.
type Runs struct {
	Seeds int    // runs of each row
	Seed  uint64 // of the first
	// Duration is the measured time after the warm-up. With Once it is the longest simulated time.
	Warmup, Duration time.Duration
	// Steps is the number of steps recorded of the first run of the last row, with the use of links
	// and the filling of buffers; 0: none.
	Steps int
	// CountFlows records the rate between each pair of ranks in that run.
	CountFlows bool
}

// Uniform names the pattern of random targets: every rank sends each message to a random other
// rank.
const Uniform = "uniform"

// onceMessage is the usual size of a message with Once.
const onceMessage = 64 << 10

// Validate returns an error for a value out of range, named like the option of the command.
func (r *Request) Validate() error {
	switch {
	case !slices.Contains([]string{"auto", "random", "natural", "leaf"}, r.Order):
		return fmt.Errorf("order %q: want auto, random, natural or leaf", r.Order)
	case r.Seeds < 1 || r.Seeds > 10_000:
		return fmt.Errorf("seeds %d: want 1 to 10000", r.Seeds)
	case r.Ranks < 0 || r.Ranks == 1:
		return fmt.Errorf("ranks %d: want at least 2", r.Ranks)
	case r.Message.drawn() && r.Once:
		return errors.New("message: with --once all messages have one size")
	case r.Duration <= 0 || r.Duration > 10*time.Second:
		return fmt.Errorf("duration %v: want more than 0 and at most 10s", r.Duration)
	case r.Steps < 0 || r.Steps > 10_000:
		return fmt.Errorf("steps %d: want 0 to 10000", r.Steps)
	case time.Duration(r.Steps)*100*time.Nanosecond > r.Duration:
		return fmt.Errorf("steps %d: a step of %v has less than 100ns; give fewer, or a longer --duration", r.Steps, r.Duration/time.Duration(r.Steps))
	case r.RanksOn == flows.OnServers && r.File+r.Messages+r.Streams != "":
		return errors.New("ranks-on servers: the file names ports")
	case r.Warmup < 0 || r.Warmup > 10*time.Second:
		return fmt.Errorf("warmup %v: want 0 to 10s", r.Warmup)
	case r.Order == "random" && r.Messages+r.Streams != "":
		return errors.New("order random: a file of messages or streams says which hosts send")
	case r.HotSpots.Groups < 0:
		return fmt.Errorf("hot-spots %d: want at least 1", r.HotSpots.Groups)
	case r.HotSpots.Groups > 0 && r.IsBEff():
		return errors.New("hot-spots: pattern b_eff has messages of its own; put hot-spots beside it by --streams")
	case r.HotSpots.Groups > 0 && r.File+r.Messages+r.Streams != "":
		return errors.New("hot-spots: the file says who sends to whom; hot-spots go with pattern uniform")
	case r.HotSpots.Groups > 0 && r.Pattern != Uniform:
		return fmt.Errorf("hot-spots: pattern %s says who sends to whom; hot-spots go with pattern uniform", r.Pattern)
	case r.FarShare != nil && (r.Pattern != Uniform || r.File+r.Messages+r.Streams != ""):
		return errors.New("far-share: it divides pattern uniform between several subnets")
	case r.FarShare != nil && !(*r.FarShare >= 0 && *r.FarShare <= 1):
		return fmt.Errorf("far-share %v: want 0 to 1", *r.FarShare)
	case !(r.HotSpots.Share > 0 && r.HotSpots.Share <= 1):
		return fmt.Errorf("hot-share %v: want more than 0 and at most 1", r.HotSpots.Share)
	case (r.Once || r.Messages != "") && (len(r.Loads) > 0 || r.Bursts.On > 0):
		return errors.New("load: messages that are sent once, or at given times, have none, and no bursts")
	case r.Streams != "" && (len(r.Loads) > 0 || r.Bursts.On > 0):
		return errors.New("load: the file of streams has their rates, and no bursts")
	case r.Changes.File != "" && r.IsBEff():
		return errors.New("changes: b_eff is many short runs")
	case r.Changes.File != "" && (r.Changes.BlockTime < 0 || r.Changes.BlockTime > time.Second):
		return fmt.Errorf("block-time %v: want 0 to 1s", r.Changes.BlockTime)
	case r.Bursts.On > 0 && (r.Bursts.Off > 0) == (len(r.Loads) > 0):
		return errors.New("bursts: want off=TIME, or --load, from which it follows")
	}
	if err := flows.CheckRanksOn(r.RanksOn); err != nil {
		return err
	}
	if r.IsBEff() {
		return r.validateBEff()
	}
	for _, load := range r.Loads {
		if !(load > 0 && load <= 1) {
			return fmt.Errorf("load %v: want more than 0 and at most 1, a share of what a host's link carries", load)
		}
	}
	return nil
}

// Check returns an error if a fabric cannot have the pattern, the files or the number of ranks. It
// runs before routing.
func (r *Request) Check(g *fabric.Graph) error {
	if r.Changes.File != "" {
		if _, err := r.readChanges(g); err != nil {
			return err
		}
	}
	switch {
	case r.Messages != "", r.Streams != "":
		hosts := withSwitches(g, slices.DeleteFunc(fabric.Numbers(g.NumHosts), func(h int32) bool { return !g.IsHost(h) }))
		if r.Streams != "" {
			_, err := traffic.ReadStreams(r.Streams, r.Text, g, hosts)
			return err
		}
		_, err := traffic.ReadMessages(r.Messages, r.Text, g, hosts)
		return err
	case r.File == "" && r.Pattern == Uniform, r.IsBEff():
		return nil
	}
	return (&flows.Request{Pattern: r.Pattern, File: r.File, Text: r.Text, Ranks: r.Ranks, RanksOn: r.RanksOn}).Check(g)
}
