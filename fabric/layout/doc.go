// Package layout says where the switches and cables of a fabric stand in a picture, as
// engineers draw them: trees in levels with the leaves at the bottom, meshes, tori and
// HyperX networks as grids, Dragonflies and full meshes on a circle, others by forces
// between what is linked.
//
// Of makes a Picture: plain boxes, lines and labels with all coordinates, for the SVG that
// Picture.WriteSVG writes and for any other page. What is too much for one picture is folded:
// switches with the same place become one box with a cell for each, their cables one line with
// their number.
//
// Files in order of reading: picture.go (the result), network.go (what is drawn, up or not),
// arrange.go (which arrangement fits), fold.go and alike.go (which switches share a box), levels.go and
// order.go, grid.go, ring.go, force.go (places), cables.go (lines), lanes.go (their lanes), svg.go.
//
// The order within a level is found by barycentre sweeps (Sugiyama, Tagawa and Toda,
// "Methods for Visual Understanding of Hierarchical System Structures", IEEE Trans.
// SMC 1981), keeping the one with the fewest crossings. Forces are those of Fruchterman and Reingold
// ("Graph Drawing by Force-directed Placement", Software: Practice and Experience 1991); those of gonum's package
// layout recurse without end on some graphs. The same fabric gives the same picture.
package layout
