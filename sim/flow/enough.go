package flow

// An interval is judged after firstRuns runs, then after twice as many, and so on, once the runs
// have fewestFlows flows in all. So small networks have all their runs, which cost little.
const firstRuns, fewestFlows = 100, 1_000_000

// untilEnough simulates some runs after others, up to a number, until the interval of their mean is
// narrow enough. It returns the number of runs. They are the first of those without Narrow.
func (o *Options) untilEnough(runs int, some func(from, to int) error, measured func(runs int) (Summary, int64)) (int, error) {
	if o.Narrow == 0 {
		return runs, some(0, runs)
	}
	for done, to := 0, firstRuns; ; to *= 2 {
		to = min(to, runs)
		if err := some(done, to); err != nil {
			return 0, err
		}
		done = to
		if done == runs {
			return runs, nil
		}
		if mean, flows := measured(done); flows >= fewestFlows && mean.CI95 <= o.Narrow*mean.Mean {
			return done, nil
		}
	}
}

// bandwidthOf returns the bandwidth over runs of so many pieces each, and the flows of all of them.
func bandwidthOf(pieces []piece, blocks int) (mean Summary, all int64) {
	bandwidth := make([]float64, 0, len(pieces)/blocks)
	for ; len(pieces) > 0; pieces = pieces[blocks:] {
		flows, inverse := int64(0), 0.0
		for _, q := range pieces[:blocks] {
			flows, inverse = flows+q.flows, inverse+q.inverse
		}
		all += flows
		bandwidth = append(bandwidth, inverse/float64(max(flows, 1)))
	}
	return Summarise(bandwidth), all
}
