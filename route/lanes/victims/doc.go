// Package victims counts the flows that a hot-spot holds up without need: the victims of
// head-of-line blocking (paper 004, Paper II, section II-B).
//
// # Definition
//
// Every host sends to every other host. A flow is an ordered pair of hosts. A queue holds the
// packets of one lane behind one channel between switches, or behind one host's link. One host, the
// hot-spot, takes packets more slowly than they arrive. So these queues are full:
//
//   - the queues with packets for the hot-spot;
//   - the queues with packets for a full queue.
//
// A victim is a flow to another host that passes a full queue. Its packets wait behind the
// hot-spot's, or behind packets that wait for them. A packet enters by the queue of its host's
// link, and a queue before a full one is full itself. So the victims are the packets of the full
// queues of hosts' links.
//
// The paper says in words that a hot-spot holds up such flows on shared links; it counts none. The
// queues and the count are our own.
//
// Paths.Least is a bound for any assignment of lanes. A host's packets for the hot-spot take some
// lane; all its other packets on that lane are victims. That is least if each host spreads its
// targets evenly.
//
// # Cost
//
// A group is the hosts of a switch with one class of SLs; a turn is a pair of following channels in
// use. Each lane takes O(groups x hosts x hops) to follow the packets, O(turns x hosts/64) to
// spread the hot-spots, and O(groups x hosts) to add up. It takes a bit of memory a channel and
// host. If queues wait for each other in a cycle, spreading repeats until nothing changes.
package victims
