package gen

import (
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

func numbers(name string, k kind) param {
	return param{name: name, kind: k, required: true, lo: 1, hi: fabric.MaxNodes}
}

// Arguments that many formulas share.
var (
	allHosts = option("hosts", "full", 0, fabric.MaxNodes) // of the whole fabric
	perHost  = option("hosts", "1", 0, fabric.MaxPorts)
	width    = option("width", "1", 1, fabric.MaxPorts)
	anySeed  = optional("seed", seed, "1")
)

// total is the number of hosts of a named system.
func total(auto string) []param { return []param{option("hosts", auto, 0, fabric.MaxNodes)} }

const (
	thesis  = "Bogdanski, thesis 2014"
	dfsssp  = "Domke, Hoefler, Nagel 2011"
	sysarea = "Mainwaring, Chun, Schleimer, Wilkerson, Fig. 3"
)

// formulas is what Parse, IsFormula and Catalogue read.
var formulas = []spec{
	{
		name: "rlft", params: []param{need("radix", 1, fabric.MaxPorts), need("levels", 1, maxDims), allHosts},
		what:   "real-life fat tree, the largest of one switch radix: 2*(radix/2)^levels hosts",
		source: "Zahavi 2010", example: "rlft(36,3)", build: rlft,
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
		name: "mport", params: []param{need("m", 1, fabric.MaxPorts), need("n", 1, maxDims), allHosts},
		what:   "m-port n-tree: (2n-1)*(m/2)^(n-1) switches, 2*(m/2)^n hosts",
		source: "Lin, Chung, Huang 2004; Nienaber et al., Fig. 11", example: "mport(8,3)", build: mport,
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
		name: "dragonfly", params: []param{need("a", 1, fabric.MaxPorts), need("p", 0, fabric.MaxPorts), need("h", 1, fabric.MaxPorts)},
		what:   "Dragonfly: a*h+1 groups of a switches with p hosts and h global links each",
		source: "Kim et al. 2008", example: "dragonfly(4,2,2)", build: dragonfly,
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

	{
		name: "fat648", params: total("648"), what: "648-port switch: 36 leaves, 18 spines",
		source: thesis + ", Paper I", example: "fat648", build: fat648,
	},
	{
		name: "racks648", params: total("648"), what: "648-port switch with 27 cross-linked pairs of rack switches",
		source: thesis + ", Papers I, II, IV, VI", example: "racks648", build: racks648,
	},
	{
		name: "racks432", params: total("432"), what: "six ninths of racks648: 36 rack switches, 24 leaves, 18 spines",
		source: thesis + ", Paper VI", example: "racks432", build: racks432,
	},
	{
		name: "racks216", params: total("216"), what: "three ninths of racks648: 18 rack switches, 12 leaves, 18 spines",
		source: thesis + ", Paper VI", example: "racks216", build: racks216,
	},
	{
		name: "over384", params: total("384"), what: "oversubscribed: 16 leaves of 42 ports, 24 hosts and 18 cables up each, 8 spines",
		source: thesis + ", Paper VI", example: "over384", build: over384,
	},
	{
		name: "fat3456", params: total("3456"), what: "3456-port switch: three levels of 24-port switches",
		source: thesis + ", Paper I", example: "fat3456", build: fat3456,
	},
	{
		name: "juropa", params: total("5184"), what: "JuRoPA-like: eight 648-port switches, 216 cross-linked pairs of rack switches",
		source: thesis + ", Paper I", example: "juropa", build: juropa,
	},
	{
		name: "juropa3288", params: total("3288"), what: "JuRoPA and HPC-FF: the first 137 pairs of rack switches",
		source: dfsssp + ", section V", example: "juropa3288", build: juropa3288,
	},
	{
		name: "ranger", params: total("3936"), what: "Ranger-like: two 3456-port switches, 328 rack switches",
		source: thesis + ", Papers I and III; " + dfsssp, example: "ranger", build: ranger,
	},
	{
		name: "dual4608", params: total("4608"), what: "dual core: two 3456-port switches, 384 rack switches",
		source: thesis + ", Paper VI", example: "dual4608", build: dual4608,
	},
	{
		name: "vftree-fig3", what: "two switches, one cable, eight hosts: the congestion control experiment",
		source: thesis + ", Paper II, Fig. 3", example: "vftree-fig3", build: vftreeFig3.build,
	},
	{
		name: "vftree-fig4a", what: "three leaves of two hosts, two cables each to one root",
		source: thesis + ", Paper II, Fig. 4a", example: "vftree-fig4a", build: vftreeFig4a.build,
	},
	{
		name: "vftree-fig4b", what: "the same with four hosts a leaf: 2:1",
		source: thesis + ", Paper II, Fig. 4b", example: "vftree-fig4b", build: vftreeFig4b.build,
	},
	{
		name: "sftree-fig4a", what: "four leaves of two hosts, two roots",
		source: thesis + ", Paper III, Fig. 4a", example: "sftree-fig4a", build: sftreeFig4a.build,
	},
	{
		name: "sftree-fig4b", what: "two leaves and two roots, a ring with a host on each",
		source: thesis + ", Paper III, Fig. 4b", example: "sftree-fig4b", build: sftreeFig4b.build,
	},
	{
		name: "mftree-fig2", what: "four leaves, two roots, four hosts with a port on two leaves each",
		source: thesis + ", Paper VI, Fig. 2", example: "mftree-fig2", build: mftreeFig2.build,
	},
	{
		name: "deimos", params: total("724"), what: "Deimos: three 288-port switches in a triangle of 10 trunks a side",
		source: dfsssp + ", section V", example: "deimos", build: deimos,
	},
	{
		name: "deimos-chain15", params: total("724"), what: "Deimos as a chain, 15 trunks a pair",
		source: dfsssp + ", section V", example: "deimos-chain15", build: deimosChain15,
	},
	{
		name: "deimos-chain30", params: total("724"), what: "Deimos as a chain, 30 trunks a pair",
		source: dfsssp + ", section V", example: "deimos-chain30", build: deimosChain30,
	},
	{
		name: "odin", params: total("128"), what: "Odin: one 144-port switch",
		source: dfsssp + ", section V", example: "odin", build: odin,
	},
	{
		name: "chic", params: total("550"), what: "CHiC (a guess): 46 edge switches, two 288-port switches",
		source: dfsssp + ", section V", example: "chic", build: chic,
	},
	{
		name: "tsubame", params: total("1430"), what: "Tsubame (a guess): six edge and two core 288-port switches",
		source: dfsssp + ", section V", example: "tsubame", build: tsubame,
	},
	{
		name: "now-c", what: "Berkeley NOW, subcluster C", source: sysarea, example: "now-c",
		build: func(*args) (*fabric.Fabric, error) { return now(false, false) },
	},
	{
		name: "now-ca", what: "Berkeley NOW, subclusters C and A", source: sysarea, example: "now-ca",
		build: func(*args) (*fabric.Fabric, error) { return now(true, false) },
	},
	{
		name: "now-cab", what: "Berkeley NOW, all 100 hosts", source: sysarea, example: "now-cab",
		build: func(*args) (*fabric.Fabric, error) { return now(true, true) },
	},
	{
		name: "renaming-fig1", what: "the example network of the destination renaming paper",
		source: "Lopez, Flich, Duato, Fig. 1", example: "renaming-fig1", build: renamingFig1,
	},
}
