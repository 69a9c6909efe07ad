package simulators

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
)

// sorted sorts the cables of a file.
func sorted(list []string) []string { slices.Sort(list); return list }

func ordered(a, b string) string { return min(a, b) + " - " + max(a, b) }

// wanted lists the cables that are up, by the names of their ends.
func wanted(f *fabric.Fabric, end func(fabric.End) string) (list []string) {
	for i, l := range f.Links {
		if f.LinkUp(fabric.LinkID(i)) && !f.IsAggregationNode(l.A.Node) && !f.IsAggregationNode(l.B.Node) {
			rate := fabric.Rate(l.Width, l.Speed)
			if rate == 0 {
				rate = usualMbps
			}
			list = append(list, ordered(end(l.A), end(l.B))+" "+rateText(rate))
		}
	}
	return sorted(list)
}

// count counts the nodes of a file.
func count(f *fabric.Fabric, isSwitch bool) (n int) {
	for i := range f.Nodes {
		if node := &f.Nodes[i]; !node.Down && (node.Type == fabric.Switch) == isSwitch && !f.IsAggregationNode(fabric.NodeID(i)) {
			n++
		}
	}
	return n
}

// TestNS3 reads the file as HPCC's program does, word by word, and its comments after that.
func TestNS3(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := netfiletest.AnyFabric(t)
		if count(f, true)+count(f, false) == 0 {
			t.Skip("all nodes are down")
		}
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { _, err := WriteNS3(b, f); return err })
		guid := map[string]string{}
		body, comments, _ := strings.Cut(text, "\n# ")
		for line := range strings.SplitSeq(comments, "\n# ") {
			words := strings.Fields(line)
			guid[words[0]] = words[1]
		}
		words := strings.Fields(body)
		next := func() string { w := words[0]; words = words[1:]; return w }
		number := func() int { n, _ := strconv.Atoi(next()); return n }
		nodes, switches, cables := number(), number(), number()
		if switches != count(f, true) || nodes != switches+count(f, false) || len(guid) != nodes {
			t.Fatalf("%d nodes, %d switches\n%s", nodes, switches, text)
		}
		for i := range switches {
			if at := number(); at != nodes-switches+i {
				t.Fatalf("switch %d\n%s", at, text)
			}
		}
		var got []string
		for range cables {
			a, b, rate, delay, loss := next(), next(), next(), next(), next()
			if delay != "1000ns" || loss != "0" {
				t.Fatalf("delay %s, loss %s", delay, loss)
			}
			got = append(got, ordered(guid[a], guid[b])+" "+rate)
		}
		want := wanted(f, func(e fabric.End) string { return f.Nodes[e.Node].GUID.String() })
		if len(words) > 0 || !slices.Equal(sorted(got), want) {
			t.Fatalf("got  %q\nwant %q\n%s", got, want, text)
		}
	})
}

var (
	nedModule = regexp.MustCompile(`(?m)^        ([A-Za-z_][A-Za-z0-9_]*): <(switch|host)Type> like I(Switch|Host) // (0x[0-9a-f]{16}) .*\n        \{\n            gates:\n                port\[(\d+)\];\n        \}\n`)
	nedCable  = regexp.MustCompile(`(?m)^        (\w+)\.port\[(\d+)\] <--> (\w+) <--> (\w+)\.port\[(\d+)\];\n`)
	nedRate   = regexp.MustCompile(`(?m)^channel (\w+) extends ned\.DatarateChannel\n\{\n    datarate = (\w+);\n    delay = default\(100ns\);\n\}\n`)
)

// TestNED reads the file by its grammar: nothing is left over, and every name is declared once.
func TestNED(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := netfiletest.AnyFabric(t)
		if count(f, true)+count(f, false) == 0 {
			t.Skip("all nodes are down")
		}
		text := netfiletest.Written(t, func(b *bytes.Buffer) error { _, err := WriteNED(b, f); return err })
		guid, rates, ports := map[string]string{}, map[string]string{}, map[string]int{}
		for _, m := range nedModule.FindAllStringSubmatch(text, -1) {
			g, _ := fabric.ParseGUID(m[4])
			id, _ := f.NodeByGUID(g)
			n := &f.Nodes[id]
			if guid[m[1]] != "" || (m[2] == "switch") != (n.Type == fabric.Switch) || m[5] != strconv.Itoa(n.NumPorts()) || slices.Contains(nedWords, m[1]) {
				t.Fatalf("%q\n%s", m, text)
			}
			guid[m[1]], ports[m[1]] = m[4], n.NumPorts()
		}
		if len(guid) != count(f, true)+count(f, false) {
			t.Fatalf("%d modules\n%s", len(guid), text)
		}
		for _, m := range nedRate.FindAllStringSubmatch(text, -1) {
			if rates[m[1]] != "" || guid[m[1]] != "" {
				t.Fatalf("channel %s is declared twice\n%s", m[1], text)
			}
			rates[m[1]] = m[2]
		}
		var got []string
		for _, m := range nedCable.FindAllStringSubmatch(text, -1) {
			end := func(module, gate string) string {
				p, _ := strconv.Atoi(gate)
				if p >= ports[module] {
					t.Fatalf("no gate %s.port[%d]\n%s", module, p, text)
				}
				return fmt.Sprintf("%s[%d]", guid[module], p+1)
			}
			got = append(got, ordered(end(m[1], m[2]), end(m[4], m[5]))+" "+rates[m[3]])
		}
		want := wanted(f, func(e fabric.End) string { return fmt.Sprintf("%s[%d]", f.Nodes[e.Node].GUID, e.Port) })
		if !slices.Equal(sorted(got), want) {
			t.Fatalf("got  %q\nwant %q\n%s", got, want, text)
		}
		rest := text
		for _, r := range []*regexp.Regexp{nedModule, nedCable, nedRate} {
			rest = r.ReplaceAllString(rest, "")
		}
		rest = regexp.MustCompile(`\n+`).ReplaceAllString(strings.Replace(rest, nedInterfaces, "", 1), "\n")
		if want := "// random\nnetwork random\n{\n    parameters:\n        string hostType;\n        string switchType;\n    submodules:\n    connections allowunconnected:\n}\n"; rest != want {
			t.Fatalf("left over: %q", rest)
		}
	})
}

// TestNEDNames: names are identifiers, and each is given once.
func TestNEDNames(t *testing.T) {
	n := nedNames{map[string]bool{}, map[string]int{}}
	var got []string
	for _, text := range []string{"leaf 1", "leaf-1", "1a", "", "  ", "network", "leaf_1_2", "leaf/1"} {
		got = append(got, n.give(text, "host"))
	}
	if want := []string{"leaf_1", "leaf_1_2", "_1a", "host", "host_2", "network_", "leaf_1_2_2", "leaf_1_3"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func mustParse(t *testing.T, formula string) *fabric.Fabric {
	t.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// hops returns the cables between two hosts, by breadth-first search over lists of neighbours.
func hops(next [][]int, from int) []int {
	dist := slices.Repeat([]int{-1}, len(next))
	dist[from] = 0
	for todo := []int{from}; len(todo) > 0; todo = todo[1:] {
		for _, n := range next[todo[0]] {
			if dist[n] < 0 {
				dist[n] = dist[todo[0]] + 1
				todo = append(todo, n)
			}
		}
	}
	return dist
}

// builtByHTSim builds the network of a file as htsim does. Hosts come first.
func builtByHTSim(t *testing.T, text string) (next [][]int, hosts int) {
	t.Helper()
	top := map[string]int{}
	tiers := []map[string]int{top}
	for line := range strings.SplitSeq(text, "\n") {
		if words := strings.Fields(line); len(words) == 2 && words[0] != "#" {
			v, err := strconv.Atoi(words[1])
			if err != nil {
				t.Fatal(err)
			}
			if words[0] == "Tier" {
				tiers = append(tiers, map[string]int{"Bundle": 1, "Oversubscribed": 1})
			}
			tiers[len(tiers)-1][words[0]] = v
		}
	}
	hosts = top["Nodes"]
	pods, low, high := hosts/top["Podsize"], tiers[1], tiers[2]
	if low["Radix_Down"]/low["Radix_Up"] != low["Oversubscribed"] {
		t.Fatalf("oversubscription %d of tier 0\n%s", low["Oversubscribed"], text)
	}
	torsInPod := top["Podsize"] / low["Radix_Down"]
	uplinks := hosts * low["Downlink_speed_Gbps"] / (high["Downlink_speed_Gbps"] * low["Oversubscribed"])
	aggsInPod := uplinks / (pods * high["Radix_Down"])
	if aggsInPod*high["Bundle"] != low["Radix_Up"] {
		t.Fatalf("%d switches in a pod's tier 1\n%s", aggsInPod, text)
	}
	tor, agg, core := hosts, hosts+pods*torsInPod, hosts+pods*(torsInPod+aggsInPod)
	cores := 0
	if top["Tiers"] == 3 {
		cores = uplinks * high["Downlink_speed_Gbps"] / (tiers[3]["Downlink_speed_Gbps"] * high["Oversubscribed"]) / tiers[3]["Radix_Down"]
	}
	next = make([][]int, core+cores)
	join := func(a, b int) { next[a], next[b] = append(next[a], b), append(next[b], a) }
	for h := range hosts {
		join(h, tor+h/low["Radix_Down"])
	}
	for s := range pods * torsInPod {
		for a := range aggsInPod {
			for range high["Bundle"] {
				join(tor+s, agg+s/torsInPod*aggsInPod+a)
			}
		}
	}
	if cores > 0 {
		for a := range pods * aggsInPod {
			for l := range high["Radix_Up"] / tiers[3]["Bundle"] {
				for range tiers[3]["Bundle"] {
					join(agg+a, core+a%aggsInPod+aggsInPod*l)
				}
			}
		}
	}
	return next, hosts
}

// TestHTSim: the network that htsim builds has as many switches of each number of cables, and the
// same distances between the hosts that the comments name.
func TestHTSim(t *testing.T) {
	for _, formula := range []string{"rlft(4,2)", "rlft(4,3)", "rlft(6,3)", "rlft(8,2)", "xgft(2;4,6;1,2)", "pgft(2;4,4;1,2;1,2)", "pgft(3;4,3,2;1,2,2;1,2,1)", "pgft(3;4,4,4;1,2,1;1,1,2)"} {
		f := mustParse(t, formula)
		var text bytes.Buffer
		if _, err := WriteHTSim(&text, f); err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		next, hosts := builtByHTSim(t, text.String())
		own := make([][]int, len(f.Nodes))
		for _, l := range f.Links {
			own[l.A.Node], own[l.B.Node] = append(own[l.A.Node], int(l.B.Node)), append(own[l.B.Node], int(l.A.Node))
		}
		if a, b := degrees(own), degrees(next); !slices.Equal(a, b) {
			t.Errorf("%s: cables of nodes %v, in htsim %v", formula, a, b)
			continue
		}
		var ids []int // by number in htsim
		for _, m := range regexp.MustCompile(`(?m)^# host (\d+) (0x[0-9a-f]+) `).FindAllStringSubmatch(text.String(), -1) {
			guid, _ := fabric.ParseGUID(m[2])
			id, _ := f.NodeByGUID(guid)
			if ids = append(ids, int(id)); m[1] != strconv.Itoa(len(ids)-1) {
				t.Fatalf("%s: host %s", formula, m[1])
			}
		}
		if len(ids) != hosts {
			t.Fatalf("%s: %d hosts are named, of %d", formula, len(ids), hosts)
		}
		for i := range hosts {
			there, here := hops(next, i), hops(own, ids[i])
			for k := range hosts {
				if there[k] != here[ids[k]] {
					t.Fatalf("%s: hosts %d and %d are %d cables apart, in htsim %d", formula, i, k, here[ids[k]], there[k])
				}
			}
		}
	}
}

func degrees(next [][]int) (list []int) {
	for _, n := range next {
		list = append(list, len(n))
	}
	slices.Sort(list)
	return list
}

func TestNoHTSim(t *testing.T) {
	for formula, want := range map[string]string{
		"rlft(8,2)|fail(links=1,seed=1)": "", "rlft(4,3)|fail(links=1,seed=7)": "", "rlft(6,3)|fail(switches=1,seed=3)": "",
		"torus(4x4)": "one tier are joined", "rlft(4,4)": "in none of the 3 tiers",
		"tree(8,8)|planes(2)": "htsim's hosts have one", "dragonfly(2,4,2)": "one tier are joined", "xgft(2;3,6;1,2)": "want",
	} {
		f := mustParse(t, formula)
		_, err := WriteHTSim(new(bytes.Buffer), f)
		if err == nil || !strings.Contains(err.Error(), "netfile: no fat-tree as htsim builds one: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", formula, err, want)
		}
	}
}

// TestOneSwitch: a single switch is no tree of htsim.
func TestOneSwitch(t *testing.T) {
	f := mustParse(t, "rlft(4,2)").Without(func(n fabric.NodeID) bool { return n > 0 && n < 6 }, func(fabric.LinkID) bool { return false })
	for i := len(f.Nodes) - 1; i >= 0; i-- {
		f.Nodes[i].Down = f.Nodes[i].Type != fabric.Switch && !hasCable(f, fabric.NodeID(i))
	}
	if _, err := WriteHTSim(new(bytes.Buffer), f); err == nil || !strings.HasSuffix(err.Error(), "1 tier of switches: htsim has 2 or 3") {
		t.Error(err)
	}
}

func hasCable(f *fabric.Fabric, id fabric.NodeID) bool {
	for range f.Cabled(id, f.LinkUp) {
		return true
	}
	return false
}

// TestUnknownRates: a warning counts the cables of unknown rate.
func TestUnknownRates(t *testing.T) {
	f := mustParse(t, "rlft(4,2)")
	f.Links[0].Width, f.Links[3].Speed = 0, fabric.SpeedUnknown
	for _, write := range []func(*bytes.Buffer) ([]lines.Warning, error){
		func(b *bytes.Buffer) ([]lines.Warning, error) { return WriteNS3(b, f) },
		func(b *bytes.Buffer) ([]lines.Warning, error) { return WriteNED(b, f) },
	} {
		warnings, err := write(new(bytes.Buffer))
		if want := "rlft(4,2): the rate of 2 cables is unknown: taken as 100Gbps"; err != nil || len(warnings) != 1 || warnings[0].String() != want {
			t.Errorf("%v, %v; want %s", warnings, err, want)
		}
	}
	if _, err := WriteNS3(new(bytes.Buffer), fabric.New("x")); err == nil {
		t.Error("a fabric without nodes is written")
	}
}
