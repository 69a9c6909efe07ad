// Package levels gives the kinds of traffic on a subnet lanes of their own, and reads the file that names them.
//
// # The file
//
//	# NAME    share=N  what belongs to it
//	default   share=1
//	storage   share=3  sl=1  partition=storage  service=0x1000000000000-0x10000000000ff
//	control   share=1  priority=high  class=7
//
// A line is a level. The first one is that of all traffic which no other level names. A busy link is shared in proportion to share=, 1 unless it is given; levels
// of priority=high go first, but for some packets of the others. What belongs to a level: partitions, by name or P_Key; service IDs, or ranges of them; QoS classes. Each
// may be given several times. sl=N is the SL by which partitions.conf and hosts know the level. A comment goes from # to the end of its line.
//
// # Lanes
//
// Give copies the lanes that an engine chose: with k of them, level i has VLs i*k to i*k+k-1 on all links between switches, and on links to hosts as many of its own as there are. The
// dependencies of a level's packets are those of the paths, on other VLs. docs/design/2026-11-24-levels.md has the reasons.
//
// Cost: O(tables of the pool x SLs), and O(ports) where links to hosts have fewer VLs.
package levels
