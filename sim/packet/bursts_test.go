package packet_test

import (
	"testing"

	"weft/sim/packet"
)

// starts keeps when the messages of each stream were ordered.
type starts struct {
	*packet.Streams
	at map[int32][]packet.Time
}

// Delivered keeps the start of a message.
func (w *starts) Delivered(_ *packet.Sim, m *packet.Message) {
	w.at[m.Tag] = append(w.at[m.Tag], m.Start)
}

// bursting makes two hosts of one switch send to two others in bursts.
func bursting(t *testing.T, seed uint64, b packet.Bursts, gap, until packet.Time) *starts {
	t.Helper()
	g := qdr(graph(t, "fullmesh(1,hosts=4)"))
	w := &starts{Streams: &packet.Streams{Seed: seed}, at: map[int32][]packet.Time{}}
	for src := range int32(2) {
		w.List = append(w.List, packet.Stream{Src: src, Dst: src + 2, Bytes: 256, Gap: gap, Bursts: b})
	}
	run(t, g, planned(t, g, "minhop", 1, nil), packet.Default(), w, 0, until)
	return w
}

// TestBursts: messages are a gap apart in a burst, and a silence more from one burst to the next;
// sources do not begin together.
func TestBursts(t *testing.T) {
	const gap, on, off = 300 * packet.Nanosecond, 7 * packet.Microsecond, 13 * packet.Microsecond
	w := bursting(t, 7, packet.Bursts{On: on, Off: off}, gap, packet.Millisecond)
	for tag, at := range w.at {
		silences := 0
		for i := 1; i < len(at); i++ {
			switch step := at[i] - at[i-1]; step {
			case gap:
			case gap + off:
				silences++
			default:
				t.Fatalf("stream %d: %d ps from message %d to the next", tag, step, i)
			}
		}
		if silences < 49 || silences > 51 {
			t.Errorf("stream %d: %d silences in 50 turns of %d ps", tag, silences, on+off)
		}
		if want := 1000 * 7 / 20 * 1000 / 300; len(at) < want-25 || len(at) > want+25 {
			t.Errorf("stream %d: %d messages, want about %d", tag, len(at), want)
		}
	}
	if w.at[0][0] == w.at[1][0] {
		t.Error("both sources begin at the same time")
	}
}

// TestBurstsBegin: sources begin anywhere in a burst or silence.
func TestBurstsBegin(t *testing.T) {
	const gap, on = 100 * packet.Nanosecond, 10 * packet.Microsecond
	var lengths [10]int // of the first bursts, in tenths of a whole one
	for seed := range uint64(100) {
		for _, at := range bursting(t, seed, packet.Bursts{On: on, Off: on}, gap, 4*on).at {
			n := 1
			for ; at[n]-at[n-1] == gap; n++ {
			}
			lengths[min(n/10, 9)]++
		}
	}
	for tenth, n := range lengths[:9] {
		if n < 2 || n > 25 { // 10 on average
			t.Errorf("%d of 200 first bursts have %d to %d messages", n, tenth*10, tenth*10+9)
		}
	}
	if n := lengths[9]; n < 80 || n > 140 { // streams that begin with a silence, and a tenth of the others
		t.Errorf("%d of 200 first bursts are whole", n)
	}
}

// TestDrawnBursts: drawn bursts and silences have the lengths asked for on average, also where a
// message takes longer than a burst.
func TestDrawnBursts(t *testing.T) {
	for _, on := range []packet.Time{3 * packet.Microsecond, 100 * packet.Nanosecond} {
		const gap, turns = 300 * packet.Nanosecond, 3000
		w := bursting(t, 7, packet.Bursts{On: on, Off: 2 * on, Drawn: true}, gap, turns*3*on)
		for tag, at := range w.at {
			if want := float64(turns*on) / float64(gap); !within(float64(len(at)), want, .1) {
				t.Errorf("bursts of %d ps, stream %d: %d messages, want about %.0f", on, tag, len(at), want)
			}
			silences, lengths := 0, map[packet.Time]bool{}
			for i := 1; i < len(at); i++ {
				if step := at[i] - at[i-1]; step > gap {
					silences++
					lengths[step] = true
				}
			}
			if on > gap && !within(float64(silences), turns*(1-.05), .1) || len(lengths) < silences*9/10 {
				t.Errorf("bursts of %d ps, stream %d: %d silences of %d lengths, want about %d", on, tag, silences, len(lengths), turns)
			}
		}
	}
}

// TestParseBursts: anything but a list of times is refused.
func TestParseBursts(t *testing.T) {
	if b, err := packet.ParseBursts("on=2us,off=8us,drawn=no"); err != nil || b != (packet.Bursts{On: 2 * packet.Microsecond, Off: 8 * packet.Microsecond}) {
		t.Error(b, err)
	}
	if b, err := packet.ParseBursts("on=1ms"); err != nil || b.On != packet.Millisecond || b.Off != 0 || !b.Drawn {
		t.Error(b, err)
	}
	for _, bad := range []string{"2us", "on=2", "off=2us", "on=2us,drawn=maybe", "on=1ns", "on=-5us", "on=1us,off=2h", ","} {
		if b, err := packet.ParseBursts(bad); err == nil {
			t.Errorf("%s: %+v", bad, b)
		}
	}
}
