// Package fabric is the network as it is: nodes, ports and links, and the flat
// Graph that algorithms see.
//
// A Fabric can be built, edited (fail, restore, drain, add) and compared; it
// keeps everything that was read, also what is down. Compile turns what is up
// into a Graph: immutable, flat arrays, int32 indices, ordered by GUID, so that
// the same network gives the same Graph however it was read.
//
// Words are the InfiniBand specification's (IBA volume 1): a node is a switch, a
// channel adapter or a router; an end port is a CA or router port, or the
// management port (port 0) of a switch.
package fabric
