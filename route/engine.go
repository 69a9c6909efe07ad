package route

import (
	"context"
	"fmt"

	"weft/fabric"
)

// Input is the whole input of an engine: the same Input gives the same Plan, whatever Workers is.
type Input struct {
	Graph *fabric.Graph
	Ends  Ends // names, assigned before the paths; empty for Spec.OwnNames
	// Kinds holds the kinds of hosts, from 1 on, by end port below Graph.NumHosts; nil for one
	// kind. The paths to each kind are first balanced separately.
	Kinds   []uint8
	MaxVLs  int // data VLs that may be used, at least 1
	Workers int // goroutines that may be used, at least 1
	Seed    uint64
	Held    *Held             // LIDs in use, to be kept; with Spec.OwnNames
	Stage   func(name string) // called before each stage of the engine after the first
}

// NumKinds returns the number of kinds of hosts, 0 without Kinds.
func (in *Input) NumKinds() int {
	most := uint8(0)
	for _, k := range in.Kinds {
		most = max(most, k)
	}
	return int(most)
}

// KindOf returns the kind of an end port: 0 without Kinds, and for port 0.
func (in *Input) KindOf(end int32) uint8 {
	if int(end) < len(in.Kinds) {
		return in.Kinds[end]
	}
	return 0
}

// Engine computes paths, with any other stage that cannot be separated from them. It fills Tables,
// and SL, SL2VL and VLs if it has its own lanes. It routes to every LID of Input.Ends, also to the
// LIDs of switches (port 0), and leaves NoPort where a LID cannot be reached. It returns a *Refusal
// if it cannot route this network.
type Engine interface {
	Route(ctx context.Context, in *Input) (*Plan, error)
}

// Spec describes an engine, for `weft route --engines`, and makes it.
type Spec struct {
	Name    string
	Summary string // one line
	Paper   string // where the idea was published
	Cost    string // time and memory
	Lanes   string // "none" (one lane), or a description of its own lanes
	// PaperOnly says that only a paper's figures need this form; "all" engines exclude it.
	PaperOnly bool
	// OwnNames says that the engine assigns the LIDs itself, after its paths. It then fills
	// Plan.Ends, and Paths and Names of Plan.Recipe.
	OwnNames bool
	Options  []Option
	New      func(Options) (Engine, error)

	// Among lists the candidates of an engine that tries others and takes the one with the most
	// bandwidth; nil for an engine that makes Plans itself.
	Among  []Candidate
	Effort int // limit of the total effort of the candidates
}

// Refusal says that an engine cannot route a network, and why.
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
