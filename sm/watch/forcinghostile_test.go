package watch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/terms"
	"weft/sm/tuning"
	"weft/sm/watch/forcing"
	"weft/wire/mad"
)

// TestSpeedLiars: a port that does not do what it is told, or lies about it, gets back what it had,
// and no other link is touched.
func TestSpeedLiars(t *testing.T) {
	isOrder := func(ev *terms.Event) bool { return ev.Kind == terms.Answer && ev.Tag>>56 == terms.SpeedTag }
	for name, c := range map[string]struct {
		alter func(ev *terms.Event)
		order func(a *terms.Action)
		why   string
	}{
		"keeps what it has": {alter: func(ev *terms.Event) {
			mad.PortInfoSpeedExtEnabled.Put(ev.Data[:], 3)
		}, why: "acknowledges what it is to enable, and does not"},
		"refuses":         {alter: func(ev *terms.Event) { ev.Outcome = terms.Refused }, why: "refuses what it is to enable"},
		"does not answer": {alter: func(ev *terms.Event) { ev.Outcome = terms.Silent }, why: "does not answer"},
		"does not train": {order: func(a *terms.Action) {
			if a.Method == mad.Set {
				mad.PortInfoPhysicalState.Put(a.Data, mad.PhysNoChange)
			}
		}, why: "it does not use speed ..DDR 10s after its training"},
		"is down for ever": {alter: func(ev *terms.Event) {
			mad.PortInfoPortState.Put(ev.Data[:], mad.PortDown)
		}, why: "it did not return within 1m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			v := forced(t, "rlft(4,2)", "*: speed=..DDR", emulator.Options{Training: time.Second}, nil)
			v.alter = func(ev *terms.Event) {
				if isOrder(ev) && c.alter != nil {
					c.alter(ev)
				}
			}
			ports := map[fabric.LID]bool{}
			v.onAction = func(a *terms.Action) {
				if a.Kind == terms.Send && a.Tag>>56 == terms.SpeedTag {
					ports[fabric.LID(a.Modifier&0xFF)] = true
					if c.order != nil {
						c.order(a)
					}
				}
			}
			v.begin(5 * time.Minute)
			count, _ := v.speeds()
			undone := v.texts(0, terms.SpeedUndone)
			if count[mad.SpeedEDR] != 16 || len(undone) != 1 || !strings.Contains(undone[0], c.why) || len(ports) != 1 {
				t.Errorf("links by speed %v, ports %v: %q: %v", count, ports, undone, v.entries)
			}
			for slot := range v.manager.inForce.Info {
				info := v.manager.inForce.Info[slot][:]
				if e := tuning.EnabledAt(info); v.manager.inForce.HasLink(int32(slot)) && int32(slot) != v.manager.inForce.Nodes[v.manager.inForce.Owner[slot]].First && e != (tuning.Enabled{Base: 7, Ext: 3, Width: 3}) {
					t.Errorf("%s enables %+v", v.manager.inForce.PortName(int32(slot)), e)
				}
			}
			v.verify(t)
		})
	}
}

// TestSpeedKeptIsNotTrusted: texts of a damaged state or of another weft neither end the manager
// nor keep it from its work.
func TestSpeedKeptIsNotTrusted(t *testing.T) {
	texts := []string{
		"", "{", "null", "[]", `{"Trial":{}}`, `{"Trial":{"Ends":["0x1[1]","0x2[1]"],"Ports":-7}}`, `{"Trial":{"Ends":["0x1[1]","0x2[1]"],"Ports":99,"Was":[{},{}],"To":[{},{}]}}`,
		`{"Failed":{}}`, `{"Failed":{"Ends":["x","y"]}}`, `{"Trial":{"Ends":["0x0200005300000001[200]","0x2[1]"],"Ports":2}}`,
	}
	v := forced(t, "rlft(4,2)", "*: speed=..DDR", emulator.Options{Training: time.Second}, nil)
	cfg := v.manager.cfg
	cfg.Drains.Trials = slices.Concat(texts, slices.Repeat(texts[4:5], 5000))
	v.manager = NewManager(cfg, v.manager.watch)
	v.begin(5 * time.Minute)
	if s := v.manager.Snapshot(v.now); s.InForce == nil || s.InForce.Report.State != terms.Up {
		t.Errorf("%+v: %v", s.InForce, v.entries)
	}
	v.verify(t)
	for _, text := range texts {
		m := forcing.Resume([]string{text, text}, 0)
		if list, _ := m.Kept(); len(list) > 2 {
			t.Errorf("%s is kept as %q", text, list)
		}
	}
}
