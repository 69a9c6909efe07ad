// Package routing reports on a routing: the needs of the Plan, its changes since an old Plan, and
// the judge's verdict. It reads and writes the files of a routing, and hands solvers to the engines
// that need one.
package routing
