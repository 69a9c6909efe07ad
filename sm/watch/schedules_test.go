package watch

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"weft/fabric"
	"weft/internal/racing"
	"weft/sm/smtest"
	"weft/sm/terms"
)

var schedules = flag.Int("schedules", 6, "schedules of TestClientsThroughFaults")

// TestClientsThroughFaults: while cables between switches fail and come back and spines restart,
// hosts join and leave groups, register and subscribe, at a master with a standby, with M_Keys or
// without. There is never more than one master, and one in the end; nothing that was acknowledged
// is lost, no LID moves, and whenever all is quiet packets to groups reach their members.
func TestClientsThroughFaults(t *testing.T) {
	racing.SkipLong(t)
	acks, casts, faults, asked := 0, 0, 0, 0
	for seed := uint64(1); seed <= uint64(*schedules); seed++ {
		x := &clientFaults{market: newMarket(t, "rlft(6,2)", seed, 2), rng: rand.New(rand.NewPCG(seed, 2))}
		x.keys = []terms.Keys{{}, smtest.SecretKeys, {One: 5, Protect: 3, Lease: 10}}[x.rng.IntN(3)]
		for i := range x.managers {
			x.start(i)
			x.run(time.Second, false)
		}
		x.run(20*time.Second, false)
		lids := x.master().lidsOf()
		for range 1 + x.rng.IntN(3) {
			if x.mustAsk() { // which is told, so that nothing is lost unseen
				asked++
				break
			}
			for range 1 + x.rng.IntN(6) {
				x.fault()
				faults++
				x.run(time.Duration(x.rng.IntN(1500))*time.Millisecond, true)
				if n, _ := masters(x.living()); n > 1 { // none where the other one does not answer for a moment, and may be it
					t.Fatalf("seed %d: %d masters %s", seed, n, journals(x.living()))
				}
			}
			x.heal()
			x.rest()
			x.run(5*time.Second, false)
			master := x.master()
			if !x.mustAsk() {
				x.check(master, fmt.Sprintf("seed %d", seed))
			}
			master.verify(t)
			if seed%2 == 1 && !x.mustAsk() { // on a wire that loses nothing
				x.cast(master, fmt.Sprintf("seed %d", seed))
			}
			for guid, lid := range master.lidsOf() {
				if lids[guid] != lid {
					t.Fatalf("seed %d: port %s had LID %d, and has %d", seed, guid, lids[guid], lid)
				}
			}
		}
		acks, casts = acks+x.acks, casts+x.casts
	}
	if acks == 0 || casts == 0 || faults == 0 || asked > *schedules/4 {
		t.Errorf("%d changes acknowledged, %d packets to groups, %d faults; in %d schedules clients were asked to register again", acks, casts, faults, asked)
	}
	t.Logf("%d schedules, %d faults, %d changes acknowledged, %d packets to groups; in %d clients were asked to register again", *schedules, faults, acks, casts, asked)
}

// clientFaults is a market with failing cables and spines.
type clientFaults struct {
	*market
	rng *rand.Rand
}

// mustAsk reports whether clients were asked to register again. A master that lost sight of the
// other manager for a moment gave way, and does not know what was acknowledged meanwhile.
func (x *clientFaults) mustAsk() bool {
	for _, v := range x.living() {
		if v.told(terms.Reregistration) > 0 {
			return true
		}
	}
	return false
}

// master returns the manager that is the master.
func (x *clientFaults) master() *virtual {
	x.t.Helper()
	n, master := masters(x.living())
	if n != 1 {
		x.t.Fatalf("%d masters %s", n, journals(x.living()))
	}
	return master
}

// isSpine reports whether a node is a switch without hosts, except the spine that stays.
func (x *clientFaults) isSpine(id fabric.NodeID) bool {
	name := x.f.Nodes[id].Desc
	return name == "spine 1" || name == "spine 2"
}

// fault has a spine or a cable of one fail, or come back.
func (x *clientFaults) fault() {
	x.t.Helper()
	link := fabric.LinkID(x.rng.IntN(len(x.f.Links)))
	l := x.f.Links[link]
	for !x.isSpine(l.A.Node) && !x.isSpine(l.B.Node) {
		link = fabric.LinkID(x.rng.IntN(len(x.f.Links)))
		l = x.f.Links[link]
	}
	spine := l.A.Node
	if !x.isSpine(spine) {
		spine = l.B.Node
	}
	var err error
	switch pause := time.Duration(1+x.rng.IntN(1000)) * time.Millisecond; x.rng.IntN(4) {
	case 0:
		err = x.sub.SetLinkDown(link, x.rng.IntN(3) > 0)
	case 1:
		err = x.sub.Flap(link, pause)
	case 2:
		err = x.sub.Reboot(spine, pause)
	case 3:
		err = x.sub.SetNodeDown(spine, x.rng.IntN(2) == 0)
	}
	if err != nil {
		x.t.Fatal(err)
	}
}

// heal brings all missing parts back, and waits until they are used.
func (x *clientFaults) heal() {
	x.t.Helper()
	for id := range x.f.Nodes {
		if err := x.sub.SetNodeDown(fabric.NodeID(id), false); err != nil {
			x.t.Fatal(err)
		}
	}
	for id := range x.f.Links {
		if err := x.sub.SetLinkDown(fabric.LinkID(id), false); err != nil {
			x.t.Fatal(err)
		}
	}
	x.run(10*time.Second, true)
}
