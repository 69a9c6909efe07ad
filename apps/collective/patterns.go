package collective

import "math/bits"

// send and receive append a transfer.
func send(to []transfer, peer int, bytes int64) []transfer {
	return append(to, transfer{peer: peer, bytes: bytes})
}

func receive(to []transfer, peer int, bytes int64) []transfer {
	return append(to, transfer{peer: peer, bytes: bytes, recv: true})
}

// log2 returns the least k for which 2^k is at least p.
func log2(p int) int { return bits.Len(uint(p - 1)) }

// mod returns a modulo p, from 0 to p-1. Most are near: a division is the slow part of a ring.
func mod(a, p int) int {
	if a < 0 {
		a += p
	} else if a >= p {
		a -= p
	}
	if a >= 0 && a < p {
		return a
	}
	return ((a % p) + p) % p
}

// edge returns where chunk i begins of a vector that is cut into p.
func edge(i, p int, size int64) int64 {
	hi, lo := bits.Mul64(uint64(i), uint64(size))
	q, _ := bits.Div64(hi, lo, uint64(p))
	return int64(q)
}

// chunk returns the bytes of chunk i of a vector that is cut into p.
func chunk(i, p int, size int64) int64 {
	c := newCut(p, size)
	return c.chunk(i)
}

// cut is a vector in chunks. It is divided once, for a division is the slow part of a ring.
type cut struct {
	each, rest int64
	count      int
}

func newCut(p int, size int64) cut { return cut{size / int64(p), size % int64(p), p} }

// chunk returns the bytes of chunk i.
func (c *cut) chunk(i int) int64 {
	if c.rest == 0 {
		return c.each
	}
	return c.each + edge(i+1, c.count, c.rest) - edge(i, c.count, c.rest)
}

// ring passes chunks to the next rank. In round s a rank sends the chunk that shift says.
func ring(p int, size int64, shift int) rounds {
	c := newCut(p, size)
	return rounds{p - 1, func(r, s int, to []transfer) []transfer {
		next, last := mod(r+1, p), mod(r-1, p)
		to = send(to, next, c.chunk(mod(r+shift-s, p)))
		return receive(to, last, c.chunk(mod(last+shift-s, p)))
	}}
}

// blockRing passes whole blocks to the next rank.
func blockRing(p int, block int64) rounds {
	return rounds{p - 1, func(r, _ int, to []transfer) []transfer {
		return receive(send(to, mod(r+1, p), block), mod(r-1, p), block)
	}}
}

// inSequence runs one operation after the other.
func inSequence(a, b rounds) rounds {
	return rounds{a.count + b.count, func(r, s int, to []transfer) []transfer {
		if s < a.count {
			return a.of(r, s, to)
		}
		return b.of(r, s-a.count, to)
	}}
}

// exchange lets a rank and a partner send each other the same number of bytes.
func exchange(to []transfer, peer int, bytes int64) []transfer {
	return receive(send(to, peer, bytes), peer, bytes)
}

// folded runs an operation for a power of two of ranks on any number of ranks: the first ranks fold
// in pairs before it, the even into the odd one, and unfold after it.
func folded(p int, size int64, inner func(p int) rounds) rounds {
	power := 1 << (bits.Len(uint(p)) - 1)
	extra := p - power
	in := inner(power)
	if extra == 0 {
		return in
	}
	outer := func(r int) int { // the rank outside of an inner one
		if r < extra {
			return 2*r + 1
		}
		return r + extra
	}
	return rounds{in.count + 2, func(r, s int, to []transfer) []transfer {
		pair := r < 2*extra
		switch {
		case s == 0 && pair && r%2 == 0:
			return send(to, r+1, size)
		case s == 0 && pair:
			return receive(to, r-1, size)
		case s == in.count+1 && pair && r%2 == 0:
			return receive(to, r+1, size)
		case s == in.count+1 && pair:
			return send(to, r-1, size)
		case s == 0 || s == in.count+1 || pair && r%2 == 0:
			return to
		}
		own := r - extra
		if pair {
			own = r / 2
		}
		return renamed(in, own, s-1, to, outer)
	}}
}

// renamed appends the transfers of a rank in a round of an operation on some ranks, with the names
// that its peers have outside of it.
func renamed(in rounds, own, round int, to []transfer, outer func(rank int) int) []transfer {
	from := len(to)
	to = in.of(own, round, to)
	for i := range to[from:] {
		to[from+i].peer = outer(to[from+i].peer)
	}
	return to
}

// doubling exchanges the whole vector in each round.
func doubling(p int, size int64) rounds {
	return rounds{log2(p), func(r, j int, to []transfer) []transfer { return exchange(to, r^1<<j, size) }}
}

// halving exchanges halves of halves, and then doubles them again.
func halving(p int, size int64) rounds {
	k := log2(p)
	return rounds{2 * k, func(r, s int, to []transfer) []transfer {
		j := s
		if s >= k {
			j = 2*k - 1 - s
		}
		return exchange(to, r^1<<j, max(size>>(j+1), 1))
	}}
}

// gatherDoubling exchanges all blocks that a rank has.
func gatherDoubling(p int, block int64) rounds {
	return rounds{log2(p), func(r, j int, to []transfer) []transfer { return exchange(to, r^1<<j, block<<j) }}
}

// gatherBruck sends the blocks that a rank has to the rank 2^j below.
func gatherBruck(p int, block int64) rounds {
	return rounds{log2(p), func(r, j int, to []transfer) []transfer {
		n := block * int64(min(1<<j, p-1<<j))
		return receive(send(to, mod(r-1<<j, p), n), mod(r+1<<j, p), n)
	}}
}

// shifts sends a block to each other rank in turn.
func shifts(p int, block int64) rounds {
	return rounds{p - 1, func(r, s int, to []transfer) []transfer {
		return receive(send(to, mod(r+s+1, p), block), mod(r-s-1, p), block)
	}}
}

// pairwise exchanges a block with each other rank in turn.
func pairwise(p int, block int64) rounds {
	if p&(p-1) != 0 {
		return shifts(p, block)
	}
	return rounds{p - 1, func(r, s int, to []transfer) []transfer { return exchange(to, r^(s+1), block) }}
}

// atOnce sends a block to all other ranks.
func atOnce(p int, block int64) rounds {
	return rounds{1, func(r, _ int, to []transfer) []transfer {
		for s := 1; s < p; s++ {
			to = receive(send(to, mod(r+s, p), block), mod(r-s, p), block)
		}
		return to
	}}
}

// bruck sends to the rank 2^j above the blocks of all distances with bit j.
func bruck(p int, block int64) rounds {
	return rounds{log2(p), func(r, j int, to []transfer) []transfer {
		// Of 2^(j+1) distances in a row, the upper half have the bit.
		n := block * int64(p>>(j+1)<<j+max(0, p&(2<<j-1)-1<<j))
		return receive(send(to, mod(r+1<<j, p), n), mod(r-1<<j, p), n)
	}}
}

// binomial sends the vector from rank 0 down a binomial tree.
func binomial(p int, size int64) rounds {
	k := log2(p)
	return rounds{k, func(r, s int, to []transfer) []transfer {
		half := 1 << (k - 1 - s)
		switch {
		case r%(2*half) == 0 && r+half < p:
			return send(to, r+half, size)
		case r%(2*half) == half:
			return receive(to, r-half, size)
		}
		return to
	}}
}

// reversed runs an operation backwards, with receives for sends.
func reversed(a rounds) rounds {
	return rounds{a.count, func(r, s int, to []transfer) []transfer {
		from := len(to)
		to = a.of(r, a.count-1-s, to)
		for i := range to[from:] {
			to[from+i].recv = !to[from+i].recv
		}
		return to
	}}
}

// dissemination sends a message without data to the rank 2^j above.
func dissemination(p int) rounds {
	return rounds{log2(p), func(r, j int, to []transfer) []transfer {
		return receive(send(to, mod(r+1<<j, p), 0), mod(r-1<<j, p), 0)
	}}
}
