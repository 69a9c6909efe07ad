// Package levels gives levels of service lanes of their own, and reads the file that defines them.
//
// # The file
//
//	# NAME    share=N  its traffic
//	default   share=1
//	storage   share=3  sl=1  partition=storage  service=0x1000000000000-0x10000000000ff
//	control   share=1  priority=high  class=7
//
// A line is a level. The first level gets all traffic that no other level names. Levels use a busy
// link in proportion to share=, by default 1. Levels with priority=high go first, within a limit. A
// level names its traffic by partitions (name or P_Key), service IDs or ranges of them, and QoS
// classes; each may appear several times. sl=N is the level's SL in partitions.conf and on hosts. A
// comment goes from # to the end of its line.
//
// # Lanes
//
// Give copies the engine's lanes: with k of them, level i has VLs i*k to i*k+k-1 on all links
// between switches. On links to hosts it has as many VLs of its own as fit. A level's packets have
// the dependencies of the paths, on other VLs. docs/design/2026-11-24-levels.md has the reasons.
//
// Cost: O(tables of the pool x SLs), and O(ports) where links to hosts have fewer VLs.
package levels
