package relief

// eachHop calls do for the channels of the path from a switch to a destination by the entries in
// ports; first is true for the first one. A path without an end has at most as many as there are
// switches.
func (r *byJob) eachHop(x, home int32, ports []uint8, do func(c int32, first bool)) {
	at := x
	for hops := 0; at != home && hops < r.g.NumSwitches; hops++ {
		c, _ := r.g.At(at, ports[at])
		if c < 0 {
			return
		}
		do(c, hops == 0)
		at = r.g.To[c]
	}
}

// eachGroup calls do for the groups that send to a destination from another switch.
func (r *byJob) eachGroup(t *target, do func(m *members, p *group, rank int32)) {
	for _, in := range t.in {
		m := &r.jobs[in.job]
		for i := range m.on {
			if m.on[i].x != t.home {
				do(m, &m.on[i], in.rank)
			}
		}
	}
}

// put counts the packets of jobs to a destination on their channels, or removes them with sign -1.
func (r *byJob) put(t *target, sign int32) {
	r.stamps++
	r.eachGroup(t, func(m *members, p *group, rank int32) {
		n := int32(len(p.ranks))
		r.eachHop(p.x, t.home, t.ports, func(c int32, first bool) {
			m.pairs[c] += sign * n
			r.load[c] += int64(sign*n) * m.weight
			if first {
				r.leaving[c][p.place].add(m, p, rank, sign)
			}
			if r.stamp[c] == r.stamps {
				return
			}
			r.stamp[c] = r.stamps
			if r.users[c] == 0 {
				r.unused--
			}
			if r.users[c] += sign; r.users[c] == 0 {
				r.unused++
			}
		})
	})
}

// add counts the packets of a group to a destination.
func (f *first) add(m *members, p *group, rank, sign int32) {
	f.targets += sign
	for _, from := range p.ranks {
		f.rounds[m.round(from, rank)] += uint16(sign)
	}
}

// round returns the round of shifts from one rank to another.
func (m *members) round(from, to int32) int32 {
	if to < from {
		return to - from + m.size
	}
	return to - from
}

// putOthers counts the packets of all hosts to the destination last read, each with the weight 1.
func (r *byJob) putOthers(sign int64) {
	for _, x := range r.Order {
		r.load[r.Next[x]] += sign * r.Flow[x]
	}
}

// discount returns what the packets of a group to a destination pay less on a channel out of their
// switch, since they meet packets of their own job there, and none of their own hosts.
func (r *byJob) discount(m *members, p *group, rank, c int32) int64 {
	f := &r.leaving[c][p.place]
	if f.targets == 0 {
		return 0
	}
	met := int64(0)
	for _, from := range p.ranks {
		met += int64(f.rounds[m.round(from, rank)])
	}
	n := int64(len(p.ranks))
	random := n * (8*n - randomEighths*(n-1)) * m.weight * int64(f.targets)
	return m.weight * (random - roundEighths*met*pairWeight) / 8
}

// cost returns the price of the packets to a destination on the paths of ports, which their own
// counts must not be on.
func (r *byJob) cost(t *target, ports []uint8) (sum int64) {
	r.eachGroup(t, func(m *members, p *group, rank int32) {
		weight := int64(len(p.ranks)) * m.weight
		r.eachHop(p.x, t.home, ports, func(c int32, first bool) {
			sum += weight * r.load[c]
			if first {
				sum -= r.discount(m, p, rank, c)
			}
		})
	})
	return sum
}

// fits reports whether no job of a destination has more pairs than before on the channels to it.
func (r *byJob) fits(t *target) bool {
	ok := true
	r.eachGroup(t, func(m *members, p *group, _ int32) {
		r.eachHop(p.x, t.home, t.ports, func(c int32, _ bool) { ok = ok && m.pairs[c] <= m.most })
	})
	return ok
}
