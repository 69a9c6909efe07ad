package collective

// overRails is an all-reduce over servers of r ranks, rank i of each on rail i: a reduce-scatter in
// each server, an all-reduce of each chunk over the ranks of a rail, and an all-gather in each
// server. Only the second part leaves a server.
func overRails(p, r int, size int64) rounds {
	servers := p / r
	scatter, gather := ring(r, size, 0), ring(r, size, 1)
	rails := make([]rounds, r)
	for i := range rails {
		own := chunk(mod(i+1, r), r, size) // the chunk that the reduce-scatter leaves at rank i
		rails[i] = inSequence(ring(servers, own, 0), ring(servers, own, 1))
	}
	return rounds{scatter.count + rails[0].count + gather.count, func(rank, s int, to []transfer) []transfer {
		server, i := rank/r, rank%r
		inside := func(peer int) int { return server*r + peer }
		if s < scatter.count {
			return renamed(scatter, i, s, to, inside)
		}
		if s -= scatter.count; s < rails[i].count {
			return renamed(rails[i], server, s, to, func(peer int) int { return peer*r + i })
		}
		return renamed(gather, i, s-rails[i].count, to, inside)
	}}
}

// allOverRails is an all-to-all over servers of r ranks: the blocks for rank i of any server go to
// rank i of the own server first, and from there along rail i.
func allOverRails(p, r int, block int64) rounds {
	servers := p / r
	inside, along := atOnce(r, int64(servers)*block), shifts(servers, int64(r)*block)
	return rounds{1 + along.count, func(rank, s int, to []transfer) []transfer {
		server, i := rank/r, rank%r
		if s == 0 {
			return renamed(inside, i, 0, to, func(peer int) int { return server*r + peer })
		}
		return renamed(along, server, s-1, to, func(peer int) int { return peer*r + i })
	}}
}

// scattered is a broadcast: a binomial scatter of chunks, then a ring all-gather.
func scattered(p int, size int64) rounds {
	k := log2(p)
	scatter := rounds{k, func(r, s int, to []transfer) []transfer {
		half := 1 << (k - 1 - s)
		part := func(first int) int64 { return edge(min(first+half, p), p, size) - edge(first, p, size) }
		switch {
		case r%(2*half) == 0 && r+half < p:
			return send(to, r+half, part(r+half))
		case r%(2*half) == half:
			return receive(to, r-half, part(r))
		}
		return to
	}}
	return inSequence(scatter, ring(p, size, 0))
}
