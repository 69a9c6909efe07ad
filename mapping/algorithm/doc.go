// Package algorithm maps networks of anonymous switches by probes. An algorithm sees only a
// mapping.Prober: no switch has a name, no port a number.
//
//   - berkeley-labels: paper 001, sections 3.1 and 3.2, the proven version. A tree of
//     all probe strings up to the depth, labels merged to a fixed point. The
//     tree grows by the mean number of neighbours a level.
//   - berkeley: section 3.3. Vertices are merged as objects as soon as a deduction
//     allows, a merged vertex is explored once, turns are tried outwards, and probes
//     that must fail are left out.
//   - myricom: section 4.1. Each new switch is compared with the known ones.
//   - self-identifying: section 6. Switches answer with an identifier and the
//     message's input port, as InfiniBand's do: the fewest probes one can hope for.
//   - random: section 6, Berkeley's with random depth-first branches.
//   - coupon: our own; see coupon.go.
//   - vazirani: section 6, random long probes first (vazirani.go).
//
// All but the labels work on one model graph (package mapping/internal/graph, explorer.go). Two
// vertices behind the same port are one switch, so a contradiction is a deduction. Deductions are
// never wrong: silence proves nothing, an answer does. So in traffic a map may lack wires, but has
// none that the network lacks.
//
// Deviations. Pruning removes the part that a switch-bridge separates from all hosts, not only
// switches of degree one: under packet routing a message can turn round in F without the turn 0,
// and part of F would stay. The depth counts the turns of explored strings, as the paper's does; Q
// and D count wires. Exploring strings of Q + D - 3 turns, whose probes cross Q + D - 1 wires, was
// enough on all random networks, and some small ones need it (TestBound).
package algorithm
