package congestion

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	simcongestion "weft/sim/congestion"
	"weft/wire/mad"
)

// port is a device as it answers.
type port struct {
	has     map[[2]uint32][]byte // by attribute and modifier
	room    int
	without bool
	silent  bool
	lies    bool // it takes nothing
	sets    int
}

func (p *port) answer(a *Ask) (Outcome, []byte) {
	data := make([]byte, dataSize)
	at := [2]uint32{uint32(a.Attr), a.Modifier}
	switch {
	case p.silent:
		return Silent, nil
	case p.without, a.Attr == mad.AttrCongestionControlTable && int(a.Modifier) >= p.room:
		return Refused, data
	case a.Attr == mad.AttrCongestionInfo:
		mad.CongestionInfoTableCap.Put(data, uint64(p.room))
		return Answered, data
	case a.Method == mad.Set:
		p.sets++
		if !p.lies {
			p.has[at] = bytes.Clone(a.Data[:])
		}
	}
	copy(data, p.has[at])
	return Answered, data
}

func controlOf(t rapid.TB, text string) *simcongestion.Control {
	c, err := simcongestion.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Whatever the devices are, and in whatever order they answer: each that can be told has the
// settings of the simulator, no one is told what it has, and the report counts them. In a second
// list only those that have restarted are told again.
func TestSetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"on", "threshold=3,rate=7,size=2,victims=yes,increase=4,limit=50,least=2,timer=102.4us", "limit=63", "limit=64", ""}).Draw(t, "settings")
		set := Settings{Control: controlOf(t, text), Key: 5}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var list []Device
		ports := map[fabric.LID]*port{}
		for i := range rapid.IntRange(0, 30).Draw(t, "devices") {
			d := Device{GUID: fabric.GUID(i + 1), Port: uint8(rng.IntN(3)), LID: fabric.LID(i + 1), SL: uint8(i % 16), Ports: 36}
			if d.Port == 0 {
				d.ToHosts = []uint8{1, 9, 36}
			}
			list = append(list, d)
			p := &port{has: map[[2]uint32][]byte{}, room: 1 + rng.IntN(3), without: rng.IntN(8) == 0, silent: rng.IntN(8) == 0, lies: rng.IntN(8) == 0}
			if d.Port == 0 {
				p.room = 0
			}
			ports[d.LID] = p
		}
		s := New(set)
		now := time.Duration(0)
		run := func(until time.Duration) {
			var under []*Ask
			for {
				a, wake := s.Next(now)
				if a != nil {
					if under = append(under, a); len(under) > atOnce || a.Key != 5 {
						t.Fatalf("%d requests under way", len(under))
					}
					if rng.IntN(2) == 0 {
						continue
					}
				}
				if len(under) > 0 {
					i := rng.IntN(len(under))
					b := under[i]
					under = append(under[:i], under[i+1:]...)
					outcome, data := ports[b.LID].answer(b)
					s.Ended(now, b.Tag, outcome, data)
					s.Ended(now, b.Tag, Silent, nil) // late: changes nothing
					continue
				}
				if wake > until {
					now = until
					return
				}
				now = max(now, wake)
			}
		}
		verify := func() {
			var want Report
			for _, d := range list {
				p := ports[d.LID]
				switch {
				case p.silent:
					want.Silent++
				case p.without:
					want.Without++
				case p.lies:
					want.NotTaken++
				case d.Port == 0:
					want.Switches++
				default:
					want.Adapters++
				}
			}
			if got := s.Report(); got != want {
				t.Fatalf("%+v, want %+v", got, want)
			}
			for _, d := range list {
				p := ports[d.LID]
				if p.silent || p.without || p.lies || set.Control == nil {
					continue
				}
				sw, ca := p.has[[2]uint32{uint32(mad.AttrSwitchCongestionSetting)}], p.has[[2]uint32{uint32(mad.AttrCACongestionSetting)}]
				table := [][]byte{p.has[[2]uint32{uint32(mad.AttrCongestionControlTable), 0}], p.has[[2]uint32{uint32(mad.AttrCongestionControlTable), 1}]}
				want := *set.Control
				if d.Port == 0 {
					got := Control(sw, make([]byte, dataSize), [][]byte{make([]byte, dataSize)})
					mask := mad.SwitchCongestionSettingVictimMask.Get(sw)
					for n := range 40 {
						marks := mask[31-n/8]>>(n%8)&1 == 1
						if marks != (n == 1 || n == 9 || n == 36 || want.MarkVictims && n >= 1 && n <= 36) {
							t.Fatalf("port %d marks: %v", n, marks)
						}
					}
					if got.Threshold != want.Threshold || got.MarkingRate != want.MarkingRate || got.PacketSize != want.PacketSize {
						t.Fatalf("the switch has %+v, want %+v", got, want)
					}
					continue
				}
				got := Control(make([]byte, dataSize), ca, table)
				want.Limit = min(want.Limit, uint16(p.room*64-1))
				want.Table = want.Table[:want.Limit+1]
				got.Threshold, got.MarkingRate, got.PacketSize, got.MarkVictims = want.Threshold, want.MarkingRate, want.PacketSize, want.MarkVictims
				if !reflect.DeepEqual(*got, want) {
					t.Fatalf("the adapter has\n%+v, want\n%+v", *got, want)
				}
			}
		}
		if set.Control == nil {
			for _, p := range ports {
				p.lies = false
			}
		}
		s.Follow(list)
		run(time.Second)
		verify()
		for i := range list {
			p := ports[list[i].LID]
			p.sets = 0
			if rng.IntN(3) == 0 {
				list[i].Since = 2
				clear(p.has)
			}
		}
		s.Follow(list)
		run(now + time.Second)
		verify()
		for i := range list {
			if p := ports[list[i].LID]; p.sets > 0 && list[i].Since == 0 && !p.silent {
				t.Fatalf("device %d is told again", i)
			}
		}
		for _, p := range ports {
			p.silent = false
		}
		run(now + 2*time.Hour)
		verify()
	})
}
