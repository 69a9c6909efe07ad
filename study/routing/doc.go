// Package routing reports on a routing: the needs of the Plan, its changes since an old Plan, and
// the judge's verdict. It reads and writes the files of a routing, and hands solvers to the engines
// that need one.
//
// route.go is the document of weft route, change.go its part about an old Plan, lids.go the
// document of weft lids. files.go reads and writes the files, engines.go lists the engines.
package routing
