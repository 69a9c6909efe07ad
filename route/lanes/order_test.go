package lanes

import (
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
)

// rising fails unless the labels rise along the list, which has all channels.
func (o *order) rising(t rapid.TB) {
	n := int32(len(o.side))
	count := int32(0)
	for c := n; c != n+1; c = o.after[c] {
		if next := o.after[c]; o.label[o.p.place[next]] <= o.label[o.p.place[c]] || o.before[next] != c {
			t.Fatalf("channel %d with label %d is followed by %d with %d", c, o.label[o.p.place[c]], next, o.label[o.p.place[next]])
		}
		count++
	}
	if count != n+1 {
		t.Fatalf("%d channels in the list, not %d", count-1, n)
	}
}

// walk draws a way of some channels, back and forth included.
func walk(t *rapid.T, g *fabric.Graph) []hop {
	c := rapid.Int32Range(0, int32(g.NumChannels)-1).Draw(t, "first")
	var way []hop
	for range rapid.IntRange(1, 4).Draw(t, "hops") {
		out := g.OutOf(g.To[c])
		d := out[rapid.IntRange(0, len(out)-1).Draw(t, "next")]
		way = append(way, hop{c, d})
		c = d
	}
	return way
}

// TestOrder: a lane takes a way if and only if the edges stay without a cycle.
func TestOrder(t *testing.T) {
	taken, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t)
		if g.NumChannels == 0 {
			return
		}
		in, plan := minimal(t, g, 0)
		o := newOrder(ByEnd(in, plan.Tables), nil, nil)
		have := map[[2]int32]int{}
		for range rapid.IntRange(1, 40).Draw(t, "ways") {
			way := walk(t, g)
			with := map[[2]int32]int{}
			for e := range have {
				with[e] = 1
			}
			for _, h := range way {
				with[[2]int32{h.c, h.d}] = 1
			}
			all := map[[2]int32]int{}
			for e := range with {
				all[e] = 1
			}
			want := acyclic(with)
			if got := o.add(way); got != want {
				t.Fatalf("%v on %v: %v, want %v", way, have, got, want)
			}
			o.rising(t)
			if want {
				have = all
				taken++
			} else {
				refused++
			}
		}
	})
	t.Logf("%d ways taken, %d refused", taken, refused)
	if !t.Failed() && refused*10 < taken {
		t.Errorf("only %d ways of %d were refused", refused, taken+refused)
	}
}

// TestSpread: channels can be moved to one place again and again.
func TestSpread(t *testing.T) {
	g := graph(t, "torus(5x5,hosts=1)")
	in, plan := minimal(t, g, 0)
	o := newOrder(ByEnd(in, plan.Tables), nil, nil)
	for range 1000 {
		x := o.before[g.NumChannels+1] // the last
		o.move([]int32{x}, 0, o.after[0])
		o.rising(t)
		if o.after[0] != x {
			t.Fatalf("channel %d was not moved", x)
		}
	}
}
