package watch

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/planner"
	simcongestion "weft/sim/congestion"
	"weft/sm/clients"
	"weft/sm/congestion"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// options are all that a reload may change.
type options struct {
	cfg     terms.Config
	watch   terms.Watch
	routing planner.Request
	afresh  bool
}

// start starts a manager of a new subnet with options, and waits until nothing is due.
func (o *options) start(t *testing.T) *virtual {
	t.Helper()
	v, err := newVirtual(smtest.Formula(t, "rlft(4,2)"), emulator.Options{}, o.cfg, o.routing)
	if err != nil {
		t.Fatal(err)
	}
	v.manager, v.planTime = NewManager(o.cfg, o.watch), 30*time.Millisecond
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 3*time.Minute)
	return v
}

// reload has a manager take options, and waits until nothing is due.
func (o *options) reload(v *virtual) {
	v.routing = o.routing
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: o.cfg, Watch: o.watch, Routing: o.routing, Afresh: o.afresh, What: "as the test says"}})
	v.runUntil(v.now + 3*time.Minute)
}

// held describes all that devices hold that decides which packets pass, and what hosts are told.
// Tables of lanes count only where the Plan has several lanes, P_Keys of a switch port only where it
// enforces them.
func (v *virtual) held(t *testing.T) map[string]string {
	t.Helper()
	all, f := map[string]string{}, v.sub.Fabric()
	lanes := v.manager.inForce.Plan.VLs > 1
	for id := range f.Nodes {
		for num := range f.Nodes[id].Ports {
			e := fabric.End{Node: fabric.NodeID(id), Port: uint8(num)}
			info, err := v.sub.PortInfo(e)
			if err != nil {
				continue
			}
			name := f.EndName(e)
			if f.Nodes[id].Type != fabric.Switch || num == 0 || mad.PortInfoEnforceInbound.Is(info) || mad.PortInfoEnforceOutbound.Is(info) {
				keys, err := v.sub.PKeys(e)
				if err != nil {
					t.Fatal(err)
				}
				all["P_Keys of "+name] = fmt.Sprintf("%#x", slices.DeleteFunc(slices.Sorted(slices.Values(keys)), func(k uint16) bool { return k == 0 }))
			}
			if lanes {
				low, high, limit := v.sub.VLArbitration(e)
				all["VL arbitration of "+name] = fmt.Sprint(low, high, limit)
			} else {
				mad.PortInfoVLHighLimit.Put(info, 0)
			}
			all["PortInfo of "+name] = fmt.Sprintf("%x", info)
		}
	}
	if lanes {
		all["lanes"] = fmt.Sprint(v.sub.Lanes())
	}
	all["tables"] = fmt.Sprint(v.sub.Tables())
	all["groups"], all["drains"] = fmt.Sprint(clients.StandingGroups(v.manager.inForce.By.Partitions)), fmt.Sprint(v.manager.Drained())
	return all
}

// differing lists the names of what is not the same.
func differing(a, b map[string]string) (list []string) {
	names := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if a[name] != b[name] {
			list = append(list, fmt.Sprintf("%s: %.200s, and %.200s", name, a[name], b[name]))
		}
	}
	return list
}

// inForceOf returns the settings in force. Partitions that put all ports together are as none.
func inForceOf(m *Manager) (terms.Config, terms.Watch) {
	cfg := m.cfg
	cfg.History, cfg.Partitions, cfg.Drains, cfg.OwnPort = terms.History{}, cfg.Partitions.Listed(), terms.Drains{}, 0
	if cfg.Congestion != nil && cfg.Congestion.Control == nil {
		cfg.Congestion = nil // turned off
	}
	return cfg, m.watch
}

// seldom are the settings that no device holds: only the manager does.
const seldom = "interval rebalance-after pause sm-key unproven take-over ask-roles expect flaps keep-absent congestion-control lease options priority"

// reloads are the settings that a reload may change, by the name of their option, with a value that
// is not the default.
var reloads = map[string]func(t *testing.T, o *options){
	"interval":        func(_ *testing.T, o *options) { o.watch.Interval = 3 * time.Second },
	"rebalance-after": func(_ *testing.T, o *options) { o.watch.Rebalance = 30 * time.Second },
	"flaps":           func(_ *testing.T, o *options) { o.watch.Flaps.Times = 2 },
	"keep-absent":     func(_ *testing.T, o *options) { o.watch.KeepAbsent = 7 },
	"pause":           func(_ *testing.T, o *options) { o.cfg.Pause = 3 * time.Second },
	"priority":        func(_ *testing.T, o *options) { o.cfg.Priority = 9 },
	"sm-key":          func(_ *testing.T, o *options) { o.cfg.SMKey = 77 },
	"unproven":        func(_ *testing.T, o *options) { o.cfg.Unproven = true },
	"take-over":       func(_ *testing.T, o *options) { o.cfg.TakeOver = true },
	"ask-roles":       func(_ *testing.T, o *options) { o.cfg.AskRoles = true },
	"options":         func(_ *testing.T, o *options) { o.cfg.Options = map[string]string{"engine": "updn"} },
	"drain":           func(_ *testing.T, o *options) { o.cfg.Drain = []string{"spine 0"} },
	"partitions": func(t *testing.T, o *options) {
		o.cfg.Partitions = smtest.Partitioning(t, `Default=0x7fff: ALL=limited; storage=0x10, ipoib: "host 1"=full, ALL_CAS;`, true, true)
	},
	"levels": func(t *testing.T, o *options) { o.cfg.Levels = readLevels(t, "default\nstorage share=3 sl=5") },
	"congestion-control": func(_ *testing.T, o *options) {
		o.cfg.Congestion = &congestion.Settings{Control: &simcongestion.Control{Threshold: 15}, Key: 3}
	},
	"expect": func(t *testing.T, o *options) { o.cfg.Expected = smtest.Formula(t, "rlft(4,2)") },
	"quarantine-strangers": func(t *testing.T, o *options) {
		o.cfg.Expected, o.cfg.QuarantineStrangers = smtest.Formula(t, "rlft(4,2)"), true
		last := len(o.cfg.Expected.Nodes) - 1
		for i := range o.cfg.Expected.Nodes {
			if o.cfg.Expected.Nodes[i].Type == fabric.CA {
				last = i
			}
		}
		o.cfg.Expected.SetNodeDown(fabric.NodeID(last), true)
	},
	"engine": func(_ *testing.T, o *options) { o.routing, o.afresh = smtest.JobOf("dfsssp", 0), true },
}

// TestForthAndBack: after a reload with another value of any setting it is in force, and after one
// with the old value the devices, the groups and the manager are as if nothing had been.
func TestForthAndBack(t *testing.T) {
	a := func() options {
		cfg := terms.Config{SMKey: 1}
		cfg.FillIn()
		return options{cfg: cfg, watch: terms.UsualWatch, routing: smtest.JobOf("updn", 0)}
	}
	plain := a()
	fresh := plain.start(t)
	want := fresh.held(t)
	cfg, watch := inForceOf(fresh.manager)
	for name, set := range reloads {
		t.Run(name, func(t *testing.T) {
			there, back := a(), a()
			set(t, &there)
			back.afresh = there.afresh
			v := plain.start(t)
			there.reload(v)
			if now := v.held(t); !strings.Contains(seldom, name) && len(differing(want, now)) == 0 {
				t.Error("no device has it")
			}
			other := there.start(t)
			otherCfg, otherWatch := inForceOf(other.manager)
			if c, w := inForceOf(v.manager); !reflect.DeepEqual(c, otherCfg) || !reflect.DeepEqual(w, otherWatch) {
				t.Errorf("in force are %+v, %+v, and from the start %+v, %+v", c, w, otherCfg, otherWatch)
			}
			back.reload(v)
			if list := differing(want, v.held(t)); len(list) > 0 {
				t.Errorf("%d values are not as before:\n%s", len(list), strings.Join(list, "\n"))
			}
			if c, w := inForceOf(v.manager); !reflect.DeepEqual(c, cfg) || !reflect.DeepEqual(w, watch) {
				t.Errorf("in force are %+v, %+v, want %+v, %+v", c, w, cfg, watch)
			}
		})
	}
}
