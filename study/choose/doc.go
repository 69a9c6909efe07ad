// Package choose proposes networks for a machine to be bought, given its servers by kind, the ports
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
//     most R of the rates that uniform traffic sends to other rails and groups of pods for each
//     cable of a spine to them.
//
// A need may accept more oversubscription between pods than within them. A pod is a pod of a tree,
// a group of a Dragonfly or Dragonfly+, a set of spines of rails, or a subnet.
//
// The smallest network has the fewest switches, and of these networks the fewest cables between
// switches. The search covers all numbers of a kind; it takes less than a second for 254 ports.
//
// A HyperX has up to four dimensions, a torus two or three, and there are at least three groups.
// Others fit too, but nobody would build them.
//
// # Servers, growth, subnets
//
// Servers of several ports get a rail-optimised tree, or as many equal planes as they have ports.
// Storage and service servers share the compute network, or stand on a tree of their own on which
// every compute server has a port (storage.go).
//
// A network that grows is built whole. Its first step leaves out later servers and the switches
// that only they need (the suffix later of fabric/gen), so that cables never move. Trees and rails
// have shapes of their own for that, with few switches at the first step. In a Dragonfly,
// Dragonfly+ or full mesh each group has cables to groups that do not stand yet; the load between
// groups is higher by that share until they do.
//
// A network that takes more LIDs than a subnet has is cut into equal subnets. Routers join their
// top switches, on free ports (several.go).
//
// # Choice
//
// Proposals are compared in random bisections and in all-to-all by shifts. One is beaten if another
// delivers no less with no more switches at any step of growth, or at no more cost if there are
// prices. Separate planes and networks that join them are not compared. A proposal lists the needs
// that it misses. The recommendation misses none: it is the tree of the accepted oversubscription,
// for servers of several ports the rails, or a network that can replace it (Pick).
//
// All of this is pure: the same need gives the same proposals on one core or many.
package choose
