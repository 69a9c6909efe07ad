package page

import (
	"net/http"
	"reflect"
	"strings"

	"weft/fabric"
	"weft/internal/endpoints"
)

// Parts lists parts that a search has found.
type Parts struct {
	Parts []Found `json:"parts"`
	More  bool    `json:"more"` // there are others
}

// Found is a node that a search has found.
type Found struct {
	fabric.PortName
	LID fabric.LID `json:"lid,omitempty"` // of its first port with one
}

// mostFound is the maximum number of parts of a search.
const mostFound = 20

// search returns the endpoint that finds nodes.
func (p *Page) search() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodGet, Path: fabricPath + "/parts", About: "Find switches and hosts by a part of their name, by GUID or by LID (as in lid 12).",
		Parameters: []endpoints.Parameter{fabricParameter, {Name: "q", Kind: endpoints.Name, About: "what to find", Needed: true}},
		Answer:     reflect.TypeFor[Parts](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusConflict},
		Serve: func(w http.ResponseWriter, r *http.Request) {
			if h := p.held(w, r); h != nil {
				endpoints.Answer(w, http.StatusOK, find(h.Fabric, r.URL.Query().Get("q")))
			}
		},
	}
}

// find finds nodes: first the node with that name, then nodes whose name contains the text.
func find(f *fabric.Fabric, text string) *Parts {
	out := &Parts{Parts: []Found{}}
	first := fabric.NodeID(-1)
	if at, err := f.FindPlace(text); err == nil {
		first = at.Node
		out.Parts = append(out.Parts, foundAt(f, first))
	}
	text = strings.ToLower(text)
	for i := range f.Nodes {
		id := fabric.NodeID(i)
		if id == first || !strings.Contains(strings.ToLower(f.Nodes[i].Desc), text) {
			continue
		}
		if out.More = len(out.Parts) == mostFound; out.More {
			break
		}
		out.Parts = append(out.Parts, foundAt(f, id))
	}
	return out
}

// foundAt describes a node in a list.
func foundAt(f *fabric.Fabric, id fabric.NodeID) Found {
	out := Found{PortName: f.PortName(fabric.End{Node: id})}
	for _, p := range f.Nodes[id].Ports {
		if p.LID != 0 {
			out.LID = p.LID
			break
		}
	}
	return out
}

// Part describes a node, or one of its ports.
type Part struct {
	fabric.PortName
	System  fabric.GUID `json:"system_guid,omitempty"`
	Role    string      `json:"role,omitempty"` // of a switch in a tree
	Down    bool        `json:"down,omitempty"`
	Drained bool        `json:"drained,omitempty"`
	Ports   []PartPort  `json:"ports"` // with a cable; of a port, that one
	Free    int         `json:"free_ports"`
}

// PartPort is a port with its cable.
type PartPort struct {
	Port    int             `json:"port"`
	LID     fabric.LID      `json:"lid,omitempty"`
	Peer    fabric.PortName `json:"peer"`
	Rate    int32           `json:"rate_mbit,omitempty"` // 0: unknown
	Width   int             `json:"width,omitempty"`     // lanes
	Speed   string          `json:"speed,omitempty"`
	Down    bool            `json:"down,omitempty"`
	Drained bool            `json:"drained,omitempty"`
}

// part returns the endpoint for a part.
func (p *Page) part() endpoints.Endpoint {
	return endpoints.Endpoint{
		Method: http.MethodGet, Path: fabricPath + "/part", About: "What is known of a switch, a host or a port.",
		Parameters: []endpoints.Parameter{fabricParameter, {Name: "name", Kind: endpoints.Name, About: "a node by name, GUID or LID, or a port: leaf 3[20]", Needed: true}},
		Answer:     reflect.TypeFor[Part](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusConflict},
		Serve: func(w http.ResponseWriter, r *http.Request) {
			h := p.held(w, r)
			if h == nil {
				return
			}
			at, err := h.Fabric.FindPlace(r.URL.Query().Get("name"))
			if err != nil {
				endpoints.Refuse(w, http.StatusNotFound, err.Error())
				return
			}
			endpoints.Answer(w, http.StatusOK, partAt(h.Fabric, at))
		},
	}
}

// partAt describes a node or a port.
func partAt(f *fabric.Fabric, at fabric.Place) *Part {
	n := &f.Nodes[at.Node]
	out := &Part{PortName: f.PortName(at.End), System: n.SystemGUID, Down: n.Down, Drained: n.Drained, Ports: []PartPort{}}
	if n.Role != fabric.NoRole {
		out.Role = n.Role.String()
	}
	for i := 1; i <= n.NumPorts(); i++ {
		if !at.Whole && i != int(at.Port) {
			continue
		}
		link := n.Ports[i].Link
		if link == fabric.NoLink {
			out.Free++
			continue
		}
		l := &f.Links[link]
		out.Ports = append(out.Ports, PartPort{
			Port: i, LID: n.Ports[i].LID, Peer: f.PortName(f.Peer(fabric.End{Node: at.Node, Port: uint8(i)})), Rate: fabric.Rate(l.Width, l.Speed),
			Width: int(l.Width), Speed: l.Speed.String(), Down: !f.LinkUp(link), Drained: l.Drained,
		})
	}
	return out
}
