package quality

import (
	"slices"
	"testing"

	"weft/fabric"
	"weft/route"
)

// TestHottest: the channels with the most paths, and who uses them, are those that a walk of every
// pair finds.
func TestHottest(t *testing.T) {
	for _, c := range []struct {
		formula, engine string
		lmc             uint8
		by              route.ChoiceBy
	}{
		{"rlft(8,2)|fail(links=3,seed=1)", "updn", 0, route.AnyLID},
		{"rlft(4,3)", "minhop", 1, route.AnyLID},
		{"rlft(4,3)", "minhop", 1, route.HashedLID},
		{"torus(4x4,hosts=2)", "dor", 0, route.BaseLID},
	} {
		g, p := plan(t, c.formula, c.engine, c.lmc)
		p.Choice.By = c.by
		r := judged(t, g, p, 2)
		loads, from, to := walked(g, p)
		if len(r.Hottest) != hottestKept || r.Hottest[0].Paths != slices.Max(loads) || r.Hottest[0].Paths != r.Load.Max {
			t.Fatalf("%s: %+v, loads up to %d", c.formula, r.Hottest, slices.Max(loads))
		}
		sorted := slices.Sorted(slices.Values(loads))
		for i, h := range r.Hottest {
			ch := slices.IndexFunc(fabric.Numbers(g.NumChannels), func(x int32) bool {
				return g.SwitchPort(g.From[x], g.FromPort[x]) == h.Ports[0]
			})
			if h.Paths != sorted[len(sorted)-1-i] || loads[ch] != h.Paths {
				t.Errorf("%s: number %d is %s with %d paths, want %d", c.formula, i, &h, h.Paths, loads[ch])
			}
			for _, side := range []struct {
				got  Users
				want map[int32]int64
			}{{h.From, from[ch]}, {h.To, to[ch]}} {
				if side.got.Switches != len(side.want) {
					t.Errorf("%s: %s: %d switches, want %d", c.formula, &h, side.got.Switches, len(side.want))
				}
				for _, u := range side.got.Most {
					s := slices.Index(g.SwitchGUID, u.Switch.GUID)
					if side.want[int32(s)] != u.Paths {
						t.Errorf("%s: %s: %d paths of %s, want %d", c.formula, &h, u.Paths, u.name, side.want[int32(s)])
					}
				}
			}
		}
	}
}

// walked counts the paths of all pairs of hosts by channel, and by channel and switch of source and
// target.
func walked(g *fabric.Graph, p *route.Plan) (loads []int64, from, to []map[int32]int64) {
	loads, from, to = make([]int64, g.NumChannels), make([]map[int32]int64, g.NumChannels), make([]map[int32]int64, g.NumChannels)
	for src := range int32(g.NumHosts) {
		for dst := range int32(g.NumHosts) {
			for k := range p.Ends.Count(dst) {
				lid := p.Ends.Base[dst] + fabric.LID(k)
				if src == dst || !p.Uses(src, dst, lid) {
					continue
				}
				for s := g.EndSwitch[src]; ; {
					c, _ := g.At(s, p.Tables.Port(s, lid))
					if c < 0 {
						break
					}
					if loads[c]++; from[c] == nil {
						from[c], to[c] = map[int32]int64{}, map[int32]int64{}
					}
					from[c][g.EndSwitch[src]]++
					to[c][g.EndSwitch[dst]]++
					s = g.To[c]
				}
			}
		}
	}
	return loads, from, to
}

// TestHotText names users by descriptions that are theirs alone.
func TestHotText(t *testing.T) {
	g, p := plan(t, "rlft(8,2)|fail(links=3,seed=1)", "updn", 0)
	r := judged(t, g, p, 1)
	wants(t, r.Hottest[0].String(), "leaf ", "] -> ", ": from hosts of ", " to hosts of ", " switches")
	g.SwitchDesc[0] = g.SwitchDesc[1]
	if names := uniqueNames(g); names[0] != g.SwitchGUID[0].String() || names[1] != g.SwitchGUID[1].String() || names[2] != g.SwitchDesc[2] {
		t.Errorf("names %q", names[:3])
	}
}

// A slow link is hotter than a fast one with as many paths.
func TestHottestSlow(t *testing.T) {
	g, p := plan(t, "rlft(8,2)", "updn", 0)
	for _, c := range []int32{6, 7} {
		g.ChanRate[c] = g.ChanRate[0] / 4
	}
	r := judged(t, g, p, 2)
	for i, c := range []int32{6, 7} {
		if h := &r.Hottest[i]; h.Slower != 4 || h.Ports[0] != g.SwitchPort(g.From[c], g.FromPort[c]) || r.Hottest[2].Slower != 1 {
			t.Errorf("number %d is %s", i, h)
		}
	}
	wants(t, r.Hottest[0].String(), " (4 times slower than the fastest): from hosts of ")
}
