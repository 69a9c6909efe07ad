// Package draw draws a map as Figs. 4 and 5 of paper 001 do: hosts in a row on top,
// below them the switches in levels by their distance from the nearest host, and at
// the bottom a machine that is attached to a root.
//
// The order within a level is found by barycentre sweeps (Sugiyama, Tagawa and Toda,
// "Methods for Visual Understanding of Hierarchical System Structures", IEEE Trans.
// SMC 1981), keeping the one with the fewest crossings: O(sweeps E log E). The same
// map gives the same bytes.
package draw
