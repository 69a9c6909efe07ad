// Package partition solves the acyclic path partitioning problem (APP) of Domke, Hoefler and Nagel,
// "Deadlock-Free Oblivious Routing for Arbitrary Topologies" (paper 003), section III-A: find the
// least number of lanes for given paths. Of takes the paths of forwarding tables.
//
// The problem: divide paths into as few classes as possible, so that in no class the dependencies
// of the paths (from each channel to the next one) form a cycle. The number of classes is the least
// number of lanes for these paths. The problem is NP-complete (Theorem 1); Colouring is the
// reduction of the proof (in the tests).
//
// The elements of classes are items: single paths, as in the paper, or sets of paths that must
// share a lane (a request and its answer).
//
// # Lower bounds
//
// Two items conflict if their dependencies together have a cycle. Items that conflict pairwise, a
// clique, each need a class of their own. This bound is good where cycles are short.
//
// On long cycles (a large ring) no two items conflict, but they can be counted. A class must lack
// all items of at least one edge of the cycle. If n items are on the cycle, and w of them on the
// edge that has the fewest, a class holds at most n - w of them. So n / (n - w) classes are needed.
// The bound is the larger of two numbers: the best clique of a greedy search, and the best count
// over one shortest cycle through each edge. If there is any cycle, two classes are needed.
//
// # Exact minimum
//
// Minimum first leaves out what does not matter: edges on no cycle of the whole graph, and items
// whose edges another item has too, since they can always join that one. In destination-based
// tables the rest of a path is a path itself, so few items remain.
//
// Then it searches by branch and bound. It puts the item with the fewest possible classes into each
// of them and into one new class, as DSATUR colours graphs (Brélaz, "New Methods to Color the
// Vertices of a Graph", CACM 1979). The items of the clique come first. After a limit of steps it
// returns a lower bound, and the best cover as upper bound.
//
// # Cost
//
// With n items that matter on v channels and e edges: O(n^2 (v+e)) for the bound, and O(n (v+e))
// for each step of the search. The number of steps may be exponential.
package partition
