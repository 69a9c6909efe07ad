// Package choose proposes networks for a machine to be bought, given the number of hosts, the ports
// of a switch and the accepted oversubscription. It finds the smallest tree, rail-optimised tree,
// Dragonfly, Dragonfly+, HyperX, full mesh, torus and Slim Fly. It builds each by its formula
// (fabric/gen), counts its parts (fabric/bill), routes it by the engines known to deliver the most
// on it (planner), and measures it (sim/flow). It drops networks that another one beats, and
// recommends one of the others.
//
// # Sizes
//
// A network is balanced if uniform traffic at the full rate of all hosts loads no channel between
// switches beyond its rate, or beyond R times its rate with an oversubscription of R. From that
// follow
//
//   - tree: at most R hosts for each cable up of a leaf (Leiserson 1985);
//   - Dragonfly: p <= R h and a >= 2 h; a = 2p = 2h is the balanced one (Kim et al. 2008, section
//     3.1);
//   - Dragonfly+: p <= R spines, leaves p <= R spines h (Shpiner et al. 2017);
//   - HyperX: T <= R K S for T hosts on a switch, in every dimension of S switches joined by K
//     cables each (shapes of Ahn et al. 2009);
//   - torus: T k <= 8 R w for rings of k switches joined by w cables each (Dally, Towles 2004,
//     section 3.3);
//   - Slim Fly: T <= R d/2, rounded up, for d cables a switch (Besta, Hoefler 2014, section II-B);
//   - rails: at most R hosts for each cable up of a rail switch; where cores join the rails, at
//     most R of the rates that uniform traffic sends to other rails for each cable of a spine to
//     them.
//
// The smallest network has the fewest switches, and of these networks the fewest cables between
// switches. The search covers all numbers of a kind; it takes less than a second for 254 ports.
//
// A HyperX has up to four dimensions, a torus two or three, and there are at least three groups.
// Others fit too, but nobody would build them.
//
// # Choice
//
// A proposal is beaten if another one delivers no less in random bisections with no more switches,
// or for no more cost if there are prices. The recommendation is the tree of the accepted
// oversubscription, or a network with no more oversubscription that can replace it (Pick). It may
// be beaten, because bisections alone do not predict all-to-all traffic.
//
// All of this is pure: the same wish gives the same proposals on one core or many.
package choose
