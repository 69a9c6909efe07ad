// Package whatif estimates the effect of a change of a fabric on its traffic: parts fail, are
// drained, added or moved. It judges and measures the present routing. On the changed fabric it
// does so with the old tables, with the Plan after a repair (package route/repair), and with a
// fresh routing that keeps the LIDs. A campaign does this for each part of a kind, and ranks the
// parts by the damage.
//
// The judge (package judge/quality) and the yardstick (package sim/flow) give the figures on the
// changed fabric: other commands that route and judge it find the same.
//
// change.go makes the changes, state.go measures a routing, whatif.go compares before and after,
// campaign.go repeats this for each part, write.go prints.
package whatif
