package telemetry

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/sm/perf"
	"weft/wire/mad"
)

// TestAt: the rate of a link at a moment is that of the reading of its port that covers the moment,
// also near the borders of rounds, where ports are read one after the other.
func TestAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const ports, rounds = 5, 4
		type span struct {
			from, to time.Time
			words    uint64
		}
		var frames []*Frame
		spans := make([][]span, ports)
		last := make([]time.Time, ports)
		for i := range last {
			last[i] = epoch.Add(time.Duration(rapid.IntRange(0, 59).Draw(t, "first")) * time.Second)
		}
		for round := 1; round <= rounds; round++ {
			end := epoch.Add(time.Duration(round)*time.Minute + 59*time.Second)
			f := frameAt(end, ports, 0)
			for i := range ports {
				c := &f.Counts[i]
				if rapid.IntRange(0, 4).Draw(t, "silent") == 0 {
					c.Took = 0
					continue
				}
				at := epoch.Add(time.Duration(round)*time.Minute + time.Duration(rapid.IntRange(0, 59).Draw(t, "at"))*time.Second)
				c.Age, c.Took, c.Grown[mad.CounterXmitData] = end.Sub(at), at.Sub(last[i]), uint64(rapid.IntRange(1, 1e6).Draw(t, "words"))
				spans[i] = append(spans[i], span{last[i], at, c.Grown[mad.CounterXmitData]})
				last[i] = at
			}
			frames = append(frames, f)
		}
		// Half a second is on no border.
		at := epoch.Add(time.Duration(rapid.IntRange(0, 300).Draw(t, "asked"))*time.Second + 500*time.Millisecond)
		want := map[fabric.GUID]float64{}
		for i := range spans {
			for _, s := range spans[i] {
				if s.from.Before(at) && s.to.After(at) {
					want[fabric.GUID(i+1)] = float64(s.words) * 32 / s.to.Sub(s.from).Seconds() / 1e9
				}
			}
		}
		m, err := At(at, frames)
		if len(want) == 0 {
			if !errors.Is(err, ErrNotKept) {
				t.Fatal(err, m)
			}
			return
		}
		if err != nil || m.Ports != len(want) || len(m.Hot) != len(want) {
			t.Fatalf("%v, %+v, want %v", err, m, want)
		}
		for i := range m.Hot {
			if h := &m.Hot[i]; h.Gbps != want[h.From.GUID] || i > 0 && h.Share > m.Hot[i-1].Share {
				t.Fatalf("%+v, want %v", m.Hot, want)
			}
		}
	})
}

// TestAtDirections: a link is listed once, by its busier direction; waits and errors are listed by
// port.
func TestAtDirections(t *testing.T) {
	f := frameAt(epoch, 2, 0)
	f.Ports[0].Peer, f.Ports[1].Peer = f.Ports[1].Name, f.Ports[0].Name
	f.Counts[0].Grown[mad.CounterXmitData], f.Counts[1].Grown[mad.CounterXmitData] = 1e9, 3e9
	f.Counts[0].Grown[mad.CounterXmitWait], f.Counts[0].Grown[mad.CounterSymbolError] = 600, 7
	m, err := At(epoch.Add(-time.Second), []*Frame{f})
	if err != nil || len(m.Hot) != 1 || m.Hot[0].From != f.Ports[1].Name || m.Hot[0].Gbps != 1.6 || m.Hot[0].Share != 0.016 {
		t.Fatalf("%v, %+v", err, m)
	}
	if len(m.Waiting) != 1 || m.Waiting[0].Wait != 10 || len(m.Errors) != 1 || m.Errors[0] != (Growth{f.Ports[0].Name, f.Ports[0].Peer, "SymbolErrorCounter", 7, 7}) {
		t.Errorf("%+v", m)
	}
	var b strings.Builder
	if err := m.Write(&b, 10); err != nil || !strings.Contains(b.String(), "leaf[1] - leaf[1]\n    1.6 Gbit/s, 1.6 %") || !strings.Contains(b.String(), "SymbolErrorCounter: 7, 7 a minute") {
		t.Errorf("%v\n%s", err, &b)
	}
}

// TestAtLimits: lists are bounded, whatever devices say; what no link carries is listed apart.
func TestAtLimits(t *testing.T) {
	f := frameAt(epoch, 300, 1)
	for i := range f.Counts {
		for n := range f.Counts[i].Grown {
			f.Counts[i].Grown[n] = 1 << 30
		}
	}
	lying := frameAt(epoch, 400, 1<<63)
	f.Ports, f.Counts = append(f.Ports, lying.Ports[300:]...), append(f.Counts, lying.Counts[300:]...)
	m, err := At(epoch, []*Frame{f})
	if err != nil || len(m.Hot) != mostListed || m.Hot[0].Share > 1 || len(m.Doubtful) != mostListed || len(m.Waiting) != mostListed || len(m.Errors) != mostListed || m.Ports != 400 {
		t.Errorf("%v, %+v", err, m)
	}
}

// TestSelect: words, names, patterns, GUIDs and single ports; what is beyond the limit is counted.
func TestSelect(t *testing.T) {
	port := func(typ, name string, guid fabric.GUID, number uint8, peer string) perf.Port {
		return perf.Port{Name: fabric.PortName{Type: typ, Name: name, GUID: guid, Port: number}, Peer: fabric.PortName{Type: peer}}
	}
	ports := []perf.Port{
		port("switch", "leaf 1", 1, 1, "CA"), port("switch", "leaf 1", 1, 2, "switch"), port("switch", "a[3]", 2, 2, "switch"), port("CA", "n1 HCA-1", 3, 1, "switch"), port("router", "r/1", 4, 1, ""),
		port("switch", "leaf 12", 5, 20, "switch"),
	}
	for rule, want := range map[string]string{
		"all": "012345", "hosts": "3", "switches": "0125", "between-switches": "125", "leaf 1": "01", "leaf 1[2]": "1", "leaf *": "015", "leaf 1?[20]": "5", "0x1": "01", "0x1[1]": "0", "n1*": "3",
		"a[3]": "", "r/1": "4", "nobody": "", "leaf 1[3]": "",
	} {
		s, err := ParseSelection([]string{rule})
		if err != nil {
			t.Fatal(rule, err)
		}
		chosen, beyond := s.Select(ports, 10)
		got := ""
		for _, i := range chosen {
			got += string(rune('0' + i))
		}
		if got != want || beyond != 0 {
			t.Errorf("%s: %s, want %s, %d beyond", rule, got, want, beyond)
		}
	}
	s, err := ParseSelection([]string{"leaf 1", "all"})
	if chosen, beyond := s.Select(ports, 2); err != nil || len(chosen) != 2 || beyond != 4 {
		t.Errorf("%v %v %d", err, chosen, beyond)
	}
	for _, bad := range []string{"", "leaf [", "0xx", "leaf 1[255]", "leaf 1[0]", "leaf 1[99999999999999999999]"} {
		if _, err := ParseSelection([]string{bad}); err == nil {
			t.Errorf("%q is a rule", bad)
		}
	}
}
