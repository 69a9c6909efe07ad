// Package layout places the switches and cables of a fabric in a picture, as engineers draw them:
// trees in levels with the leaves at the bottom, meshes, tori and HyperX networks as grids,
// Dragonflies and full meshes on a circle, other networks by forces between linked switches.
//
// Of builds a Picture: plain boxes, lines and labels with all coordinates, for the SVG of
// Picture.WriteSVG and for any other page. It folds what does not fit: switches with the same
// place become one box with a cell for each, their cables one line with a number. Pods of trees
// are kept as long as they fit. Where many boxes are all joined, one line through them stands for
// their cables; marked cables, and the few hottest, keep lines of their own. Boxes and lines name
// their switches and cables by GUID and port. Servers with several ports are boxes with their
// ports; hosts with one port are dots or numbers at their switches.
//
// Files in order of reading:
//
//	picture.go                                     the result
//	network.go                                     the network with parts that are down
//	arrange.go                                     choice of arrangement
//	notes.go                                       labels, and lines and cables to look at
//	blocks.go, fold.go, alike.go                   switches that share a box
//	boxes.go                                       boxes and their text
//	levels.go, order.go, grid.go, ring.go, force.go  places
//	cables.go, lanes.go                            lines and their lanes
//	servers.go, serverrow.go                       servers with several ports, in a row below
//	planes.go                                      networks side by side above their servers
//	part.go                                        a pod alone
//	extent.go, svg.go                              size, and the file
//
// Barycentre sweeps find the order within a level (Sugiyama, Tagawa and Toda, "Methods for Visual
// Understanding of Hierarchical System Structures", IEEE Trans. SMC 1981), keeping the order with
// the fewest crossings. Forces place irregular networks (internal/forces). The same fabric gives
// the same picture.
package layout
