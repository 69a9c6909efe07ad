// Package repair changes a Plan that a subnet runs so that it fits a Graph that has
// changed: links, switches or hosts lost, returned or new. It does not know which engine
// made the Plan, and leaves as it is whatever the change does not touch.
//
// # The rule
//
// The entries of one LID are a column. An entry is crossed if the path from its switch
// met what is lost. In a column only the switches with crossed entries, and those without
// an entry (of a new switch, a new LID), get a next hop; all others keep theirs. So no more
// entries move than were crossed. Of the next hops that are admitted the one on a shortest
// path is taken, of these the one in force, and of the others the one whose path has the
// fewest pairs on its worst channel that the repair itself has put there, then the one
// with the fewest entries.
//
// # Freedom from deadlock
//
// A next hop makes channel dependencies, of (channel, lane) pairs. First those are
// admitted that the old Plan has already: what they are part of has no cycle. Where
// these do not lead everywhere, an order of the channels is made in which all
// dependencies of the old Plan lead forwards (route/cdg), and a new one is admitted where
// the order can be changed so that it leads forwards too; switches with new turns
// already are preferred, since many turns at one switch close fewer cycles than some at
// many. Dependencies of the old Plan stay in the order, so that old and new tables
// together have no cycle either. A Plan that has cycles itself is repaired without this
// rule; the judge says what that is worth.
//
// With several lanes a source keeps its service levels, and a next hop is admitted if the
// packets of the switch's own sources meet no new cycle on their whole path. Where none is
// admitted, the tables come first and the packets get other service levels afterwards,
// class by class, of those that the Plan uses. If that fails too, or with one lane, the
// repair fails with *Impossible, and the caller routes afresh.
//
// # Cost
//
// If the old Graph has its links, the tables of the switches at both ends of a lost link
// are read, and of each column with a crossed entry the neighbours of the switches that
// have one. Whether the old Plan has a dependency is looked up in two rows of the tables, once a
// dependency; with several lanes also who sends over it, switch by switch upstream until one does. If
// the links are not known (an old Plan file), VLs depend on input ports, end ports have moved while
// there are several lanes, or an order is needed, all tables are read once: with one lane switch by switch, with
// several LID by LID, of LIDs of one switch that have the same entries everywhere one. Where packets keep their VL on their whole way (lash, dfsssp, nue) each VL has an order of
// its own; all are made side by side when the first dependency is to be added.
package repair
