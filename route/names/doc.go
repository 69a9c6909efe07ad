// Package names is stage NAMES for explicit path sets (route/paths): it finds the LIDs for a set of
// paths, and how many they need. It implements Nienaber, Yuan and Duan, "LID Assignment in
// InfiniBand Networks" (paper 000), and Lopez, Flich and Duato, "Deadlock-free Routing in
// InfiniBand through Destination Renaming" (paper 002).
//
// A switch forwards by destination LID alone. So paths to one destination may share a LID only if
// no two of them split: meet at a switch and leave it by different links (Definition 1). A
// configuration is a set of paths without a split (Definition 2). Each node of a configuration has
// one way out, along some path to the destination. So a configuration is a tree into the
// destination: one LID realises it (Lemma 2), and no loop can arise from any combination of paths.
// The least number of LIDs of a destination is therefore the chromatic number of its split graph.
// LMC makes 2^ceil(lg k) LIDs of k.
//
// Every destination is a separate problem (section II); they are solved in parallel. Equal paths
// are one vertex with a weight.
//
// # Schemes
//
//	greedy, renaming             O(paths x hops x k)
//	split-merge-s, split-merge-l O(paths x hops x k)
//	color-s, color-l             O(paths^2) for the split graph (64 pairs a word) and its edges x k
//	exact                        exponential at worst; a budget of search steps, then bounds
//	ilp                          whatever the solver takes; a time limit, then bounds
//
// # Other parts
//
// Realise makes the Plan of an assignment, and Intended lets the judge compare each realised path
// with the computed one. AssignStable keeps the LIDs in use after a change, which the paper leaves
// open. PortExhausted and lids.Exhausted refuse paths that need too many LIDs. Package colouring
// colours split graphs, package ilp calls solvers of linear programmes, and package hardness is the
// proof of NP-completeness as code.
//
// # Deviations and open points of the papers
//
//   - Ties (equal degree, equally used nodes) go to the path that comes first.
//   - Split-merge: paths that do not pass the node where a set is divided stay
//     with the first part; the parts go to the end of the list of sets; the
//     merge takes the sets in this order (or by option merge).
//   - color/S and color/L by default: the degree of a path counts the splits from all paths
//     without a colour at the start of the current one. By the letter of Fig. 9 only paths that
//     can still have the colour count (degree=shrinking); that leaves color/L further from the
//     optimum than the paper reports. The paper's numbers led to the default.
//   - Destination renaming tries identifiers from First(dst) for each path in turn.
//     This finds the partition of greedy, path by path instead of LID by LID, since only
//     earlier paths keep a path out of a LID. The two share the code, and a test compares it
//     with both papers' procedures. Fig. 4 as printed has two ends in the wrong place: it
//     returns the first identifier that is valid at the first switch of the path, else it
//     halts, and never renames anything. By the text it visits all switches of the path and
//     tries one identifier after another; so does ours.
//   - Paper 002 counts the entries of random forwarding tables, one a LID; netfile's
//     Random needs fewer, as an entry may stand for a block of LIDs.
package names
