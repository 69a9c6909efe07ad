package round

import (
	"slices"
	"strings"
	"testing"

	"weft/fabric"
	"weft/route"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestPortParameters: a switch port gets the Plan's head-of-queue lifetime and stall count, with
// different values towards hosts. MTU and operational VLs are the minimum of the Plan and both
// ends. A switch gets the packet lifetime. Parameters that the Plan lacks stay as they are.
func TestPortParameters(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	for name, c := range map[string]struct {
		alter            func(*route.Plan)
		between, toHost  [4]uint64 // HOQLife, VLStallCount, NeighborMTU, OperationalVLs
		ofHost           [2]uint64 // NeighborMTU, OperationalVLs
		switchPacketLife uint64
	}{
		"usual": {func(*route.Plan) {}, [4]uint64{18, 7, 5, 4}, [4]uint64{16, 7, 5, 4}, [2]uint64{5, 4}, 18},
		"nothing": {
			func(p *route.Plan) { p.Ports = nil },
			[4]uint64{3, 2, 5, 4},
			[4]uint64{3, 2, 5, 4},
			[2]uint64{5, 4},
			5,
		},
		"others": {
			func(p *route.Plan) {
				q := p.Ports
				q.PacketLife = 11
				q.Pool = []route.PortParams{
					{HOQLife: 10, StallCount: 5, MTU: 3, VLs: 3}, {HOQLife: 9, StallCount: 4, MTU: 4, VLs: 8}, {MTU: 2, VLs: 1},
				}
				for h := range q.Host {
					q.Host[h] = 2
				}
			},
			[4]uint64{10, 5, 3, 3},
			[4]uint64{9, 4, 2, 1},
			[2]uint64{2, 1},
			11,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(f, terms.Config{}, "updn")
			w.alter = c.alter
			for i := range w.fake.Nodes {
				mad.SwitchInfoLifeTimeValue.Put(w.fake.Nodes[i].Sw[:], 5)
				for p := range w.fake.Nodes[i].Info {
					mad.PortInfoHOQLife.Put(w.fake.Nodes[i].Info[p][:], 3)
					mad.PortInfoVLStallCount.Put(w.fake.Nodes[i].Info[p][:], 2)
				}
			}
			if r := w.run(); r.State != terms.Up {
				t.Fatalf("%s: %v", r.State, r.Incidents)
			}
			for i := range f.Links {
				for _, e := range []fabric.End{f.Links[i].A, f.Links[i].B} {
					b := w.fake.Nodes[e.Node].Info[e.Port][:]
					got := [4]uint64{
						mad.PortInfoHOQLife.Get(b), mad.PortInfoVLStallCount.Get(b), mad.PortInfoNeighborMTU.Get(b), mad.PortInfoOperationalVLs.Get(b),
					}
					want := c.between
					switch {
					case f.Nodes[e.Node].Type == fabric.CA:
						want = [4]uint64{3, 2, c.ofHost[0], c.ofHost[1]}
					case f.Nodes[f.Peer(e).Node].Type == fabric.CA:
						want = c.toHost
					}
					if got != want {
						t.Errorf("%s has HOQLife, VLStallCount, NeighborMTU, OperationalVLs %v, want %v", f.EndName(e), got, want)
					}
				}
			}
			sw := w.fake.Nodes[smtest.Find(f, fabric.Switch, 1)].Sw[:]
			if got := mad.SwitchInfoLifeTimeValue.Get(sw); got != c.switchPacketLife {
				t.Errorf("LifeTimeValue %d, want %d", got, c.switchPacketLife)
			}
		})
	}
}

// TestArbitration: ports get the Plan's VL arbitration tables, both lists in all blocks of the
// port, and the limit between them. A port without room is reported.
func TestArbitration(t *testing.T) {
	f := smtest.Formula(t, "torus(5x5,hosts=1)")
	long := route.ArbTable{High: []route.ArbEntry{{VL: 1, Weight: 9}}, Limit: 77}
	for i := range 40 {
		long.Low = append(long.Low, route.ArbEntry{VL: uint8(i % 2), Weight: uint8(i + 1)})
	}
	run := func(lowCap, highCap uint64, alter func(*route.Plan)) (*world, *terms.Report) {
		w := newWorld(f, terms.Config{}, "dor")
		w.alter = alter
		for i := range w.fake.Nodes {
			for p := range w.fake.Nodes[i].Info {
				mad.PortInfoVLArbLowCap.Put(w.fake.Nodes[i].Info[p][:], lowCap)
				mad.PortInfoVLArbHighCap.Put(w.fake.Nodes[i].Info[p][:], highCap)
				mad.PortInfoVLHighLimit.Put(w.fake.Nodes[i].Info[p][:], 5)
			}
		}
		return w, w.run()
	}
	use := func(p *route.Plan) {
		p.Arbitration.Pool = slices.Repeat([]route.ArbTable{long}, len(p.Arbitration.Pool))
	}
	w, r := run(64, 8, use)
	if r.State != terms.Up {
		t.Fatalf("%s: %v", r.State, r.Incidents)
	}
	for i := range f.Links {
		for _, e := range []fabric.End{f.Links[i].A, f.Links[i].B} {
			d, port := &w.fake.Nodes[e.Node], e.Port
			if f.Nodes[e.Node].Type == fabric.CA {
				port = 0
			}
			block := func(n uint8) (out []route.ArbEntry) {
				held, ok := d.Tables[[2]uint32{uint32(mad.AttrVLArbitrationTable), mad.VLArbModifier(n, port)}]
				if !ok {
					t.Fatalf("%s has no block %d", f.EndName(e), n)
				}
				for i := range 32 {
					out = append(out, route.ArbEntry{
						VL: uint8(mad.VLArbitrationTableVL.At(held[:], i)), Weight: uint8(mad.VLArbitrationTableWeight.At(held[:], i)),
					})
				}
				return out
			}
			low := append(block(mad.VLArbLowLower), block(mad.VLArbLowUpper)...)
			if !slices.Equal(low[:40], long.Low) || low[40].Weight != 0 || block(mad.VLArbHighLower)[0] != long.High[0] || block(mad.VLArbHighLower)[1].Weight != 0 {
				t.Fatalf("%s has another table: %v", f.EndName(e), low)
			}
			if got := mad.PortInfoVLHighLimit.Get(d.Info[e.Port][:]); got != 77 {
				t.Errorf("%s has VLHighLimit %d", f.EndName(e), got)
			}
		}
	}
	for name, caps := range map[string][2]uint64{"low": {39, 8}, "high": {64, 0}} {
		if _, r := run(caps[0], caps[1], use); r.State != terms.UpInPart || r.Find(terms.NotEnough) == nil {
			t.Errorf("no room in the %s list: %s: %v", name, r.State, r.Incidents)
		}
	}
	w, r = run(8, 8, func(p *route.Plan) { p.Arbitration = nil })
	for _, n := range r.SMPs.By {
		if r.State != terms.Up || n.Method == "Set" && n.Attribute == "VLArbitrationTable" {
			t.Errorf("%s, though the Plan has no arbitration: %s %s", r.State, n.Method, n.Attribute)
		}
	}
	if got := mad.PortInfoVLHighLimit.Get(w.fake.Nodes[smtest.Find(f, fabric.Switch, 3)].Info[1][:]); got != 5 {
		t.Errorf("VLHighLimit %d, though the Plan has none", got)
	}
}

// TestNotTold: the report lists the facts that hosts would learn only from path records.
func TestNotTold(t *testing.T) {
	for _, c := range []struct {
		formula, chain string
		alter          func(*route.Plan)
		want           []string
	}{
		{"rlft(4,2)", "updn", func(*route.Plan) {}, nil},
		{"rlft(4,2)", "updn", func(p *route.Plan) { p.Choice.By = route.BaseLID }, nil},
		{"rlft(4,2)", "updn", func(p *route.Plan) { p.Choice.By = route.HashedLID }, []string{"the LID to use for each target (hashed by source)"}},
		{"torus(5x5,hosts=1)", "dor", func(p *route.Plan) { p.SL.OneWay = true }, []string{"use SL 0", "the SL of the reply path"}},
		{"torus(5x5,hosts=1)", "dor", func(p *route.Plan) { p.Choice = route.NewChoice(len(p.Ends.Base), nil) }, []string{"the LID to use", "use SL 0; deadlock-free then: no"}},
	} {
		w := newWorld(smtest.Formula(t, c.formula), terms.Config{}, c.chain)
		w.routing = smtest.JobOf(c.chain, 1)
		w.alter = c.alter
		r := w.run()
		got := r.Routing.NotTold
		if !slices.EqualFunc(got, c.want, strings.Contains) || !slices.Equal(got, r.BringUpJSON().NotTold) {
			t.Errorf("%s: %q, want %q", c.formula, got, c.want)
		}
		var text strings.Builder
		if err := r.Write(&text); err != nil || strings.Count(text.String(), "hosts not told") != len(c.want) {
			t.Errorf("%v:\n%s", err, text.String())
		}
	}
}
