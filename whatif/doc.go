// Package whatif says what a change of a fabric would do to the traffic on it: parts that fail, are
// drained, added or moved. It judges and measures the routing of today, and on the changed fabric
// the tables as they are, the Plan after a repair (package route/repair), and a fresh routing that
// keeps the LIDs. A campaign asks the same of each part of a kind, and ranks what hurts most.
//
// The figures are those of the judge (package judge/quality) and of the yardstick (package
// sim/flow) on the changed fabric: whoever routes and judges that by other commands finds the same.
package whatif
