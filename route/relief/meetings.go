package relief

import (
	"weft/fabric"
	"weft/route/internal/rounds"
)

const (
	// Price of making a link as loaded as the most loaded one, in eighths of the mean price of a
	// path by random meetings: by packets in the rounds of shifts, and by pairs of hosts.
	shiftEighths, loadEighths = 3, 4
	// Limit of mean prices, so that no sum overflows.
	mostMean = 1 << 33
	// Weight of the fastest links; slower ones weigh more.
	unitWeight = 16
)

// meetings counts the meetings on each channel: pairs of hosts, and packets in the rounds of
// shifts.
type meetings struct {
	rounds  int32    // as many as hosts, including one in which all send to themselves
	weight  []int64  // by channel
	load    []int64  // by channel: pairs of hosts
	from    []int32  // by channel, switch: destinations of each host of the switch over the channel
	packets []uint16 // by channel, round
	more    []uint16 // by channel, round: price of one more packet
	scale   []int64  // by round: scale of the largest load at the last setPrices
	squares int64    // pairs of pairs with the same destination on one channel, each times the channel's weight
	most    int64    // largest number of pairs on a channel, times its weight, at the last setPrices
	mean    int64    // average price of meetings on the path of a pair
}

func newMeetings(g *fabric.Graph, hosts int) meetings {
	m := meetings{
		rounds: int32(hosts), weight: make([]int64, g.NumChannels), load: make([]int64, g.NumChannels),
		from: make([]int32, g.NumChannels*g.NumSwitches), packets: make([]uint16, g.NumChannels*hosts),
		more: make([]uint16, g.NumChannels*hosts), scale: make([]int64, hosts),
	}
	fastest := int64(0)
	for _, rate := range g.ChanRate {
		fastest = max(fastest, int64(rate))
	}
	for c, rate := range g.ChanRate {
		if m.weight[c] = unitWeight; rate > 0 {
			m.weight[c] = unitWeight * fastest / int64(rate)
		}
	}
	return m
}

// onChannel returns the cells of a channel, by round.
func (m *meetings) onChannel(cells []uint16, c int32) []uint16 {
	return cells[int(c)*int(m.rounds):][:m.rounds]
}

// add adds to a channel the packets of the n hosts of switch x, ranks from first on, to a
// destination, or removes them with sign -1.
func (m *meetings) add(c, x, first, n, rank int32, sign int64) {
	m.load[c] += sign * int64(n)
	m.from[int(c)*(len(m.from)/len(m.load))+int(x)] += int32(sign)
	round := rounds.FirstRound(first, n, rank, m.rounds)
	packets, laterPackets := rounds.Cells(m.onChannel(m.packets, c), round, n)
	more, laterMore := rounds.Cells(m.onChannel(m.more, c), round, n)
	addPackets(packets, more, m.scale[round:], m.weight[c], uint16(sign))
	addPackets(laterPackets, laterMore, m.scale, m.weight[c], uint16(sign))
}

// addPackets adds a packet in each of some rounds to a channel with a given weight, and sets the
// price of one more.
func addPackets(packets, more []uint16, scale []int64, weight int64, sign uint16) {
	for i, n := range packets {
		packets[i], more[i] = n+sign, rounds.Price((int64(n+sign)+1)*weight, scale[i])
	}
}

// priceOf returns the price in shifts of the packets of n hosts, ranks from first on, to a
// destination on a channel.
func (m *meetings) priceOf(c, first, n, rank int32) (sum int64) {
	now, later := rounds.Cells(m.onChannel(m.more, c), rounds.FirstRound(first, n, rank, m.rounds), n)
	for _, price := range now {
		sum += int64(price)
	}
	for _, price := range later {
		sum += int64(price)
	}
	return sum
}

// priceOfLoad returns the price of n more pairs on a channel by its number of pairs.
func (m *meetings) priceOfLoad(c int32, n int64) int64 {
	return n * int64(rounds.PriceOfShare((m.load[c]+n)*m.weight[c]*rounds.ShareUnit/m.most))
}

// setPrices sets the prices of packets by the present loads, and the mean price of a path. It
// returns the sum of the largest loads of all rounds. count holds the number of hosts by switch.
func (m *meetings) setPrices(count []int32) (sum int64) {
	n := int(m.rounds)
	clear(m.scale)
	for c, weight := range m.weight {
		for round, packets := range m.packets[c*n : (c+1)*n] {
			m.scale[round] = max(m.scale[round], int64(packets)*weight)
		}
	}
	for round, load := range m.scale {
		sum += load
		m.scale[round] = rounds.Scale(max(load, unitWeight))
	}
	all := -m.squares
	m.most = 1
	for c, weight := range m.weight {
		addPackets(m.packets[c*n:(c+1)*n], m.more[c*n:], m.scale, weight, 0)
		m.most = max(m.most, m.load[c]*weight)
		same := int64(0)
		for x, sent := range m.from[c*len(count) : (c+1)*len(count)] {
			same += int64(count[x]) * int64(sent) * int64(sent)
		}
		all += weight * (m.load[c]*m.load[c] - same)
	}
	m.mean = min(max(all, 0)/int64(max(n*n, 1)), mostMean)
	return sum
}
