package route

import (
	"fmt"
	"strings"

	"weft/fabric"
)

// Plan holds all settings of a fabric. Its indices are indices of its Graph; a saved Plan carries
// GUIDs and binds to a Graph again by them.
//
// SL, SL2VL, Arbitration and Ports are nil when unknown (tables of another subnet manager without
// its other files): the judge then answers "unknown" about lanes.
type Plan struct {
	Recipe      Recipe
	Ends        Ends    // LIDs and LMC of every end port
	Tables      *Tables // forwarding tables
	Choice      Choice  // which LIDs of its target a source uses
	SL          *SLs
	SL2VL       *SL2VL
	VLs         int        // data VLs that the lanes use, 0 when unknown
	Levels      []Level    // of service; none if all traffic is alike. The first has the SLs of SL
	JobLanes    []LaneCopy // for jobs; none if all jobs share the lanes of the paths
	Arbitration *VLArbitration
	Ports       *Ports
	Service     Service
	// Absent lists lost ports whose LIDs are reserved for them, the last lost first.
	Absent []Absent
	// Multicast holds the trees for multicast groups; nil if there are none. It is not saved.
	Multicast *Multicast
	// LeastLIDs is a proven bound: any assignment that realises the paths has as many LIDs. 0 means
	// not computed. It is not saved.
	LeastLIDs int
	// Used counts the LIDs that paths use before each port gets a power of 2 of them: of all hosts,
	// and of the port with most. It is zero if LIDs do not follow paths. It is not saved.
	Used UsedLIDs
	// Intended holds the computed paths where an engine computes them before LIDs; the judge
	// compares. It is not saved.
	Intended Intended
	// Unclear lists gaps in the source of the Plan that leave it without proof: LIDs of foreign
	// tables without a known place. It is not saved.
	Unclear []Remark
	// Notes are remarks of the engine on its result, for people. They are not saved.
	Notes []string
}

// UsedLIDs counts LIDs that paths use, with lower bounds for any assignment of these paths; a bound
// of 0 means unknown.
type UsedLIDs struct {
	All       int `json:"all"`
	LeastAll  int `json:"least_all,omitempty"`
	Most      int `json:"most"`
	LeastMost int `json:"least_most,omitempty"`
}

// Intended gives the channels of a path from the switch of end port src to that of end port dst,
// for packets to this LID of dst. Path fills buf from its start; ok is false if no path is
// intended. It is safe for concurrent use.
type Intended interface {
	Path(src, dst int32, lid fabric.LID, buf []int32) (channels []int32, ok bool)
}

// Service holds the SL of clients that ask for no path record, and the SL of answers.
type Service struct {
	Default uint8 // SL of clients that never ask, and of their peers: 0 in practice
	// ReplySameSL says that an answer travels on the SL of its request (as the SA and most clients
	// do), not on the SL of its own path. recipe.Run derives it from the SLs.
	ReplySameSL bool
}

// SingleLane fills in one lane: SL 0 for all packets and every SL on VL 0. This is stage LANES
// "none".
func (p *Plan) SingleLane(g *fabric.Graph) {
	p.SL = UniformSL(&p.Ends, 0)
	p.SL2VL = UniformVL(g, VLTable{})
	p.VLs = 1
}

// Recipe says how a Plan was or is to be made, stage by stage.
type Recipe struct {
	Paths   string            `json:"paths"`               // the engine
	Options map[string]string `json:"options,omitempty"`   // its options as given
	Names   string            `json:"names"`               // "lmc=0", "lmc=3": the LMC of all ports
	Lanes   string            `json:"lanes"`               // "none", or the engine's own
	Copies  int               `json:"job_lanes,omitempty"` // of the lanes that were asked for; JobLanes has those that fit
	Kinds   []string          `json:"kinds,omitempty"`     // of hosts, balanced separately: KIND=HOSTS, as in fabric.ParseKindRule
	// Asked is the chain that the job named, if that was more than this engine: auto, or several
	// engines. A Plan that cannot be repaired is routed by it.
	Asked []Asked `json:"asked,omitempty"`
	// Repaired says that an engine might route otherwise now: a repair changed entries, or left new
	// links or an ended drain unused, or entries moved to less loaded links.
	Repaired bool `json:"repaired,omitempty"`
}

// Asked is an engine that a job named.
type Asked struct {
	Engine  string            `json:"engine"`
	Options map[string]string `json:"options,omitempty"` // as given
}

// Engine returns the name of the engine: PATHS, or PATHS+NAMES if the engine assigned LIDs after
// the paths.
func (r *Recipe) Engine() string {
	if r.Names == "" || strings.HasPrefix(r.Names, lmcName) {
		return r.Paths
	}
	return r.Paths + "+" + r.Names
}

// lmcName is the prefix of the name of an assignment of 2^LMC LIDs to each port.
const lmcName = "lmc="

// AsSeen is the Recipe's name for LIDs assigned by another subnet manager.
const AsSeen = "as seen"

// LMCName returns the Recipe's name for the assignment of 2^LMC LIDs to each port.
func LMCName(lmc uint8) string { return fmt.Sprint(lmcName, lmc) }
