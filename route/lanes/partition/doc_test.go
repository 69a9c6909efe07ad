// Package partition is the acyclic path partitioning problem (APP) of Domke, Hoefler
// and Nagel, "Deadlock-Free Oblivious Routing for Arbitrary Topologies" (paper 003),
// section III-A: into how few classes can paths be parted, such that in no class the
// dependencies of the paths, from each channel to the next one, form a cycle? The
// answer is the least number of lanes for given paths. It is NP-complete (Theorem 1);
// Colouring is the reduction of the proof.
//
// What is parted are items: single paths, as in the paper, or sets of paths that have
// to share a lane (a request and its answer).
//
// # Lower bounds
//
// Two items conflict when their dependencies together have a cycle; a set of items
// that conflict pairwise needs a class each. This bound is the good one where cycles
// are short. On long cycles (a large ring) no two items conflict, but they can be
// counted: of the n items on a cycle no class can hold all of those that make up some
// edge of it, so if w items make up the edge that has the fewest, a class holds n - w
// at most, and n / (n - w) classes are needed. Bound is the larger of the best clique
// that a greedy search finds and the best count among one shortest cycle through each
// edge. Whatever has a cycle at all needs two.
//
// # Exact minimum
//
// First, what does not matter is left out: edges that are on no cycle of the whole
// graph, and items whose edges another item has too, which can always join that one.
// In destination-based tables the rest of a path is a path itself, so few items
// remain. Then branch and bound: the item with the fewest classes left is put into
// each of them and into one new class (empty classes are alike), as DSATUR colours
// graphs (Brélaz, "New Methods to Color the Vertices of a Graph", CACM 1979). Clique
// members come first. After a number of steps the search gives up and what is known
// by then is returned: a lower bound, and a cover as an upper one.
//
// # Cost
//
// With n items that matter on v channels and e edges: O(n^2 (v+e)) for the bound,
// O(n (v+e)) a step of the search, of which there may be exponentially many.
package partition
