// Package job runs mapping jobs: a network and options in, a map, its comparison with the
// network and a report out. Run maps once: by one host, by an election, or by all hosts
// together; where there is traffic the map is surveyed. Watch maps a network again and
// again while events happen to it.
package job

import (
	"fmt"
	"time"

	"weft/mapping"
	"weft/mapping/algorithm"
)

// Mode tells who maps.
type Mode string

// The modes.
const (
	Master   Mode = "master"   // one host
	Election Mode = "election" // all hosts, until the lowest address is left
	Parallel Mode = "parallel" // all hosts, which merge their graphs when they meet
)

// Options controls a job. Network is its name in messages.
type Options struct {
	Network   string
	Mode      Mode
	Algorithm string // "" stands for berkeley; Parallel has a method of its own
	Collision mapping.Collision
	Mapper    string // host that maps, by name or address; "" stands for the last one
	Depth     int    // most turns of a probe string; 0 stands for Q + D
	Retries   int    // how often a silent probe is sent again
	Payload   int    // bytes of a message besides its turns
	Early     bool   // hosts answer a message that reaches them with turns left
	Traffic   mapping.Traffic
	Error     float64 // of a survey, see survey.Options
	Worst     float64
	Limit     int
	Every     time.Duration // from one map to the next, of Watch
	Seed      uint64
}

// BusyLoss is the share of messages that a busy wire loses.
const BusyLoss = mapping.BusyLoss

// Algorithms lists the names of the algorithms, and says in a line each what they do.
func Algorithms() (names []string, help string) {
	for _, a := range algorithm.All() {
		names = append(names, a.Name)
		help += fmt.Sprintf("  %-17s %s\n", a.Name, a.Summary)
	}
	return names, help
}

// Defaults returns the options that a user starts from.
func Defaults() Options {
	return Options{Mode: Master, Collision: mapping.Circuit, Payload: mapping.Myrinet.Payload, Error: 1e-6, Every: time.Second, Seed: 1}
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
		return fmt.Errorf("--mode %q: there are master, election and parallel", o.Mode)
	}
	if o.Depth < 0 || o.Retries < 0 || o.Payload < 0 || o.Limit < 0 {
		return fmt.Errorf("--depth, --retries, --payload and --limit are not negative")
	}
	if o.Payload > mostPayload {
		return fmt.Errorf("--payload %d: a probe has %d bytes at most", o.Payload, mostPayload)
	}
	if err := o.Traffic.Check(); err != nil {
		return err
	}
	if !(o.Error >= 0 && o.Error < 1) || !(o.Worst >= 0 && o.Worst < 1) {
		return fmt.Errorf("--error and --worst are at least 0 and below 1")
	}
	if o.Mode == Parallel && o.Algorithm != "" {
		return fmt.Errorf("--mode parallel has a method of its own: leave out --algorithm")
	}
	return nil
}

// algorithm returns the algorithm that is asked for.
func (o *Options) algorithm() (*algorithm.Algorithm, error) {
	if o.Algorithm == "" {
		return algorithm.Find("berkeley")
	}
	return algorithm.Find(o.Algorithm)
}

// hardware returns the hardware of the network.
func (o *Options) hardware() mapping.Hardware {
	hw := mapping.Myrinet
	hw.Payload, hw.Early = o.Payload, o.Early
	return hw
}

// isSurveyed reports whether silence has to be weighed.
func (o *Options) isSurveyed() bool { return !o.Traffic.Quiet() && o.Error > 0 }

// host returns the host that maps, in a network in which there is something to map.
func (o *Options) host(n *mapping.Network) (int32, error) {
	if n.NumHosts() < 2 || n.NumSwitches() < 1 {
		return -1, fmt.Errorf("%s: %d hosts and %d switches (mapping takes two and one)", o.Network, n.NumHosts(), n.NumSwitches())
	}
	if o.Mapper == "" {
		return int32(n.NumHosts() - 1), nil
	}
	return n.FindHost(o.Mapper)
}
