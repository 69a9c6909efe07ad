// Package dor is dimension-order routing on meshes, tori and hypercubes, including mixed shapes,
// rings and lines, with any number of parallel links: a packet corrects its coordinates one
// dimension after another, each the short way. (Dally and Seitz, IEEE Transactions on Computers
// C-36, 1987, with their dateline put into SL bits; OpenSM's torus-2QoS does so with three
// dimensions.)
//
// # Coordinates
//
// They come from the switches' descriptions, "switch (1,2,3)", if these agree with the links.
// Otherwise the engine recovers them from the graph: a Cartesian product of connected graphs has
// only one prime factorisation (Sabidussi 1960, Vizing 1963), and squares find it here. Two
// neighbours of a switch in different dimensions have exactly one other neighbour in common, two in
// one dimension have none. Either way the engine then checks every link and every required
// neighbour against the coordinates. It refuses an incomplete mesh or torus and names the fault.
// Each connected part may have its own shape. A cable from a switch to itself is ignored.
//
// # Lanes
//
// Dimension order leaves only dependencies from a dimension to a later one, and dependencies along
// one line or ring. So one ring is enough to study.
//
//   - A line that does not wrap has no cycle, whatever its length. A mesh or a
//     hypercube of any number of dimensions needs one lane.
//   - A ring of 3 has minimal paths of one hop, thus no dependency at all.
//   - A ring of 4 is the product of two lines of 2, and is routed as such. (It is
//     not prime: a 4x4x4 torus and a hypercube of 6 dimensions are one graph.)
//   - A ring of k >= 5 has minimal paths of two hops around every switch in both
//     directions: any minimal routing has a cycle on one lane. It takes one SL bit,
//     which says whether the path crosses the dateline (the links between k-1 and
//     0), and two VLs: on a link of that dimension, VL = that bit.
//
// Why the two lanes have no cycle: take the direction of rising coordinates (the other is its
// mirror image). Lane 0 never uses the link k-1 to 0, so its dependencies rise. A path on lane 1
// has at most h = floor(k/2) hops and uses link k-1 to 0: it starts at i >= k-h and ends at j <=
// h-1. None uses a link p to p+1 with h-1 <= p < k-h. Such a link exists, p = h-1: there are two
// for odd k and one for even k. A tie of k/2 hops keeps to both bounds. So lane 1 has no cycle
// either. A switch chooses the VL by the output port and the SL alone; it needs to see neither the
// input VL nor the input port. SL has four bits: more than four dimensions that wrap with length 5
// or more are refused.
//
// An answer travels on the SL of its request, so the path back must cross the same datelines. Both
// ways round are equal only when the ends of a ring are k/2 apart. A parity breaks the tie: that of
// the lesser of both coordinates and of all coordinates in later dimensions. It is symmetric in
// both ends, since the packet has not yet moved in later dimensions, and spreads ties over both
// ways. It does not depend on the LID: an answer may go to any LID of the source. On the SL of the
// other way a tie would use the very link that its lane must avoid. So with LMC > 0 the LIDs of a
// port differ only in the choice of parallel links. The base LIDs use the same links as with LMC 0.
//
// A client that asks for no path record sends on SL 0. On a torus with a ring of 5 or more its
// packets cross datelines on VL 0 and may deadlock; the judge (judge/check) gives that a verdict of
// its own. All other shapes need one lane only.
//
// # Cost and limits
//
// Coordinates: O(links x dimensions). Routing: O(switches x (switches x dimensions + LIDs)); with
// parallel links also x the length of a line. A LID takes the link of a bundle with the fewest LIDs
// of its port, then with the fewest sources. Dimension order cannot route around a missing or
// drained switch: the engine refuses such a network. Package torus avoids a few of them.
package dor
