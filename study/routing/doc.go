// Package routing reports on a routing: what the Plan needs, what it changes since an old Plan, and
// what the judge says. It reads and writes the files of a routing, and gives engines the solvers that
// they need.
package routing
