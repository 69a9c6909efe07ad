package watch

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/racing"
	"weft/sm/smtest"
	"weft/sm/terms"
)

var smallSchedules = flag.Int("small-schedules", 60, "schedules of TestSmallDevicesThroughFaults")

// shrink gives some devices of a fabric small limits of all kinds.
func shrink(f *fabric.Fabric, rng *rand.Rand) (opt emulator.Options, text string) {
	opt.Small = map[fabric.NodeID]emulator.Small{}
	ends := 0
	for i := range f.Nodes {
		if f.Nodes[i].Type != fabric.Switch {
			ends++
		}
	}
	for range 1 + rng.IntN(3) {
		id := fabric.NodeID(rng.IntN(len(f.Nodes)))
		n, s := &f.Nodes[id], opt.Small[id]
		switch rng.IntN(6) {
		case 0, 1:
			if n.Type == fabric.Switch {
				n.LinearFDBCap = uint16(1 + rng.IntN(2*ends))
			}
		case 2:
			s.MLIDs = new(uint16(rng.IntN(64)))
		case 3:
			s.PKeys, s.Enforced = new(uint16(rng.IntN(3))), new(uint16(rng.IntN(3)))
		case 4:
			s.MTU = new(uint8(1 + rng.IntN(5)))
		case 5:
			for p := range n.Ports {
				n.Ports[p].VLCap = 1 << rng.IntN(3)
			}
		}
		opt.Small[id] = s
		text += fmt.Sprintf("; %s: table %d, %v", n.Desc, n.LinearFDBCap, n.Ports[1].VLCap)
	}
	return opt, text
}

// TestSmallDevicesThroughFaults: some devices have small limits of all kinds, cables fail and
// switches restart. Whenever all is quiet the routes in force are proven, and the switches hold
// them; no port in service gets another LID, and with all parts back as many are served as before,
// if all fit.
func TestSmallDevicesThroughFaults(t *testing.T) {
	racing.SkipLong(t)
	left := 0
	for seed := uint64(1); seed <= uint64(*smallSchedules); seed++ {
		rng := rand.New(rand.NewPCG(seed, 35))
		formula := [][2]string{{"rlft(8,2)", "auto"}, {"torus(4x4,hosts=1)", "dfsssp"}, {"random(switches=8,hosts=12,links=14,seed=1)", "auto"}, {"mesh(3x3,hosts=2)", "updn"}}[rng.IntN(4)]
		f, err := gen.Parse(formula[0])
		if err != nil {
			t.Fatal(err)
		}
		opt, text := shrink(f, rng)
		text = fmt.Sprintf("seed %d: %v%s", seed, formula, text)
		cfg := terms.Config{}
		if rng.IntN(2) == 0 {
			cfg.Partitions = smtest.Partitioning(t, "Default=0x7fff, ipoib: ALL=full;\na=0x1: ALL=full;\nb=0x2: ALL=full;", true, true)
		}
		v := stayingOn(t, f, opt, cfg, smtest.JobOf(formula[1], uint8(rng.IntN(3))))
		rest := func() {
			t.Helper()
			v.runUntil(v.now + 3*time.Minute)
			r := v.manager.Result().Report
			if v.manager.inForce == nil || r.State != terms.Up && r.State != terms.UpInPart || !r.Routing.Check.OK {
				t.Fatalf("%s: %s: %v", text, r.State, r.Incidents)
			}
			if r.Find(terms.NoRoom) != nil {
				left++
			}
			v.verify(t)
		}
		own := f.Nodes[v.at.Node].Ports[v.at.Port].Link
		if f.Nodes[v.at.Node].Type == fabric.Switch {
			own = fabric.NoLink
		}
		if v.manager.inForce == nil { // our own switch is too small for two LIDs: nobody can be served
			continue
		}
		rest()
		lids := v.lidsOf()
		served := len(lids)
		for range 4 {
			for range 1 + rng.IntN(3) {
				id := fabric.LinkID(rng.IntN(len(f.Links)))
				if id == own || !f.IsSwitchLink(id) {
					continue
				}
				if err := v.sub.SetLinkDown(id, rng.IntN(2) == 0); err != nil {
					t.Fatal(err)
				}
				v.runUntil(v.now + time.Duration(rng.IntN(500))*time.Millisecond)
			}
			rest()
			for guid, lid := range v.lidsOf() { // one that was cut off may have lost its own to others
				if was, ok := lids[guid]; ok && was != lid {
					t.Fatalf("%s: port %s had LID %d, and has %d", text, guid, was, lid)
				}
			}
			lids = v.lidsOf()
		}
		for id := range f.Links {
			if err := v.sub.SetLinkDown(fabric.LinkID(id), false); err != nil {
				t.Fatal(err)
			}
		}
		rest()
		if now := len(v.lidsOf()); now < served && v.manager.Result().Report.Find(terms.NoRoom) == nil { // a switch whose table is too short for a LID in service waits
			t.Errorf("%s: %d ports were served, and now %d: %v", text, served, now, v.entries[max(0, len(v.entries)-8):])
		}
	}
	if left == 0 {
		t.Error("nothing was left out")
	}
	t.Logf("%d schedules, %d times something was left out", *smallSchedules, left)
}
