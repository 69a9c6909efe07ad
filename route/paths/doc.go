// Package paths computes paths separately from their LIDs (stage PATHS of Nienaber, Yuan and Duan,
// "LID Assignment in InfiniBand Networks", paper 000; route/names is stage NAMES). It stores them
// as a Set of explicit paths between end ports. A Set can hold any routing, even one that
// forwarding tables with one LID a port cannot.
//
// # Computations
//
//	updn-shortest         paper 002, section 4: a random shortest legal path a pair
//	updn-channel          paper 002, section 2.1: the same as a table by input channel
//	shortest-widest       paper 000, section VI
//	path-selection        paper 000, section VI (Yen; most loaded link first)
//	path-selection-short  ours: path-selection from candidates one hop longer at most
//	path-selection-joint  ours: the same, a link's load being the traffic to expect
//	srd                   paper 000, section VI-D: one LID is enough
//	updn-iba              paper 002, section 2.1: down wherever there is a way down
//	smart                 paper 002, section 4 (its reference [2])
//	l-turn                paper 000, section I (its reference [6])
//	dor                   paper 000, section VI-C; repair by unrestricted shortest-widest
//	mport                 paper 000, section VI-C; repair by up*/down* shortest-widest
//
// Lopez, Flich and Duato, "Deadlock-free Routing in InfiniBand through Destination Renaming", is
// paper 002.
//
// # Legality
//
// All searches walk the nodes of a Rule, which says which channel may follow which. up*/down* is
// one (updown.go), l-turn's and smart's are others. If a rule has no cycle of turns, every set of
// its paths is free of deadlock on one lane. Set.Rule keeps it, so that switches without a path can
// get ways without a cycle.
//
// Hosts of one switch share the searches, which are between switches; hosts choose among the
// results. Each destination has a random generator of its own, so that results are the same on any
// number of cores.
//
// # Open points of the papers
//
// An ambiguous point is an option (option.go); docs/results/lid has its effect on the paper's
// figures.
//
//   - Order of the pairs (shortest-widest, path-selection): hosts in random order.
//     Machines that are placed on random switches one by one are numbered so. In order
//     of switches, shortest-widest needs up to 18 % fewer LIDs than the paper prints.
//   - "Smallest weight" of a path (shortest-widest): by the letter the sum of its links
//     (weight=sum); the default is ours, its heaviest link.
//   - Repair: paper 000 lifts the up*/down* rule for tori; of the fat tree it says
//     nothing, and mport keeps the rule, which leaves it free of deadlock unless so
//     many links are broken that some pair has no legal path.
//   - smart: paper 002 uses a linear programme for the balance but does not print it. Ours spreads
//     the traffic over shortest paths so that the greatest load is least; multiplicative weights
//     approximate it, with a lower bound from its dual (balance), or an installed solver solves it
//     (option balance). On the paper's networks of 32 switches the solver finds the same greatest
//     load, with 0.58 renamings a host instead of 0.83; the paper has 1.2.
//   - Most loaded link first: selection defines the load; options remove and detour choose
//     the path to remove and the length of candidates.
//   - srd, smart and l-turn: their authors' texts were not available. These follow the two papers'
//     descriptions; see growTrees, newSmart and newLTurn.
//   - Ties: the first by port, but for draws.
package paths
