package simulators

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// nedInterfaces are the module types of a file. Any module with these gates can stand for them, so
// the file suits every model.
const nedInterfaces = `moduleinterface IHost
{
    gates:
        inout port[];
}

moduleinterface ISwitch
{
    gates:
        inout port[];
}

`

// WriteNED writes a network of OMNeT++. Gate port[k] of a module is port k+1 of the node. The file
// omnetpp.ini names the modules of the model: *.hostType = "..." and *.switchType = "...". Modules
// have the descriptions of nodes as names, with _ for other characters, and a number where two are
// the same; a comment gives each its GUID and description. Each data rate has a type of channel.
func WriteNED(w io.Writer, f *fabric.Fabric) ([]lines.Warning, error) {
	l, err := newListing(f)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "// %s\n\n%s", lines.Printable(f.Name), nedInterfaces)
	names := nedNames{map[string]bool{"IHost": true, "ISwitch": true}, map[string]int{}}
	network := names.give(f.Name, "Network")
	var rates []int32
	for _, id := range l.links {
		rates = append(rates, l.mbps(id))
	}
	slices.Sort(rates)
	for _, mbps := range slices.Compact(rates) {
		fmt.Fprintf(out, "channel %s extends ned.DatarateChannel\n{\n    datarate = %s;\n    delay = default(100ns);\n}\n\n", names.give(nedChannel(mbps), ""), rateText(mbps))
	}
	fmt.Fprintf(out, "network %s\n{\n    parameters:\n        string hostType;\n        string switchType;\n    submodules:\n", network)
	modules := make([]string, len(f.Nodes))
	for _, part := range []struct {
		nodes []fabric.NodeID
		kind  string
	}{{l.switches, "switch"}, {l.hosts, "host"}} {
		for _, id := range part.nodes {
			n := &f.Nodes[id]
			modules[id] = names.give(n.Desc, part.kind)
			fmt.Fprintf(out, "        %s: <%sType> like I%s // %s %s\n        {\n            gates:\n                port[%d];\n        }\n",
				modules[id], part.kind, strings.ToUpper(part.kind[:1])+part.kind[1:], n.GUID, lines.Printable(n.Desc), n.NumPorts())
		}
	}
	fmt.Fprint(out, "    connections allowunconnected:\n")
	for _, id := range l.links {
		k := &f.Links[id]
		fmt.Fprintf(out, "        %s.port[%d] <--> %s <--> %s.port[%d];\n", modules[k.A.Node], k.A.Port-1, nedChannel(l.mbps(id)), modules[k.B.Node], k.B.Port-1)
	}
	fmt.Fprint(out, "}\n")
	return l.warnings, out.Flush()
}

func nedChannel(mbps int32) string { return "Cable" + rateText(mbps) }

// nedNames gives each module a name of its own. OMNeT++ tells upper and lower case apart.
type nedNames struct {
	taken map[string]bool
	last  map[string]int // by name: the last number given
}

var (
	nedOther = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9]+`) })
	nedWords = []string{
		"allowunconnected", "bool", "channel", "channelinterface", "connections", "const", "default", "double", "exists", "extends", "false",
		"for", "gates", "if", "import", "index", "inf", "inout", "input", "int", "like", "module", "moduleinterface", "nan", "network", "null",
		"nullptr", "object", "output", "package", "parameters", "parent", "property", "simple", "sizeof", "string", "submodules", "this", "true",
		"typename", "types", "undefined", "volatile", "xml", "xmldoc", "hostType", "switchType",
	}
)

// give returns a name made of a text, or of a kind where it has no letters and digits.
func (n *nedNames) give(text, kind string) string {
	name := strings.Trim(nedOther().ReplaceAllString(text, "_"), "_")
	switch {
	case name == "":
		name = kind
	case name[0] >= '0' && name[0] <= '9':
		name = "_" + name
	}
	if slices.Contains(nedWords, name) {
		name += "_"
	}
	free := name
	for n.taken[free] {
		n.last[name]++
		free = fmt.Sprintf("%s_%d", name, n.last[name]+1)
	}
	n.taken[free] = true
	return free
}
