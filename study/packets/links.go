package packets

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"

	"weft/fabric"
	"weft/sim/packet"
	"weft/study"
)

// busiestKept bounds the list of busy links.
const busiestKept = 5

// links lists the loads of all links in a run, the busiest first, and the busiest links between
// switches.
func (j *job) links(run *oneRun) (all, busiest []BusyLink) {
	g := j.g
	all, busiest = make([]BusyLink, 0, g.NumChannels+2*g.NumHosts), []BusyLink{}
	for c := range int32(g.NumChannels) {
		all = append(all, j.link(run, j.linkNumber(c), g.ChanRate[c], g.ChannelPorts(c)))
	}
	mostFirst := func(a, b BusyLink) int { return cmp.Or(cmp.Compare(b.Used, a.Used), cmp.Compare(b.Waiting, a.Waiting)) }
	slices.SortStableFunc(all, mostFirst)
	for _, l := range all[:min(len(all), busiestKept)] {
		if l.Used > 0 {
			busiest = append(busiest, l)
		}
	}
	for e := range int32(g.NumHosts) {
		ports := []fabric.PortName{g.EndName(e), g.SwitchPort(g.EndSwitch[e], g.EndPort[e])}
		all = append(all, j.link(run, int32(len(g.Attached))+e, g.EndRate[e], ports), j.linkTo(run, e))
	}
	slices.SortStableFunc(all, mostFirst)
	return all, busiest
}

// linkTo sums up the load of the link to a host.
func (j *job) linkTo(run *oneRun, host int32) BusyLink {
	s, port := j.g.EndSwitch[host], j.g.EndPort[host]
	return j.link(run, j.g.PortStart[s]+int32(port), j.g.EndRate[host], []fabric.PortName{j.g.SwitchPort(s, port), j.g.EndName(host)})
}

// link sums up the load of a link, numbered as in packet.Result.
func (j *job) link(run *oneRun, i, mbps int32, ports []fabric.PortName) BusyLink {
	window := float64(j.window(run.result))
	l := BusyLink{Ports: ports, Waiting: float64(run.result.Waited[i]) / window}
	l.Used = float64(run.result.Carried[i]) * 8e6 / float64(cmp.Or(mbps, j.Hardware.UnknownRate)) / window
	if r := run.series; r != nil && r.LinkSeries != nil {
		for step := range r.Done {
			l.Filled += float64(r.Filled[step*r.Links+int(i)]) / float64(r.Done)
		}
		l.Most = float64(r.Most[i])
	}
	return l
}

// linkNumber returns the number of a channel among the links of a run.
func (j *job) linkNumber(c int32) int32 {
	return j.g.PortStart[j.g.From[c]] + int32(j.g.FromPort[c])
}

// window returns the measured time, at least 1. If the run ends with the messages, it is the time
// until the last one was received.
func (j *job) window(r *packet.Result) packet.Time {
	if j.once && r.Flying == 0 {
		return max(r.Finished, 1)
	}
	return max(r.Window, 1)
}

// WriteLinks writes a line of names, and one for each link and direction. Use and waiting for
// credits are shares of the time.
func (o *Simulation) WriteLinks(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "from_guid\tfrom_port\tto_guid\tto_port\tused\twaiting\tfilled_bytes\tmost_filled_bytes\tfrom_name\tto_name")
	for i := range o.Links {
		l := &o.Links[i]
		from, to := &l.Ports[0], &l.Ports[1]
		fmt.Fprintf(b, "%s\t%d\t%s\t%d\t%.6f\t%.6f\t%.0f\t%.0f\t%s\t%s\n", from.GUID, from.Port, to.GUID, to.Port, l.Used, l.Waiting, l.Filled, l.Most, study.OneField(from.Name), study.OneField(to.Name))
	}
	return b.Flush()
}
