// Package job runs mapping jobs: a network and options in, a map, its comparison with the network
// and a report out. Run maps once: by one host, by an election, or by all hosts together; in
// traffic it also surveys the map. Watch maps a network again and again while events change it.
package job

import (
	"fmt"
	"time"

	"weft/mapping"
	"weft/mapping/algorithm"
)

// Mode says which hosts map.
type Mode string

// The modes.
const (
	Master   Mode = "master"   // one host
	Election Mode = "election" // all hosts, until the lowest address is left
	Parallel Mode = "parallel" // all hosts, which merge their graphs when they meet
)

// Stop says when an algorithm that needs a bound stops.
type Stop string

// The rules.
const (
	AtDepth Stop = "depth" // when all strings of Options.Depth turns were tried
	Known   Stop = "known" // when every switch found is explored, which needs no knowledge of the network
)

// Options controls a job. Network is its name in messages.
type Options struct {
	Network   string
	Mode      Mode
	Algorithm string // "" stands for berkeley; Parallel has a method of its own
	Collision mapping.Collision
	Mapper    string // mapping host, by name or address; "" stands for the last one
	Depth     int    // maximum turns of a probe string; 0 stands for Q + D
	Stop      Stop   // of berkeley
	Retries   int    // repetitions of a silent probe
	Payload   int    // bytes of a message without its turns
	Early     bool   // hosts answer a message that reaches them with turns left
	Traffic   mapping.Traffic
	Error     float64 // of a survey, see survey.Options
	Worst     float64
	Limit     int
	Every     time.Duration // from one map to the next, of Watch
	Seed      uint64
	Warn      func(text string) // called before a job that may not end; nil for no warnings
}

// BusyLoss is the share of messages that a busy wire loses.
const BusyLoss = mapping.BusyLoss

// Algorithms lists the names of the algorithms, and describes each in a line of help.
func Algorithms() (names []string, help string) {
	for _, a := range algorithm.All() {
		names = append(names, a.Name)
		help += fmt.Sprintf("  %-17s %s\n", a.Name, a.Summary)
	}
	return names, help
}

// Defaults returns the options that a user starts from.
func Defaults() Options {
	return Options{Mode: Master, Collision: mapping.Circuit, Stop: AtDepth, Payload: mapping.Myrinet.Payload, Error: 1e-6, Every: time.Second, Seed: 1}
}

// mostPayload keeps modelled times within their range.
const mostPayload = 1 << 20

// Check refuses options that make no sense.
func (o *Options) Check() error {
	if _, err := o.algorithm(); err != nil {
		return err
	}
	if _, err := mapping.ParseCollision(string(o.Collision)); err != nil {
		return err
	}
	switch o.Mode {
	case Master, Election, Parallel:
	default:
		return fmt.Errorf("--mode %q: want master, election or parallel", o.Mode)
	}
	switch {
	case o.Stop != "" && o.Stop != AtDepth && o.Stop != Known:
		return fmt.Errorf("--stop %q: want depth or known", o.Stop)
	case o.Stop == Known && o.Depth > 0:
		return fmt.Errorf("--stop known cannot be used with --depth")
	}
	if o.Depth < 0 || o.Retries < 0 || o.Payload < 0 || o.Limit < 0 {
		return fmt.Errorf("--depth, --retries, --payload and --limit must not be negative")
	}
	if o.Payload > mostPayload {
		return fmt.Errorf("--payload %d: a probe has %d bytes at most", o.Payload, mostPayload)
	}
	if err := o.Traffic.Check(); err != nil {
		return err
	}
	if !(o.Error >= 0 && o.Error < 1) || !(o.Worst >= 0 && o.Worst < 1) {
		return fmt.Errorf("--error and --worst must be at least 0 and below 1")
	}
	return o.CheckUnused(o.differs)
}

// differs reports whether an option differs from its default.
func (o *Options) differs(option string) bool {
	d := Defaults()
	switch option {
	case "depth":
		return o.Depth > 0
	case "stop":
		return o.Stop == Known
	case "retries":
		return o.Retries != d.Retries
	case "early-reply":
		return o.Early
	case "error":
		return o.Error != d.Error
	}
	return o.Worst != d.Worst
}

// CheckUnused refuses given options that would have no effect. Check does so for options that
// differ from their defaults; a caller that knows which were given calls this too.
func (o *Options) CheckUnused(given func(option string) bool) error {
	a, err := o.algorithm()
	if err != nil {
		return err
	}
	bounded := given("depth") || given("stop")
	switch {
	case o.Mode == Parallel && o.Algorithm != "":
		return fmt.Errorf("--mode parallel has a method of its own: leave out --algorithm")
	case o.Mode == Parallel && (bounded || given("retries")):
		return fmt.Errorf("--mode parallel has a method of its own: leave out --depth, --stop and --retries")
	case bounded && !a.Bounded:
		return fmt.Errorf("--algorithm %s needs no bound: leave out --depth and --stop", a.Name)
	case given("early-reply") && a.EarlyReplies:
		return fmt.Errorf("--algorithm %s needs hosts that answer early, and has them: leave out --early-reply", a.Name)
	case given("retries") && o.Retries == 0 && o.isSurveyed():
		return fmt.Errorf("--retries 0 does nothing in traffic, where a silent probe is sent again at least once: leave it out, or take 1 or more (or --error 0, which believes silence)")
	case o.Traffic.Quiet() && (given("error") || given("worst")):
		return fmt.Errorf("--error and --worst need --loss, --late, --corrupt or --busy: without traffic silence is believed")
	case !o.isSurveyed() && given("worst"):
		return fmt.Errorf("--worst needs an --error above 0, which weighs silence")
	}
	return nil
}

// Draws reports whether the seed affects the map or its cost.
func (o *Options) Draws() bool {
	a, err := o.algorithm()
	return !o.Traffic.Quiet() || o.Mode == Election || err == nil && o.Mode == Master && a.Draws
}

// algorithm returns the requested algorithm.
func (o *Options) algorithm() (*algorithm.Algorithm, error) {
	if o.Algorithm == "" {
		return algorithm.Find("berkeley")
	}
	return algorithm.Find(o.Algorithm)
}

// hardware returns the hardware of the network.
func (o *Options) hardware() mapping.Hardware {
	hw := mapping.Myrinet
	a, err := o.algorithm()
	hw.Payload, hw.Early = o.Payload, o.Early || err == nil && a.EarlyReplies
	return hw
}

// depth returns the bound of probe strings, -1 for none, 0 for Q + D.
func (o *Options) depth() int {
	if o.Stop == Known {
		return -1
	}
	return o.Depth
}

// isSurveyed reports whether a survey must weigh silence.
func (o *Options) isSurveyed() bool { return !o.Traffic.Quiet() && o.Error > 0 }

// host returns the mapping host, after checking that the network has something to map.
func (o *Options) host(n *mapping.Network) (int32, error) {
	if n.NumHosts() < 2 || n.NumSwitches() < 1 {
		return -1, fmt.Errorf("%s: %d hosts and %d switches (mapping needs two hosts and one switch)", o.Network, n.NumHosts(), n.NumSwitches())
	}
	if o.Mapper == "" {
		return int32(n.NumHosts() - 1), nil
	}
	return n.FindHost(o.Mapper)
}
