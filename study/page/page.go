// Package page answers the questions of the page (weft ui, weft sm --api) over HTTP, as endpoints
// for internal/endpoints. It computes nothing itself: each question calls the package of study
// that answers it for a command, and the document is that of the command.
//
//	page.go           what the page is; finding the fabric of a request
//	shelf.go          the fabrics that are open, and their limits
//	ask.go            questions that take a core for a while
//	map.go, parts.go  the picture, and the description of a part
//	route.go          routing; the last ones of each fabric are kept
//	path.go, trace.go paths of a pair, and after the failure of a cable
//	proof.go          the proof step by step
//	mixture.go        what can happen while one routing replaces another
//	compare.go        engines and fabrics side by side
//	whatif.go         what changes would do
//	apps.go           applications in time
//	plans.go          what changed between two Plans of a manager
//	glossary.go       the terms that the page explains
//
// A new question is one file: a request type with Check, a document, and a function that returns
// the endpoint; Endpoints lists it. The document openapi.json is then written anew
// (go test ./sm/service -run OpenAPI -update), and the page's client follows it.
//
// A fabric never changes while it is open. The manager's subnet has the id "subnet" and stands for
// the subnet in force at the time of each request.
package page

import (
	"net/http"
	"reflect"
	"sync"
	"time"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/judge/quality"
	"weft/planner"
	"weft/route"
	"weft/study/show"
)

// Options configure a Page.
type Options struct {
	Version   string
	Clock     func() time.Time
	Memory    func() float64 // peak of the process in MB
	Workers   int            // goroutines of a question
	Questions *endpoints.Questions
	Glossary  string // docs/glossary.md
	// Subnet returns the subnet in force, nil while there is none. nil: a laboratory, whose fabrics
	// are opened by its users.
	Subnet  func() *Subnet
	Request func() planner.Request // routing options of the manager; nil: none
	// PlanFile returns a stored Plan of the manager as planfile.Save wrote it, nil if it is not
	// stored.
	PlanFile func(version int64) ([]byte, error)
	// Values returns the manager's measurements for a colour of cables; nil: there are none.
	Values func(colour string) (*show.Values, error)
}

// Subnet is the subnet that a manager has in force.
type Subnet struct {
	Fabric  *fabric.Fabric
	Graph   *fabric.Graph
	Plan    *route.Plan
	Verdict *quality.Report // of the manager's judge on the Plan; nil: judge it
}

// Page answers the questions of the page. It is safe for concurrent use.
type Page struct {
	opt      Options
	shelf    endpoints.Shelf[*Held]
	opening  endpoints.Places // bounds the large bodies in memory
	routed   routed
	measured measured

	mu   sync.Mutex
	live *Held // of the last Subnet
}

// New returns a Page.
func New(o Options) *Page {
	return &Page{opt: o, shelf: endpoints.Shelf[*Held]{Most: usualLimits.Fabrics, What: "fabrics"}, opening: make(endpoints.Places, 1)}
}

// Modes of a page.
const (
	lab     = "lab"
	manager = "manager"
)

// About describes a page to itself: its mode, its user and its limits.
type About struct {
	Mode    string   `json:"mode"` // lab: users open fabrics; manager: the subnet of weft sm
	Version string   `json:"version"`
	Caller  string   `json:"caller,omitempty"` // name of the token
	May     []string `json:"may"`              // roles of the caller
	Limits  Limits   `json:"limits"`
}

// Endpoints lists the endpoints.
func (p *Page) Endpoints() []endpoints.Endpoint {
	list := []endpoints.Endpoint{{
		Method: http.MethodGet, Path: "/v1/page", About: "What the page is, and what its caller may do.", Answer: reflect.TypeFor[About](),
		Media: endpoints.JSON, Status: http.StatusOK, Serve: p.about,
	}, p.listFabrics(), p.mapOf(), p.svg(), p.whatIf(), p.search(), p.part(), p.route(), p.path(), p.proof(), p.mixture(), p.engines(), p.compare(), p.app(), p.glossary()}
	if p.opt.Subnet == nil {
		return append(list, p.openFabric(), p.closeFabric())
	}
	return append(list, p.plans())
}

// about answers with the About of this page.
func (p *Page) about(w http.ResponseWriter, r *http.Request) {
	c, _ := endpoints.CallerOf(r)
	a := About{Mode: lab, Version: p.opt.Version, Caller: c.Name, May: []string{}, Limits: usualLimits}
	if p.opt.Subnet != nil {
		a.Mode = manager
	}
	for _, role := range endpoints.Roles {
		if role.Name != "all" && c.Role&role.Role == role.Role {
			a.May = append(a.May, role.Name)
		}
	}
	endpoints.Answer(w, http.StatusOK, &a)
}

// fabricParameter names the fabric of a question.
var fabricParameter = endpoints.Parameter{Name: "id", Kind: endpoints.Name, About: "a fabric of /v1/fabrics", Needed: true}

// fabricPath begins the paths of questions about a fabric.
const fabricPath = "/v1/fabrics/{id}"

// held returns the fabric of a request. If it is not open it answers and returns nil.
func (p *Page) held(w http.ResponseWriter, r *http.Request) *Held {
	id := r.PathValue("id")
	h := p.find(id)
	switch {
	case h != nil:
	case p.opt.Subnet != nil && id == subnetID:
		endpoints.Refuse(w, http.StatusConflict, "this manager has not written any routes yet")
	default:
		endpoints.Refuse(w, http.StatusNotFound, "this fabric is not open: open it again")
	}
	return h
}

// find returns an open fabric, or the subnet in force; nil if there is none.
func (p *Page) find(id string) *Held {
	if p.opt.Subnet != nil && id == subnetID {
		return p.subnet()
	}
	return p.shelf.Find(id)
}

// subnet returns the subnet in force, with the results computed for it; nil if there is none.
func (p *Page) subnet() *Held {
	now := p.opt.Subnet()
	if now == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live == nil || p.live.Fabric != now.Fabric || p.live.inForce != now.Plan {
		p.forget(p.live)
		p.live = newSubnet(now)
	}
	return p.live
}

// forget drops the results computed for a fabric.
func (p *Page) forget(h *Held) {
	p.routed.forget(h)
	p.measured.forget(h)
}
