package check

import (
	"fmt"
	"io"

	"weft/internal/fold"
)

// Report holds the judge's findings.
type Report struct {
	// OK says that the whole is proven: every subnet by itself, every pair of subnets, and no
	// cycle.
	OK bool `json:"ok"`
	Size
	Reached
	Deadlock
	LocalFaults int      `json:"local_faults"` // kinds without a proof of their own
	Faults      []string `json:"faults"`       // the first ones, in words
}

// Size counts the parts of the network that was judged.
type Size struct {
	Subnets     int `json:"subnets"`
	Kinds       int `json:"kinds"` // subnets judged by themselves: equal ones once
	Routers     int `json:"routers"`
	RouterPorts int `json:"router_ports"`
	EndPorts    int `json:"end_ports"` // hosts and switches of all subnets
}

// Reached says which pairs are delivered.
type Reached struct {
	Pairs        int64 `json:"pairs"`        // of end ports in different subnets
	Unreachable  int64 `json:"unreachable"`  // not delivered, though a way exists
	Disconnected int64 `json:"disconnected"` // no way exists
	Loops        int64 `json:"loops"`        // targets whose packets loop over routers
	Hops         Hops  `json:"hops"`
}

// Deadlock says whether packets can wait for each other in a circle.
type Deadlock struct {
	DeadlockFree bool   `json:"deadlock_free"`
	VLs          int    `json:"vls"`
	Edges        int64  `json:"edges"` // dependencies of (link, VL) pairs
	Cycle        []Hold `json:"cycle"`
}

// Hops counts links between switches and routers on the paths of Pairs. If a router hashes, the
// mean of its ports counts.
type Hops struct {
	Max     int     `json:"max"`
	Avg     float64 `json:"avg"`
	Routers int     `json:"routers"` // most routers on a way
}

// Hold is a link and VL on a cycle, held by packets that wait for the next one.
type Hold struct {
	From string `json:"from"`
	To   string `json:"to"`
	VL   uint8  `json:"vl"`
}

// faultsShown limits the faults that are told in words.
const faultsShown = 10

func (r *Report) fault(format string, args ...any) {
	if len(r.Faults) < faultsShown {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

// Write prints the report for people.
func (r *Report) Write(w io.Writer) error {
	verdict := "proven"
	if !r.OK {
		verdict = "NOT PROVEN"
	}
	fmt.Fprintf(w, "all subnets     %s\n", verdict)
	fmt.Fprintf(w, "subnets         %d, of %d kinds; %d routers, %d router ports\n", r.Subnets, r.Kinds, r.Routers, r.RouterPorts)
	fmt.Fprintf(w, "pairs           %d, unreachable %d, disconnected %d, loops %d\n", r.Pairs, r.Unreachable, r.Disconnected, r.Loops)
	fmt.Fprintf(w, "hops            max %d, avg %.2f, over at most %d routers\n", r.Hops.Max, r.Hops.Avg, r.Hops.Routers)
	answer := "yes"
	if !r.DeadlockFree {
		answer = "no"
	}
	fmt.Fprintf(w, "deadlock-free   %s, %d VLs, %d dependencies over all subnets\n", answer, r.VLs, r.Edges)
	if len(r.Cycle) > 0 {
		fmt.Fprintf(w, "a cycle of %d:\n", len(r.Cycle))
		for _, h := range r.Cycle {
			fmt.Fprintf(w, "  VL %d  %s\n        -> %s\n", h.VL, h.From, h.To)
		}
	}
	for _, f := range r.Faults {
		fmt.Fprintf(w, "fault: %s\n", fold.Text(7, f))
	}
	return nil
}
