package packets

import (
	"cmp"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/sim/beff"
	"weft/sim/packet"
	"weft/sim/traffic"
)

// readMessages reads the file of messages between ranks and switches. It puts the named switches
// behind the ranks in hosts, and returns the number of both.
func (j *job) readMessages(ranks int) (int, error) {
	all := withSwitches(j.g, j.hosts[:ranks])
	list, err := traffic.ReadMessages(j.Messages, j.Text, j.g, all)
	if err != nil {
		return 0, err
	}
	var ends []*int32
	for i := range list {
		ends = append(ends, &list[i].Src, &list[i].Dst)
	}
	j.timed, j.hosts = list, keepNamed(all, ranks, ends)
	return len(j.hosts), nil
}

// readStreams does the same for the file of streams.
func (j *job) readStreams(ranks int) (int, error) {
	all := withSwitches(j.g, j.hosts[:ranks])
	list, err := traffic.ReadStreams(j.Streams, j.Text, j.g, all)
	if err != nil {
		return 0, err
	}
	var ends []*int32
	for i := range list {
		if _, err := levelOf(j.plan.Plan, list[i].Level); err != nil {
			return 0, fmt.Errorf("--streams %s: %w", j.Streams, err)
		}
		ends = append(ends, &list[i].Src, &list[i].Dst)
	}
	j.streams, j.hosts = list, keepNamed(all, ranks, ends)
	return len(j.hosts), nil
}

// readBeside reads the streams beside BEff, if there are any. Hosts without a rank may have
// streams.
func (j *job) readBeside() error {
	if j.Streams == "" {
		return nil
	}
	all := withSwitches(j.g, j.hosts)
	list, err := traffic.ReadStreams(j.Streams, j.Text, j.g, all)
	if err != nil {
		return err
	}
	for _, s := range list {
		if s.Level != "" || s.Start != 0 || s.Stop != 0 {
			return fmt.Errorf("--streams %s: beside b_eff a stream has rate= and bytes= alone: it lasts as long as the benchmark", j.Streams)
		}
		b := beff.Stream{Src: all[s.Src], Dst: all[s.Dst], Bytes: cmp.Or(s.Bytes, int64(j.Hardware.MTU))}
		if s.Gbps > 0 {
			b.Every = packet.Time(float64(b.Bytes) * 8 / s.Gbps * float64(packet.Nanosecond))
		}
		j.beside = append(j.beside, b)
	}
	return nil
}

// withSwitches returns hosts and behind them port 0 of every switch.
func withSwitches(g *fabric.Graph, hosts []int32) []int32 {
	all := slices.Clone(hosts)
	for s := range int32(g.NumSwitches) {
		all = append(all, g.PortZero(s))
	}
	return all
}

// keepNamed returns the first end ports of a list, and behind them the others at the places that
// ends hold. It changes these places to those in the result.
func keepNamed(all []int32, first int, ends []*int32) []int32 {
	kept := slices.Clone(all[:first])
	place := map[int32]int32{}
	for _, end := range ends {
		if int(*end) < first {
			continue
		}
		if _, ok := place[*end]; !ok {
			place[*end] = int32(len(kept))
			kept = append(kept, all[*end])
		}
		*end = place[*end]
	}
	return kept
}
