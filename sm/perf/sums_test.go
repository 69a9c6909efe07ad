package perf

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/wire/mad"
)

// sumKind says how a device answers for the sums of its ports.
type sumKind int

const (
	noSums    sumKind = iota
	honest            // with what was counted at ports without a cable
	refusing          // though it says that it has them
	zeros             // whatever its ports have counted
	frozen            // at the first answer
	firstPort         // in place of all ports
	wrapping          // modulo the size of the field, in place of stopping there
)

// sum answers PortCounters of all ports.
func (d *device) sum(data []byte) Outcome {
	var total [mad.NumCounters]uint64
	for p, has := range d.has {
		for c := range total {
			if d.sums != firstPort || p == d.port {
				total[c] += min(has[c], mostOf(c))
			}
		}
	}
	switch d.sums {
	case noSums, refusing:
		return Refused
	case zeros:
		return Answered
	case frozen:
		if d.ice == nil {
			d.ice = &total
		}
		total = *d.ice
	case wrapping:
		for c := range total {
			total[c] &= mostOf(c)
		}
	case honest:
		total[mad.CounterSymbolError] += d.elsewhere
	case firstPort:
	}
	for c, f := range mad.PortCountersField {
		f.Put(data, min(total[c], mostOf(c)))
	}
	return Answered
}

// newSums makes a subnet of devices whose PortCountersExtended have no errors.
func newSums(t rapid.TB, formula string, kind func(i int) sumKind) *world {
	w := newWorld(t, formula, Config{Interval: time.Second}, func(i int, d *device) { d.ext, d.sums = true, kind(i) })
	for i, a := range w.subnet.Agents {
		w.devices[i].port = a.Ports[0]
	}
	return w
}

// rounds runs the Monitor until some rounds have ended.
func (w *world) rounds(n int) {
	for range n {
		for was := w.m.Report(); w.m.Report() == was; {
			w.run(w.now+5*time.Millisecond, nil)
		}
	}
}

// TestSums: a Monitor that reads sums reports all that one reports which reads every port: at the
// end of each round if the sums are right, and after mostTrusted rounds whatever a switch answers.
// Others may clear counters at any time: what they clear before a reading is lost for both.
func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		lies := rapid.Bool().Draw(t, "lies")
		clears := !lies && rapid.Bool().Draw(t, "cleared by others")
		w := newSums(t, "rlft(4,2)", func(int) sumKind {
			if lies {
				return sumKind(rng.IntN(int(wrapping) + 1))
			}
			return sumKind(rng.IntN(int(refusing) + 1))
		})
		all := newSums(t, "rlft(4,2)", func(int) sumKind { return noSums })
		both := func(do func(d *device, p uint8)) {
			i := rng.IntN(len(w.devices))
			p := w.subnet.Agents[i].Ports[rng.IntN(len(w.subnet.Agents[i].Ports))]
			do(w.devices[i], p)
			do(all.devices[i], p)
		}
		rounds := func(n int) {
			w.rounds(n)
			all.rounds(n)
		}
		rounds(2)
		for range 30 {
			for range rng.IntN(3) {
				counter, by := rng.IntN(mad.NumCounters), rng.Uint64N([]uint64{3, 20, 300, 70000}[rng.IntN(4)])
				both(func(d *device, p uint8) { d.count(p, counter, by) })
			}
			if rng.IntN(3) == 0 {
				w.devices[rng.IntN(len(w.devices))].elsewhere += rng.Uint64N(50)
			}
			if clears && rng.IntN(4) == 0 {
				both(func(d *device, p uint8) {
					for c := range d.has[p] {
						d.back(p, c)
					}
				})
			}
			if rounds(1); !lies && !clears {
				compare(t, w, all)
			}
		}
		rounds(mostTrusted + 1)
		compare(t, w, all)
	})
}

// compare compares the totals of two worlds.
func compare(t *rapid.T, a, b *world) {
	for i, p := range a.m.ports {
		q := b.m.ports[i]
		for c := range p.total {
			if p.total[c] != q.total[c] {
				t.Fatalf("at %v, %v, %s of a device with sums %d: %d, and %d when all ports are read", a.now, p.end, Name(c), a.devices[p.agent.index].sums, p.total[c], q.total[c])
			}
		}
	}
}

// TestSumsSave: while nothing is counted, a switch needs one request more than it has ports, and
// not two per port; an error is reported in the next round.
func TestSumsSave(t *testing.T) {
	w := newSums(t, "rlft(8,2)", func(int) sumKind { return honest })
	w.rounds(3)
	switches, hosts, ports := 0, 0, len(w.m.ports)
	for _, a := range w.subnet.Agents {
		if len(a.Ports) > 1 {
			switches++
		} else {
			hosts++
		}
	}
	if r := w.m.Report(); r.Requests != ports+hosts+switches {
		t.Errorf("%d requests for %d ports of %d switches and %d hosts", r.Requests, ports, switches, hosts)
	}
	for i, a := range w.subnet.Agents {
		if len(a.Ports) > 1 {
			w.devices[i].count(a.Ports[2], mad.CounterSymbolError, 11)
			break
		}
	}
	w.rounds(1)
	if r := w.m.Report(); r.Counters[mad.CounterSymbolError].Total != 11 || len(r.Over) != 1 || r.Requests <= ports+hosts+switches {
		t.Errorf("%+v, %+v, %d requests", r.Counters[mad.CounterSymbolError], r.Over, r.Requests)
	}
}

// TestWrongSums: a switch whose sums are wrong is found out, and read like one without them.
func TestWrongSums(t *testing.T) {
	for kind := zeros; kind <= wrapping; kind++ {
		w := newSums(t, "rlft(8,2)", func(int) sumKind { return kind })
		for range 50 {
			for i, a := range w.subnet.Agents {
				for _, p := range a.Ports {
					w.devices[i].count(p, mad.CounterRcvErrors, 3)
					w.devices[i].count(p, mad.CounterLocalLinkIntegrity, 1)
				}
			}
			w.rounds(1)
		}
		for _, a := range w.m.agents {
			if len(a.ports) > 1 && a.sums.can {
				t.Errorf("kind %d: the sums of %v are believed", kind, a.home)
				break
			}
		}
	}
}

// TestSumsHide: what sums could hide is found in the next round, or in the one after it if others
// have cleared counters.
func TestSumsHide(t *testing.T) {
	w := newSums(t, "rlft(8,2)", func(int) sumKind { return honest })
	i := 0
	for len(w.subnet.Agents[i].Ports) == 1 {
		i++
	}
	d, ports := w.devices[i], w.subnet.Agents[i].Ports
	total := func(counter int) (n uint64) {
		for _, p := range w.m.agents[i].ports {
			n += p.total[counter]
		}
		return n
	}
	w.rounds(2)
	for _, p := range ports {
		d.count(p, mad.CounterXmitPkts, 100)
		d.count(p, mad.CounterLocalLinkIntegrity, 8) // their sum has stopped at 15
	}
	w.rounds(2)
	d.count(ports[1], mad.CounterLocalLinkIntegrity, 1)
	w.rounds(1)
	if got, want := total(mad.CounterLocalLinkIntegrity), uint64(8*len(ports)+1); got != want {
		t.Errorf("a sum at its maximum: %d errors, want %d", got, want)
	}
	for _, p := range ports { // no sum at its maximum
		d.back(p, mad.CounterLocalLinkIntegrity)
	}
	d.count(ports[0], mad.CounterSymbolError, 5)
	w.rounds(3)
	for c := range d.has[ports[0]] {
		d.back(ports[0], c)
	}
	d.count(ports[1], mad.CounterSymbolError, 5) // the sum is as before
	w.rounds(2)
	if got := total(mad.CounterSymbolError); got != 10 {
		t.Errorf("a cleared port: %d errors, want 10", got)
	}
}
