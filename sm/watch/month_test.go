package watch

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/racing"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

var monthDays = flag.Int("month-days", 2, "how many days TestMonth takes, in virtual time")

// TestMonth: two managers live through days, or a month, of faults on wires that lose and repeat.
// Links are pulled, put back and flap; nodes restart, are off or silent; cables are moved, parts
// drained, and managers die and come back. Whenever everything has been well for a while there is
// one master and the subnet is up. The devices then hold the Plan, no LID has moved since the
// manager became the master, and no more rounds begin.
func TestMonth(t *testing.T) {
	racing.SkipLong(t)
	seeds := 2
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		for _, bad := range []bool{false, true} {
			t.Run(fmt.Sprintf("seed %d, bad wire %v", seed, bad), func(t *testing.T) { month(t, uint64(seed), bad, *monthDays) })
		}
	}
}

// monthly is a subnet with two managers and random faults.
type monthly struct {
	sub   *emulator.Subnet
	all   []*virtual
	alive []*virtual // of them, those that run
	rng   *rand.Rand
	spare []fabric.GUID // nothing happens to these nodes and their cables
	log   []string

	master *virtual                   // the last one
	lids   map[fabric.GUID]fabric.LID // that it has given
	same   int                        // LIDs that it had not moved
}

func month(t *testing.T, seed uint64, bad bool, days int) {
	x := newMonthly(t, "rlft(6,2)", seed, bad, 0)
	end := time.Duration(days) * 24 * time.Hour
	for x.all[0].now < end {
		for range 1 + x.rng.IntN(30) {
			x.next(t)
			x.wait()
		}
		x.heal(t)
		x.pass(3 * time.Hour) // the longest quarantine is an hour
		x.check(t)
	}
	if x.same == 0 && days >= 10 {
		t.Error("no manager was the master from one check to the next")
	}
}

// wait lets a random time pass.
func (x *monthly) wait() {
	x.pass(time.Duration(x.rng.ExpFloat64() * float64([]time.Duration{time.Second, time.Minute, 20 * time.Minute}[x.rng.IntN(3)])))
	for _, v := range x.all {
		v.entries = v.entries[max(0, len(v.entries)-200):]
	}
}

// newMonthly starts two managers on a network whose links train for some time.
func newMonthly(t *testing.T, network string, seed uint64, bad bool, training time.Duration) *monthly {
	opt := emulator.Options{Seed: seed, Training: training}
	if bad {
		opt.Impairment = emulator.Impairment{Loss: 0.02, Duplicate: 0.02, Late: 0.05, LateBy: 30 * time.Millisecond}
	}
	sub, all := managers(t, network, opt, 1, 0)
	x := &monthly{sub: sub, all: all, alive: all, rng: rand.New(rand.NewPCG(seed, 7)), lids: map[fabric.GUID]fabric.LID{}}
	for k, v := range all {
		v.manager.watch.Interval, v.manager.watch.MostRetry = time.Minute, 5*time.Minute
		host := smtest.Find(sub.Fabric(), fabric.CA, 3*k)
		x.spare = append(x.spare, sub.Fabric().Nodes[host].GUID, sub.Fabric().Nodes[sub.Fabric().Peer(fabric.End{Node: host, Port: 1}).Node].GUID)
		v.onEvent = func() {
			n, master := masters(x.alive)
			if n > 1 {
				t.Fatalf("%d masters at once: %v %s", n, x.log, journals(x.all))
			}
			switch {
			case n == 0: // it has died, or given way
				x.master = nil
			case master != x.master: // one that takes over knows the LIDs of ports that are there
				x.master = master
				clear(x.lids)
			}
		}
		v.step(&terms.Event{Kind: terms.Start})
		x.pass(time.Second)
	}
	last, err := sub.FindNode("spine 2") // and the cables from it to the two: they stay joined
	if err != nil {
		t.Fatal(err)
	}
	x.spare = append(x.spare, sub.Fabric().Nodes[last].GUID)
	return x
}

// pass lets time pass.
func (x *monthly) pass(d time.Duration) { runTogether(x.all[0].now+d, x.all...) }

// isSpared reports whether nothing is to happen to a node.
func (x *monthly) isSpared(f *fabric.Fabric, id fabric.NodeID) bool {
	return slices.Contains(x.spare, f.Nodes[id].GUID)
}

// next does something to the subnet.
func (x *monthly) next(t *testing.T) {
	t.Helper()
	f, now := x.sub.Fabric(), x.all[0].now
	node, link := fabric.NodeID(x.rng.IntN(len(f.Nodes))), x.rng.IntN(len(f.Links))
	if n := x.rng.IntN(4); n == 0 && len(f.Links) > 3 {
		link = n // the same one more often
	}
	l := f.Links[link]
	id, err := x.sub.LinkAt(l.A)
	if err != nil {
		t.Fatal(err)
	}
	keep := func(l fabric.Link) bool { return x.isSpared(f, l.A.Node) && x.isSpared(f, l.B.Node) }
	hostOf := func(l fabric.Link) bool {
		return f.Nodes[l.A.Node].Type == fabric.CA || f.Nodes[l.B.Node].Type == fabric.CA
	}
	if x.isSpared(f, node) || keep(l) {
		return
	}
	pause := time.Duration(1+x.rng.IntN(5000)) * time.Millisecond
	kind := x.rng.IntN(10)
	x.log = append(x.log[max(0, len(x.log)-60):], fmt.Sprintf("%v: %d, %s, %s", now, kind, f.NodeName(node), f.LinkName(fabric.LinkID(link))))
	switch kind {
	case 0, 1:
		err = x.sub.SetLinkDown(id, x.rng.IntN(2) == 0)
	case 2:
		err = x.sub.Flap(id, pause)
	case 3:
		for range 8 {
			err = x.sub.Flap(id, pause/4)
			x.pass(pause)
		}
	case 4:
		err = x.sub.Reboot(node, pause)
	case 5:
		err = x.sub.SetNodeDown(node, x.rng.IntN(2) == 0)
	case 6:
		err = x.sub.SetSilent(node, x.rng.IntN(2) == 0)
	case 7: // two cables between switches change their ends
		m := f.Links[x.rng.IntN(len(f.Links))]
		if hostOf(l) || hostOf(m) || keep(m) || m == l || l.A.Node == m.B.Node || m.A.Node == l.B.Node {
			break
		}
		for _, c := range [][2]fabric.End{{l.A, m.B}, {m.A, l.B}} {
			if _, err = x.sub.Connect(c[0], c[1], 4, fabric.EDR); err != nil {
				break
			}
		}
	case 8:
		for _, v := range x.all {
			v.order([]terms.EventKind{terms.DrainPart, terms.UndrainPart}[x.rng.IntN(2)], f.EndName(l.A))
			v.order([]terms.EventKind{terms.DrainPart, terms.UndrainPart}[x.rng.IntN(2)], f.NodeName(node))
		}
	case 9: // a manager dies and another one starts in its place
		err = x.restart(x.rng.IntN(len(x.all)), pause)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// restart ends a manager, and starts another one at its port after a while.
func (x *monthly) restart(k int, after time.Duration) error {
	old := x.all[k]
	at, err := x.sub.EndOf(fabric.NodeID(slices.IndexFunc(x.sub.Fabric().Nodes, func(n fabric.Node) bool { return n.GUID == x.spare[2*k] })))
	if err != nil {
		return err
	}
	x.sub.Detach(old.id)
	other := x.all[1-k]
	x.alive = []*virtual{other}
	runTogether(other.now+after, other)
	x.alive = x.all
	cfg := terms.Config{Elect: true, Priority: old.manager.cfg.Priority, Drain: old.manager.Drained(), History: terms.History{Jobs: old.manager.jobs.List()}}
	v, err := newVirtualAt(x.sub, at, cfg, old.routing)
	if err != nil {
		return err
	}
	v.manager, v.planTime, v.onEvent, v.now, v.entries = NewManager(cfg, old.manager.watch), old.planTime, old.onEvent, other.now, old.entries
	v.besides, v.alter, v.onAction = old.besides, old.alter, old.onAction
	x.all[k] = v
	v.step(&terms.Event{Kind: terms.Start})
	return nil
}

// heal brings all missing parts back.
func (x *monthly) heal(t *testing.T) {
	t.Helper()
	f := x.sub.Fabric()
	for id := range f.Nodes {
		if err := x.sub.SetSilent(fabric.NodeID(id), false); err != nil {
			t.Fatal(err)
		}
		if err := x.sub.SetNodeDown(fabric.NodeID(id), false); err != nil {
			t.Fatal(err)
		}
	}
	for i := range f.Links {
		id, err := x.sub.LinkAt(f.Links[i].A)
		if err == nil {
			err = x.sub.SetLinkDown(id, false)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range x.all { // a drained host has no LID
		v.manager.drains.Now = nil
		if v.manager.inForce != nil {
			v.manager.noteChange(v.now, "nothing is drained")
		}
	}
	x.log = append(x.log, fmt.Sprintf("%v: all is well", x.all[0].now))
}

// check checks what must hold when all has been well for a while.
func (x *monthly) check(t *testing.T) {
	t.Helper()
	n, v := masters(x.all)
	if n != 1 {
		t.Fatalf("%d masters: %v %s", n, x.log, journals(x.all))
	}
	r := v.manager.Result().Report
	f := x.sub.Fabric()
	if r.State != terms.Up || v.manager.inRound || len(v.manager.inForce.Fabric.Nodes) != len(f.Nodes) || len(v.manager.inForce.Fabric.Links) != len(f.Links) {
		t.Fatalf("%s, %d nodes and %d links of %d and %d: %v\n%v", r.State, len(v.manager.inForce.Fabric.Nodes), len(v.manager.inForce.Fabric.Links),
			len(f.Nodes), len(f.Links), x.log, journals(x.all))
	}
	v.verify(t)
	for guid, lid := range v.lidsOf() {
		had, ok := x.lids[guid]
		switch {
		case ok && had != lid:
			t.Fatalf("port %s has LID %d, and had %d: %v", guid, lid, had, x.log)
		case ok:
			x.same++
		}
		x.lids[guid] = lid
	}
	rounds := v.told(terms.RoundBegun)
	sent := v.sent[mad.AttrPortInfo]
	x.pass(2 * time.Hour)
	if n := v.told(terms.RoundBegun) - rounds; n > 1 || v.sent[mad.AttrPortInfo]-sent > 2*120*3 {
		t.Fatalf("%d rounds, %d SMPs of PortInfo in two quiet hours: %v\n%v", n, v.sent[mad.AttrPortInfo]-sent, x.log, journals(x.all))
	}
}
