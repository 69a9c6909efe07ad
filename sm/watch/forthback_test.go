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
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/tuning"
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
// Tables of lanes count only where the Plan has several lanes, P_Keys of a switch port only where
// it enforces them.
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
				all["VL arbitration of "+name] = fmt.Sprintf("%d %d %d", low, high, limit)
			} else {
				mad.PortInfoVLHighLimit.Put(info, 0)
			}
			all["PortInfo of "+name] = fmt.Sprintf("%x", info)
		}
	}
	if lanes {
		v.verifyLanes(t)
		all["levels"] = fmt.Sprint(v.manager.inForce.Plan.Levels)
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
const seldom = "interval rebalance-after moves-per-minute no-moves change-window pause sm-key unproven take-over ask-roles expect flaps babbling-rate keep-absent congestion-control options priority"

// reloads are the settings that a reload may change, by the name of their option, with a value that
// is not the default.
var reloads = map[string]func(t *testing.T, o *options){
	"interval":         func(_ *testing.T, o *options) { o.watch.Interval = 3 * time.Second },
	"rebalance-after":  func(_ *testing.T, o *options) { o.watch.Rebalance = 30 * time.Second },
	"moves-per-minute": func(_ *testing.T, o *options) { o.watch.Moves = 60 },
	"no-moves":         func(_ *testing.T, o *options) { o.watch.NoMoves = []terms.Hours{{From: time.Hour, To: 2 * time.Hour}} },
	"flaps":            func(_ *testing.T, o *options) { o.watch.Flaps.Times = 2 },
	"babbling-rate":    func(_ *testing.T, o *options) { o.watch.Babble.Rate = 77 },
	"keep-absent":      func(_ *testing.T, o *options) { o.watch.KeepAbsent = 7 },
	"pause":            func(_ *testing.T, o *options) { o.cfg.Pause = 3 * time.Second },
	"priority":         func(_ *testing.T, o *options) { o.cfg.Priority = 9 },
	"sm-key":           func(_ *testing.T, o *options) { o.cfg.SMKey = 77 },
	"unproven":         func(_ *testing.T, o *options) { o.cfg.Unproven = true },
	"take-over":        func(_ *testing.T, o *options) { o.cfg.TakeOver = true },
	"ask-roles":        func(_ *testing.T, o *options) { o.cfg.AskRoles = true },
	"options":          func(_ *testing.T, o *options) { o.cfg.Options = map[string]string{"engine": "updn"} },
	"drain":            func(_ *testing.T, o *options) { o.cfg.Drain = []string{"spine 0"} },
	"partitions": func(t *testing.T, o *options) {
		o.cfg.Partitions = smtest.Partitioning(t, `Default=0x7fff: ALL=limited; storage=0x10, ipoib: "host 1"=full, ALL_CAS;`, true, true)
	},
	"tuning": func(t *testing.T, o *options) {
		o.cfg.Tuning = &tuning.Settings{Times: &tuning.Times{Subnet: 20, PacketLife: 19, Head: 17, HostHead: 15, Stall: 3, HostStall: 2}}
		o.cfg.Between.Prefixes = []sa.PrefixRoute{{Router: 7}}
	},
	"change-window": func(_ *testing.T, o *options) {
		o.watch.Windows = []terms.Window{{Days: 127, Hours: terms.Hours{From: time.Hour, To: 2 * time.Hour}}}
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

// removals take settings away that a manager had from the start, or change its M_Keys. A stranger
// that was let in keeps its link Active, so quarantine-strangers is not among them; nor are the
// levels, since the Plan keeps its paths, and with other levels its trees may share a lane.
var removals = map[string]func(o *options){
	"partitions":         func(o *options) { o.cfg.Partitions = nil },
	"congestion-control": func(o *options) { o.cfg.Congestion = nil },
	"drain":              func(o *options) { o.cfg.Drain = nil },
	"m-key":              func(o *options) { o.cfg.Keys.One, o.cfg.Keys.Others = 6, []uint64{5} },
	"mkey-protect":       func(o *options) { o.cfg.Keys.Protect = 0 },
	"mkey-lease":         func(o *options) { o.cfg.Keys.Lease = 0 },
}

// usual are the options that nobody gives.
func usual() options {
	cfg := terms.Config{SMKey: 1}
	cfg.FillIn()
	return options{cfg: cfg, watch: terms.UsualWatch, routing: smtest.JobOf("updn", 0)}
}

// TestForthAndBack: after a reload with another value of any setting it is in force, and after one
// with the old value the devices, the groups and the manager are as if nothing had been.
func TestForthAndBack(t *testing.T) {
	for name, set := range reloads {
		t.Run(name, func(t *testing.T) {
			there := usual()
			set(t, &there)
			forthAndBack(t, name, usual(), there)
		})
	}
	for name, remove := range removals {
		t.Run("without "+name, func(t *testing.T) {
			all := usual()
			for _, name := range []string{"partitions", "levels", "congestion-control", "drain", "expect"} {
				reloads[name](t, &all)
			}
			all.cfg.Keys = terms.Keys{One: 5, Others: []uint64{6}, Protect: 1, Lease: 60}
			there := all
			remove(&there)
			forthAndBack(t, name, all, there)
		})
	}
}

// forthAndBack starts a manager with some options, has it take others, and the first ones again.
func forthAndBack(t *testing.T, name string, here, there options) {
	t.Helper()
	v := here.start(t)
	want := v.held(t)
	cfg, watch := inForceOf(v.manager)
	there.reload(v)
	if now := v.held(t); !strings.Contains(seldom, name) && len(differing(want, now)) == 0 {
		t.Error("no device has it")
	}
	otherCfg, otherWatch := inForceOf(there.start(t).manager)
	if c, w := inForceOf(v.manager); !reflect.DeepEqual(c, otherCfg) || !reflect.DeepEqual(w, otherWatch) {
		t.Errorf("in force are %+v, %+v, and from the start %+v, %+v", c, w, otherCfg, otherWatch)
	}
	here.afresh = there.afresh
	here.reload(v)
	if list := differing(want, v.held(t)); len(list) > 0 {
		t.Errorf("%d values are not as before:\n%s", len(list), strings.Join(list, "\n"))
	}
	if c, w := inForceOf(v.manager); !reflect.DeepEqual(c, cfg) || !reflect.DeepEqual(w, watch) {
		t.Errorf("in force are %+v, %+v, want %+v, %+v", c, w, cfg, watch)
	}
}

// TestRebalanceForthAndBack: a routing from scratch that was due when rebalance-after became 0 is
// due again when it is as before.
func TestRebalanceForthAndBack(t *testing.T) {
	o := usual()
	v := o.start(t)
	want := fmt.Sprint(v.sub.Tables())
	f := v.sub.Fabric()
	link := fabric.NoLink
	for i := range f.Links {
		if f.IsSwitchLink(fabric.LinkID(i)) {
			link = fabric.LinkID(i)
		}
	}
	for _, down := range []bool{true, false} {
		if err := v.sub.SetLinkDown(link, down); err != nil {
			t.Fatal(err)
		}
		v.runUntil(v.now + 15*time.Second)
	}
	off := o
	off.watch.Rebalance = 0
	off.reload(v)
	if fmt.Sprint(v.sub.Tables()) == want {
		t.Fatal("the repaired Plan is not in force")
	}
	if o.reload(v); fmt.Sprint(v.sub.Tables()) != want {
		t.Errorf("it is not routed from scratch: %v", v.entries)
	}
}

// TestUnmatchedMembers: members of partitions that select no port are named once, with what is
// wrong about them, until they appear or the file is corrected. A host that is away is not taken
// for one.
func TestUnmatchedMembers(t *testing.T) {
	f := smtest.Formula(t, "rlft(4,2)")
	host, err := f.FindNode("host 3")
	if err != nil {
		t.Fatal(err)
	}
	node, port := f.Nodes[host].GUID, f.Nodes[host].Ports[1].GUID
	late, err := f.FindNode("host 5")
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`Default=0x7fff: ALL=full; a=0x10: 0x%x=full, 0x%x=full, "hots*"=full, "host 1"=full, ALL_ROUTERS, 0xdead; b=0x11: 0x%x;`, uint64(node), uint64(port), uint64(f.Nodes[late].Ports[1].GUID))
	v, err := newVirtual(f, emulator.Options{}, terms.Config{}, smtest.JobOf("updn", 0))
	if err == nil {
		err = v.sub.SetNodeDown(late, true)
	}
	if err != nil {
		t.Fatal(err)
	}
	v.manager = NewManager(terms.Config{Partitions: smtest.Partitioning(t, text, true, true)}, terms.UsualWatch)
	v.step(&terms.Event{Kind: terms.Start})
	unmatched := func(what string, want ...string) {
		t.Helper()
		v.runUntil(v.now + 2*time.Minute)
		var got []string
		for _, u := range v.manager.Snapshot(v.now).Routed.Unmatched {
			got = append(got, fmt.Sprintf("%d %s: %s", u.Part, u.Member, u.Why))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: unmatched are %q, want %q", what, got, want)
		}
	}
	byNode := fmt.Sprintf("1 0x%016x=full: no port has this GUID: it is the node GUID of CA %s, with port GUID %s", uint64(node), f.NodeName(host), port)
	byName, nowhere := `1 "hots*"=full: no node has such a description`, `1 0x000000000000dead=limited: no port has this GUID`
	yet := fmt.Sprintf("2 0x%016x=limited: ", uint64(f.Nodes[late].Ports[1].GUID))
	unmatched("at first", byNode, byName, nowhere, yet+"no port has this GUID")
	if n := v.told(terms.NoMember); n != 4 {
		t.Errorf("%d are told: %v", n, v.entries)
	}
	for range 3 {
		v.step(&terms.Event{Kind: terms.Resweep})
		v.runUntil(v.now + time.Second)
	}
	if n, r := v.told(terms.NoMember), v.manager.Result().Report; n != 4 || r.Find(terms.NoMember) == nil {
		t.Errorf("%d are told after more rounds, and in the report: %v", n, r.Incidents)
	}
	for turn, down := range []bool{false, true, false} {
		if err := v.sub.SetNodeDown(late, down); err != nil {
			t.Fatal(err)
		}
		list := []string{byNode, byName, nowhere}
		if down {
			list = append(list, yet+"the port is not in the subnet now")
		}
		unmatched(fmt.Sprint("turn ", turn), list...)
	}
	if n := v.told(terms.NoMember); n != 4 {
		t.Errorf("%d are told: %v", n, v.entries)
	}
	v.tellPartitions(smtest.Partitioning(t, fmt.Sprintf(`Default=0x7fff: ALL=full; a=0x10: 0x%x=full, "host*";`, uint64(port)), true, true))
	unmatched("corrected")
	if r := v.manager.Result().Report; r.Find(terms.NoMember) != nil {
		t.Errorf("%v", r.Incidents)
	}
}
