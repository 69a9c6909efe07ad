package packets

import (
	"bufio"
	"fmt"
	"io"

	"weft/fabric"
	"weft/sim/packet"
	"weft/study"
)

// HostRate holds the rates of a host port in a run, in Gbit/s: bytes sent on the wire, with
// headers, and payload received.
type HostRate struct {
	Port        fabric.PortName
	Sent, Taken float64
	Packets     int64 // received
}

// FlowRate holds the rate at which one host port received data from another in a run.
type FlowRate struct {
	From, To fabric.PortName
	Gbps     float64 // of payload
	Packets  int64
	Latency  float64 // mean of its packets, in nanoseconds
}

// hostsAndFlows lists the rates of a run.
func (j *job) hostsAndFlows(run *oneRun) (hosts []HostRate, flows []FlowRate) {
	r := run.result
	gbps := func(bytes int64) float64 { return float64(bytes) * 8000 / float64(j.window(r)) }
	for _, e := range run.hosts {
		hosts = append(hosts, HostRate{j.g.EndName(e), gbps(r.Carried[len(j.g.Attached)+int(e)]), gbps(r.Bytes[e]), r.Packets[e]})
	}
	if run.flows != nil {
		for _, f := range run.flows.List() {
			latency := float64(f.Latency) / float64(f.Packets) / float64(packet.Nanosecond)
			flows = append(flows, FlowRate{j.g.EndName(f.Src), j.g.EndName(f.Dst), gbps(f.Bytes), f.Packets, latency})
		}
	}
	return hosts, flows
}

// WriteHosts writes a line of names, and one for each host port that takes part.
func (o *Simulation) WriteHosts(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "guid\tport\tsent_gbps\ttaken_gbps\tpackets_taken\tname")
	for i := range o.Hosts {
		h := &o.Hosts[i]
		fmt.Fprintf(b, "%s\t%d\t%.6g\t%.6g\t%d\t%s\n", h.Port.GUID, h.Port.Port, h.Sent, h.Taken, h.Packets, study.OneField(h.Port.Name))
	}
	return b.Flush()
}

// WriteFlows writes a line of names, and one for each pair of host ports with received packets.
func (o *Simulation) WriteFlows(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "from_guid\tfrom_port\tto_guid\tto_port\tgbps\tpackets\tlatency_ns\tfrom_name\tto_name")
	for i := range o.Flows {
		f := &o.Flows[i]
		fmt.Fprintf(b, "%s\t%d\t%s\t%d\t%.6g\t%d\t%.1f\t%s\t%s\n", f.From.GUID, f.From.Port, f.To.GUID, f.To.Port, f.Gbps, f.Packets, f.Latency, study.OneField(f.From.Name), study.OneField(f.To.Name))
	}
	return b.Flush()
}
