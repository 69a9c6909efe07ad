package route

import (
	"fmt"
	"strings"

	"weft/fabric"
)

// Plan holds everything that the fabric must be told. Its indices are those of the Graph
// that it was made for; a saved Plan carries GUIDs and binds to a Graph again by them.
//
// SL, SL2VL, Arbitration and Ports are nil when nobody knows them (tables of another
// subnet manager without its other files): the judge then answers "unknown" about lanes.
type Plan struct {
	Recipe      Recipe
	Ends        Ends    // LIDs and LMC of every end port
	Tables      *Tables // forwarding tables
	Choice      Choice  // which LIDs of its target a source sends to
	SL          *SLs
	SL2VL       *SL2VL
	VLs         int     // data VLs that the lanes use, 0 when unknown
	Levels      []Level // of service; none where all traffic is alike. The first has the SLs of SL
	Arbitration *VLArbitration
	Ports       *Ports
	Service     Service
	// Absent are ports that are not there now and whose LIDs wait for them, those gone
	// last first.
	Absent []Absent
	// Multicast holds the trees that multicast groups may use; nil where there are none. It is not saved.
	Multicast *Multicast
	// LeastLIDs is proven: whatever assignment realises the paths has as many LIDs. 0
	// when nobody looked. It is not saved.
	LeastLIDs int
	// Used are the LIDs that paths use before each port has a power of 2 of them: of all hosts, and of the port with most.
	// They are zero where LIDs were not given by paths. They are not saved.
	Used UsedLIDs
	// Intended are the paths that were computed, where that was done apart from the
	// LIDs: the judge compares. It is not saved.
	Intended Intended
	// Unclear says what the source of the Plan leaves open, so that nothing proves it:
	// LIDs of foreign tables that nobody can place. It is not saved.
	Unclear []Remark
	// Notes of the engine on its result, for people. They are not saved.
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

// Intended gives the channels of a path from the switch of end port src to that of
// end port dst, for packets to this LID of dst, in buf from its start; ok is false
// where nothing is intended. It is safe for concurrent use.
type Intended interface {
	Path(src, dst int32, lid fabric.LID, buf []int32) (channels []int32, ok bool)
}

// Service holds the SL of clients that ask for no path record, and the SL of answers.
type Service struct {
	Default uint8 // clients that never ask, and their peers: SL 0 in practice
	// ReplySameSL follows from the SLs (recipe.Run sets it). It says that an answer travels on the SL of its request (as the SA
	// and most clients do), not on the SL of its own path.
	ReplySameSL bool
}

// SingleLane fills in the lanes of a Plan that needs none: SL 0 for all and every
// SL on VL 0. This is stage LANES "none".
func (p *Plan) SingleLane(g *fabric.Graph) {
	p.SL = UniformSL(&p.Ends, 0)
	p.SL2VL = UniformVL(g, VLTable{})
	p.VLs = 1
}

// Recipe says how a Plan was or is to be made, stage by stage.
type Recipe struct {
	Paths   string            `json:"paths"`             // the engine
	Options map[string]string `json:"options,omitempty"` // its options as given
	Names   string            `json:"names"`             // "lmc=0", "lmc=3": the LMC of all ports
	Lanes   string            `json:"lanes"`             // "none", or the engine's own
	Kinds   []string          `json:"kinds,omitempty"`   // of hosts, balanced by themselves: KIND=HOSTS, as fabric.ParseKindRule reads them
}

// Engine is the name of the engine: PATHS, or PATHS+NAMES where the LIDs came after the
// paths.
func (r *Recipe) Engine() string {
	if r.Names == "" || strings.HasPrefix(r.Names, lmcName) {
		return r.Paths
	}
	return r.Paths + "+" + r.Names
}

// lmcName begins the name of an assignment of 2^LMC LIDs to each port.
const lmcName = "lmc="

// AsSeen is the name, in a Recipe, of LIDs that another subnet manager has assigned.
const AsSeen = "as seen"

// LMCName is the name, in a Recipe, of the assignment of 2^LMC LIDs to each port.
func LMCName(lmc uint8) string { return fmt.Sprint(lmcName, lmc) }
