// Package browse answers the questions of the page about sweeps over HTTP: which are open, what
// their rows draw as a chart, and which rows a point of it has. It serves weft ui. The rows come
// from stores that the command line names, from tables that users drop, or from an example.
//
//	shelf.go    the sweeps that are open, and their limits
//	columns.go  the columns of a sweep, and which it shows first
//	sample.go   the rows that a chart shows, by series and place
//	chart.go    the chart, with the place of each point
//	row.go      the rows of a point, and one row with the command that makes it again
//
// A sweep never changes while it is open. Package lab/stats computes the intervals, and
// internal/chart draws, as it does for weft lab report.
package browse

import (
	"context"

	"weft/internal/endpoints"
	"weft/lab/report"
)

// Options configure a Browser.
type Options struct {
	Questions *endpoints.Questions
	Example   func(context.Context) (*report.Results, error) // runs a small sweep
}

// Browser answers questions about sweeps. It is safe for concurrent use.
type Browser struct {
	opt     Options
	shelf   endpoints.Shelf[*held]
	opening endpoints.Places // bounds the large bodies in memory
}

// New returns a Browser without sweeps.
func New(o Options) *Browser {
	return &Browser{opt: o, shelf: endpoints.Shelf[*held]{Most: usualLimits.Sweeps, What: "sweeps"}, opening: make(endpoints.Places, 1)}
}

// Endpoints lists the endpoints.
func (b *Browser) Endpoints() []endpoints.Endpoint {
	return []endpoints.Endpoint{b.list(), b.open(), b.about(), b.close(), b.chart(), b.rows(), b.row()}
}
