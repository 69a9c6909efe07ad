package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/source"
	"weft/internal/endpoints"
	"weft/judge/quality"
	"weft/route"
	"weft/study/compare"
	"weft/study/show"
)

// Limits limit the fabrics that users open.
type Limits struct {
	Fabrics  int `json:"fabrics"`       // open at a time
	Bytes    int `json:"bytes"`         // of the text of a file
	Formula  int `json:"formula_bytes"` // of a formula
	Suffixes int `json:"suffixes"`      // of a formula
	Nodes    int `json:"nodes"`         // switches and hosts of a fabric
	Links    int `json:"links"`         // cables of a fabric
	Ports    int `json:"switch_ports"`  // ports of all switches of a fabric
}

// usualLimits are the limits of weft ui.
var usualLimits = Limits{Fabrics: 8, Bytes: 32 << 20, Formula: 1000, Suffixes: 8, Nodes: 1 << 16, Links: 1 << 18, Ports: 1 << 20}

// subnetID is the id of the manager's subnet.
const subnetID = "subnet"

// Held is an open fabric, and the results computed for it.
type Held struct {
	ID string
	*show.Inspected
	graph   *fabric.Graph
	inForce *route.Plan         // of a manager; nil for other fabrics
	verdict *quality.Report     // on inForce; nil: not at hand
	parts   *compare.Comparison // of the fabric, without rows; nil until it is compared
	rows    compared
}

// newSubnet returns the subnet in force.
func newSubnet(s *Subnet) *Held {
	return &Held{ID: subnetID, Inspected: show.Inspect(&source.Source{Fabric: s.Fabric, Format: "subnet"}), graph: s.Graph, inForce: s.Plan, verdict: s.Verdict}
}

// newHeld returns an opened fabric.
func newHeld(src *source.Source, name, text string) *Held {
	return &Held{ID: endpoints.IDOf(name, text), Inspected: show.Inspect(src), graph: src.Fabric.Compile()}
}

// Open names a fabric to open: a formula, or a file by its name and its text.
type Open struct {
	Formula string `json:"formula,omitempty"` // as in rlft(8,3)
	Name    string `json:"name,omitempty"`    // of the file, for people: it is not opened
	Text    string `json:"text,omitempty"`    // of the file, in any format of weft convert
}

// Check returns errors that hold whatever is open.
func (o *Open) Check() error {
	l := &usualLimits
	switch {
	case (o.Formula == "") == (o.Text == ""):
		return errors.New("want a formula, or the text of a file")
	case len(o.Text) > l.Bytes:
		return fmt.Errorf("text: more than %d bytes", l.Bytes)
	case len(o.Formula) > l.Formula:
		return fmt.Errorf("formula: more than %d bytes", l.Formula)
	case strings.Count(o.Formula, "|") > l.Suffixes:
		return fmt.Errorf("formula: more than %d suffixes", l.Suffixes)
	case o.Name != "" && !endpoints.IsName(o.Name):
		return errors.New("name: want a text without control characters")
	}
	return nil
}

// read reads the fabric. A formula that would build too much is refused before it is built.
func (o *Open) read() (*Held, error) {
	var src *source.Source
	var err error
	name := o.Name
	if o.Formula != "" {
		name = o.Formula
		var f *fabric.Fabric
		f, err = gen.Within(o.Formula, gen.Limits{Nodes: usualLimits.Nodes, Links: usualLimits.Links, SwitchPorts: usualLimits.Ports})
		src = &source.Source{Fabric: f, Format: "formula"}
	} else {
		if name == "" {
			name = "a file"
		}
		src, err = readText(name, []byte(o.Text))
	}
	if err != nil {
		return nil, err
	}
	f, l := src.Fabric, &usualLimits
	ports := 0
	for i := range f.Nodes {
		if f.Nodes[i].Type == fabric.Switch {
			ports += f.Nodes[i].NumPorts()
		}
	}
	if len(f.Nodes) > l.Nodes || len(f.Links) > l.Links || ports > l.Ports {
		return nil, fmt.Errorf("%d nodes, %d cables and %d switch ports are too many for the page (at most %d, %d and %d): weft show has no limit", len(f.Nodes), len(f.Links), ports, l.Nodes, l.Links, l.Ports)
	}
	f.Name = name
	return newHeld(src, name, o.Text), nil
}

// readText reads the text of a file. It opens nothing.
func readText(name string, text []byte) (*source.Source, error) {
	format, err := netfile.Detect(name, text)
	if err != nil {
		return nil, err
	}
	f, warnings, err := format.Read(name, text, netfile.Options{Partial: true, Disputed: true})
	if err != nil {
		return nil, err
	}
	return &source.Source{Fabric: f, Format: format.Name, Warnings: warnings}, nil
}

// Add opens a fabric that the command line names.
func (p *Page) Add(src *source.Source, name string) error {
	h := newHeld(src, name, "")
	return p.shelf.Add(h.ID, h)
}

// Fabrics lists the open fabrics.
type Fabrics struct {
	Fabrics []Opened `json:"fabrics"`
}

// Opened describes an open fabric.
type Opened struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Format   string   `json:"format"` // formula, subnet, or the format of a file
	Switches int      `json:"switches"`
	Hosts    int      `json:"hosts"`    // host ports
	Cables   int      `json:"cables"`   // between switches
	Warnings []string `json:"warnings"` // of reading the file; at most 20
}

// mostWarnings is the maximum number of warnings of a file in an answer.
const mostWarnings = 20

// opened describes a fabric.
func (h *Held) opened() Opened {
	o := Opened{
		ID: h.ID, Name: h.Fabric.Name, Format: h.Format, Switches: h.graph.NumSwitches, Hosts: h.graph.NumHosts,
		Cables: h.graph.NumChannels / 2, Warnings: []string{},
	}
	for _, w := range h.Warnings[:min(len(h.Warnings), mostWarnings)] {
		o.Warnings = append(o.Warnings, w.String())
	}
	return o
}

// listFabrics returns the endpoint that lists fabrics.
func (p *Page) listFabrics() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodGet, Path: "/v1/fabrics", About: "The fabrics that are open; of a manager, its subnet.", Answer: reflect.TypeFor[Fabrics](),
		Media: endpoints.JSON, Status: http.StatusOK,
		Serve: func(w http.ResponseWriter, _ *http.Request) {
			list := p.shelf.List()
			if p.opt.Subnet != nil {
				if h := p.subnet(); h != nil {
					list = append(list, h)
				}
			}
			out := Fabrics{Fabrics: []Opened{}}
			for _, h := range list {
				out.Fabrics = append(out.Fabrics, h.opened())
			}
			endpoints.Answer(w, http.StatusOK, &out)
		},
	}
}

// openFabric returns the endpoint that opens a fabric.
func (p *Page) openFabric() endpoints.Endpoint {
	e := question(p, "/v1/fabrics", "Open a fabric: a formula, or the text of a file. Opened again, it has the same id.", "weft show has no limit",
		func(_ context.Context, _ *Held, o *Open) (*Opened, error) {
			h, err := o.read()
			if err == nil {
				err = p.shelf.Add(h.ID, h)
			}
			if err != nil {
				return nil, err
			}
			out := h.opened()
			return &out, nil
		})
	e.MostBody = int64(2 * usualLimits.Bytes) // a text in JSON has escapes
	return endpoints.Within(e, p.opening, "another fabric is being opened")
}

// closeFabric returns the endpoint that closes a fabric.
func (p *Page) closeFabric() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodDelete, Path: fabricPath, About: "Close a fabric.", Parameters: []endpoints.Parameter{fabricParameter},
		Status: http.StatusNoContent, Needs: endpoints.MayCompute,
		Serve: func(w http.ResponseWriter, r *http.Request) {
			h := p.shelf.Remove(r.PathValue("id"))
			if h == nil {
				endpoints.Refuse(w, http.StatusNotFound, "this fabric is not open")
				return
			}
			p.forget(h)
			w.WriteHeader(http.StatusNoContent)
		},
	}
}
