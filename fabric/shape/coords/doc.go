// Package coords finds the coordinates of switches in meshes, tori and HyperX, for routing by
// dimensions, drawing and comparing cables. They come from descriptions ("switch (1,2,3)") or from
// the graph. A Cartesian product of connected graphs has only one prime factorisation (Sabidussi
// 1960, Vizing 1963). Squares reveal it here: two neighbours of a switch in different dimensions
// have exactly one other common neighbour, two in one dimension have none. Either way the links are
// not verified here. The cost is O(links x dimensions).
//
// Box serves dimension-order routing: the short path in a dimension, the same tie-breaks in both
// directions, and the dimensions whose dateline needs an SL bit. Grid adds the switches and links
// at each place.
package coords
