// Package fabric models a network: nodes, ports and links, and the flat Graph that algorithms use.
//
// A Fabric can be built, edited (fail, restore, drain, add) and compared; it also keeps the parts
// that are down. Compile turns the parts that are up into a Graph: immutable, flat arrays, int32
// indices, ordered by GUID, so that the same network always gives the same Graph.
//
// The terms are from the InfiniBand specification (IBA volume 1): a node is a switch, a channel
// adapter or a router; an end port is a CA or router port, or the management port (port 0) of a
// switch.
package fabric
