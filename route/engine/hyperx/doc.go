// Package hyperx is dimension order on HyperX networks, whole or with failures: a packet corrects
// its coordinates one dimension after another, each in one hop. A HyperX (Ahn, Binkert, Davis,
// McLaren and Schreiber, "HyperX: Topology, Routing, and Packaging of Efficient Large-Scale
// Networks", SC 2009) joins all switches that differ in one coordinate. Full meshes, with one
// dimension, and hypercubes, with lengths of 2, are HyperX too.
//
// # Coordinates
//
// From the switches' descriptions, "switch (1,2,3)", if at least three quarters of the pairs of
// switches on a common line are linked, and no others are. The engine also recognises a whole
// network by its graph: neighbours of a switch are on one line if they are linked to each other.
// Each connected part may have its own lengths. Links from a switch to itself are ignored.
//
// # Paths
//
// All are shortest ones. Of the neighbours nearer to the destination a switch takes the one in the
// first dimension. On a whole network that is dimension order: there is one such neighbour, and
// every channel of a dimension carries the same number of pairs. If links or switches are missing,
// several neighbours in one dimension may lead round; parallel links always give a choice. Every
// LID takes the path with the least load so far, base LIDs first as if there were no others.
//
// # Lanes
//
// One on a whole network: dependencies lead from a dimension to later ones, since a path has one
// hop in each. With something missing the pairs of switches get lanes one after another (package
// lanes), the longest paths first; SL i is VL i at every port.
//
// # Cost
//
// O(switches x (channels + LIDs)); with something missing also the dependencies of all pairs of
// switches. Memory: the tables, with something missing 8 bytes a pair of switches.
//
// This is an engine of its own since no other one finds these paths: balanced shortest paths (sssp,
// dfsssp) mix the orders of dimensions, which loads channels unevenly (docs/results/shapes.md).
package hyperx
