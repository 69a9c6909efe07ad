package watch

import (
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/sm/terms"
)

// BenchmarkSlowSwitch measures, in virtual time, what a switch costs the others whose answers take
// 100 times as long: since all switches go through the phases of a round together, they wait for it
// at the end of each. Every other agent answers in 20 us, an SMP takes 1 us, a Plan no time.
func BenchmarkSlowSwitch(b *testing.B) {
	fabrics := []struct {
		name, engine string
		open         func(testing.TB) *fabric.Fabric
	}{
		{"janus", "updn", smtest.Janus},
		{"rlft(36,3)", "ftree", func(tb testing.TB) *fabric.Fabric { return smtest.Formula(tb, "rlft(36,3)") }},
	}
	for _, c := range fabrics {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				for times, name := range map[int]string{1: "", 100: "-slow"} {
					cold, written, repair := slowSwitch(b, c.open(b), c.engine, times)
					b.ReportMetric(cold.Seconds()*1000, "ms-cold"+name)
					b.ReportMetric(written.Seconds()*1000, "ms-written"+name)
					b.ReportMetric(repair.Seconds()*1000, "ms-repair"+name)
				}
			}
		})
	}
}

// slowSwitch returns three times: of a bring-up, of its part from the Plan to the last Active link,
// and of the repair of a lost link. One switch takes times as long as the others for an answer.
func slowSwitch(b *testing.B, f *fabric.Fabric, engine string, times int) (cold, written, repair time.Duration) {
	const usual = 20 * time.Microsecond
	v, err := newVirtual(f, emulator.Options{Impairment: emulator.Impairment{Delay: time.Microsecond}}, terms.Config{}, smtest.JobOf(engine, 0))
	if err != nil {
		b.Fatal(err)
	}
	v.manager = NewManager(terms.Config{}, terms.UsualWatch)
	slow := smtest.Find(f, fabric.Switch, 5)
	for id := range f.Nodes {
		took := usual
		if fabric.NodeID(id) == slow {
			took *= time.Duration(times)
		}
		if err := v.sub.SetSlow(fabric.NodeID(id), took); err != nil {
			b.Fatal(err)
		}
	}
	v.onPhase = func(name string) {
		switch name {
		case "route":
			written = v.now
		case "verify":
			written = v.now - written
		}
	}
	round := func() time.Duration {
		began, ended := v.now, v.told(terms.RoundEnds)
		for v.told(terms.RoundEnds) == ended {
			v.runUntil(v.now + 100*time.Microsecond)
		}
		if s := v.manager.Result().Report.State; s != terms.Up {
			b.Fatal(s)
		}
		return v.now - began
	}
	v.step(&terms.Event{Kind: terms.Start})
	cold = round()
	v.onPhase = nil
	v.runUntil(v.now + time.Second)
	_, id := v.switchLink(b, 40)
	if err := v.sub.SetLinkDown(id, true); err != nil {
		b.Fatal(err)
	}
	return cold, written, round()
}
