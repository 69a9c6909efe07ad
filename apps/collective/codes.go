package collective

import "math"

// grid returns the sides of a grid of p ranks, as equal as possible, the longest first.
func grid(p, dimensions int) []int {
	sides := make([]int, dimensions)
	for d := range dimensions - 1 {
		left := dimensions - d
		side := int(math.Ceil(math.Pow(float64(p), 1/float64(left)) - 1e-9))
		for p%side != 0 {
			side++
		}
		sides[d] = side
		p /= side
	}
	sides[dimensions-1] = p
	return sides
}

// halo exchanges faces with both neighbours in each dimension of a torus of ranks.
func halo(dimensions int) func(p int, face int64) rounds {
	return func(p int, face int64) rounds {
		sides := grid(p, dimensions)
		return rounds{1, func(r, _ int, to []transfer) []transfer {
			for stride, d := 1, 0; d < dimensions; d++ {
				side := sides[d]
				if side > 1 {
					at := r / stride % side
					up, down := r+(mod(at+1, side)-at)*stride, r+(mod(at-1, side)-at)*stride
					to = receive(receive(send(send(to, up, face), down, face), down, face), up, face)
				}
				stride *= side
			}
			return to
		}}
	}
}

// pencils transposes a volume twice, as a Fourier transform of three dimensions does: an all-to-all
// in each row of a grid of ranks, then in each column.
func pencils(p int, block int64) rounds {
	sides := grid(p, 2)
	columns := sides[0]
	row, column := shifts(columns, block), shifts(sides[1], block)
	return rounds{row.count + column.count, func(r, s int, to []transfer) []transfer {
		x, y := r%columns, r/columns
		if s < row.count {
			return renamed(row, x, s, to, func(peer int) int { return y*columns + peer })
		}
		return renamed(column, y, s-row.count, to, func(peer int) int { return peer*columns + x })
	}}
}

// sweepBlocks is the number of blocks that follow each other through a sweep.
const sweepBlocks = 16

// sweep sends blocks from one corner of a grid of ranks to the opposite one: a rank passes a block
// on to the next column and row once it has that of the ones before.
func sweep(p int, face int64) rounds {
	sides := grid(p, 2)
	columns, rows := sides[0], sides[1]
	return rounds{sweepBlocks + columns + rows - 1, func(r, s int, to []transfer) []transfer {
		x, y := r%columns, r/columns
		if k := s - x - y; k >= 0 && k < sweepBlocks {
			if x > 0 {
				to = receive(to, r-1, face)
			}
			if y > 0 {
				to = receive(to, r-columns, face)
			}
		}
		if k := s - x - y - 1; k >= 0 && k < sweepBlocks {
			if x < columns-1 {
				to = send(to, r+1, face)
			}
			if y < rows-1 {
				to = send(to, r+columns, face)
			}
		}
		return to
	}}
}

// checkpointBlock is the size of the messages of a checkpoint.
const checkpointBlock = 4 << 20

// checkpoint lets all ranks but the last ones write to those, the storage servers, in turn.
func checkpoint(p, storage int, size int64) rounds {
	clients := p - storage
	blocks := int(max(1, (size+checkpointBlock-1)/checkpointBlock))
	return rounds{blocks, func(r, s int, to []transfer) []transfer {
		bytes := min(checkpointBlock, size-int64(s)*checkpointBlock)
		if r < clients {
			return send(to, clients+r%storage, bytes)
		}
		for c := r - clients; c < clients; c += storage {
			to = receive(to, c, bytes)
		}
		return to
	}}
}

// repeated runs an operation several times.
func repeated(a rounds, times int) rounds {
	return rounds{a.count * times, func(r, s int, to []transfer) []transfer { return a.of(r, s%a.count, to) }}
}

// computed inserts a computation before each round: every rank with messages in the round first
// computes for some nanoseconds.
func computed(a rounds, nanoseconds int64) rounds {
	return rounds{2 * a.count, func(r, s int, to []transfer) []transfer {
		from := len(to)
		if to = a.of(r, s/2, to); s%2 == 0 && len(to) > from {
			to = append(to[:from], transfer{bytes: nanoseconds, calc: true})
		}
		return to
	}}
}
