// Package opensm routes like OpenSM of 2010, the papers' rival. MinHop counts, at each switch
// separately, the table entries of a port. FirstPort takes the first of the shortest paths:
// OpenSM's LASH without its lanes. Two engines of weft do better under these names: minhop counts
// the paths that a channel really carries, and lash spreads equal paths.
//
// The results depend on the order of LIDs, which no paper states. OpenSM 3.3.23 takes destinations
// leaf by leaf; over ibsim its MinHop gives the same bandwidths as MinHop(ByLeaf) here, to the
// third digit (random bisections on Deimos, CHiC, XGFT of 512 and 1,024 end points).
//
// The cost is O(switches x end points x ports of a switch), and memory of 4 bytes a pair of
// switches. The engines use no lanes.
package opensm
