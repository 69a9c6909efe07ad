// Package planning makes the Plan that a round asks for: it runs a terms.RouteRequest beside the
// daemon's loop and returns the event Planned. It has no state, no clock and no I/O.
//
// The Plan repairs the one in force, is routed from scratch, or is a better Plan that was made
// before. Each is proven, and so is the way to it. Also the turns of jobs are planned here.
package planning
