package dfsssp

import "weft/sim/traffic"

// The communication of the NAS parallel benchmarks, as rounds of flows between ranks (Bailey et
// al., "The NAS Parallel Benchmarks 2.0", NAS-95-020). The flows of a round run at the same time;
// all messages of a benchmark count as equally long.

// rounds collects flows.
type rounds []traffic.Flows

// round adds a round: every rank sends to the results of to; -1 stands for nobody.
func (r *rounds) round(ranks int, to ...func(rank int) int) {
	var f traffic.Flows
	for rank := range ranks {
		for _, fn := range to {
			if t := fn(rank); t >= 0 && t != rank {
				f.Add(int32(rank), int32(t))
			}
		}
	}
	if f.Len() > 0 {
		*r = append(*r, f)
	}
}

// multipartition returns BT and SP on q x q processes: faces to the six neighbours of the
// multi-partition at once, then a sweep back and forth in each dimension.
func multipartition(ranks int) rounds {
	q := 1
	for (q+1)*(q+1) <= ranks {
		q++
	}
	to := func(di, dj int) func(int) int {
		return func(rank int) int { return (rank/q+di+q)%q*q + (rank%q+dj+q)%q }
	}
	x, y, z := to(0, 1), to(1, 0), to(-1, -1)
	backX, backY, backZ := to(0, -1), to(-1, 0), to(1, 1)
	var r rounds
	r.round(q*q, x, backX, y, backY, z, backZ)
	for _, step := range []func(int) int{x, backX, y, backY, z, backZ} {
		r.round(q*q, step)
	}
	return r
}

// exchange returns FT's transpose: all to all, as a pairwise exchange.
func exchange(ranks int) rounds {
	var r rounds
	for s := 1; s < ranks; s++ {
		r.round(ranks, func(rank int) int { return (rank + s) % ranks })
	}
	return r
}

// grid2 returns the squarest grid of a power of two, columns first.
func grid2(ranks int) (columns, rows int) {
	columns, rows = 1, ranks
	for columns < rows {
		columns, rows = columns*2, rows/2
	}
	return columns, rows
}

// conjugate returns CG: sums within each row by recursive doubling, and an exchange with the
// transposed process.
func conjugate(ranks int) rounds {
	columns, _ := grid2(ranks)
	var r rounds
	for bit := 1; bit < columns; bit *= 2 {
		r.round(ranks, func(rank int) int { return rank ^ bit })
	}
	r.round(ranks, func(rank int) int { return rank%columns*columns + rank/columns })
	return r
}

// wavefront returns LU: the lower and upper sweeps, to the south and east and back.
func wavefront(ranks int) rounds {
	columns, rows := grid2(ranks)
	to := func(di, dj int) func(int) int {
		return func(rank int) int {
			i, j := rank/columns+di, rank%columns+dj
			if i < 0 || i >= rows || j < 0 || j >= columns {
				return -1
			}
			return i*columns + j
		}
	}
	var r rounds
	r.round(ranks, to(1, 0), to(0, 1))
	r.round(ranks, to(-1, 0), to(0, -1))
	return r
}

// multigrid returns MG: faces to both neighbours in each dimension of a periodic cube of processes,
// on the fine grid and on grids of every second, fourth and so on process.
func multigrid(ranks int) rounds {
	size := [3]int{1, 1, 1}
	for d := 0; size[0]*size[1]*size[2] < ranks; d = (d + 1) % 3 {
		size[d] *= 2
	}
	stride := [3]int{1, size[0], size[0] * size[1]}
	var r rounds
	for far := 1; far < size[0]; far *= 2 {
		for d := range 3 {
			step := func(by int) func(int) int {
				return func(rank int) int {
					for e := range 3 {
						if rank/stride[e]%size[e]%far != 0 {
							return -1
						}
					}
					at := rank / stride[d] % size[d]
					return rank + ((at+by+size[d])%size[d]-at)*stride[d]
				}
			}
			r.round(ranks, step(far), step(-far))
		}
	}
	return r
}

// onNodes puts ranks on nodes in blocks; it drops flows within a node.
func (r rounds) onNodes(ranks, nodes int) rounds {
	var out rounds
	for i := range r {
		var f traffic.Flows
		for k := range r[i].Src {
			from, to := int(r[i].Src[k])*nodes/ranks, int(r[i].Dst[k])*nodes/ranks
			if from != to {
				f.Add(int32(from), int32(to))
			}
		}
		if f.Len() > 0 {
			out = append(out, f)
		}
	}
	return out
}
