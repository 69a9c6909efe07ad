package watch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/draws"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// TestDeriveKey: the key of a port is what openssl dgst -sha256 -hmac says.
func TestDeriveKey(t *testing.T) {
	if key := terms.DeriveKey([]byte("secret of sixteen bytes"), 0x0011223344556677); key != 0x4f4e21dade773622 {
		t.Errorf("%#x", key)
	}
}

// endPorts yields the PortInfo of all end ports that are on and have a link, by port GUID.
func endPorts(t smtest.Fataler, sub *emulator.Subnet) map[fabric.GUID]fabric.End {
	t.Helper()
	ends, f := map[fabric.GUID]fabric.End{}, sub.Fabric()
	for id := range f.Nodes {
		n := &f.Nodes[id]
		if n.Type == fabric.Switch {
			ends[n.GUID] = fabric.End{Node: fabric.NodeID(id)}
			continue
		}
		for p := 1; p <= n.NumPorts(); p++ {
			if n.Ports[p].Link != fabric.NoLink {
				ends[n.Ports[p].GUID] = fabric.End{Node: fabric.NodeID(id), Port: uint8(p)}
			}
		}
	}
	return ends
}

// verifyKeys checks that all ports have their keys, and returns how many SMPs without the right key
// they have seen.
func verifyKeys(t smtest.Fataler, v *virtual, k terms.Keys) (violations uint64) {
	t.Helper()
	c := v.manager.found()
	checked := 0
	for _, e := range endPorts(t, v.sub) {
		info, err := v.sub.PortInfo(e)
		if err != nil {
			t.Fatalf("%v", err)
		}
		id := c.ByGUID[v.sub.Fabric().Nodes[e.Node].GUID]
		if c.Flags[c.Nodes[id].First+int32(e.Port)]&ledger.PortKnown == 0 {
			continue
		}
		checked++
		guid := c.GUID[c.Nodes[id].First+int32(e.Port)]
		key, protect, lease := mad.PortInfoMKey.Get(info), mad.PortInfoMKeyProtectBits.Get(info), mad.PortInfoMKeyLeasePeriod.Get(info)
		if key != k.Of(guid) || protect != uint64(k.Protect) || lease != uint64(k.Lease) {
			t.Fatalf("%s has M_Key %#x, protection %d, lease %d\n%v", v.sub.Fabric().EndName(e), key, protect, lease, v.entries)
		}
		violations += mad.PortInfoMKeyViolations.Get(info)
	}
	if checked < len(c.Nodes) {
		t.Fatalf("%d ports of %d nodes were checked", checked, len(c.Nodes))
	}
	return violations
}

// again lets another manager in the place of one bring the subnet up, and leave.
func (v *virtual) again(k terms.Keys) *terms.Report {
	v.manager, v.entries = NewManager(terms.Config{Keys: k}, terms.Watch{}), nil
	return v.run()
}

// successor starts another manager in the place of one that has died, when nothing is under way any
// more to that one: transaction IDs begin anew.
func (v *virtual) successor(t smtest.Fataler, cfg terms.Config) *virtual {
	t.Helper()
	at, err := v.sub.DefaultEnd()
	if err != nil {
		t.Fatalf("%v", err)
	}
	v.sub.Detach(v.id)
	v.now += 200 * time.Millisecond
	v.sub.Advance(v.now)
	next, err := newVirtualAt(v.sub, at, cfg, v.routing)
	if err != nil {
		t.Fatalf("%v", err)
	}
	next.manager, next.planTime, next.now = NewManager(cfg, terms.UsualWatch), v.planTime, v.now
	next.step(&terms.Event{Kind: terms.Start})
	return next
}

// ownPort is the GUID of the port that a manager is attached to by default.
func ownPort(v *virtual) fabric.GUID {
	f := v.sub.Fabric()
	end, err := v.sub.DefaultEnd()
	if err != nil {
		panic(err)
	}
	return f.Nodes[end.Node].Ports[end.Port].GUID
}

// isOpen reports whether a round has brought up all and found nothing wrong.
func isOpen(r *terms.Report) bool { return r.State == terms.Up && len(r.Incidents) == 0 }

// TestKeysByPort: every port gets its own key; a manager that starts with the same secret and knows
// nothing else writes nothing, and no port ever sees a wrong key. One with another secret writes
// nothing either, and says why.
func TestKeysByPort(t *testing.T) {
	for _, k := range []terms.Keys{smtest.SecretKeys, {One: 7, Protect: 0}, {One: 7, Protect: 2, Lease: 5}, {One: 1<<64 - 1, Protect: 3, Lease: 1<<16 - 1}} {
		v, err := newVirtual(smtest.Formula(t, "rlft(6,2)"), emulator.Options{}, terms.Config{Keys: k}, smtest.JobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		sets := 0
		v.onAction = func(a *terms.Action) {
			if a.Kind == terms.Send && a.Method == mad.Set && a.Attr != mad.AttrVLArbitrationTable {
				sets++
			}
		}
		if r := v.run(); !isOpen(r) || verifyKeys(t, v, k) > 0 || sets == 0 {
			t.Fatalf("%+v: %s: %v", k, r.State, r.Incidents)
		}
		for range 2 {
			sets = 0
			if r := v.again(k); !isOpen(r) || verifyKeys(t, v, k) > 0 || sets > 0 {
				t.Fatalf("%+v: %s, %d Sets: %v", k, r.State, sets, r.Incidents)
			}
		}
		if k.Protect == 0 { // anybody may read the keys
			continue
		}
		before := states(t, v)
		r := v.again(smtest.OtherKeys)
		switch {
		case r.State == terms.Up || r.State == terms.UpInPart, k.Protect == 1 && r.Find(terms.Locked) == nil, k.Protect > 1 && r.Find(terms.NoAnswer) == nil:
			t.Errorf("%+v, with another secret: %s: %v", k, r.State, r.Incidents)
		}
		if !maps.Equal(before, states(t, v)) {
			t.Errorf("%+v: somebody without the key has written", k)
		}
	}
}

// states holds what could be written to end ports.
func states(t smtest.Fataler, v *virtual) map[fabric.End][44]byte {
	t.Helper()
	out := map[fabric.End][44]byte{}
	for _, e := range endPorts(t, v.sub) {
		info, err := v.sub.PortInfo(e)
		if err != nil {
			t.Fatalf("%v", err)
		}
		out[e] = [44]byte(info[:44]) // violations follow
	}
	return out
}

// TestKeysMove: from any keys to any others that are known, on wires that lose and repeat, while
// things happen to the subnet, and with managers that die in the middle of it: in the end all ports
// have their keys.
func TestKeysMove(t *testing.T) {
	moved := 0
	draws.Check(t, func(t *rapid.T) {
		all := []terms.Keys{{}, smtest.SecretKeys, smtest.OtherKeys, {One: 1, Protect: 3, Lease: 60}, {One: 2, Protect: 2}, {One: 3}, smtest.HidingKeys}
		from, to := rapid.IntRange(0, len(all)-1).Draw(t, "from"), rapid.IntRange(0, len(all)-1).Draw(t, "to")
		opt := emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")}
		if rapid.Bool().Draw(t, "bad wire") {
			opt.Impairment = emulator.Impairment{Loss: 0.03, Duplicate: 0.03, Late: 0.05, LateBy: 50 * time.Millisecond}
		}
		v := staying(t, "rlft(6,2)", opt, terms.Config{Keys: all[from]})
		v.runUntil(v.now + time.Minute)
		k := all[to]
		if s := all[from].Secret; s != nil {
			k.Former = [][]byte{[]byte("never used by anybody"), s}
		} else if one := all[from].One; one != 0 && rapid.Bool().Draw(t, "by port") {
			k.Known = map[fabric.GUID]uint64{}
			for guid := range v.lidsOf() {
				k.Known[guid] = one
			}
		} else if one != 0 {
			k.Others = []uint64{99, one}
		}
		faults := &faults{v: v, rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 0))}
		for range rapid.IntRange(1, 4).Draw(t, "managers") {
			v = v.successor(t, terms.Config{Keys: k, OwnPort: ownPort(v), History: terms.History{Neighbours: terms.Neighbours(v.sub.Fabric())}})
			faults.v = v
			v.runUntil(v.now + rapid.SampledFrom([]time.Duration{time.Microsecond, time.Millisecond, time.Second}).Draw(t, "unit")*time.Duration(rapid.IntRange(0, 30).Draw(t, "lives")))
		}
		v.runUntil(v.now + 10*time.Second)
		for range rapid.IntRange(0, 3).Draw(t, "later faults") {
			if len(v.manager.found().Nodes) > 0 { // it knows our own, which is left alone
				faults.next(t)
			}
			v.runUntil(v.now + time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms"))*time.Millisecond)
		}
		faults.settle(t)
		v.runUntil(v.now + 10*time.Minute)
		if !v.isUp(t) {
			t.Fatalf("%v\n%v", v.manager.Result().Report.Incidents, v.entries)
		}
		verifyKeys(t, v, k)
		if from > 0 && from != to {
			moved++
		}
	}, func() string {
		if moved == 0 {
			return "no key was ever changed"
		}
		return ""
	})
}

// TestKeysOfTwo: of two managers with one secret the second takes the subnet when the first one
// dies, and no port sees a wrong key. One with another secret stands by and writes nothing; when
// the first dies it takes the subnet when leases have ended, and not otherwise.
func TestKeysOfTwo(t *testing.T) {
	t.Run("hands over to nobody without the keys", func(t *testing.T) {
		for _, k := range []terms.Keys{smtest.OtherKeys, {}, smtest.SecretKeys} {
			_, all := managers(t, "rlft(6,2)", emulator.Options{}, 1, 2)
			for i, k := range []terms.Keys{smtest.SecretKeys, k} {
				all[i].manager = NewManager(terms.Config{Elect: true, Priority: uint8(i + 1), Keys: k}, terms.UsualWatch)
			}
			for _, v := range all {
				v.step(&terms.Event{Kind: terms.Start})
				runTogether(v.now+5*time.Second, all...)
			}
			runTogether(all[0].now+30*time.Minute, all...)
			takes := slices.Equal(k.Secret, smtest.SecretKeys.Secret)
			if n, master := masters(all); n != 1 || (master == all[1]) != takes || verifyKeys(t, master, smtest.SecretKeys) > 0 {
				t.Errorf("%d masters: %s", n, journals(all))
			}
		}
	})
	for _, c := range []struct {
		name          string
		first, second terms.Keys
		takes         bool
	}{
		{"one secret", smtest.SecretKeys, smtest.SecretKeys, true},
		{"other secrets", smtest.SecretKeys, smtest.OtherKeys, true},
		{"other secrets without a lease", terms.Keys{Secret: smtest.SecretKeys.Secret, Protect: 1}, smtest.OtherKeys, false},
		{"all may read the keys", terms.Keys{One: 9}, smtest.OtherKeys, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			sub, all := managers(t, "rlft(6,2)", emulator.Options{}, 1, 0)
			wrote := 0
			for i, k := range []terms.Keys{c.first, c.second} {
				v := all[i]
				v.manager = NewManager(terms.Config{Elect: true, Priority: uint8(1 - i), Keys: k}, terms.UsualWatch)
			}
			all[1].onAction = func(a *terms.Action) {
				if a.Kind == terms.Send && a.Method == mad.Set && a.Attr != mad.AttrSMInfo {
					wrote++
				}
			}
			for _, v := range all {
				v.step(&terms.Event{Kind: terms.Start})
				runTogether(v.now+5*time.Second, all...)
			}
			runTogether(all[0].now+5*time.Minute, all...)
			if n, master := masters(all); n != 1 || master != all[0] || wrote > 0 || verifyKeys(t, all[0], c.first) > 0 {
				t.Fatalf("%d masters, %d written: %s", n, wrote, journals(all))
			}
			lids := all[0].lidsOf()
			sub.Detach(all[0].id)
			runTogether(all[1].now+20*time.Minute, all[1])
			r := all[1].manager.Result().Report
			if (r.State == terms.Up) != c.takes || !c.takes && r.Find(terms.Locked) == nil {
				t.Fatalf("%s: %v: %s", r.State, r.Incidents, journals(all))
			}
			if !c.takes {
				verifyKeys(t, &virtual{sub: sub, manager: all[0].manager}, c.first)
				return
			}
			if n := verifyKeys(t, all[1], c.second); slices.Equal(c.first.Secret, c.second.Secret) && n > 0 {
				t.Errorf("%d SMPs with a wrong key", n)
			}
			if !maps.Equal(lids, all[1].lidsOf()) {
				t.Error("LIDs have moved")
			}
			all[1].verify(t)
		})
	}
}

// TestWrongKey: somebody without the keys changes nothing, and is named. The port is shown its key,
// so that its lease does not end.
func TestWrongKey(t *testing.T) {
	v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{Keys: smtest.SecretKeys})
	f := v.sub.Fabric()
	host := smtest.Find(f, fabric.CA, 5)
	id, err := v.sub.Attach(emulator.Client{At: fabric.End{Node: host, Port: 1}, Deliver: func(*wire.Datagram) {}})
	if err != nil {
		t.Fatal(err)
	}
	leaf := f.Peer(fabric.End{Node: host, Port: 1})
	other := slices.IndexFunc(f.Nodes[leaf.Node].Ports, func(p fabric.Port) bool {
		return p.Link != fabric.NoLink && p.Link != f.Nodes[host].Ports[1].Link && f.Nodes[f.Peer(fabric.End{Node: leaf.Node, Port: 1}).Node].Type == fabric.CA
	})
	target := f.Peer(fabric.End{Node: leaf.Node, Port: uint8(other)})
	attack := func(directed bool) {
		m, err := mad.Request{Method: mad.Set, Attr: mad.AttrPortInfo, Key: 0xBAD}.Directed(make([]byte, mad.Size), []byte{1, uint8(other)})
		d := &wire.Datagram{Addr: wire.Directed(), MAD: m}
		if !directed {
			m, err = mad.Request{Method: mad.Set, Attr: mad.AttrPortInfo, Key: 0xBAD}.Routed(make([]byte, mad.Size))
			info, _ := v.sub.PortInfo(target)
			from, _ := v.sub.PortInfo(fabric.End{Node: host, Port: 1})
			d = &wire.Datagram{Addr: wire.ToLID(uint16(mad.PortInfoLID.Get(info)), 0), MAD: m}
			d.Addr.SLID = uint16(mad.PortInfoLID.Get(from))
		}
		if err != nil {
			t.Fatal(err)
		}
		v.sub.Send(id, d)
	}
	before := states(t, v)
	rounds := v.told(terms.RoundBegun)
	for i := range 20 {
		attack(i%2 == 0)
		v.runUntil(v.now + 50*time.Second)
	}
	if !maps.Equal(before, states(t, v)) {
		t.Error("the lease has ended, or something was written")
	}
	info, err := v.sub.PortInfo(target)
	if err != nil || mad.PortInfoMKeyViolations.Get(info) != 20 {
		t.Fatalf("%v, %d violations of %s", err, mad.PortInfoMKeyViolations.Get(info), f.EndName(target))
	}
	lid := uint64(v.lidsOf()[f.Nodes[host].Ports[1].GUID])
	for _, want := range []string{fmt.Sprintf("from LID %d, ", lid), fmt.Sprintf("by a directed route from CA %q", f.Nodes[host].Desc)} {
		if !slices.ContainsFunc(v.entries, func(i terms.Incident) bool { return i.Kind == terms.WrongKey && strings.Contains(i.Text, want) }) {
			t.Errorf("nothing is told %s: %v", want, v.entries)
		}
	}
	if n := v.told(terms.RoundBegun) - rounds; n > 1 { // a routing afresh may be due
		t.Errorf("%d rounds", n)
	}
	if v.told(terms.WrongKey) != 2 {
		t.Errorf("told %d times", v.told(terms.WrongKey))
	}
}

// TestReadKeys: files of keys, and faults in them.
func TestReadKeys(t *testing.T) {
	known, others, err := terms.ReadKeys("keys", []byte("# ours\n0x12 0x34 # a port\n0x13 0x0\n* 7\n * 0xffffffffffffffff\n"))
	if err != nil || !maps.Equal(known, map[fabric.GUID]uint64{0x12: 0x34}) || !slices.Equal(others, []uint64{7, 1<<64 - 1}) {
		t.Errorf("%v %v %v", known, others, err)
	}
	for text, want := range map[string]string{
		"\n0x12": "keys:2: want a port GUID", "* 0": "keys:1: the second word", "x 1": "keys:1:", "0 1": "keys:1: no port", "1 2\n1 3": "keys:2: port", "* 1 2": "keys:1: want",
	} {
		if _, _, err := terms.ReadKeys("keys", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestKeysChange: keys without a lease change in one round if the old ones are known.
func TestKeysChange(t *testing.T) {
	old := terms.Keys{Secret: []byte("an old secret"), Protect: 1}
	for _, c := range []struct{ from, to terms.Keys }{
		{old, terms.Keys{Secret: smtest.SecretKeys.Secret, Former: [][]byte{[]byte("none"), old.Secret}, Protect: 1}},
		{old, terms.Keys{One: 5, Former: [][]byte{old.Secret}, Protect: 3}},
		{terms.Keys{One: 1, Protect: 3}, terms.Keys{One: 2, Others: []uint64{9, 1}, Protect: 3}},
		{old, terms.Keys{Former: [][]byte{old.Secret}}},
		{terms.Keys{One: 1, Protect: 3}, terms.Keys{Others: []uint64{9, 1}}},
		{terms.Keys{One: 1, Protect: 2}, terms.Keys{Secret: smtest.SecretKeys.Secret, Others: []uint64{1}, Protect: 1}},
	} {
		v, err := newVirtual(smtest.Formula(t, "rlft(6,2)"), emulator.Options{}, terms.Config{Keys: c.from}, smtest.JobOf("updn", 0))
		if err != nil {
			t.Fatal(err)
		}
		if r := v.run(); !isOpen(r) {
			t.Fatalf("%s: %v", r.State, r.Incidents)
		}
		if r := v.again(c.to); !isOpen(r) {
			t.Errorf("from %+v to %+v: %s: %v", c.from, c.to, r.State, r.Incidents)
		}
		if n := verifyKeys(t, v, c.to); n > 0 && c.from.Protect == 1 {
			t.Errorf("from %+v to %+v: %d SMPs with a wrong key", c.from, c.to, n)
		}
	}
}

// TestLeaseChanges: another protection or lease, told while the manager runs, reaches all ports,
// though their keys stay.
func TestLeaseChanges(t *testing.T) {
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{Keys: smtest.SecretKeys})
	for _, change := range []func(k *terms.Keys){
		func(k *terms.Keys) { k.Lease += 30 }, func(k *terms.Keys) { k.Protect = 0 }, func(k *terms.Keys) { k.Lease = 0 },
	} {
		cfg := v.manager.cfg
		change(&cfg.Keys)
		v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: terms.UsualWatch, Routing: v.routing, What: "another lease"}})
		v.runUntil(v.now + 3*time.Second)
		if n := verifyKeys(t, v, cfg.Keys); n > 0 || !isOpen(v.manager.Result().Report) {
			t.Errorf("%+v: %d SMPs with a wrong key, %v", cfg.Keys, n, v.manager.Result().Report.Incidents)
		}
	}
}

// TestKeysOfStrangers: a port whose GUID is not known is asked with a few keys, and the first one
// once more.
func TestKeysOfStrangers(t *testing.T) {
	k := terms.Keys{One: 2, Others: []uint64{9, 1, 9}, Known: map[fabric.GUID]uint64{8: 1, 7: 4}}
	strangers := func(k terms.Keys, expected fabric.GUID) []uint64 {
		return ledger.NewKeyring(&terms.Config{Keys: k}).OfStrangers(expected)
	}
	if got := strangers(k, 0); !slices.Equal(got, []uint64{2, 9, 1, 4, 2}) {
		t.Errorf("%v", got)
	}
	secret := terms.Keys{Secret: []byte("of now"), Former: [][]byte{[]byte("of before")}, Others: []uint64{9}}
	now, before := terms.DeriveKey(secret.Secret, 5), terms.DeriveKey(secret.Former[0], 5)
	if got := strangers(secret, 5); !slices.Equal(got, []uint64{now, before, 9, now}) {
		t.Errorf("%v", got)
	}
	for key := range uint64(99) {
		k.Others = append(k.Others, key)
	}
	if got := strangers(k, 0); len(got) != ledger.MostTried+1 || !slices.Equal(strangers(terms.Keys{One: 3}, 0), []uint64{3}) {
		t.Errorf("%v", got)
	}
}
