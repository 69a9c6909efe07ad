// Package coords gives the switches of meshes, tori and HyperX their coordinates, for what
// routes by dimensions, draws or compares cables: those that the descriptions name ("switch
// (1,2,3)"), or those that the graph has by itself. A Cartesian product of connected
// graphs has only one prime factorisation (Sabidussi 1960, Vizing 1963), and squares
// find it here: two neighbours of a switch that lie in different dimensions have
// exactly one other neighbour in common, two of one dimension have none. Either way
// the links are not verified here. The cost is O(links x dimensions).
//
// Box answers what dimension order asks of coordinates: the short way in a dimension, how ties
// are broken alike both ways, and which dimensions take an SL bit for a dateline. Grid adds the
// switches and links in each place.
package coords
