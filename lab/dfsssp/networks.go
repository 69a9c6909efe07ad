package dfsssp

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/lab"
)

// network is a row of a figure: a name and the formula that builds it.
type network struct{ name, formula string }

// wired returns the network under the active readings.
func (n network) wired(s *lab.Setup) network {
	if n == deimosNetwork && s.Reads(nineAndOne) {
		n.formula = unevenDeimos
	}
	return n
}

func (n network) graph() *fabric.Graph {
	if n.formula == unevenDeimos {
		return uneven()
	}
	return lab.Must(lab.Graph(n.formula))
}

// deimosNetwork is the network of section VI.
var deimosNetwork = network{"Deimos", "deimos"}

// systems are the six real systems, in the order of Fig. 4.
var systems = []network{
	{"CHiC", "chic"},
	{"JUROPA", "juropa3288"},
	{"Odin", "odin"},
	{"Ranger", "ranger"},
	{"Tsubame", "tsubame"},
	deimosNetwork,
}

// smallSystems lists the systems in the quick mode.
var smallSystems = []network{systems[0], systems[2], systems[4], systems[5]}

// kind is one of the three columns of Table I.
type kind string

const (
	xgft  kind = "xgft"
	kautz kind = "kautz"
	kary  kind = "kary_ntree"
)

// table1Networks returns the networks of one kind with at most this many endpoints.
func table1Networks(k kind, most int) []network {
	var out []network
	for _, row := range lab.ReadPrinted(publishedTable1) {
		if row.Int("endpoints") <= most {
			out = append(out, network{row["endpoints"], formula(k, row)})
		}
	}
	return out
}

// formula translates the paper's notation, such as XGFT(2;6,6;3,3), for package gen.
func formula(k kind, row lab.Printed) string {
	hosts := row["endpoints"]
	text := strings.ToLower(strings.ReplaceAll(row[string(k)], " ", ""))
	switch k {
	case xgft:
		return strings.TrimSuffix(text, ")") + ";hosts=" + hosts + ")"
	case kautz:
		return strings.TrimSuffix(text, ")") + ",hosts=" + hosts + ")"
	default: // 6-ary2-tree
		arity, rest, _ := strings.Cut(text, "-ary")
		return fmt.Sprintf("karytree(%s,%s,hosts=%s)", arity, strings.TrimSuffix(rest, "-tree"), hosts)
	}
}

// table1 builds the networks of Table I and counts the ports that they need.
func (p *paper) table1(_ context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "table1", Title: "Networks of Table I",
		Columns: []string{"endpoints", "network", "formula", "switches", "switch links", "most ports used"},
	}
	most := 0
	for _, row := range lab.ReadPrinted(publishedTable1) {
		for _, k := range []kind{xgft, kautz, kary} {
			if !s.Want(row["endpoints"] + " " + string(k)) {
				continue
			}
			g := lab.Must(lab.Graph(formula(k, row)))
			ports := portsUsed(g)
			most = max(most, ports)
			t.Add(row["endpoints"], row[string(k)], formula(k, row), count(g.NumSwitches), count(g.NumChannels/2), count(ports))
		}
	}
	enough := lab.NewClaim("36-port switches are enough for Table I", "36")
	if len(t.Rows) > 0 {
		enough.Judge(most <= 36, "at most %d ports", most)
	}
	return &lab.Result{
		Tables: []lab.Table{t}, Claims: []lab.Claim{enough},
		Notes: []string{"The paper prints the parameters and the endpoints, which ours are given; how they are spread it does not say: here as evenly as can be."},
	}
}

func count[T int | int32 | int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// portsUsed returns the largest number of cabled ports of a switch.
func portsUsed(g *fabric.Graph) int {
	used := make([]int, g.NumSwitches)
	for c := range g.NumChannels {
		used[g.From[c]]++
	}
	for e, s := range g.EndSwitch {
		if g.EndPort[e] != 0 {
			used[s]++
		}
	}
	most := 0
	for _, n := range used {
		most = max(most, n)
	}
	return most
}
