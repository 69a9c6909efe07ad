// Package opensm routes as OpenSM of 2010 did, the rival of the papers. Two of
// weft's engines under the same names do better. Weft's minhop counts the paths that
// a channel really carries, and its lash spreads equal ways; OpenSM's MinHop counts, at
// each switch for itself, the table entries of a port, and its LASH takes the first
// of the shortest paths.
//
// What these forms give hangs on the order of LIDs, which no paper says. OpenSM
// 3.3.23 takes destinations leaf by leaf; over ibsim its MinHop gives the same
// bandwidths as MinHop(ByLeaf) here, to the third digit (random bisections on Deimos, CHiC,
// XGFT of 512 and 1,024 end points).
//
// The cost is O(switches x end points x ports of a switch), and memory of 4 bytes a
// pair of switches. The engines use no lanes.
package opensm
