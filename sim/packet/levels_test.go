package packet_test

import (
	"testing"

	"weft/route/levels"
	"weft/sim/packet"
)

// TestShares: two levels of 3 to 1 get 3 to 1 of a hot link, though the lesser one has three
// streams; either gets all of it alone. A high-priority level gets what it sends, except for a
// packet of others after every 64 KB.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		name    string
		file    string
		mtu     int
		streams []uint8 // levels
		want    []float64
	}{
		{"3:1", "a share=1\nb share=3", 2048, []uint8{0, 0, 1}, []float64{.25, .75}},
		{"3:1 of 4096", "a share=1\nb share=3", 4096, []uint8{0, 0, 1}, []float64{.25, .75}},
		{"3:1 of 1024", "a share=1\nb share=3", 1024, []uint8{0, 0, 1}, []float64{.25, .75}},
		{"in percent", "a share=75\nb share=25", 2048, []uint8{0, 1, 1}, []float64{.75, .25}},
		{"5:1", "a share=5\nb share=1", 4096, []uint8{0, 1, 1}, []float64{5. / 6, 1. / 6}},
		{"three", "a share=1\nb share=2\nc share=3", 4096, []uint8{0, 1, 2}, []float64{1. / 6, 2. / 6, 3. / 6}},
		{"nobody else", "a share=1\nb share=3", 2048, []uint8{0, 0, 0}, []float64{1, 0}},
		{"high", "a share=1\nb share=1 priority=high", 2048, []uint8{0, 0, 1}, []float64{1. / 32, 31. / 32}},
	} {
		g := dumbbell(t)
		p := planned(t, g, "minhop", 8, nil)
		list, err := levels.Read("f", []byte(c.file))
		if err != nil {
			t.Fatal(err)
		}
		if err := list.Give(g, p, 8); err != nil {
			t.Fatal(err)
		}
		config := packet.Default()
		config.MTU, config.Buffer = c.mtu, 64<<10
		from := []int32{0, 1, 2}
		w := across(g, from...)
		for i, level := range c.streams {
			w.List[i].Level = level
		}
		got := make([]float64, len(list))
		for i, rate := range deliveredBy(t, g, p, config, w) {
			got[c.streams[i]] += rate
		}
		sum := 0.0
		for _, rate := range got {
			sum += rate
		}
		for i, want := range c.want {
			if share := got[i] / sum; !(share > want-.01 && share < want+.01) || !within(sum, 32_000, .015) {
				t.Errorf("%s: level %s has %.4f of the link, want %.4f", c.name, list[i].Name, share, want)
			}
		}
	}
}
