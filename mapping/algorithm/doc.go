// Package algorithm maps networks of anonymous switches by probes. An algorithm sees
// a mapping.Prober and nothing else: no switch has a name, no port a number.
//
//   - berkeley-labels: paper 001, sections 3.1 and 3.2, the version that is proved. A
//     tree of all probe strings up to the depth, labels merged to a fixed point. The
//     tree grows by the mean number of neighbours a level.
//   - berkeley: section 3.3. Vertices are merged as objects as soon as a deduction
//     allows, a merged vertex is explored once, turns are tried outwards and those that
//     must fail are left out.
//   - myricom: section 4.1. Each new switch is compared with those known.
//   - self-identifying: section 6. Switches answer with an identifier and the port that
//     the message came in by, as InfiniBand's do: the fewest probes one can hope for.
//   - random: section 6, Berkeley's with depth-first branches by lot.
//   - coupon: our own; see coupon.go.
//   - vazirani: section 6, long probes by lot first (vazirani.go).
//
// All but the labels work on one model graph (package mapping/graph, explorer.go). Two
// vertices that the same port leads to are one switch, so a contradiction is a deduction,
// and a deduction is never wrong: silence proves nothing, an answer does. So in traffic a
// map may lack wires, but has none that the network has not.
//
// Deviations. Pruning removes what a switch-bridge separates from all hosts instead of
// switches of degree one only: under packet routing a message can turn round in F
// without the turn 0, and part of F would stay. The depth counts the turns of strings
// that are explored, as the paper's does; Q and D count wires. To explore strings of
// Q + D - 3 turns, whose probes cross Q + D - 1 wires, was enough on all random networks,
// and there are small ones where it is needed (TestBound).
package algorithm
