package dfsssp

import (
	"weft/lab"
	"weft/lab/opensm"
	"weft/route"
	"weft/route/lanes/offline"
)

// Readings other than the literal text.
const (
	asOpenSM   = "engines of OpenSM"
	nineAndOne = "links nine and one"
	oneTree    = "one tree a switch"
	everyNode  = "paths of all nodes"
	layerAll   = "layer all nodes"
	movedLIDs  = "LIDs moved"
	allAtOnce  = "all-to-all at once"
)

// onDeimos lists the artefacts measured on Deimos.
var onDeimos = []string{"fig12", "fig13", "fig14", "fig16", "table2"}

func artefacts(names ...string) []string { return append(names, onDeimos...) }

var readings = []lab.Reading{
	{
		Name: asOpenSM, Chosen: true, In: artefacts("heuristics", "fig4", "fig5", "fig6", "fig7", "fig8", "fig9", "fig10"),
		Text: "the engines of OpenSM 3.3.23; the letter uses weft's engines with these names: MinHop counts at each switch for itself the table entries of a port, leaf by leaf; " +
			"LASH takes the first of the shortest paths by port, and the pairs of switches in order; DOR takes that path anywhere; DFSSSP layers the traffic of switches too. Up*/Down* and fat-tree routing stay weft's.",
	},
	{
		Name: nineAndOne, Chosen: true, Fitted: true, In: artefacts("fig4", "fig8", "fig10"),
		Text: "of the ten links between two switches of Deimos, nine end on one leaf of each, and one on another; the letter spreads them evenly. A spine then has two ways to the other switch and does not see how many cables are behind each. MinHop spreads its targets evenly over the two, SSSP weighs every cable. The text does not say where they end; this wiring was found among eight with Figs. 12 to 16 as the measure.",
	},
	{
		Name: oneTree, In: artefacts("heuristics", "fig4", "fig5", "fig6", "fig9", "fig10"),
		Text: "SSSP searches once for each switch, and all its hosts get that tree; algorithm 1 searches for each host. The authors' code in OpenSM has a tree a host.",
	},
	{
		Name: everyNode, In: artefacts("heuristics", "fig4", "fig5", "fig6", "fig9", "fig10"),
		Text: "V in algorithm 1 is hosts and switches alike: paths to and from switches weigh as much as those of hosts.",
	},
	{
		Name: layerAll, In: artefacts("heuristics", "fig9", "fig10"),
		Text: "V in algorithm 2 is hosts and switches alike: DFSSSP layers the paths from and to switches too. LASH does so in the letter already: it layers the paths between all switches, those without hosts included. Paths stay those of the letter.",
	},
	{
		Name: movedLIDs, Fitted: true, In: artefacts("fig4", "fig5", "fig6"),
		Text: "MinHop of OpenSM on LIDs that go leaf by leaf but for one host in ten, as if parts of a cluster were replaced over the years.",
	},
	{
		Name: allAtOnce, In: []string{"fig13", "fig16", "table2"},
		Text: "an all-to-all sends all its messages at once; the letter exchanges them pairwise, one partner after another. The paper does not say.",
	},
}

const assumptions = "Systems: the six real ones are stand-ins from published data (CHiC and Tsubame are guesses). Deimos is \"three 288-port switches, connected with 30 links\": ten between each two, spread evenly over their leaves. This is the plainest reading of the sentence, and all figures and Table II use it.\n" +
	"Samples: a seed block has an eighth of the paper's 1,000 bisections. Fig. 9 has 48 networks per point up to 165 links and 24 from 180 on, over all blocks; the paper has 100.\n" +
	"Words without a number: \"as well\" is within 5 %, \"nearly the same\" within 10 % of the better. \"Similar\" and \"relatively constant\" are within 20 %. A \"small increase\" is half a per cent to 10 %, \"about twice\" 1.5 to 3 times.\n" +
	"Bandwidths of Figs. 4 to 6 count congestion one way, as ORCS does.\n" +
	"Deimos in time: packets of 2,048 bytes; 8 Gbit/s per link (4x SDR), 946 MiB/s per host (section VI); 16 KB of input buffer per lane; 200 ns per switch; software takes no time. A block draws other nodes for the jobs, the same for all engines. If packets under a routing deadlock, weft repeats the run with its paths on lanes by algorithm 2, and the table says so: the paper met no deadlock.\n" +
	"Messages of Netgauge are 64 KiB, 8 times there and back (the paper: 1 MiB, 50 times), for two partitions per block. All-to-all uses the paper's messages. The NAS benchmarks use 16 KiB, in the order of the benchmarks; of the partners of FT weft runs 32, evenly spaced.\n" +
	"Computing of the NAS benchmarks is not modelled. Suppose that the whole benchmark gains a printed amount, and that communication takes half to all of its time under DFSSSP. Then communication gains that amount to twice of it, and ours must lie in this range."

// The engines of the paper's figures.
const (
	minhop = "minhop"
	updn   = "updn"
	ftree  = "ftree"
	lash   = "lash"
	dor    = "dor"
	sssp   = "sssp"
	dfsssp = "dfsssp"
)

// engines lists them in the paper's order.
var engines = []string{minhop, updn, ftree, lash, dor, sssp, dfsssp}

// allVLs lets an engine use all of InfiniBand's lanes, to compare bandwidth also where 8 lanes are
// too few. The tables state the number of used lanes.
const allVLs = 15

// onceSSSP is algorithm 1, layeredSSSP adds algorithm 2, and fewLanes is weft's own dfsssp. With
// replies=own each direction of a pair is layered separately.
const (
	onceSSSP    = "sssp,passes=1"
	layeredSSSP = "dfsssp,paths=sssp,replies=own"
	fewLanes    = "dfsssp,replies=own"
)

// routingOf returns an engine's Routing under the active readings. Its Engine is unique.
func routingOf(s *lab.Setup, engine string) lab.Routing {
	switch {
	case engine == dfsssp:
		return layeredBy(s, offline.Weakest)
	case engine == sssp && s.Reads(everyNode):
		return own(allNodes(false, offline.Weakest))
	case engine == sssp && s.Reads(oneTree):
		return own(treeOfSwitch(false, offline.Weakest))
	case engine == sssp:
		return lab.Routing{Engine: onceSSSP, MaxVLs: allVLs}
	case engine == minhop && s.Reads(movedLIDs):
		r := own(opensm.MinHop(opensm.Moved))
		r.Seed = s.Seed
		return r
	case engine == minhop && s.Reads(asOpenSM):
		return own(opensm.MinHop(opensm.ByLeaf))
	case (engine == lash || engine == dor) && s.Reads(asOpenSM):
		return own(opensm.FirstPort())
	}
	return lab.Routing{Engine: engine, MaxVLs: allVLs}
}

// layeredBy returns DFSSSP under the active readings, with a heuristic.
func layeredBy(s *lab.Setup, h offline.Heuristic) lab.Routing {
	switch {
	case s.Reads(everyNode):
		return own(allNodes(true, h))
	case s.Reads(oneTree):
		return own(treeOfSwitch(true, h))
	case s.Reads(asOpenSM) || s.Reads(layerAll):
		return lab.Routing{Engine: layeredSSSP + ",heuristic=" + string(h), MaxVLs: allVLs}
	}
	return lab.Routing{Engine: layeredSSSP + ",switches=false,heuristic=" + string(h), MaxVLs: allVLs}
}

// own returns the Routing of an engine that is not in the registry.
func own(spec *route.Spec) lab.Routing {
	return lab.Routing{Engine: spec.Name, Spec: spec, MaxVLs: allVLs}
}

// rivals lists the engines that the paper compares SSSP and DFSSSP with.
var rivals = []string{minhop, updn, ftree, lash, dor}
