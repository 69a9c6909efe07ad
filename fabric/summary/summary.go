// Package summary counts the parts of a fabric and lists the differences between two, for commands
// and pages. Its types are JSON for programs: their keys do not change.
package summary

import (
	"context"
	"fmt"
	"io"

	"weft/fabric"
	"weft/fabric/compare"
	"weft/fabric/rails"
	"weft/fabric/source"
)

// Summary counts the parts of a fabric that are up. Its parts add their keys to one object.
type Summary struct {
	Name   string `json:"name"`   // file or formula
	Format string `json:"format"` // "formula", or a format of netfile
	Nodes
	Servers
	Links
	Components int      `json:"components"` // connected parts of the switch network
	Diameter   int      `json:"diameter"`   // channels between the two switches farthest apart
	Warnings   []string `json:"warnings"`   // all oddities of the file
}

// Nodes counts nodes and end ports.
type Nodes struct {
	Switches    int         `json:"switches"`
	CAs         int         `json:"cas"` // without aggregation nodes
	Routers     int         `json:"routers"`
	SwitchPorts map[int]int `json:"switch_ports"` // switches by number of ports
	EndPorts    int         `json:"end_ports"`    // CA and router ports attached to a switch, without aggregation nodes
	LIDs        int         `json:"lids_seen"`    // end ports with a LID, port 0 of switches included

	Aggregation         int            `json:"aggregation_nodes"`              // CAs inside switches (SHARP); not hosts
	AggregationEvidence map[string]int `json:"aggregation_evidence,omitempty"` // the number by evidence: vendor, device, description, port
}

// Links counts cables.
type Links struct {
	Links       int            `json:"links"`        // up, between any two nodes
	SwitchLinks int            `json:"switch_links"` // of these, between two switches
	Down        int            `json:"links_down"`
	Drained     int            `json:"links_drained"` // up, but not used by routing
	Rates       map[string]int `json:"rates"`         // cables that are up by width and speed, as in "4xEDR"
}

// Of summarises src; g is its Graph. It fails only if ctx ends.
func Of(ctx context.Context, src *source.Source, g *fabric.Graph) (*Summary, error) {
	diameter, err := g.Diameter(ctx)
	if err != nil {
		return nil, err
	}
	_, components := g.Components()
	servers := g.Servers()
	s := &Summary{
		Name: src.Fabric.Name, Format: src.Format, Nodes: countNodes(src.Fabric, g), Links: countLinks(src.Fabric),
		Servers:    countServers(g, servers, rails.Of(g, servers)),
		Components: components, Diameter: diameter, Warnings: make([]string, len(src.Warnings)),
	}
	for i, w := range src.Warnings {
		s.Warnings[i] = w.String()
	}
	return s, nil
}

func countNodes(f *fabric.Fabric, g *fabric.Graph) Nodes {
	n := Nodes{SwitchPorts: map[int]int{}, AggregationEvidence: map[string]int{}}
	for i := range f.Nodes {
		node := &f.Nodes[i]
		if node.Down {
			continue
		}
		switch node.Type {
		case fabric.Switch:
			n.Switches++
			n.SwitchPorts[node.NumPorts()]++
		case fabric.CA:
			if evidence := f.AggregationEvidence(fabric.NodeID(i)); evidence != "" {
				n.Aggregation++
				n.AggregationEvidence[evidence]++
				continue
			}
			n.CAs++
		case fabric.Router:
			n.Routers++
		}
	}
	for s := range int32(g.NumSwitches) {
		n.EndPorts += len(g.HostsOf(s))
	}
	for _, l := range g.EndLID {
		if l != 0 {
			n.LIDs++
		}
	}
	return n
}

func countLinks(f *fabric.Fabric) Links {
	n := Links{Rates: map[string]int{}}
	for i := range f.Links {
		l, id := &f.Links[i], fabric.LinkID(i)
		if !f.LinkUp(id) {
			n.Down++
			continue
		}
		if l.Drained {
			n.Drained++
		}
		n.Links++
		if f.IsSwitchLink(id) {
			n.SwitchLinks++
		}
		n.Rates[fmt.Sprintf("%dx%s", l.Width, l.Speed)]++
	}
	return n
}

// Difference lists the changes from one fabric to another.
type Difference struct {
	Equal   bool            `json:"equal"`
	Changes []fabric.Change `json:"changes"`
}

// Compare lists the changes from a to b that both sources tell.
func Compare(a, b *source.Source) (*Difference, error) {
	changes, err := compare.Changes(compare.Of(a), compare.Of(b))
	if err != nil {
		return nil, err
	}
	return &Difference{Equal: len(changes) == 0, Changes: append([]fabric.Change{}, changes...)}, nil
}

// Write prints the changes, one a line, and their number.
func (d *Difference) Write(w io.Writer) error {
	for _, c := range d.Changes {
		fmt.Fprintln(w, c)
	}
	format := "%d changes\n"
	if len(d.Changes) == 1 {
		format = "%d change\n"
	}
	_, err := fmt.Fprintf(w, format, len(d.Changes))
	return err
}
