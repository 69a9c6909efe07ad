package gen

import (
	"fmt"
	"strconv"
	"strings"

	"weft/fabric"
)

// Entry is a line of the catalogue.
type Entry struct {
	Name    string `json:"name"`
	Args    string `json:"args"` // as written after the name, with defaults: "(sizes=AxBx..,hosts=1,width=1)"; may be empty
	What    string `json:"what"`
	Source  string `json:"source"` // paper and section
	Example string `json:"example"`
}

// Catalogue lists every formula and named system that Parse accepts.
func Catalogue() []Entry { return entries(formulas) }

// Suffixes lists every suffix that Parse and Apply accept. Examples begin with
// their bar.
func Suffixes() []Entry { return entries(suffixes) }

func entries(table []spec) []Entry {
	out := make([]Entry, len(table))
	for i := range table {
		s := &table[i]
		out[i] = Entry{s.name, strings.TrimPrefix(s.signature(), s.name), s.what, s.source, s.example}
	}
	return out
}

func need(name string, lo, hi int) param {
	return param{name: name, kind: number, required: true, lo: lo, hi: hi}
}

func option(name, auto string, lo, hi int) param {
	return param{name: name, kind: number, auto: auto, lo: lo, hi: hi}
}

func optional(name string, k kind, auto string) param {
	return param{name: name, kind: k, auto: auto}
}

func needed(name string, k kind, auto string) param {
	return param{name: name, kind: k, required: true, auto: auto}
}

func numbers(name string, k kind) param {
	return param{name: name, kind: k, required: true, lo: 1, hi: fabric.MaxNodes}
}

// Arguments that many formulas share.
var (
	allHosts = option("hosts", "full", 0, fabric.MaxNodes) // of the whole fabric
	perHost  = option("hosts", "1", 0, fabric.MaxPorts)
	width    = option("width", "1", 1, fabric.MaxPorts)
	groups   = option("groups", "most", 1, fabric.MaxNodes)
	anySeed  = optional("seed", seed, "1")
)

const (
	thesis     = "Bogdanski, thesis 2014"
	dfsssp     = "Domke, Hoefler, Nagel 2011"
	superpodRA = "NVIDIA, RA-11333-001 V11 (2023)"
	sysarea    = "Mainwaring, Chun, Schleimer, Wilkerson, Fig. 3"
)

// formulas are the lines of the catalogue: topologies, then systems.
var formulas = append(topologies, specs(systems)...)

var topologies = []spec{
	{
		name: "rlft", params: []param{need("radix", 1, fabric.MaxPorts), need("levels", 1, maxDims), allHosts},
		what:   "real-life fat tree, the largest of one switch radix: 2*(radix/2)^levels hosts",
		source: "Zahavi 2010", example: "rlft(36,3)", build: rlft,
	},
	{
		name: "tree", params: []param{need("radix", 2, fabric.MaxPorts), need("hosts", 1, fabric.MaxNodes), optional("ratio", ratio, "1"), optional("pods", ratio, "R"), option("first", "0", 0, fabric.MaxNodes)},
		what:   "the fat tree of the fewest switches of one radix that holds so many hosts, in one to three levels: whole, or with ratio= hosts at most for each cable up of a leaf, and pods= for each cable up of a pod; the first of several pods holds first= hosts",
		source: "Leiserson 1985; shapes of Zahavi 2010", example: "tree(40,2000,ratio=2)", build: smallestTree,
	},
	{
		name: "xgft", params: []param{need("h", 1, maxDims), numbers("m", list), numbers("w", list), allHosts},
		what:   "extended generalised fat tree of switches: h+1 levels, m children, w parents by level; hosts on level 0, w1 a leaf unless hosts= says",
		source: "Öhring et al. 1995; " + dfsssp + ", Table I", example: "xgft(2;6,6;3,3;hosts=512)", build: xgft,
	},
	{
		name: "pgft", params: []param{need("h", 1, maxDims), numbers("m", list), numbers("w", list), numbers("p", list), allHosts},
		what:   "parallel-ports generalised fat tree: h switch levels over the hosts, m children, w parents, p parallel cables; m1 hosts a leaf",
		source: "Zahavi 2010", example: "pgft(2;12,12;1,6;1,2)", build: pgft,
	},
	{
		name: "karytree", params: []param{need("k", 1, fabric.MaxPorts), need("n", 1, maxDims), allHosts},
		what:   "k-ary n-tree: n*k^(n-1) switches, k hosts a leaf",
		source: "Petrini, Vanneschi 1997; " + dfsssp + ", Table I", example: "karytree(6,3)", build: karytree,
	},
	{
		name: "butterfly", params: []param{need("k", 1, fabric.MaxPorts/2), need("n", 1, maxDims), allHosts},
		what:   "k-ary n-fly: n stages of k^(n-1) switches of 2k ports, k hosts on each switch of the first and of the last stage",
		source: "Dally, Towles 2004; Bogdański 2014, Fig. 2.2 (a)", example: "butterfly(4,3)", build: butterfly,
	},
	{
		name: "mport", params: []param{need("m", 1, fabric.MaxPorts), need("n", 1, maxDims), allHosts},
		what:   "m-port n-tree: (2n-1)*(m/2)^(n-1) switches, 2*(m/2)^n hosts",
		source: "Lin, Chung, Huang 2004; Nienaber et al., Fig. 11", example: "mport(8,3)", build: mport,
	},
	{
		name: "rail", params: []param{need("k", 1, fabric.MaxPorts), need("servers", 1, fabric.MaxPorts), option("pods", "1", 1, fabric.MaxPorts), option("spines", "servers", 0, fabric.MaxPorts), width, option("cores", "0", 0, fabric.MaxPorts), option("up", "1", 1, fabric.MaxPorts), option("groups", "1", 1, fabric.MaxPorts), allHosts},
		what:   "rail-optimised tree: pods of servers= hosts of k ports and k rail switches, port i of all hosts of a pod on its rail switch i; every rail switch has width= cables to each of spines= spines, one a server unless given. With cores= every rail has so many spines of its own, a plane of two levels, and spines of one number in all rails have up= cables to each of cores= cores; with groups= every group of pods has such spines of its own. hosts= are spread over all pods. Rails that meet nowhere are copies of a tree: tree(64,512)|planes(8)",
		source: superpodRA, example: "rail(8,32,4,spines=16,width=2)", build: rail,
	},
	{
		name: "torus", params: []param{numbers("sizes", dims), perHost, width},
		what:   "torus, hosts= on each switch; a ring of two is one link",
		source: "Nienaber et al., Fig. 10", example: "torus(8x8x8,hosts=1)", build: torus,
	},
	{
		name: "mesh", params: []param{numbers("sizes", dims), perHost, width},
		what: "mesh, hosts= on each switch", source: "Dally, Towles 2004", example: "mesh(4x4)", build: mesh,
	},
	{
		name: "hypercube", params: []param{need("n", 1, maxDims), perHost, width},
		what: "hypercube of 2^n switches", source: "Dally, Towles 2004", example: "hypercube(6,hosts=2)", build: hypercube,
	},
	{
		name: "kautz", params: []param{need("b", 1, fabric.MaxPorts), need("n", 1, maxDims), allHosts},
		what:   "Kautz graph of (b+1)*b^(n-1) switches, a cable an arc; hosts= over all of them, one each unless given",
		source: "Kautz 1968; " + dfsssp + ", Table I", example: "kautz(3,3,hosts=512)", build: kautz,
	},
	{
		name: "dragonfly", params: []param{need("a", 1, fabric.MaxPorts), need("p", 0, fabric.MaxPorts), need("h", 1, fabric.MaxPorts), groups, allHosts},
		what:   "Dragonfly: groups= (at most a*h+1) of a switches, all joined, with p hosts and h global links each; with fewer groups several links join two; hosts= over all switches, p each unless given",
		source: "Kim et al. 2008", example: "dragonfly(4,2,2,groups=5)", build: dragonfly,
	},
	{
		name: "dragonflyplus", params: []param{need("leaves", 1, fabric.MaxPorts), need("spines", 1, fabric.MaxPorts), need("p", 0, fabric.MaxPorts), need("h", 1, fabric.MaxPorts), groups, allHosts},
		what:   "Dragonfly+: groups= (at most spines*h+1) of leaves with p hosts each, joined to all spines of the group, which have h global links each; hosts= over all leaves, p each unless given",
		source: "Shpiner et al. 2017", example: "dragonflyplus(4,4,4,2)", build: dragonflyPlus,
	},
	{
		name: "hyperx", params: []param{numbers("sizes", dims), perHost, width},
		what:   "HyperX: all switches that differ in one coordinate are joined",
		source: "Ahn et al. 2009", example: "hyperx(4x4,hosts=4)", build: hyperx,
	},
	{
		name: "slimfly", params: []param{need("q", 3, 361), option("hosts", "half", 0, fabric.MaxPorts)},
		what:   "Slim Fly of 2*q^2 switches, q an odd prime; hosts= on each, half the degree unless given",
		source: "Besta, Hoefler 2014", example: "slimfly(5)", build: slimfly,
	},
	{
		name: "fullmesh", params: []param{need("n", 1, fabric.MaxPorts+1), perHost, width},
		what: "every switch joined to every other", source: "Dally, Towles 2004", example: "fullmesh(8,hosts=8)", build: fullmesh,
	},
	{
		name: "random", params: []param{option("switches", "128", 1, fabric.MaxNodes), option("hosts", "16", 0, fabric.MaxPorts), option("links", "200", 0, fabric.MaxLinks), anySeed, option("degree", "16", 1, fabric.MaxPorts)},
		what:   "random connected graph (R64, R128): distinct pairs, hosts= on each switch, at most degree links a switch; from a random attachment tree where too sparse",
		source: dfsssp + ", section IV and Fig. 9", example: "random(switches=64,hosts=16,links=128,seed=1)", build: random,
	},
	{
		name: "irregular", params: []param{option("switches", "64", 2, fabric.MaxNodes), option("degree", "8", 1, fabric.MaxNodes), option("hosts", "512", 0, fabric.MaxNodes), anySeed},
		what:   "GM8: random connected graph of an average degree, each of hosts= on a random switch",
		source: "Nienaber et al., Tables I to VI", example: "irregular(switches=16,degree=8,hosts=128,seed=1)", build: irregular,
	},
	{
		name: "regular", params: []param{option("switches", "32", 2, fabric.MaxNodes), option("degree", "4", 1, fabric.MaxPorts), option("hosts", "4", 0, fabric.MaxPorts), anySeed},
		what:   "RR: random connected graph of one degree, hosts= on each switch",
		source: "Lopez, Flich, Duato, Tables 4 to 6", example: "regular(switches=32,degree=4,hosts=4,seed=1)", build: regular,
	},
}

// system is a named system. It has hosts by default and at most room; if room is 0, their number is
// fixed.
type system struct {
	name         string
	hosts, room  int
	build        func(b *builder, hosts int)
	what, source string
}

var systems = []system{
	{"fat648", 648, 648, fat648, "648-port switch: 36 leaves, 18 spines", thesis + ", Paper I"},
	{"racks648", 648, 648, racks(9), "648-port switch with 27 cross-linked pairs of rack switches", thesis + ", Papers I, II, IV, VI"},
	{"racks432", 432, 432, racks(6), "six ninths of racks648: 36 rack switches, 24 leaves, 18 spines", thesis + ", Paper VI"},
	{"racks216", 216, 216, racks(3), "three ninths of racks648: 18 rack switches, 12 leaves, 18 spines", thesis + ", Paper VI"},
	{"racks72", 72, 72, ninth, "a ninth of racks648 without its spines: six rack switches, four leaves with 18 free ports each for routers", thesis + ", Paper V"},
	{"over384", 384, 384, over384, "oversubscribed: 16 leaves of 42 ports, 24 hosts and 18 cables up each, 8 spines", thesis + ", Paper VI"},
	{"fat3456", 3456, 3456, fat3456, "3456-port switch: three levels of 24-port switches", thesis + ", Paper I"},
	{"juropa", 5184, 5184, juropa(216), "JuRoPA-like: eight 648-port switches, 216 cross-linked pairs of rack switches", thesis + ", Paper I"},
	{"juropa3288", 3288, 3288, juropa(137), "JuRoPA and HPC-FF: the first 137 pairs of rack switches", dfsssp + ", section V"},
	{"ranger", 3936, 3936, dual(328), "Ranger-like: two 3456-port switches, 328 rack switches", thesis + ", Papers I and III; " + dfsssp},
	{"dual4608", 4608, 4608, dual(384), "dual core: two 3456-port switches, 384 rack switches", thesis + ", Paper VI"},
	{"vftree-fig3", 0, 0, testbed{leaves: 2, hosts: 4}.build, "two switches, one cable, eight hosts: the congestion control experiment", thesis + ", Paper II, Fig. 3"},
	{"vftree-fig4a", 0, 0, testbed{leaves: 3, hosts: 2, roots: 1, cables: 2}.build, "three leaves of two hosts, two cables each to one root", thesis + ", Paper II, Fig. 4a"},
	{"vftree-fig4b", 0, 0, testbed{leaves: 3, hosts: 4, roots: 1, cables: 2}.build, "the same with four hosts a leaf: 2:1", thesis + ", Paper II, Fig. 4b"},
	{"sftree-fig4a", 0, 0, testbed{leaves: 4, hosts: 2, roots: 2, cables: 1}.build, "four leaves of two hosts, two roots", thesis + ", Paper III, Fig. 4a"},
	{"sftree-fig4b", 0, 0, testbed{leaves: 2, hosts: 1, roots: 2, cables: 1, onRoots: 1}.build, "two leaves and two roots, a ring with a host on each", thesis + ", Paper III, Fig. 4b"},
	{"mftree-fig2", 0, 0, testbed{leaves: 4, hosts: 2, roots: 2, cables: 1, homes: 2}.build, "four leaves, two roots, four hosts with a port on two leaves each", thesis + ", Paper VI, Fig. 2"},
	{"deimos", 724, 3*288 - 2*30, deimos(10, 10, 10), "Deimos: three 288-port switches in a triangle of 10 trunks a side", dfsssp + ", section V"},
	{"deimos-chain15", 724, 3*288 - 2*30, deimos(15, 15, 0), "Deimos as a chain, 15 trunks a pair", dfsssp + ", section V"},
	{"deimos-chain30", 724, 3*288 - 2*60, deimos(30, 30, 0), "Deimos as a chain, 30 trunks a pair", dfsssp + ", section V"},
	{"odin", 128, 144, odin, "Odin: one 144-port switch", dfsssp + ", section V"},
	{"chic", 550, 46 * 12, chic, "CHiC (a guess): 46 edge switches, two 288-port switches", dfsssp + ", section V"},
	{"tsubame", 1430, 6 * 240, tsubame, "Tsubame (a guess): six edge and two core 288-port switches", dfsssp + ", section V"},
	{"now-c", 0, 0, now(false, false), "Berkeley NOW, subcluster C", sysarea},
	{"now-ca", 0, 0, now(true, false), "Berkeley NOW, subclusters C and A", sysarea},
	{"now-cab", 0, 0, now(true, true), "Berkeley NOW, all 100 hosts", sysarea},
	{"superpod127", 0, 0, superpod127, "DGX SuperPOD of four scalable units: 127 servers of eight ports and two UFM appliances, 32 leaves, 16 spines", superpodRA + ", Table 4"},
	{"superpod512", 0, 0, superpod512, "DGX SuperPOD of 16 scalable units: 512 servers of eight ports, 128 leaves, 128 spines, 64 cores", superpodRA + ", Table 3"},
	{"railgroups512", 0, 0, railgroups512, "512 servers in four groups of rails, with storage on a plane of its own: 37 leaves, 20 spines, 228 ports of storage", "apetops.com/AIxueyuan/256.html (2024)"},
	{"rsc", 0, 0, rsc, "Meta's Research SuperCluster: 2,000 servers in rails on 2,000 switches of 40 ports; its storage (a guess) on a plane of its own", "Saladi (Meta), talk of May 2023, as told in blog.thomarite.uk (2023-05-29)"},
	{"renaming-fig1", 0, 0, renamingFig1, "the example network of the destination renaming paper", "Lopez, Flich, Duato, Fig. 1"},
}

// specs converts systems to lines of the catalogue.
func specs(systems []system) []spec {
	out := make([]spec, len(systems))
	for i, s := range systems {
		out[i] = spec{name: s.name, what: s.what, source: s.source, example: s.name}
		if s.room > 0 {
			out[i].params = []param{option("hosts", strconv.Itoa(s.hosts), 0, fabric.MaxNodes)}
		}
		out[i].build = func(a *args) (*fabric.Fabric, error) {
			hosts := 0
			if s.room > 0 {
				hosts = a.int("hosts")
			}
			if hosts > s.room {
				return nil, fmt.Errorf("hosts=%d: there is room for %d", hosts, s.room)
			}
			b := newBuilder()
			s.build(b, hosts)
			return b.done()
		}
	}
	return out
}
