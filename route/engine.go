package route

import (
	"context"
	"fmt"

	"weft/fabric"
)

// Input is the input of an engine. An engine depends on nothing else: the same
// Input gives the same Plan, whatever Workers is.
type Input struct {
	Graph *fabric.Graph
	Ends  Ends // names, given before the paths; empty where Spec.OwnNames is set
	// Kinds are the kinds of hosts, by end port below Graph.NumHosts, from 1 on; nil where all
	// are of one. The paths to each kind are balanced by themselves first.
	Kinds   []uint8
	MaxVLs  int // data VLs that may be used, at least 1
	Workers int // goroutines that may be used, at least 1
	Seed    uint64
	Held    *Held             // LIDs in use, to be kept; for Spec.OwnNames
	Stage   func(name string) // to be called before a stage of the engine's after the first
}

// NumKinds is the number of kinds of hosts, 0 where all are alike.
func (in *Input) NumKinds() int {
	most := uint8(0)
	for _, k := range in.Kinds {
		most = max(most, k)
	}
	return int(most)
}

// KindOf is the kind of an end port: 0 where all hosts are alike, and of port 0.
func (in *Input) KindOf(end int32) uint8 {
	if int(end) < len(in.Kinds) {
		return in.Kinds[end]
	}
	return 0
}

// Engine computes paths, and with them whatever other stage cannot be parted from
// them. It fills Tables, and SL, SL2VL and VLs if its lanes are its own; it routes
// to every LID of Input.Ends, those of switches (port 0) included, and leaves
// NoPort where a LID cannot be reached. It returns a *Refusal when it cannot route
// this network.
type Engine interface {
	Route(ctx context.Context, in *Input) (*Plan, error)
}

// Spec describes an engine: what `weft route --engines` prints, and how to make it.
type Spec struct {
	Name    string
	Summary string // one line
	Paper   string // where the idea was published
	Cost    string // time and memory
	Lanes   string // "none" (one lane), or what its own lanes are
	// PaperOnly says that only a paper's figures need this form: "all" engines are those without.
	PaperOnly bool
	// OwnNames says that the engine gives the LIDs itself, after its paths. It then
	// fills Plan.Ends, and Paths and Names of Plan.Recipe.
	OwnNames bool
	Options  []Option
	New      func(Options) (Engine, error)

	// Among are engines of which this one takes the one that delivers the most; nil for an engine that makes Plans itself.
	Among  []Candidate
	Effort int // that the candidates may take together
}

// Refusal is an engine's answer that it cannot route a network.
type Refusal struct {
	Engine string
	Reason string // "not a mesh: switch X has 3 links in dimension 2"
	Advice string // what to do instead, may be empty
}

func (r *Refusal) Error() string {
	if r.Advice == "" {
		return r.Engine + ": " + r.Reason
	}
	return r.Engine + ": " + r.Reason + "; " + r.Advice
}

// Refuse makes a Refusal.
func Refuse(engine, advice, format string, args ...any) *Refusal {
	return &Refusal{Engine: engine, Reason: fmt.Sprintf(format, args...), Advice: advice}
}
