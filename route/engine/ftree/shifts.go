package ftree

import (
	"cmp"
	"context"
	"math"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route/internal/rounds"
)

const (
	// Limit of links x rounds for evenShifts: 16 MB, trees of up to about 1,500 hosts.
	mostShifts = 1 << 23
	// evenShifts makes at most shiftSweeps sweeps over all LIDs. A sweep that lowers the sum of the
	// rounds' largest loads by less than 1/leastFall is the last one.
	shiftSweeps = 3
	leastFall   = 128
)

// shifts counts the packets on each link in all-to-all by shifts, with hosts in the order of
// switches and their ports.
type shifts struct {
	*rebalancer
	rounds  int32    // as many as hosts, including one in which all send to themselves
	place   []int32  // by host
	first   []int32  // by switch: place of its first host
	packets []uint16 // by link, round
	scale   []int64  // by round: scale of the largest link load at the start of the sweep
	mean    int64    // average load on the path of a packet
	loads   []int64  // on the paths from which a switch chooses
	rest    []int64  // by switch: price of the rest of the path being replaced, without its own packets; -1 off that path
}

// evenShifts moves paths so that fewer packets meet in all-to-all by shifts, for little more load.
// It changes only the first links of hosts' packets from their own switch; the way from there on
// stays.
//
// If the packets of a switch make a link as loaded as the most loaded one of a round, that costs
// half as much as the load of a mean path.
func (b *rebalancer) evenShifts(ctx context.Context) error {
	if b.t.G.NumHosts*len(b.price) > mostShifts {
		return nil
	}
	s, err := b.newShifts(ctx)
	if err != nil {
		return err
	}
	before := int64(math.MaxInt64)
	for range shiftSweeps {
		sum, err := s.setScale(ctx)
		if err != nil {
			return err
		}
		if sum > before-before/leastFall {
			break
		}
		before = sum
		if _, err := b.sweep(ctx, s.choose); err != nil {
			return err
		}
	}
	return nil
}

// newShifts counts the packets on the present paths.
func (b *rebalancer) newShifts(ctx context.Context) (*shifts, error) {
	g := b.t.G
	hosts := slices.DeleteFunc(fabric.Numbers(g.NumHosts), func(end int32) bool { return !g.IsHost(end) })
	slices.SortFunc(hosts, func(x, y int32) int {
		return cmp.Or(cmp.Compare(g.EndSwitch[x], g.EndSwitch[y]), cmp.Compare(g.EndPort[x], g.EndPort[y]))
	})
	size := len(hosts) * len(b.price)
	s := &shifts{
		rebalancer: b, rounds: int32(len(hosts)), place: make([]int32, g.NumHosts), first: make([]int32, g.NumSwitches),
		packets: make([]uint16, size), scale: make([]int64, len(hosts)),
		rest: slices.Repeat([]int64{-1}, g.NumSwitches),
	}
	for i, end := range slices.Backward(hosts) {
		s.place[end], s.first[g.EndSwitch[end]] = int32(i), int32(i)
	}
	return s, s.measure(ctx)
}

// measure counts the packets of all rounds, and the load of their paths. Each core has its own
// rounds.
func (s *shifts) measure(ctx context.Context) error {
	parts := max(1, s.workers)
	sums, paths := make([]int64, parts), make([]int64, parts)
	clear(s.packets)
	err := par.For(ctx, parts, parts, func(_, i int) error {
		part := *s
		rebalancer := *s.rebalancer
		part.rebalancer, rebalancer.lidPaths = &rebalancer, s.newPaths(s.search.r)
		all, n := int(s.rounds), len(sums)
		sums[i], paths[i] = part.countRounds(int32(all*i/n), int32(all*(i+1)/n))
		return nil
	})
	sum, all := int64(0), int64(0)
	for i := range sums {
		sum, all = sum+sums[i], all+paths[i]
	}
	s.mean = sum / max(all, 1)
	return err
}

// countRounds counts the packets of some rounds. It returns the number of paths whose first packet
// is in one of them, and the sum of their loads. At first it counts by how much the packets of each
// link change from round to round.
func (s *shifts) countRounds(from, to int32) (sum, paths int64) {
	for _, at := range s.lids {
		s.follow(at)
		for _, x := range s.leaves {
			if !s.to.reachedFrom(x) || s.link[x] < 0 {
				continue
			}
			first, n := s.firstRound(x, s.place[at.end]), s.t.G.HostCount(x)
			load := s.noteChanges(x, max(first, from), min(first+n, to), to)
			if from <= first && first < to {
				sum += load
				paths++
			}
			s.noteChanges(x, from, min(first+n-s.rounds, to), to)
		}
	}
	for link := range s.linkLoads.weight {
		packets := s.onLink(int32(link))[from:to]
		n := uint16(0)
		for round, change := range packets {
			n += change
			packets[round] = n
		}
	}
	return sum, paths
}

// noteChanges counts a packet in some rounds before the end on the path from a switch. It returns
// the load of the path if there are such rounds.
func (s *shifts) noteChanges(x, from, to, end int32) (load int64) {
	if from >= to {
		return 0
	}
	for ; x != s.to.target; x = s.next[x] {
		link := s.link[x]
		load += s.price[link]
		packets := s.onLink(link)
		packets[from]++
		if to < end {
			packets[to]--
		}
	}
	return load
}

// firstRound returns the first of the consecutive rounds with a packet from switch x to a place:
// one round for each host of x.
func (s *shifts) firstRound(x, to int32) int32 {
	return rounds.FirstRound(s.first[x], s.t.G.HostCount(x), to, s.rounds)
}

// onLink returns the packets on a link, by round.
func (s *shifts) onLink(link int32) []uint16 {
	return s.packets[int(link)*int(s.rounds):][:s.rounds]
}

// count adds the packets from the hosts of a switch to a place, or removes them with sign -1.
func (s *shifts) count(x, to int32, sign uint16) {
	first, n := s.firstRound(x, to), s.t.G.HostCount(x)
	for ; x != s.to.target; x = s.next[x] {
		now, later := rounds.Cells(s.onLink(s.link[x]), first, n)
		for _, packets := range [...][]uint16{now, later} {
			for i := range packets {
				packets[i] += sign
			}
		}
	}
}

// setScale finds the largest load of each round, and returns the sum of these loads.
func (s *shifts) setScale(ctx context.Context) (sum int64, err error) {
	weights := slices.Compact(slices.Sorted(slices.Values(s.linkLoads.weight)))
	parts := max(1, s.workers)
	most := make([]uint16, parts*len(weights)*len(s.scale)) // packets by part of the links, weight, round
	err = par.For(ctx, parts, parts, func(_, i int) error {
		n := len(s.linkLoads.weight)
		for link := n * i / parts; link < n*(i+1)/parts; link++ {
			class, _ := slices.BinarySearch(weights, s.linkLoads.weight[link])
			raise(most[(i*len(weights)+class)*len(s.scale):][:len(s.scale)], s.onLink(int32(link)))
		}
		return nil
	})
	for round := range s.scale {
		load := int64(1)
		for k := range parts * len(weights) {
			load = max(load, int64(most[k*len(s.scale)+round])*weights[k%len(weights)])
		}
		s.scale[round] = rounds.Scale(load)
		sum += load
	}
	return sum, err
}

// raise sets each number to the larger of two lists' numbers.
func raise(most, to []uint16) {
	for i, n := range to[:len(most)] {
		if n > most[i] {
			most[i] = n
		}
	}
}

// choose chooses the first links of hosts' packets to a LID, at switches that no other packets
// pass.
func (s *shifts) choose(at hostLID) {
	to := s.place[at.end]
	s.cost[s.to.target] = 0
	for k, x := range s.to.order {
		if s.link[x] < 0 {
			continue
		}
		if n := s.t.G.HostCount(x); n > 0 && s.flow[x] == int64(n) {
			s.chooseFirst(k, x, to, n)
		}
		s.cost[x] = s.price[s.link[x]] + s.cost[s.next[x]]
	}
}

// chooseFirst chooses the first link for the packets of the n hosts of a switch. It skips most
// links at once: those with more load than the total cost of the present one.
func (s *shifts) chooseFirst(k int, x, to, n int32) {
	old, first := s.link[x], s.firstRound(x, to)
	load, lightest := s.price[old]+s.cost[s.next[x]], s.readLoads(k, old)
	if lightest >= load {
		if _, less := s.priceOf(old, first, n, lightest-load+1); less { // even with one packet more
			return
		}
	}
	best, least, loads := old, load+s.priceOfRest(x, first, n), s.loads
	for _, r := range s.to.from(k) {
		for i, there := range loads[:r.to-r.from] {
			if there >= least {
				continue
			}
			if price, less := s.priceOf(r.from+int32(i), first, n, least-there); less {
				best, least = r.from+int32(i), there+price
			}
		}
		loads = loads[r.to-r.from:]
	}
	for y := x; y != s.to.target; y = s.next[y] {
		s.rest[y] = -1
	}
	if best != old {
		s.count(x, to, ^uint16(0))
		s.link[x], s.next[x] = best, s.head[best]
		s.count(x, to, 1)
	}
}

// readLoads sets loads to the loads of the paths over the links of order[k], except the present
// link. It returns the least.
func (s *shifts) readLoads(k int, taken int32) int64 {
	lightest := int64(math.MaxInt64)
	s.loads = s.loads[:0]
	for _, r := range s.to.from(k) {
		price, head := s.price[r.from:r.to], s.head[r.from:r.to]
		for i, load := range price {
			if load += s.cost[head[i]]; r.from+int32(i) == taken {
				load = math.MaxInt64
			}
			s.loads = append(s.loads, load)
			lightest = min(lightest, load)
		}
	}
	return lightest
}

// priceOfRest returns the price of the packets of n hosts, in consecutive rounds, on their present
// path, as if they were not on it yet. It sets rest for all switches of the path.
func (s *shifts) priceOfRest(x, first, n int32) int64 {
	sum := int64(0)
	for y := x; y != s.to.target; y = s.next[y] {
		s.rest[y] = sum // up to there, for now
		sum += s.priceOn(s.link[y], first, n, 0)
	}
	for y := x; y != s.to.target; y = s.next[y] {
		s.rest[y] = sum - s.rest[y]
	}
	return s.inLoad(sum, n)
}

// priceOn returns the price of one packet of a link in each of n consecutive rounds; with more 1,
// of one additional packet.
func (s *shifts) priceOn(link, first, n int32, more int64) int64 {
	weight := s.linkLoads.weight[link]
	scale, laterScale := rounds.Cells(s.scale, first, n)
	packets, laterPackets := rounds.Cells(s.onLink(link), first, n)
	return priceOf(packets, scale, weight, more) + priceOf(laterPackets, laterScale, weight, more)
}

// priceOf returns the same for rounds that are adjacent in memory. scale turns loads into shares.
func priceOf(packets []uint16, scale []int64, weight, more int64) (sum int64) {
	scale = scale[:len(packets)]
	for i, n := range packets {
		sum += int64(rounds.Price((int64(n)+more)*weight, scale[i]))
	}
	return sum
}

// inLoad converts the price of the packets of n hosts to a load.
func (s *shifts) inLoad(sum int64, n int32) int64 {
	return sum * s.mean / (2 * rounds.PacketPrice * int64(n))
}

// priceOf returns the price of the packets of n hosts, in consecutive rounds, on the path over a
// link, if it is less than limit.
func (s *shifts) priceOf(link, first, n int32, limit int64) (price int64, less bool) {
	for sum := int64(0); ; link = s.link[s.head[link]] {
		sum += s.priceOn(link, first, n, 1)
		x := s.head[link]
		there := x == s.to.target
		if rest := s.rest[x]; rest >= 0 && !there {
			sum, there = sum+rest, true
		}
		if price = s.inLoad(sum, n); there || price >= limit {
			return price, price < limit
		}
	}
}
