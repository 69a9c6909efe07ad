package packets

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"weft/internal/spelling"
	"weft/route"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// message returns the size of messages.
func (j *job) message() MessageSize {
	switch {
	case j.Message.Least > 0:
		return j.Message
	case j.once:
		return MessageSize{Least: onceMessage}
	}
	return MessageSize{Least: int64(j.Hardware.MTU)}
}

// workload makes the traffic of a run's hosts, and records senders and receivers in the run.
func (j *job) workload(r *oneRun, rounds []traffic.Flows) packet.Workload {
	sends, takes := make([]bool, j.g.NumEnds), make([]bool, j.g.NumEnds)
	flows := make([]int, len(r.hosts)) // of each sending rank
	add := func(src, dst int32) {
		sends[r.hosts[src]], takes[r.hosts[dst]] = true, true
		flows[src]++
		if r.sendersTo != nil {
			r.sendersTo[r.hosts[dst]] = append(r.sendersTo[r.hosts[dst]], r.hosts[src])
		}
	}
	toAnyone := j.timed == nil && j.streams == nil && j.pattern == nil
	if !toAnyone {
		r.sendersTo = map[int32][]int32{}
	}
	for _, round := range rounds {
		for i := range round.Src {
			add(round.Src[i], round.Dst[i])
		}
	}
	for _, m := range j.timed {
		add(m.Src, m.Dst)
	}
	for _, s := range j.streams {
		add(s.Src, s.Dst)
	}
	if toAnyone {
		for i := range r.hosts {
			add(int32(i), int32(i))
		}
	}
	for e := range int32(j.g.NumEnds) {
		if sends[e] {
			r.senders = append(r.senders, e)
		}
		if takes[e] {
			r.takers = append(r.takers, e)
		}
	}
	switch {
	case j.timed != nil:
		return packet.NewTimed(j.timed, r.hosts)
	case j.streams != nil:
		return j.givenStreams(r)
	case j.pattern == nil:
		return j.uniform(r)
	case j.once:
		return packet.NewRounds(rounds, r.hosts, j.g.NumEnds, j.message().Least)
	}
	streams := &packet.Streams{Targets: r.hosts, Seed: r.seed}
	for i, src := range rounds[0].Src {
		streams.List = append(streams.List, j.stream(r, r.hosts[src], r.hosts[rounds[0].Dst[i]], flows[src]))
	}
	return streams
}

// givenStreams returns the streams of a file. Their times count from the end of the warm-up.
// Streams without a start time begin with the run.
func (j *job) givenStreams(r *oneRun) *packet.Streams {
	streams := &packet.Streams{Seed: r.seed}
	warmup := packet.Time(j.Warmup) * packet.Nanosecond
	for _, g := range j.streams {
		s := packet.Stream{Src: r.hosts[g.Src], Dst: r.hosts[g.Dst], Bytes: cmp.Or(g.Bytes, j.message().Least), Most: j.message().Most}
		if g.Bytes > 0 {
			s.Most = 0
		}
		s.Level, _ = levelOf(j.plan.Plan, g.Level) // prepare has checked it
		if g.Start > 0 {
			s.Start = warmup + packet.Time(g.Start)*packet.Nanosecond
		}
		if g.Stop > 0 {
			s.Stop = warmup + packet.Time(g.Stop)*packet.Nanosecond
		}
		if g.Gbps > 0 {
			s.Gap = max(packet.Time(min(float64(s.Bytes+max(s.Bytes, s.Most))/2*8000/g.Gbps, 1<<60)), 1)
		}
		streams.List = append(streams.List, s)
	}
	return streams
}

// levelOf returns the number of a Plan's level of service; the first without a name.
func levelOf(p *route.Plan, name string) (uint8, error) {
	if name == "" {
		return 0, nil
	}
	var names []string
	for i := range p.Levels {
		if p.Levels[i].Name == name {
			return uint8(i), nil
		}
		names = append(names, p.Levels[i].Name)
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("level=%s: the Plan has no levels of service: give --levels FILE", name)
	}
	return 0, fmt.Errorf("level=%s: the Plan has the levels %s%s", name, strings.Join(names, ", "), spelling.Hint(name, names))
}

// uniform makes every host send to any other, and a share of its messages to its hot-spot.
func (j *job) uniform(r *oneRun) *packet.Streams {
	streams := &packet.Streams{Targets: r.hosts, Seed: r.seed}
	peers := j.peersOf(r.hosts)
	near, far := j.bySubnet(r.hosts)
	if j.servers != nil {
		streams.Server = j.servers.Of
	}
	for i, h := range r.hosts {
		s := j.stream(r, h, packet.Anyone, 1)
		if peers != nil {
			if s.Targets = peers[i]; s.Targets == nil {
				continue // nobody to send to
			}
		}
		if near != nil {
			s.Targets, s.Far, s.FarShare = near[i], far[i], *j.FarShare
		}
		if j.HotSpots.Groups > 0 {
			if spot := packet.HotSpot(r.hosts, j.HotSpots.Groups, i); spot != h && (j.servers == nil || j.servers.Meet(h, spot)) {
				s.Spot, s.Share = spot, j.HotSpots.Share
			}
		}
		streams.List = append(streams.List, s)
	}
	return streams
}

// bySubnet lists for each host the hosts of its subnet and of the others; nil without a share for
// other subnets.
func (j *job) bySubnet(hosts []int32) (near, far [][]int32) {
	if j.FarShare == nil {
		return nil, nil
	}
	near, far = make([][]int32, len(hosts)), make([][]int32, len(hosts))
	for s := range int32(len(j.Between.Plan.Net.Subnets)) {
		inside := map[int32]bool{}
		for _, h := range j.Between.Flat.Hosts(s) {
			inside[h] = true
		}
		var own, others []int32
		for _, h := range hosts {
			if inside[h] {
				own = append(own, h)
			} else {
				others = append(others, h)
			}
		}
		for i, h := range hosts {
			if inside[h] {
				near[i], far[i] = own, others
			}
		}
	}
	return near, far
}

// stream makes one of several flows of a source.
func (j *job) stream(r *oneRun, src, dst int32, flows int) packet.Stream {
	size := j.message()
	s := packet.Stream{Src: src, Dst: dst, Bytes: size.Least, Most: size.Most}
	switch {
	case r.load > 0:
		load := r.load
		if j.Bursts.On > 0 {
			load, s.Bursts = 1, j.Bursts
			s.Bursts.Off = packet.Time(math.Round(min(float64(j.Bursts.On)*(1/r.load-1), 1<<60)))
		}
		rate := float64(cmp.Or(j.g.EndRate[src], j.Hardware.UnknownRate)) * load / float64(flows)
		s.Gap = packet.Time(min(j.onWire(size)*8e6/rate, 1<<60))
	case dst == packet.Anyone:
		s.Pending = pendingMessages
	case j.Message.Least == 0:
		s.Bytes = packet.Forever
	}
	return s
}

// pendingMessages is the number of messages in flight from a host of uniform traffic, so that one
// lane does not hold up another.
const pendingMessages = 8

// onWire returns the bytes of a message with the headers of its packets, the mean for a random
// size.
func (j *job) onWire(m MessageSize) float64 {
	mtu := int64(j.Hardware.MTU)
	most := max(m.Least, m.Most)
	packets := func(bytes int64) float64 { // of one message each of 1 to so many bytes
		full := float64(bytes / mtu)
		return full*(full+1)/2*float64(mtu) + (full+1)*float64(bytes%mtu)
	}
	mean := (packets(most) - packets(m.Least-1)) / float64(most-m.Least+1)
	return float64(m.Least+most)/2 + mean*float64(j.Hardware.Headers)
}
