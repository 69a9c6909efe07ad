package round

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestAnyFabricComesUp: random fabrics over a bad wire: requests and answers are lost, repeated and
// overtake each other. In the end the tables equal the Plan and every link is Active.
func TestAnyFabricComesUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(1, 1<<32).Draw(t, "seed")
		switches := rapid.IntRange(1, 12).Draw(t, "switches")
		hosts := rapid.IntRange(1, 4).Draw(t, "hosts")
		links := rapid.IntRange(max(0, switches-1), 2*switches).Draw(t, "links")
		text := fmt.Sprintf("random(switches=%d,hosts=%d,links=%d,seed=%d)", switches, hosts, links, seed)
		f, err := gen.Parse(text)
		if err != nil {
			t.Skip(err)
		}
		cfg := terms.Config{MaxPending: rapid.SampledFrom([]int{1, 7, 64, 1024}).Draw(t, "ahead")}
		w := newWorld(f, cfg, "updn")
		w.routing = smtest.JobOf("updn", uint8(rapid.IntRange(0, fabric.MaxLMC).Draw(t, "lmc")))
		w.rng = rand.New(rand.NewPCG(seed, 7))
		w.loss = rapid.SampledFrom([]float64{0, 0.05, 0.2}).Draw(t, "loss")
		w.twice = rapid.SampledFrom([]float64{0, 0.05, 0.3}).Draw(t, "twice")
		w.tries = 40
		r := w.run()
		if r.State != terms.Up || len(r.Incidents) > 0 {
			t.Fatalf("%s: %s: %v", text, r.State, r.Incidents)
		}
		w.verify(t)
	})
}

// TestLanesAreWritten reads the lane tables back: on a torus every pair of cabled ports has the
// mapping of the Plan.
func TestLanesAreWritten(t *testing.T) {
	w := newWorld(smtest.Formula(t, "torus(5x5,hosts=1)"), terms.Config{}, "dor")
	if r := w.run(); r.State != terms.Up || r.Routing.VLs < 2 {
		t.Fatalf("%s, %d lanes: %v", r.State, r.Routing.VLs, r.Incidents)
	}
	w.verify(t)
	g, plan := w.core.Graph, w.core.Result().Plan()
	read := 0
	for s, guid := range g.SwitchGUID {
		id, _ := w.fake.F.NodeByGUID(guid)
		d := &w.fake.Nodes[id]
		for _, out := range g.OutOf(int32(s)) {
			for _, in := range g.OutOf(int32(s)) {
				i, o := g.FromPort[in], g.FromPort[out]
				if i == o {
					continue
				}
				held, ok := d.Tables[[2]uint32{uint32(mad.AttrSLtoVLMappingTable), mad.SLtoVLModifier(i, o)}]
				if !ok {
					t.Fatalf("switch %d has no mapping from port %d to %d", s, i, o)
				}
				for sl, vl := range plan.SL2VL.Table(g, int32(s), i, o) {
					if mad.SLtoVLMappingTableVL.At(held[:], sl) != uint64(vl) {
						t.Fatalf("switch %d, port %d to %d, SL %d: VL differs", s, i, o, sl)
					}
				}
				read++
			}
			held := d.Tables[[2]uint32{uint32(mad.AttrVLArbitrationTable), mad.VLArbModifier(mad.VLArbLowLower, g.FromPort[out])}]
			for vl := range plan.VLs {
				if mad.VLArbitrationTableVL.At(held[:], vl) != uint64(vl) || mad.VLArbitrationTableWeight.At(held[:], vl) == 0 {
					t.Fatalf("switch %d, port %d: VL %d has no turn", s, g.FromPort[out], vl)
				}
			}
		}
	}
	for e := range g.NumHosts {
		id, _ := w.fake.F.NodeByGUID(g.EndNodeGUID[e])
		held := w.fake.Nodes[id].Tables[[2]uint32{uint32(mad.AttrSLtoVLMappingTable), 0}]
		for sl, vl := range plan.SL2VL.HostTable(int32(e)) {
			if mad.SLtoVLMappingTableVL.At(held[:], sl) != uint64(vl) {
				t.Fatalf("host %d, SL %d: VL differs", e, sl)
			}
		}
	}
	if read == 0 {
		t.Fatal("nothing was read")
	}
}

// TestUpIsWhole: over a wire that loses more than retries make up for, SUBNET UP means up in full:
// every node and link was found, and everything is written.
func TestUpIsWhole(t *testing.T) {
	ends := map[terms.State]int{}
	draws.Check(t, func(t *rapid.T) {
		f, err := gen.Parse("rlft(4,2)")
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(f, terms.Config{}, "updn")
		w.rng = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
		w.loss = rapid.SampledFrom([]float64{0.1, 0.2, 0.3}).Draw(t, "loss")
		w.tries = rapid.IntRange(2, 6).Draw(t, "tries")
		r := w.run()
		ends[r.State]++
		switch {
		case r.State == terms.Up && (r.Found.Switches+r.Found.CAs != len(f.Nodes) || r.Found.Links != len(f.Links)):
			t.Fatalf("%s with %d switches, %d CAs, %d links: %v", r.State, r.Found.Switches, r.Found.CAs, r.Found.Links, r.Incidents)
		case r.State == terms.Up:
			w.verify(t)
		case len(r.Incidents) == 0:
			t.Fatalf("%s, and nothing is said", r.State)
		}
	}, func() string {
		if ends[terms.Up] == 0 || ends[terms.UpInPart] == 0 {
			return fmt.Sprintf("one sided: %v", ends)
		}
		return ""
	})
}

// TestTooFar: nodes more than 63 hops away are reported, and the rest comes up.
func TestTooFar(t *testing.T) {
	f := smtest.Formula(t, "mesh(70,hosts=1)")
	r := newWorld(f, terms.Config{}, "updn").run()
	if r.State != terms.UpInPart || r.Find(terms.TooFar) == nil || r.Found.Switches != 63 {
		t.Errorf("%s with %d switches: %v", r.State, r.Found.Switches, r.Incidents)
	}
}
