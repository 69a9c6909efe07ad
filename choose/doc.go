// Package choose proposes networks for a machine to be bought: from the number of hosts, the ports of
// a switch and the oversubscription that is accepted follow trees, rail-optimised trees, Dragonflies,
// Dragonfly+, HyperX, full meshes, tori and Slim Flies, the smallest of each kind. Each is built by its
// formula (fabric/gen), counted (fabric/bill), routed by the engines that are known to deliver the most
// on it (planner) and measured (sim/flow). Those that another one beats are left out, and one of
// the others is recommended.
//
// # Sizes
//
// A network is balanced where uniform traffic at the full rate of all hosts loads no channel between
// switches beyond its rate; with an oversubscription of R it is R times its rate. From that follow
//
//   - tree: at most R hosts for each cable up of a leaf (Leiserson 1985);
//   - Dragonfly: p <= R h and a >= 2 h; a = 2p = 2h is the balanced one (Kim et al. 2008, section 3.1);
//   - Dragonfly+: p <= R spines, leaves p <= R spines h (Shpiner et al. 2017);
//   - HyperX: T <= R K S for T hosts on a switch, in every dimension of S switches joined by K
//     cables each (shapes of Ahn et al. 2009);
//   - torus: T k <= 8 R w for rings of k switches joined by w cables each (Dally, Towles 2004, section 3.3);
//   - Slim Fly: T <= R d/2, rounded up, for d cables a switch (Besta, Hoefler 2014, section II-B);
//   - rails: at most R hosts for each cable up of a rail switch; where cores join the rails, at most R of the
//     rates that uniform traffic sends to other rails for each cable of a spine to them.
//
// The smallest has the fewest switches, and of those the fewest cables between them. The search is
// over all numbers of a kind; it costs less than a second for 254 ports.
//
// A HyperX has up to four dimensions and a torus two or three, groups are three at least: others fit too, and
// nobody would build them.
//
// # Choice
//
// A proposal is beaten where another one has no more switches, or costs no more where there are prices, and
// delivers no less in random bisections. What is recommended is the tree of the oversubscription that is
// accepted, or what stands in for it (Pick) with no more oversubscription. So it can be one that is beaten: bisections alone do not say
// what becomes of all-to-all traffic.
//
// All of this is pure: the same wish gives the same proposals on one core or many.
package choose
