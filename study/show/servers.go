package show

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/rails"
	"weft/fabric/summary"
	"weft/internal/fold"
	"weft/study"
)

// Server is a machine of `weft show --servers`.
type Server struct {
	Name     string            `json:"name"`
	GUID     fabric.GUID       `json:"guid"` // the lowest node GUID of its adapters
	Sign     fabric.ServerSign `json:"sign"` // what holds its adapters together
	Adapters []fabric.PortName `json:"adapters"`
	Ports    []ServerPort      `json:"ports"` // with a cable to a switch
}

// ServerPort is a host port.
type ServerPort struct {
	Port   fabric.PortName `json:"port"`
	Switch fabric.PortName `json:"switch"`
	Rail   int32           `json:"rail"`  // -1 if it is on none
	Plane  int32           `json:"plane"` // from 0; texts count from 1
}

// listServers lists the servers that have a host port.
func listServers(g *fabric.Graph) []Server {
	servers := g.Servers()
	m := rails.Of(g, servers)
	list := make([]Server, len(servers.List))
	for i := range list {
		v := &servers.List[i]
		list[i] = Server{Name: v.Name, GUID: v.GUID, Sign: v.Sign}
		for e := range servers.Ends(g, int32(i)) {
			adapter, s := g.EndName(e), g.EndSwitch[e]
			list[i].Ports = append(list[i].Ports, ServerPort{adapter, g.SwitchPort(s, g.EndPort[e]), m.Of[e], m.PlaneOf[s]})
			if adapter.Port = 0; !slices.Contains(list[i].Adapters, adapter) {
				list[i].Adapters = append(list[i].Adapters, adapter)
			}
		}
		slices.SortStableFunc(list[i].Ports, func(a, b ServerPort) int { return cmp.Or(cmp.Compare(a.Plane, b.Plane), cmp.Compare(a.Rail, b.Rail)) })
	}
	return list
}

// serverRows counts servers, planes and rails.
func serverRows(n *summary.Servers) [][]string {
	ports, signs := map[string]int{}, map[string]int{}
	for k, servers := range n.ServersByPorts {
		ports[study.Plural(k, "host port")] = servers
	}
	for sign, servers := range n.ServerSigns {
		signs[string(sign)] = servers
	}
	rows := [][]string{
		{"servers", fmt.Sprintf("%d (%s)", n.Servers, countsText(ports))},
		{"known by", byText(signs)},
		{"host ports", strconv.Itoa(n.HostPorts)},
		{"planes", strconv.Itoa(n.Planes)},
	}
	text := "none"
	if n.Rails > 0 {
		by := map[string]int{}
		for sign, ports := range n.RailSigns {
			by[string(sign)] = ports
		}
		text = fmt.Sprintf("%d, known by %s", n.Rails, byText(by))
		if len(n.OddRails) > 0 {
			text += fmt.Sprintf("; %s on another rail than expected", study.Plural(len(n.OddRails), "host port"))
		}
	}
	return append(rows, []string{"rails", text})
}

// byText lists signs, the most frequent first, with their counts if there are several.
func byText(by map[string]int) string {
	signs := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	if len(signs) == 1 {
		return signs[0]
	}
	for i, sign := range signs {
		signs[i] = fmt.Sprintf("%s (%d)", sign, by[sign])
	}
	return strings.Join(signs, ", ")
}

// writeRails lists the rails, and the host ports on an unexpected one that are not at odd cables.
func writeRails(w io.Writer, f *Fabric, shown int) error {
	n := &f.Servers
	if n.Rails == 0 {
		return nil
	}
	fmt.Fprintln(w, "\nrails:")
	rows := make([][]string, 0, min(n.Rails, shown))
	for i := range n.RailList[:min(n.Rails, shown)] {
		r := &n.RailList[i]
		text := study.Plural(r.Ports, "host port") + " on " + fold.Count(r.Switches, "switch", "switches")
		if n.Planes > 1 {
			if r.Plane == rails.None {
				text += " in several planes"
			} else {
				text += fmt.Sprintf(" in plane %d", r.Plane+1)
			}
		}
		if len(r.Places) > 0 {
			text += ": " + strings.Join(r.Places[:min(len(r.Places), 4)], ", ")
		}
		rows = append(rows, []string{fmt.Sprintf("  %d", r.Number), text})
	}
	if err := study.Table(w, rows); err != nil {
		return err
	}
	if more := n.Rails - shown; more > 0 {
		fmt.Fprintf(w, "  and %d more (-v lists all)\n", more)
	}
	listed := map[fabric.PortName]bool{}
	for i := range f.Cables.Cables {
		for _, p := range f.Cables.Cables[i].Ports {
			listed[p] = true
		}
	}
	var odd []string
	for i := range n.OddRails {
		if o := &n.OddRails[i]; !listed[o.Port] {
			odd = append(odd, o.Text)
		}
	}
	study.WriteSome(w, "host ports on another rail than expected", odd, shown)
	return nil
}

// writeServers lists the servers, a line for each port.
func writeServers(w io.Writer, f *Fabric) error {
	if len(f.Machines) == 0 {
		return nil
	}
	head := []string{"SERVER", "KNOWN BY"}
	if f.Servers.Rails > 0 {
		head = append(head, "RAIL")
	}
	if f.Planes > 1 {
		head = append(head, "PLANE")
	}
	rows := [][]string{append(head, "SWITCH PORT", "PORT")}
	for i := range f.Machines {
		v := &f.Machines[i]
		name, sign := study.OneField(v.Name), string(v.Sign)
		for j := range v.Ports {
			p := &v.Ports[j]
			row := []string{name, sign}
			if f.Servers.Rails > 0 {
				row = append(row, numberText(p.Rail, 0))
			}
			if f.Planes > 1 {
				row = append(row, numberText(p.Plane, 1))
			}
			rows = append(rows, append(row, study.OneField(p.Switch.Short()), study.OneField(p.Port.Short())))
			name, sign = "", ""
		}
	}
	fmt.Fprintln(w)
	return study.Table(w, rows)
}

// numberText formats the number of a rail or plane, a dash for none. People count planes from 1, as
// the names of formulas do, and rails from 0.
func numberText(n, first int32) string {
	if n == rails.None {
		return "-"
	}
	return strconv.Itoa(int(n + first))
}
