package cables

import (
	"fmt"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/counters"
	"weft/internal/fold"
)

// counter describes a counter of cable errors or waiting.
type counter struct {
	name   string // name in the specification
	one    string // words after the number 1
	words  string // words after other numbers
	weight float64
	most   uint64 // value at which its short form stops counting, 0 for none
}

// errorCounters are the counters of errors on a cable, without counters of errors caused elsewhere.
var errorCounters = []counter{
	{"LinkDownedCounter", "time down", "times down", 1e6, 255},
	{"LinkErrorRecoveryCounter", "time recovered", "times recovered", 1e4, 255},
	{"LocalLinkIntegrityErrors", "link integrity error", "link integrity errors", 100, 15},
	{"ExcessiveBufferOverrunErrors", "buffer overrun", "buffer overruns", 100, 15},
	{"SymbolErrorCounter", "symbol error", "symbol errors", 1, 65535},
	{"PortRcvErrors", "receive error", "receive errors", 1, 65535},
}

// waitingCounters are the counters of packets that waited or were discarded before a cable.
var waitingCounters = []counter{
	{"PortXmitDiscards", "packet discarded", "packets discarded", 1e6, 65535},
	{"PortXmitWait", "tick of waiting", "ticks of waiting", 1e-6, 0},
}

// AddCounters adds the cables whose counters show errors or waiting, and notes counters of ports
// that are not in the fabric. Of several values of one counter the greatest holds.
func (r *Report) AddCounters(f *fabric.Fabric, ports []counters.Port) {
	var find *finder
	if len(ports) > 0 {
		find = newFinder(f)
	}
	values := map[fabric.End]map[string]uint64{}
	lost, first := 0, ""
	for i := range ports {
		p := &ports[i]
		end, ok := find.end(p)
		if !ok {
			if lost++; first == "" {
				first = fmt.Sprintf("%s:%d", p.File, p.Line)
			}
			continue
		}
		if values[end] == nil {
			values[end] = map[string]uint64{}
		}
		for name, v := range p.Values {
			values[end][name] = max(values[end][name], v)
		}
	}
	if lost > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("the counters of %d ports that are not in the fabric are left out, the first at %s", lost, first))
	}
	for i := range f.Links {
		l := &f.Links[i]
		ends := [2]map[string]uint64{values[l.A], values[l.B]}
		if ends[0] == nil && ends[1] == nil {
			continue
		}
		r.tell(f, fabric.LinkID(i), Errors, errorCounters, "PortRcvData", "received", ends)
		r.tell(f, fabric.LinkID(i), Waiting, waitingCounters, "PortXmitData", "sent", ends)
	}
	r.finish()
}

// tell adds a cable if a counter at one of its ends is not 0, with the bytes counted in the same
// time.
func (r *Report) tell(f *fabric.Fabric, id fabric.LinkID, kind Kind, counters []counter, data, verb string, ends [2]map[string]uint64) {
	names := f.LinkPorts(id)
	odd := Odd{Kind: kind, Ports: names}
	var text []string
	for i, values := range ends {
		var parts []string
		bytes := 4 * float64(values[data])
		for _, c := range counters {
			v := values[c.name]
			if v == 0 {
				continue
			}
			more := ""
			if v == c.most {
				more = "at least "
			}
			parts = append(parts, more+fold.Count(v, c.one, c.words))
			odd.weight += float64(v) * c.weight
			count := Count{Port: names[i], Name: c.name, Value: v}
			if bytes > 0 {
				count.PerByte = float64(v) / bytes
			}
			odd.Counters = append(odd.Counters, count)
		}
		if len(parts) == 0 {
			continue
		}
		if bytes > 0 {
			parts = append(parts, "in "+bytesText(bytes)+" "+verb)
		}
		node := names[i]
		node.Port = 0
		text = append(text, NamePorts(r.short, []fabric.PortName{node})+": "+strings.Join(parts, ", "))
	}
	if odd.Text = strings.Join(text, "; "); odd.Text != "" {
		r.Cables = append(r.Cables, odd)
	}
}

// bytesText formats a number of bytes.
func bytesText(n float64) string {
	for _, unit := range []string{"bytes", "kB", "MB", "GB", "TB"} {
		if n < 1000 {
			return fmt.Sprintf("%.3g %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.3g PB", n)
}

// finder finds ports of a fabric by their names in files of counters.
type finder struct {
	f      *fabric.Fabric
	byGUID map[fabric.GUID][]fabric.NodeID // by GUID of node or port
	byLID  map[fabric.LID]fabric.NodeID
}

func newFinder(f *fabric.Fabric) *finder {
	find := &finder{f: f, byGUID: map[fabric.GUID][]fabric.NodeID{}, byLID: map[fabric.LID]fabric.NodeID{}}
	add := func(g fabric.GUID, id fabric.NodeID) {
		if list := find.byGUID[g]; g != 0 && (len(list) == 0 || list[len(list)-1] != id) {
			find.byGUID[g] = append(list, id)
		}
	}
	for i := range f.Nodes {
		n, id := &f.Nodes[i], fabric.NodeID(i)
		add(n.GUID, id)
		for _, p := range n.Ports {
			if add(p.GUID, id); p.LID != 0 {
				for k := range fabric.LID(1) << p.LMC {
					find.byLID[p.LID+k] = id
				}
			}
		}
	}
	return find
}

// end finds the port of some counters. One GUID may belong to a node and to a port of another node.
func (find *finder) end(p *counters.Port) (fabric.End, bool) {
	var nodes []fabric.NodeID
	if id, ok := find.byLID[p.LID]; ok && p.GUID == 0 {
		nodes = []fabric.NodeID{id}
	}
	if p.GUID != 0 {
		nodes = find.byGUID[p.GUID]
	}
	for _, id := range nodes {
		if n := &find.f.Nodes[id]; p.Port > 0 && int(p.Port) <= n.NumPorts() {
			return fabric.End{Node: id, Port: p.Port}, true
		}
	}
	return fabric.End{}, false
}
