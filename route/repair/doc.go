// Package repair adapts a running subnet's Plan to a changed Graph: links, switches or hosts lost,
// returned or new. It does not know which engine made the Plan, and leaves everything that the
// change does not touch.
//
// # The rule
//
// The entries of one LID are a column. An entry is crossed if the path from its switch met the
// loss. In a column only switches with crossed entries, and switches without an entry (a new
// switch, a new LID), get a next hop; all others keep theirs. So no more entries move than were
// crossed. Of the admitted next hops the repair takes one on a shortest path. Of several it keeps
// the old one, then prefers the path whose worst channel has the fewest pairs added by this repair,
// then the channel with the fewest entries (solver.choose).
//
//	bind.go, losses.go       the old Plan on the new Graph, and its lost paths
//	solve.go                 next hops: which are admitted, and the choice among them
//	loads.go                 entries by channel, the last criterion of the choice
//	dependencies.go          freedom from deadlock; lanes.go, relane.go: with several lanes
//	reading.go, asis.go      tables of unknown origin, and Plans that stay as they are
//	spread.go, findmoves.go  moves to less loaded links after a repair
//	gains.go, separate.go    their gains, and which they must not make
//
// # Freedom from deadlock
//
// A next hop makes dependencies between (channel, lane) pairs. The repair first admits the old
// Plan's own dependencies, which have no cycle. Where these do not lead everywhere, it orders the
// channels so that all dependencies of the old Plan lead forwards (route/internal/cdg). It admits a
// new dependency if the order can change so that this one leads forwards too. It prefers switches
// with new turns already, since many turns at one switch close fewer cycles than a few at many.
// Dependencies of the old Plan stay in the order, so that old and new tables together have no cycle
// either. A Plan with cycles is repaired without this rule; the judge tells what the result is
// worth.
//
// With several lanes a source keeps its service levels. A next hop is admitted if the packets of
// the switch's own sources close no cycle on their whole path. Where none is admitted, the repair
// sets the tables first and then gives the packets other service levels of the Plan, class by
// class. If that fails too, or with one lane, the repair fails with *Impossible, and the caller
// routes afresh.
//
// # Spread
//
// A repair leaves returned links unused, and piles up its new entries on few links. Spread moves
// entries of a Plan one by one, the largest gain first. A gain is the number of meetings that a
// move avoids: pairs of hosts on one channel with different destinations, weighted by the link's
// rate. A next hop leads to a switch that was nearer to the LID, so no path grows and no mixture of
// old and new entries loops. No packet passes two switches that change entries of the same LID, so
// it takes the old path, or one with a single new hop. The dependencies of both are admitted into
// one order, as in a repair; SLs stay. A move that adds dependencies counts half: many of them make
// later repairs impossible. Paths between the same two nodes, to several LIDs or between several
// ports, may be separate on purpose: a move must not make them share more links or switches than
// before.
//
// # Cost
//
// If the old Graph has its links, the repair reads the tables of the switches at both ends of a
// lost link. In each column with a crossed entry it reads the neighbours of the switches with one.
// A lookup of an old dependency reads two rows of the tables. With several lanes it also searches
// for a sender, switch by switch upstream.
//
// All tables are read once if the links are unknown (an old Plan file), VLs depend on input ports,
// end ports have moved between several lanes, or an order is needed. With one lane this goes switch
// by switch, with several LID by LID. LIDs of one switch with the same entries everywhere count
// once. If packets keep their VL on the whole path (lash, dfsssp, nue), each VL has an order of its
// own. The first added dependency makes all orders in parallel.
//
// Spread reads all columns twice, O(LIDs of hosts x switches), and looks at the ways out of
// switches that may have a cheaper one. It reads the column of a candidate once more, and keeps the
// paths of its next hops: later gains follow from the loads. With several lanes a move follows the
// packets of all switches behind it.
package repair
