package watch

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/racing"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// tell gives a manager that runs other keys.
func (v *virtual) tellKeys(k terms.Keys) {
	cfg := v.manager.cfg
	cfg.Keys = k
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: v.manager.watch, What: "keys"}})
}

// after returns Keys for a manager that continues with new keys after old ones.
func after(old, k terms.Keys) terms.Keys {
	if len(old.Secret) > 0 {
		k.Former = [][]byte{old.Secret}
	}
	if old.One != 0 {
		k.Others = []uint64{old.One}
	}
	return k
}

var rotated = []terms.Keys{smtest.SecretKeys, smtest.OtherKeys, smtest.HidingKeys, {One: 1, Protect: 3, Lease: 60}, {One: 2, Protect: 2}, {One: 3}, {Secret: []byte("one more"), Protect: 2}}

// TestKeysRotate: a manager that runs is told other keys. From any to any others all ports have
// theirs after the next round, no port has seen a wrong key, nothing was out of reach, and no LID
// has moved; a manager that starts after it finds all as it should be.
func TestKeysRotate(t *testing.T) {
	for i, from := range rotated {
		for j, to := range rotated {
			v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{Keys: from})
			lids, rounds := v.lidsOf(), v.told(terms.RoundEnds)
			to = after(from, to)
			v.tellKeys(to)
			v.runUntil(v.now + time.Second)
			r := v.manager.Result().Report
			if want := map[bool]int{true: 0, false: 1}[i == j]; v.told(terms.RoundEnds)-rounds != 1 && i != j || v.told(terms.KeysGiven) != want && i != j {
				t.Fatalf("%+v to %+v: %d rounds: %v", from, to, v.told(terms.RoundEnds)-rounds, v.entries)
			}
			if n := verifyKeys(t, v, to); !isOpen(r) || n > 0 || !maps.Equal(lids, v.lidsOf()) {
				t.Fatalf("%+v to %+v: %s, %d wrong keys: %v", from, to, r.State, n, r.Incidents)
			}
			last := to
			last.Former, last.Others = nil, nil
			v.tellKeys(last)
			v.runUntil(v.now + time.Minute)
			v = v.successor(t, terms.Config{Keys: last, OwnPort: ownPort(v), History: terms.History{Neighbours: terms.Neighbours(v.sub.Fabric())}})
			v.runUntil(v.now + time.Second)
			if n := verifyKeys(t, v, last); n > 0 || !isOpen(v.manager.Result().Report) {
				t.Fatalf("%+v: started again: %d wrong keys: %v", last, n, v.entries)
			}
		}
	}
}

// TestKeysRotateThroughFaults: the same on bad wires, with faults and several changes of keys in a
// row. Managers die in the middle of a change and restart with the old keys named.
func TestKeysRotateThroughFaults(t *testing.T) {
	racing.SkipLong(t)
	rapid.Check(t, func(t *rapid.T) {
		opt := emulator.Options{Seed: rapid.Uint64().Draw(t, "seed")}
		if rapid.Bool().Draw(t, "bad wire") {
			opt.Impairment = emulator.Impairment{Loss: 0.02, Duplicate: 0.02, Late: 0.05, LateBy: 50 * time.Millisecond}
		}
		k := rapid.SampledFrom(rotated).Draw(t, "from")
		v := staying(t, "rlft(6,2)", opt, terms.Config{Keys: k})
		v.runUntil(v.now + time.Minute)
		lids := v.lidsOf()
		faults := &faults{v: v, rng: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "draws"), 0))}
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			k = after(k, rapid.SampledFrom(rotated).Draw(t, "to"))
			v.tellKeys(k)
			v.runUntil(v.now + rapid.SampledFrom([]time.Duration{time.Microsecond, 100 * time.Microsecond, time.Millisecond}).Draw(t, "unit")*time.Duration(rapid.IntRange(0, 30).Draw(t, "for")))
			if rapid.IntRange(0, 2).Draw(t, "dies") == 0 {
				v = v.successor(t, terms.Config{Keys: k, OwnPort: ownPort(v), History: terms.History{Neighbours: terms.Neighbours(v.sub.Fabric())}})
				faults.v = v
				v.runUntil(v.now + rapid.SampledFrom([]time.Duration{time.Microsecond, time.Millisecond}).Draw(t, "unit")*time.Duration(rapid.IntRange(0, 30).Draw(t, "lives")))
			}
			if rapid.Bool().Draw(t, "fault") && len(v.manager.found().Nodes) > 0 {
				faults.next(t)
			}
			faults.settle(t)
			v.runUntil(v.now + 10*time.Minute)
		}
		if !v.isUp(t) {
			t.Fatalf("%v\n%v", v.manager.Result().Report.Incidents, v.entries)
		}
		verifyKeys(t, v, k)
		for guid, lid := range v.lidsOf() {
			if lids[guid] != lid {
				t.Fatalf("port %s has LID %d, and had %d", guid, lid, lids[guid])
			}
		}
	})
}

// TestHiddenMoves: a host whose port answers nothing without its key is found when its cable is
// moved to another switch; a new host is found too. A manager that does not know what was where
// says why ports may be silent.
func TestHiddenMoves(t *testing.T) {
	keys := smtest.HidingKeys
	keys.Lease = 0
	v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{Keys: keys})
	f := v.sub.Fabric()
	host, other := smtest.Find(f, fabric.CA, 5), smtest.Find(f, fabric.CA, 9)
	at := f.Peer(fabric.End{Node: other, Port: 1})
	for _, id := range []fabric.NodeID{host, other} {
		link, err := v.sub.LinkAt(fabric.End{Node: id, Port: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := v.sub.SetLinkDown(link, true); err != nil {
			t.Fatal(err)
		}
	}
	v.runUntil(v.now + 10*time.Second)
	lid := uint64(v.lidsOf()[f.Nodes[host].Ports[1].GUID])
	if _, err := v.sub.Connect(fabric.End{Node: host, Port: 1}, at, 4, fabric.QDR); err != nil {
		t.Fatal(err)
	}
	v.runUntil(v.now + 30*time.Second)
	r := v.manager.Result().Report
	info, err := v.sub.PortInfo(fabric.End{Node: host, Port: 1})
	if err != nil || r.State != terms.Up || r.Found.CAs != 17 || mad.PortInfoPortState.Get(info) != mad.PortActive || mad.PortInfoLID.Get(info) == 0 || lid != 0 && mad.PortInfoLID.Get(info) != lid {
		t.Fatalf("%v %s, %d CAs: %v", err, r.State, r.Found.CAs, v.entries)
	}
	verifyKeys(t, v, keys)
	next := v.successor(t, terms.Config{Keys: keys, OwnPort: ownPort(v)})
	next.runUntil(next.now + 20*time.Second)
	if r := next.manager.Result().Report; r.State == terms.Up || r.Find(terms.NoAnswer) == nil {
		t.Errorf("%s: %v", r.State, r.Incidents)
	}
}
