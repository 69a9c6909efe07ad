package several

import (
	"fmt"
	"io"
	"text/tabwriter"

	"weft/fabric/subnets"
	"weft/internal/fold"
)

// Network is the document of `weft show` of several subnets.
type Network struct {
	Name        string       `json:"name"`
	Switches    int          `json:"switches"` // of all subnets
	CAs         int          `json:"cas"`
	Routers     int          `json:"routers"`
	RouterPorts int          `json:"router_ports"`
	EndPorts    int          `json:"end_ports"` // CA and router ports
	Subnets     []OneSubnet  `json:"subnets"`
	Joints      []JointCount `json:"joints"`
}

// OneSubnet is one subnet of a Network.
type OneSubnet struct {
	Name        string         `json:"name"`
	Prefix      subnets.Prefix `json:"prefix"`
	Fabric      string         `json:"fabric"`
	Kind        int            `json:"kind"` // subnets of one kind are alike
	Switches    int            `json:"switches"`
	CAs         int            `json:"cas"`
	RouterPorts int            `json:"router_ports"`
}

// JointCount counts the routers that join the same subnets.
type JointCount struct {
	Subnets []string `json:"subnets"`
	Routers int      `json:"routers"`
}

// NewNetwork counts the parts of a network.
func NewNetwork(n *subnets.Network) *Network {
	d := &Network{Name: n.Name, Routers: len(n.Routers), RouterPorts: len(n.Ports), Joints: []JointCount{}}
	for s := range n.Subnets {
		sub, g := &n.Subnets[s], n.Graph(int32(s))
		one := OneSubnet{sub.Name, sub.Prefix, n.Kinds[sub.Kind].Source, int(sub.Kind), g.NumSwitches, sub.Nodes - g.NumSwitches, len(sub.Ports)}
		d.Subnets = append(d.Subnets, one)
		d.Switches, d.CAs, d.EndPorts = d.Switches+one.Switches, d.CAs+one.CAs, d.EndPorts+one.CAs+one.RouterPorts
	}
	at := map[string]int{}
	for r := range n.Routers {
		var names []string
		for s := range n.Subnets {
			if len(n.PortsIn(int32(r), int32(s))) > 0 {
				names = append(names, n.Subnets[s].Name)
			}
		}
		key := fmt.Sprint(names)
		if _, ok := at[key]; !ok {
			at[key] = len(d.Joints)
			d.Joints = append(d.Joints, JointCount{Subnets: names})
		}
		d.Joints[at[key]].Routers++
	}
	return d
}

// subnetsShown limits the printed subnets without --verbose.
const subnetsShown = 20

// shortened cuts a text to a maximum number of runes.
func shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

// Write prints the network for people.
func (d *Network) Write(w io.Writer) error { return d.write(w, subnetsShown) }

// WriteAll prints it with all subnets.
func (d *Network) WriteAll(w io.Writer) error { return d.write(w, len(d.Subnets)) }

func (d *Network) write(w io.Writer, most int) error {
	fmt.Fprintf(w, "network      %s\n", fold.Text(13, d.Name))
	fmt.Fprintf(w, "subnets      %d\nswitches     %d\nCAs          %d\nrouters      %d, %d ports\n\n", len(d.Subnets), d.Switches, d.CAs, d.Routers, d.RouterPorts)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "subnet\tprefix\tswitches\tCAs\trouter ports\tfabric")
	for i, s := range d.Subnets {
		if i == most {
			break
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%d\t%s\n", s.Name, s.Prefix, s.Switches, s.CAs, s.RouterPorts, shortened(s.Fabric, 24))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(d.Subnets) - most; more > 0 {
		fmt.Fprintf(w, "and %d more (--verbose lists them)\n", more)
	}
	fmt.Fprintln(w)
	for i, j := range d.Joints {
		if i == most {
			fmt.Fprintf(w, "and %d more\n", len(d.Joints)-i)
			break
		}
		join := "routers join"
		if j.Routers == 1 {
			join = "router joins"
		}
		fmt.Fprintf(w, "%s\n", fold.Text(2, fmt.Sprintf("%d %s %v", j.Routers, join, j.Subnets)))
	}
	return nil
}
