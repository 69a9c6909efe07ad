// Package gen builds fabrics from one line of text: topologies by formula, systems by name, and
// suffixes that degrade or change them.
//
//	rlft(36,3)
//	torus(8x8x8,hosts=2)|fail(links=10,seed=3)
//	fat648|hosts(even=17,odd=1)
//
// The grammar is name[(arguments)]{|suffix}. Arguments are given by position or by name; semicolons
// separate groups of lists (xgft, pgft). Quotes or balanced parentheses protect names with commas:
// |fail(switch=switch (1,2)). Formulas nest in the suffixes merge and plane. Catalogue and Suffixes
// list everything, from the tables that Parse uses.
//
// # Conventions
//
// Ports count from 1. In trees the ports down (hosts on a leaf) come before the ports up; in direct
// networks the links come before the hosts. On a mesh or torus with one cable a link, the plus port
// of dimension d (from 0) is 2d+1 and its minus port 2d+2; on a hypercube the port of dimension d
// is d+1. The descriptions of grid switches end in their coordinates: "switch (1,2,3)".
//
// Switches are built level by level, leaves first, and their GUIDs count in that order, so that
// GUID order is level order. Parts added by the suffixes merge, planes and plane come last. Hosts
// count in the order of their leaves (if a named system places them otherwise, in the order of
// placement). Node GUIDs are locally administered. Switches get 0x02000053 and a counter from 1,
// hosts 0x02000048 and a counter in steps of 256. A host's port p has the GUID of its node plus p.
// Aggregation nodes get 0x02000041 and a counter from 1. All links are 4xEDR.
//
// E hosts over L leaves are E/L each, and one more on the first E mod L leaves. So the radix-64
// tree of three levels, 65,536 hosts on 5,120 switches, fits one subnet as rlft(64,3,hosts=40960):
// 20 hosts on each of its 2,048 leaves.
//
// hosts= counts the hosts of the whole fabric for trees, rail, kautz, irregular, dragonfly,
// dragonflyplus and the named systems, and the hosts of each switch for the other formulas.
//
// # Servers and planes
//
// A host of a formula is a server: one channel adapter with one port, or several (rail, pgft, the
// suffixes ports, planes and plane). Suffixes that take servers group the adapters of a file as
// fabric.Servers does.
//
//	tree(64,512)|planes(8)
//	rail(8,32,4,spines=16,width=2)|plane(tree(64,160),name=storage)
//
// planes and plane put several networks on the same servers. No cable joins the networks. Server i
// of one is server i of the other, in order of GUID, with the ports of both; adapter k takes the
// ports of adapter k. If a network has more servers, the others are new ones. Switches are called
// "plane 2 leaf 0", numbered through, or "storage leaf 0". A suffix applies to everything before
// it, so |radix(64) in front of |plane does not change the switches of the plane.
//
// # Sources
//
// The named systems and random graphs are reconstructions of networks from papers: Nienaber, Yuan,
// Duan (LID assignment: GM8), Lopez, Flich, Duato (destination renaming: RR), Domke, Hoefler, Nagel
// (DFSSSP: Table I, R64, R128, Deimos, Odin, CHiC, Tsubame), Bogdanski (thesis: fat trees, JuRoPA,
// Ranger) and Mainwaring et al. (Berkeley NOW). Trees: XGFT of Öhring et al. (1995), PGFT and RLFT
// of Zahavi (2010), m-port n-tree of Lin et al. (2004), k-ary n-tree of Petrini and Vanneschi
// (1997). Direct networks: Kautz (1968), Dragonfly of Kim et al. (2008, palm-tree arrangement of
// the global links), Dragonfly+ of Shpiner, Haramaty, Eliad, Zdornov, Gafni and Zahavi (HiPINEB
// 2017), HyperX of Ahn et al. (2009), Slim Fly of Besta and Hoefler (2014, McKay-Miller-Širáň
// graphs, q prime). Rails: NVIDIA's DGX SuperPOD reference architectures; superpod127, superpod512,
// railgroups512 and rsc have the counts that are published, docs/choosing.md says of what.
//
// # Cost and limits
//
// Linear in the size of the fabric. More than 262,144 nodes, 1,048,576 cables or 4,194,304 switch
// ports are refused before anything is built; more end ports than a subnet has LIDs are allowed.
package gen
