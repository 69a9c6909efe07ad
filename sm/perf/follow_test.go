package perf

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/wire/mad"
)

// extendedAll makes every device count all in 64 bits.
func extendedAll(_ int, d *device) { d.ext, d.errors = true, true }

// part has the Monitor follow the subnet without some nodes and cables, as a round of the manager
// finds it. Devices that are away do not answer.
func (w *world) part(nodes map[fabric.NodeID]bool, links map[fabric.LinkID]bool) {
	all := w.subnet.Fabric
	f := all.Without(func(n fabric.NodeID) bool { return nodes[n] }, func(l fabric.LinkID) bool { return links[l] })
	for i, a := range w.subnet.Agents {
		w.devices[i].silent = nodes[a.Node]
	}
	w.m.Follow(w.now, NewSubnet(f, func(fabric.LID) uint8 { return 3 }))
}

// agentOf returns the index of the agent of a port.
func (w *world) agentOf(e fabric.End) int {
	for i, a := range w.subnet.Agents {
		if a.Node == e.Node && (a.Ports[0] == e.Port || w.subnet.Fabric.Nodes[e.Node].Type == fabric.Switch) {
			return i
		}
	}
	w.t.Fatalf("no agent for %v", e)
	return -1
}

// link returns the first link between switches, or to a host.
func (w *world) link(switches bool) fabric.LinkID {
	for i := range w.subnet.Fabric.Links {
		if w.subnet.Fabric.IsSwitchLink(fabric.LinkID(i)) == switches {
			return fabric.LinkID(i)
		}
	}
	w.t.Fatal("no such link")
	return fabric.NoLink
}

// host returns the index of the first agent of a host.
func (w *world) host() int {
	return slices.IndexFunc(w.subnet.Agents, func(a Agent) bool { return w.subnet.Fabric.Nodes[a.Node].Type == fabric.CA })
}

// symbols returns the total of symbol errors.
func symbols(r *Report) uint64 { return r.Counters[mad.CounterSymbolError].Total }

// TestRebootedHost: a host is rebooted every 5 s, with a round of the manager at each end. All
// others are read as often as without it, the last report stays, and errors elsewhere are told.
func TestRebootedHost(t *testing.T) {
	w := newWorld(t, "rlft(8,2)", Config{Interval: 10 * time.Second}, extendedAll)
	w.run(11*time.Second, nil)
	usual := len(w.asked)
	host := w.subnet.Agents[w.host()].Node
	bad := w.subnet.Fabric.Links[w.link(true)].A
	d := w.devices[w.agentOf(bad)]
	passed := 0
	for i := range 12 {
		w.m.Configure(w.now, Config{Interval: 10 * time.Second}) // nothing new
		w.part(map[fabric.NodeID]bool{host: i%2 == 0}, nil)
		w.run(w.now+5*time.Second, nil)
		d.count(bad.Port, mad.CounterSymbolError, 3500)
		if w.m.Report() == nil {
			t.Fatalf("no report after %d reboots", i)
		}
		for _, e := range w.m.Events() {
			if e.Passed && e.Port == w.subnet.Fabric.PortName(bad) {
				passed++
			}
		}
	}
	w.run(w.now+20*time.Second, nil)
	r := w.m.Report()
	if symbols(r) != 12*3500 || passed != 1 {
		t.Errorf("%d errors in the report, told %d times", symbols(r), passed)
	}
	if n := len(w.asked); n > usual*10 || n < usual*6 {
		t.Errorf("%d requests in 91 s, want those of 9 rounds of %d", n, usual)
	}
}

// TestRebootedDevice: the counters of a host that was away begin again at 0. That is a reset, and
// what it counts from then on adds up.
func TestRebootedDevice(t *testing.T) {
	w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second}, extendedAll)
	host := w.subnet.Agents[w.host()]
	d, port := w.devices[w.host()], host.Ports[0]
	w.run(1500*time.Millisecond, nil)
	d.count(port, mad.CounterSymbolError, 100)
	w.run(2500*time.Millisecond, nil)
	w.part(map[fabric.NodeID]bool{host.Node: true}, nil)
	d.back(port, mad.CounterSymbolError)
	w.run(4500*time.Millisecond, nil)
	if r := w.m.Report(); symbols(r) != 100 {
		t.Errorf("%d errors while it is away", symbols(r))
	}
	w.part(nil, nil)
	d.count(port, mad.CounterSymbolError, 7)
	w.run(7*time.Second, nil)
	if r := w.m.Report(); symbols(r) != 107 || r.All.SetBack != 1 || r.Unread != 0 {
		t.Errorf("%d errors, %d counters were set back, %d ports unread", symbols(r), r.All.SetBack, r.Unread)
	}
}

// TestFlappingCable: a cable that is never up when the counters are read, or whose host is away
// then, does not hide its errors: its switch port is read all the same, it has an event, and it is
// among the cables to inspect by both of its ends.
func TestFlappingCable(t *testing.T) {
	for name, switches := range map[string]bool{"of a host": false, "between switches": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "rlft(8,2)", Config{Interval: 10 * time.Second}, extendedAll)
			f := w.subnet.Fabric
			at := w.link(switches)
			link := &f.Links[at]
			bad, peer := link.A, link.B
			nodes := map[fabric.NodeID]bool{}
			if f.Nodes[bad.Node].Type != fabric.Switch {
				bad, peer = peer, bad
			}
			if f.Nodes[peer.Node].Type != fabric.Switch {
				nodes[peer.Node] = true
			}
			w.run(11*time.Second, nil)
			passed := false
			for range 6 {
				w.part(nodes, map[fabric.LinkID]bool{at: true})
				w.devices[w.agentOf(bad)].count(bad.Port, mad.CounterSymbolError, 500)
				w.run(w.now+9*time.Second, nil) // it is away when a round ends
				for _, e := range w.m.Events() {
					passed = passed || e.Passed && e.Port == f.PortName(bad)
				}
				w.part(nil, nil)
				w.run(w.now+time.Second, nil)
			}
			w.part(nodes, map[fabric.LinkID]bool{at: true})
			w.run(w.now+20*time.Second, nil)
			r := w.m.Report()
			if symbols(r) != 3000 || !passed {
				t.Errorf("%d errors, told %t", symbols(r), passed)
			}
			if len(r.Odd) == 0 || r.Odd[0].Kind != "errors" || r.OddCounts["errors"] != 1 {
				t.Fatalf("cables to inspect: %+v", r.Odd)
			}
			ends := map[fabric.PortName]bool{r.Odd[0].Ports[0]: true, r.Odd[0].Ports[1]: true}
			if !ends[f.PortName(bad)] || !ends[f.PortName(peer)] {
				t.Errorf("the cable is %v", r.Odd[0].Ports)
			}
		})
	}
}

// TestTotalsOfParts: hosts and cables come and go at any time, devices restart. The totals never
// fall and are never more than the truth, the report stays, and in the end nothing is missing but
// what was in counters when they were set back.
func TestTotalsOfParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second, Window: 3}, extendedAll)
		delay := func() time.Duration { return time.Duration(rng.IntN(20)) * time.Millisecond }
		w.run(2500*time.Millisecond, delay)
		f, last := w.subnet.Fabric, uint64(0)
		truth, lost := uint64(0), uint64(0)
		for range 30 {
			nodes, links := map[fabric.NodeID]bool{}, map[fabric.LinkID]bool{}
			for i := range f.Nodes {
				nodes[fabric.NodeID(i)] = f.Nodes[i].Type != fabric.Switch && rng.IntN(4) == 0
			}
			for i := range f.Links {
				links[fabric.LinkID(i)] = f.IsSwitchLink(fabric.LinkID(i)) && rng.IntN(4) == 0
			}
			w.part(nodes, links)
			for i, a := range w.subnet.Agents {
				for _, p := range a.Ports {
					if rng.IntN(10) == 0 {
						w.devices[i].back(p, mad.CounterSymbolError)
					}
					n := rng.Uint64N(5)
					w.devices[i].count(p, mad.CounterSymbolError, n)
					truth += n
				}
			}
			w.run(w.now+time.Duration(rng.IntN(900))*time.Millisecond, delay)
			r := w.m.Report()
			if r == nil || symbols(r) < last || symbols(r) > truth {
				t.Fatalf("%+v after a total of %d; the truth is %d", r, last, truth)
			}
			last = symbols(r)
		}
		w.part(nil, nil)
		w.run(w.now+3*time.Second, delay)
		for i, a := range w.subnet.Agents {
			for _, p := range a.Ports {
				lost += w.devices[i].lost[p][mad.CounterSymbolError]
			}
		}
		if r := w.m.Report(); r.Unread > 0 || r.Ports != 2*len(f.Links) || truth-symbols(r) > lost {
			t.Fatalf("%d ports unread, %d of %d errors, %d at most may be lost", r.Unread, symbols(r), truth, lost)
		}
	})
}

// TestSilentTotal: a port that does not answer in a round stays in the totals, which never fall.
func TestSilentTotal(t *testing.T) {
	w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second}, extendedAll)
	w.run(1500*time.Millisecond, nil)
	w.devices[0].count(w.subnet.Agents[0].Ports[0], mad.CounterSymbolError, 100)
	w.run(2500*time.Millisecond, nil)
	w.devices[0].silent = true
	w.run(4500*time.Millisecond, nil)
	if r := w.m.Report(); r.Unread == 0 || symbols(r) != 100 || r.Counters[mad.CounterSymbolError].Grown != 0 {
		t.Errorf("%d ports unread, %+v", r.Unread, r.Counters[mad.CounterSymbolError])
	}
}

// TestConfigure: another interval holds at once, also in the middle of a long round, and drops no
// counts.
func TestConfigure(t *testing.T) {
	w := newWorld(t, "rlft(4,2)", Config{Interval: time.Second}, extendedAll)
	w.run(1500*time.Millisecond, nil)
	w.devices[0].count(w.subnet.Agents[0].Ports[0], mad.CounterSymbolError, 100)
	w.run(2500*time.Millisecond, nil)
	w.m.Configure(w.now, Config{Interval: time.Hour})
	w.run(time.Minute, nil)
	w.m.Configure(w.now, Config{Interval: 2 * time.Second})
	w.run(w.now+5*time.Second, nil)
	if r := w.m.Report(); symbols(r) != 100 || r.Interval != 2 || r.Seconds > 2 || r.All.SetBack != 0 {
		t.Errorf("%d errors, a round of %.3g s every %.3g s", symbols(r), r.Seconds, r.Interval)
	}
}

// TestForget: the history of ports that are away is bounded; their sums are not lost.
func TestForget(t *testing.T) {
	m := New(Config{Interval: time.Second})
	const switches, hosts = 70, 250
	for turn := range 2 {
		f := fabric.New("many")
		for i := range switches {
			sw, err := f.AddNode(fabric.Switch, fabric.GUID(1<<40+i), hosts, "")
			if err != nil {
				t.Fatal(err)
			}
			f.Nodes[sw].Ports[0].LID = fabric.LID(i + 1)
			for p := range hosts {
				h, err := f.AddNode(fabric.CA, fabric.GUID((turn+1)<<32+i<<16+p), 1, fmt.Sprint(i, p))
				if err == nil {
					_, err = f.Connect(fabric.End{Node: sw, Port: uint8(p + 1)}, fabric.End{Node: h, Port: 1}, 4, fabric.HDR)
				}
				if err != nil {
					t.Fatal(err)
				}
				f.Nodes[h].Ports[1].LID = fabric.LID(switches + i*hosts + p + 1)
			}
		}
		m.Follow(time.Second, NewSubnet(f, func(fabric.LID) uint8 { return 0 }))
		for _, p := range m.ports {
			if turn == 0 {
				p.grow(mad.CounterSymbolError, 1)
			}
		}
	}
	if away := len(m.all) - len(m.ports); away != mostAway {
		t.Errorf("%d ports that are away are remembered", away)
	}
	m.makeReport(2 * time.Second)
	if got := symbols(m.Report()); got != 2*switches*hosts {
		t.Errorf("%d of %d errors are left", got, 2*switches*hosts)
	}
}
