package watch

import (
	"fmt"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// losing starts a manager that gets no answer to SMPs of some kinds while on is set, though devices
// carry them out.
func losing(t *testing.T, cfg terms.Config, on *bool, outcome terms.Outcome, kinds ...ledger.Kind) *virtual {
	t.Helper()
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVirtual(f, emulator.Options{}, cfg, smtest.JobOf("auto", 0))
	if err != nil {
		t.Fatal(err)
	}
	v.manager, v.planTime = NewManager(cfg, terms.UsualWatch), 30*time.Millisecond
	v.alter = func(ev *terms.Event) {
		for _, k := range kinds {
			if *on && ev.Kind == terms.Answer && ev.Tag>>56 == uint64(k) {
				ev.Outcome, ev.Attempts = outcome, 4
			}
		}
	}
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 2*time.Second)
	return v
}

// tellPartitions has the manager take other partitions, and waits.
func (v *virtual) tellPartitions(p *terms.Partitioning) {
	cfg := v.manager.cfg
	cfg.Partitions = p
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: terms.UsualWatch, Routing: v.routing, What: "as the test says"}})
	v.runUntil(v.now + 3*time.Second)
}

// TestLostPKeys: what ports did not answer is asked again, so that all have their P_Keys once they
// do.
func TestLostPKeys(t *testing.T) {
	first := smtest.Partitioning(t, `Default=0x7fff: ALL=full; a=0x10: "host 1"=full, "host 2"=full;`, true, true)
	next := smtest.Partitioning(t, `Default=0x7fff: ALL=full; b=0x11: "host 1"=full, "host 3"=full;`, true, true)
	for name, lost := range map[string][]ledger.Kind{"read": {ledger.GetPKeys}, "written": {ledger.SetPKey}} {
		t.Run(name, func(t *testing.T) {
			on := true
			v := losing(t, terms.Config{Partitions: first}, &on, terms.Silent, lost...)
			if r := v.manager.Result().Report; r.State != terms.UpInPart {
				t.Errorf("P_Keys are lost, and it is %s", r.State)
			}
			on = false
			v.runUntil(v.now + time.Minute)
			if r := v.manager.Result().Report; r.State != terms.Up {
				t.Errorf("%s: %v", r.State, r.Incidents)
			}
			v.verifyPartitions(t, first, anyRoom)
			on = true
			v.tellPartitions(next)
			on = false
			v.tellPartitions(first)
			v.verifyPartitions(t, first, anyRoom)
		})
	}
}

// TestPKeysBeyondTheFirstBlock: a manager without partitions reads the first block of a P_KeyTable.
// When it is told partitions, it takes away what another manager has left in later blocks too.
func TestPKeysBeyondTheFirstBlock(t *testing.T) {
	many := "Default=0x7fff: ALL=full;"
	for i := range 40 {
		many += fmt.Sprintf(` p%d=%d: "host 1"=full;`, i, 16+i)
	}
	v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{Partitions: smtest.Partitioning(t, many, false, false)})
	v.verifyPartitions(t, smtest.Partitioning(t, many, false, false), anyRoom)
	v.manager = NewManager(terms.Config{}, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 3*time.Second)
	few := smtest.Partitioning(t, "Default=0x7fff: ALL=full;", false, false)
	v.tellPartitions(few)
	v.verifyPartitions(t, few, anyRoom)
}

// enforcing counts the switch ports before hosts that drop packets of other partitions.
func (v *virtual) enforcing() (n int) {
	f := v.sub.Fabric()
	for i := range f.Links {
		for _, e := range [...]fabric.End{f.Links[i].A, f.Links[i].B} {
			if info, _ := v.sub.PortInfo(e); mad.PortInfoEnforceInbound.Is(info) || mad.PortInfoEnforceOutbound.Is(info) {
				n++
			}
		}
	}
	return n
}

// TestPKeysNotTaken: a switch port that refuses the P_Keys of its host does not drop packets by its
// old ones.
func TestPKeysNotTaken(t *testing.T) {
	first := smtest.Partitioning(t, `Default=0x7fff: ALL=full; a=0x10: "host 1"=full, "host 2"=full;`, true, true)
	next := smtest.Partitioning(t, `Default=0x7fff: ALL=full; b=0x11: "host 1"=full, "host 3"=full;`, true, true)
	for name, alter := range map[string]func(ev *terms.Event){
		"refused": func(ev *terms.Event) { ev.Outcome, ev.Attempts = terms.Refused, 1 },
		"another": func(ev *terms.Event) { mad.PKeyTablePKey.Set(ev.Data[:], 3, 0x8022) },
		"lost":    func(ev *terms.Event) { ev.Outcome, ev.Attempts = terms.Silent, 4 },
	} {
		t.Run(name, func(t *testing.T) {
			v := staying(t, "rlft(4,2)", emulator.Options{}, terms.Config{Partitions: first})
			if n := v.enforcing(); n != 8 {
				t.Errorf("%d ports drop packets, want those before 8 hosts", n)
			}
			v.alter = func(ev *terms.Event) {
				if ev.Kind == terms.Answer && ev.Tag>>56 == uint64(ledger.SetPKey) {
					alter(ev)
				}
			}
			v.manager.failed = 1 // so that a round in which something is silent is not broken off, but writes the rest
			v.tellPartitions(next)
			if n := v.enforcing(); n != 8-3 {
				t.Errorf("%d ports drop packets, want the 5 with the P_Keys of their hosts", n)
			}
			if r := v.manager.Result().Report; r.State != terms.UpInPart {
				t.Errorf("it is %s: %v", r.State, r.Incidents)
			}
		})
	}
}
