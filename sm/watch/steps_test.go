package watch

import (
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/draws"
	"weft/internal/racing"
	"weft/route"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestNoCircleAtAnyMoment: at no moment of the writing of a new Plan do the tables in the switches
// send packets in circles, or let packets wait for each other in a ring of channels and VLs.
// Packets have the service levels of the old Plan, since hosts learn the new ones at the end. If
// the manager says that such packets could wait in a ring by the new tables, new levels are tested
// instead.
func TestNoCircleAtAnyMoment(t *testing.T) {
	racing.SkipLong(t)
	seen := map[string]int{}
	draws.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{
			"rlft(6,2)", "rlft(4,3)", "torus(4x4,hosts=1)", "torus(5x4,hosts=1)", "random(switches=12,hosts=1,links=24,seed=3)", "kautz(2,3,hosts=12)",
		}).Draw(t, "fabric")
		engine := rapid.SampledFrom([]string{"updn", "dfsssp", "lash", "nue", "dor,dfsssp"}).Draw(t, "engine")
		f, err := gen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		cfg := terms.Config{MaxPending: rapid.IntRange(1, 4).Draw(t, "at once")}
		v, err := newVirtual(f, emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")}, cfg, smtest.JobOf(engine, 0))
		if err != nil {
			t.Fatal(err)
		}
		v.manager = NewManager(cfg, terms.UsualWatch)
		v.step(&terms.Event{Kind: terms.Start})
		v.runUntil(v.now + time.Second)
		faults := &faults{v: v, rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 0))}
		m := moments{v: v, seen: seen}
		middle := -1 // events until the cable next to our own switch fails in the middle of writing
		v.onEvent = func() {
			m.look(t)
			if middle < 0 || v.manager.current.Phase() != "tables" {
				return
			}
			if middle--; middle < 0 {
				if err := v.sub.SetLinkDown(nearCable(t, v.sub.Fabric(), v.at), true); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range rapid.IntRange(1, 4).Draw(t, "faults") {
			link := fabric.LinkID(faults.rng.IntN(len(f.Links)))
			if l := f.Links[link]; f.Nodes[l.A.Node].Type != fabric.Switch || f.Nodes[l.B.Node].Type != fabric.Switch {
				continue
			}
			if err := v.sub.SetLinkDown(link, faults.rng.IntN(3) > 0); err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 3).Draw(t, "other engine") == 0 {
				v.routing = smtest.JobOf(rapid.SampledFrom([]string{"updn", "dfsssp", "nue"}).Draw(t, "engine then"), 0)
				v.step(&terms.Event{Kind: terms.Rebalance})
			} else if v.manager.inForce.Plan.VLs <= 1 { // what is read of tables says nothing of service levels
				middle = faults.rng.IntN(20)
			}
			v.runUntil(v.now + []time.Duration{5 * time.Second, 2 * time.Minute}[faults.rng.IntN(2)]) // the second with a routing afresh
			middle = -1
			if r := v.manager.Result().Report; r.State != terms.Up {
				t.Skip("the subnet is in parts")
			}
			v.verify(t)
		}
		seen["pauses"] += v.told(terms.EntriesDropped)
	}, func() string {
		return draws.Missing(seen, "steps", "pauses", "lanes", "old levels", "new levels", "broken off")
	})
	t.Log(seen)
}

// moments looks at what switches hold, whenever some of it was written.
type moments struct {
	v     *virtual
	seen  map[string]int
	round int // that is looked at
	read  int // the last round that has read what switches held
	sent  int
	waits map[lane]map[lane]bool // that packets under way may have come to, since the round began or a pause was over
	vls   map[sentOn]uint16      // those that packets of an SL may have on a channel, likewise
	step  int
	at    time.Duration // of the last write
}

// lane is a channel and a VL, sentOn a channel and an SL. Channels are named by switch and port,
// since links fail meanwhile.
type lane struct {
	c  int32
	vl uint8
}
type sentOn struct {
	c  int32
	sl uint8
}

func (m *moments) look(t smtest.Fataler) {
	v, c, core := m.v, m.v.manager.found(), m.v.manager.current
	if core.Phase() == "read" {
		m.read = v.manager.round.Number
	}
	before, report := v.manager.given.Before, core.Result().Report
	sent := v.sent[mad.AttrLinearForwardingTable] + v.sent[mad.AttrSLtoVLMappingTable]
	if core.Phase() != "tables" || before == nil && m.read != v.manager.round.Number || sent == m.sent {
		return
	}
	m.sent = sent
	paused := m.round == v.manager.round.Number && m.step != c.Prog.Step && c.Stepped(c.Prog.Step-1).Drops
	if paused && v.now-m.at < v.manager.given.Limits.Pause {
		t.Fatalf("%v after the last write of step %d packets are taken to have left", v.now-m.at, m.step)
	}
	if paused || m.round != v.manager.round.Number {
		m.waits, m.vls = map[lane]map[lane]bool{}, map[sentOn]uint16{}
	}
	m.round, m.step, m.at = v.manager.round.Number, c.Prog.Step, v.now
	if before != nil && before.HalfWritten {
		m.seen["broken off"]++
	}
	if c.Way != nil {
		m.seen["steps"] += len(c.Way.Between)
	}
	told := before
	if told == nil { // of a subnet that was taken over: all are on SL 0
		told = c
	}
	dropped, drops := false, false
	for i := range c.LastStep() {
		if i == 0 && c.Way.Strangers > 0 { // what these lose is of no Plan that the proof of the others has
			continue
		}
		drops = drops || c.Way.Between[i].Drops
		dropped = dropped || i < c.Prog.Step && c.Way.Between[i].Drops
	}
	switch {
	case report.Find(terms.MixedTables) != nil:
		t.Fatalf("no way is proven, though both Plans are: %v", v.entries)
	case report.Find(terms.OldLevels) == nil, drops && !dropped:
		m.seen["old levels"]++
	default:
		told = c
		m.seen["new levels"]++
	}
	if c.Plan.VLs > 1 || told.Plan.VLs > 1 {
		m.seen["lanes"]++
	}
	if at := m.circle(told); at != "" {
		t.Fatalf("step %d of %d: %s\n%v", c.Prog.Step, c.LastStep(), at, v.entries)
	}
}

// circle looks for a circle in the tables that the switches hold, and for a ring of lanes that wait
// for each other; "" where there is none. Packets have the SLs of the Plan of a round.
func (m *moments) circle(told *ledger.Ledger) string {
	sub := m.v.sub
	f := sub.Fabric()
	g := f.Compile()
	held := sub.Tables()
	at := map[fabric.GUID]int{}
	for i := range held.Switches {
		at[held.Switches[i].GUID] = i
	}
	nodes := make([]fabric.NodeID, g.NumSwitches)
	for s, guid := range g.SwitchGUID {
		nodes[s], _ = f.NodeByGUID(guid)
	}
	next := func(s int32, lid fabric.LID) int32 {
		c, _ := g.At(s, held.Switches[at[g.SwitchGUID[s]]].Port(lid))
		return c
	}
	top := m.v.manager.found().Plan.Ends.Top()
	for lid := fabric.LID(1); lid <= top; lid++ {
		for from := range int32(g.NumSwitches) {
			for s, n := from, 0; s >= 0; n++ {
				if n > g.NumSwitches {
					return "packets go in circles"
				}
				if c := next(s, lid); c >= 0 {
					s = g.To[c]
				} else {
					s = -1
				}
			}
		}
	}
	for e, guid := range told.Graph.EndNodeGUID {
		src := g.FindEnd(guid, told.Graph.EndNum[e])
		for lid := fabric.LID(1); src >= 0 && lid <= told.Plan.Ends.Top(); lid++ {
			sl := uint8(0)
			if p := told.Plan; p.SL != nil {
				if p.SL.Dst[lid] < 0 {
					continue
				}
				sl = p.SL.At(int32(e), lid)
			}
			last, in := sentOn{c: -1}, g.EndPort[src]
			for s := g.EndSwitch[src]; ; {
				c := next(s, lid)
				if c < 0 {
					break
				}
				vl := sub.VL(nodes[s], in, g.FromPort[c], sl)
				if vl == route.DropVL {
					break
				}
				channel := s<<8 | int32(g.FromPort[c])
				for had := m.vls[last]; last.c >= 0 && had != 0; had &= had - 1 {
					before := lane{last.c, uint8(bits.TrailingZeros16(had))}
					if m.waits[before] == nil {
						m.waits[before] = map[lane]bool{}
					}
					m.waits[before][lane{channel, vl}] = true
				}
				last = sentOn{channel, sl}
				m.vls[last] |= 1 << vl
				s, in = g.To[c], g.ToPort[c]
			}
		}
	}
	state := map[lane]uint8{} // 1: on the way, 2: done
	var ring func(l lane) bool
	ring = func(l lane) bool {
		state[l] = 1
		for e := range m.waits[l] {
			if state[e] == 1 || state[e] == 0 && ring(e) {
				return true
			}
		}
		state[l] = 2
		return false
	}
	for l := range m.waits {
		if state[l] == 0 && ring(l) {
			return "packets wait in a ring"
		}
	}
	return ""
}
