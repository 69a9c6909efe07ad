package cables

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/fabric/netfile/counters"
)

// TestCounters: counters are matched by GUID of node or port and by LID, and listed with their
// cable. Counters that are 0, or of unknown ports, are not listed.
func TestCounters(t *testing.T) {
	f := generated(t, "rlft(4,2)")
	leaf, host := fabric.NodeID(-1), fabric.NodeID(-1)
	for i := range f.Nodes {
		switch f.Nodes[i].Desc {
		case "leaf 1":
			leaf = fabric.NodeID(i)
		case "host 5":
			host = fabric.NodeID(i)
		}
	}
	f.Nodes[leaf].Ports[0].LID, f.Nodes[leaf].Ports[0].LMC = 8, 1
	values := func(pairs ...any) map[string]uint64 {
		m := map[string]uint64{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i].(string)] = uint64(pairs[i+1].(int))
		}
		return m
	}
	r := Of(f, f.Compile(), nil)
	r.AddCounters(f, []counters.Port{
		{GUID: f.Nodes[leaf].GUID, Port: 3, Values: values("SymbolErrorCounter", 17, "PortRcvData", 250)},
		{LID: 9, Port: 3, Values: values("SymbolErrorCounter", 16, "LinkDownedCounter", 255, "PortXmitWait", 0)},
		{GUID: f.Nodes[host].Ports[1].GUID, Port: 1, Values: values("PortXmitDiscards", 3, "PortXmitData", 1000, "VL15Dropped", 4)},
		{LID: 77, Port: 1, File: "c", Line: 5, Values: values("SymbolErrorCounter", 1)},
		{LID: 8, Port: 0, File: "c", Line: 6, Values: values("SymbolErrorCounter", 1)},
	})
	var got []string
	for i := range r.Cables {
		o := &r.Cables[i]
		got = append(got, string(o.Kind)+": "+r.Name(o)+": "+o.Text)
	}
	want := []string{
		"errors: leaf 1[3] - spine 0[2]: leaf 1: at least 255 times down, 17 symbol errors, in 1 kB received",
		"waiting: host 5[1] - leaf 2[2]: host 5: 3 packets discarded, in 4 kB sent",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if c := r.Cables[0].Counters; len(c) != 2 || c[1].Value != 17 || c[1].PerByte != .017 || c[1].Port.Port != 3 {
		t.Errorf("%+v", c)
	}
	if want := []string{"the counters of 2 ports that are not in the fabric are left out, the first at c:5"}; !slices.Equal(r.Notes, want) {
		t.Errorf("notes %q", r.Notes)
	}
	if r.Counts[Errors] != 1 || r.Counts[Waiting] != 1 {
		t.Errorf("counts %v", r.Counts)
	}
}

// TestSlow: a cable is slow where its like, the one beside it, or both its ends do better; never
// where it is as most of its like, or as good as its lesser end can be.
func TestSlow(t *testing.T) {
	f := generated(t, "pgft(2;4,4;1,2;1,2)")
	var ups, hosts []fabric.LinkID
	for i := range f.Links {
		if id := fabric.LinkID(i); f.IsSwitchLink(id) {
			ups = append(ups, id)
		} else {
			hosts = append(hosts, id)
			f.Links[i].Speed = fabric.FDR // all of them: by design
		}
	}
	if odd := slow(f); len(odd) != 0 {
		t.Errorf("whole: %+v", odd)
	}
	f.Links[ups[3]].Speed = fabric.DDR
	f.Links[ups[9]].Width = 1
	f.Links[hosts[2]].Width = 1
	f.Links[ups[5]].Speed = fabric.SpeedUnknown
	var got []fabric.GUID
	for _, o := range slow(f) {
		got = append(got, o.Ports[0].GUID, o.Ports[1].GUID)
	}
	var want []fabric.GUID
	for _, id := range []fabric.LinkID{hosts[2], ups[3], ups[9]} {
		for _, p := range f.LinkPorts(id) {
			want = append(want, p.GUID)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("slow: %v, want %v", got, want)
	}
}
