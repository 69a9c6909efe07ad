package watch

import (
	"bytes"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/planner"
	"weft/sm/clients"
	"weft/sm/ledger"
	"weft/sm/replica"
	"weft/sm/round/planning"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch/succession"
	"weft/wire"
	"weft/wire/mad"
)

// pair starts two managers of one subnet and runs until the second, a standby of the first, has a
// good copy.
func pair(t *testing.T, text string, config func(i int, c *terms.Config)) (m *market, master, standby *virtual) {
	t.Helper()
	m = newMarket(t, text, 1, 2)
	m.config = config
	m.start(0)
	m.run(5*time.Second, false)
	m.start(1)
	m.run(15*time.Second, false)
	if master = m.only("at first"); master != m.managers[0] || !m.followed() {
		t.Fatal(journals(m.living()))
	}
	return m, master, m.managers[1]
}

// kill ends a manager, and runs until the other one is the master.
func (m *market) kill(v *virtual) *virtual {
	m.sub.Detach(v.id)
	m.managers[slices.Index(m.managers, v)] = nil
	m.run(10*time.Second, false)
	return m.only("after its end")
}

// TestPartitionsOutliveTakeovers: a manager with other partitions in its file, or none, takes over
// and writes no P_KeyTable. It logs the difference, and applies its file on a reload. A manager
// with the same partitions logs nothing.
func TestPartitionsOutliveTakeovers(t *testing.T) {
	const same = `Default=0x7fff: ALL=full; storage=0x10, ipoib: "host 1*"=full, ALL_SWITCHES=both;`
	const other = `Default=0x7fff: ALL=limited; x=5,indx0: "host 3"=full;`
	for name, texts := range map[string][2]string{
		"the same": {same, same}, "others": {same, other}, "none": {same, ""}, "the master has none": {"", same},
	} {
		t.Run(name, func(t *testing.T) {
			has := [2]*terms.Partitioning{}
			for i, text := range texts {
				if text != "" {
					has[i] = smtest.Partitioning(t, text, true, i == 0 || text == same)
				}
			}
			m, master, _ := pair(t, "rlft(6,2)", func(i int, c *terms.Config) { c.Partitions = has[i] })
			m.wrote = func(_ *virtual, a *terms.Action) {
				if a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrPKeyTable {
					t.Errorf("P_KeyTable 0x%X is written", a.Modifier)
				}
			}
			v := m.kill(master)
			if told := v.told(terms.OtherRules) > 0; told != (texts[0] != texts[1]) {
				t.Errorf("that they differ is told: %t %s", told, journals(m.living()))
			}
			if has[0] != nil {
				v.verifyPartitions(t, has[0], anyRoom)
			}
			if !succession.IsSame(v.manager.Snapshot(v.now).Routed.Partitions, has[0]) {
				t.Error("others are in force")
			}
			if v.manager.afresh < terms.Never {
				t.Error("all is to be routed afresh, and nothing was repaired")
			}
			if name == "others" || name == "the master has none" {
				m.wrote = func(*virtual, *terms.Action) {}
			}
			cfg := v.manager.cfg
			cfg.Partitions = has[1]
			v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: terms.UsualWatch, Routing: v.routing, What: "as the test says"}})
			m.run(3*time.Second, false)
			want := has[1]
			if want == nil { // no file was ever named
				want = has[0]
			}
			v.verifyPartitions(t, want, anyRoom)
		})
	}
}

// TestDrainsOutliveTakeovers: drains by request last through two takeovers. A part in a manager's
// own options that the master did not drain is logged.
func TestDrainsOutliveTakeovers(t *testing.T) {
	m, master, _ := pair(t, "rlft(6,2)", func(i int, c *terms.Config) {
		if i == 1 {
			c.Drain = []string{"spine 2"}
		}
	})
	spine := m.f.Nodes[slices.IndexFunc(m.f.Nodes, func(n fabric.Node) bool { return n.Desc == "spine 1" })].GUID
	if d := master.order(terms.DrainPart, "spine 1"); d.Err != nil {
		t.Fatal(d.Err)
	}
	m.run(5*time.Second, false)
	for turn := range 2 {
		m.wrote = func(_ *virtual, a *terms.Action) {
			if isTable(a) {
				t.Errorf("%s is written", ledger.AttrName(a.Attr))
			}
		}
		v := m.kill(master)
		if n := v.transit(spine); n > 0 || !slices.Equal(v.manager.Drained(), []string{spine.String()}) {
			t.Fatalf("%d entries lead through it; drained are %v", n, v.manager.Drained())
		}
		if turn == 0 && !slices.ContainsFunc(v.texts(0, terms.OtherRules), func(s string) bool { return strings.Contains(s, "spine 2") }) {
			t.Error("nothing is told of spine 2", journals(m.living()))
		}
		m.wrote = func(*virtual, *terms.Action) {}
		m.start(slices.Index(m.managers, nil))
		m.run(30*time.Second, false)
		master = m.only("again")
	}
	if d := master.order(terms.UndrainPart, "spine 1"); d.Err != nil {
		t.Fatal(d.Err)
	}
	m.run(terms.UsualWatch.Rebalance+5*time.Second, false)
	if master.transit(spine) == 0 {
		t.Error("it is not used again")
	}
}

// TestMappedDrainsOutliveTakeovers: a switch that the master drains by the name in its node map
// stays drained by a successor that has another map or none, and nothing differs if both have the
// same.
func TestMappedDrainsOutliveTakeovers(t *testing.T) {
	f := smtest.Formula(t, "rlft(6,2)")
	spine := f.Nodes[slices.IndexFunc(f.Nodes, func(n fabric.Node) bool { return n.Desc == "spine 1" })].GUID
	for name, second := range map[string]string{"no map": "", "the same": "core", "another": "top"} {
		t.Run(name, func(t *testing.T) {
			m, master, standby := pair(t, "rlft(6,2)", func(i int, c *terms.Config) {
				if called := []string{"core", second}[i]; called != "" {
					c.Names, c.Drain = map[fabric.GUID]string{spine: called}, []string{called}
				}
			})
			if n := master.transit(spine); n > 0 {
				t.Fatalf("%d entries lead through it under the first master", n)
			}
			if d := standby.manager.differences; len(d) > 0 {
				t.Errorf("the standby: %q", d)
			}
			v := m.kill(master)
			if n := len(v.manager.result.Report.Drained); n != 1 || v.transit(spine) > 0 {
				t.Errorf("%d parts of %v are drained, %d entries lead through it", n, v.manager.Drained(), v.transit(spine))
			}
			if told := v.texts(0, terms.OtherRules); len(told) > 0 && second != "" {
				t.Errorf("%q", told)
			}
			if second == "" {
				return
			}
			m.reload(v, func(c *terms.Config) { c.Drain = nil })
			m.run(terms.UsualWatch.Rebalance+5*time.Second, false)
			if v.transit(spine) == 0 {
				t.Error("it is not in the file any more, and not used again")
			}
		})
	}
}

// reload has a manager read its own files again.
func (m *market) reload(v *virtual, set func(c *terms.Config)) {
	cfg := v.manager.cfg
	set(&cfg)
	v.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: terms.UsualWatch, Routing: v.routing, What: "as the test says"}})
	m.run(3*time.Second, false)
}

// TestOtherRouting: a manager takes over whose own options ask for another routing: engine, LMC,
// lanes or kinds of hosts. It logs that, writes nothing, and repairs the old routes after faults.
// On a request to route from scratch it uses its own options.
func TestOtherRouting(t *testing.T) {
	for name, own := range map[string]func(q *planner.Request){
		"engine": func(q *planner.Request) { *q = smtest.JobOf("updn", 0) },
		"lmc":    func(q *planner.Request) { q.LIDs.LMC = 1 },
		"kinds": func(q *planner.Request) {
			rule, err := fabric.ParseKindRule("storage=host 1*")
			if err != nil {
				t.Fatal(err)
			}
			q.Kinds = []fabric.KindRule{rule}
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, master, standby := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
			own(&standby.routing)
			lids := master.lidsOf()
			m.wrote = func(_ *virtual, a *terms.Action) {
				if isTable(a) {
					t.Errorf("%s is written", ledger.AttrName(a.Attr))
				}
			}
			v := m.kill(master)
			told := v.texts(0, terms.OtherRules)
			if r := v.manager.Result().Report.Routing; r.Engine != "ftree" || len(told) != 1 || !strings.Contains(told[0], "the routes by ftree of the master before us stay") {
				t.Errorf("%+v: %q", r, told)
			}
			m.wrote = func(*virtual, *terms.Action) {}
			if err := m.sub.SetLinkDown(m.uplink(4), true); err != nil {
				t.Fatal(err)
			}
			m.run(3*time.Second, false)
			if r := v.manager.Result().Report; !isKept(r) || !maps.Equal(lids, v.lidsOf()) {
				t.Errorf("after a fault: %s %s", r.Routing.Kept, journals(m.living()))
			}
			v.step(&terms.Event{Kind: terms.Rebalance})
			m.run(5*time.Second, false)
			c := v.manager.found()
			if v.manager.Result().Report.State != terms.Up || !planner.Keep(c.Plan, c.Graph).Answers(&v.routing) {
				t.Errorf("when it was told to route afresh: %s, %v %s", v.manager.Result().Report.State, c.Plan.Recipe, journals(m.living()))
			}
			v.verify(t)
		})
	}
}

// TestTablesOfSwitchesWin: a standby has a Plan of its own, from its start or from an earlier time
// as the master. When it takes over, its Plan is the one in the switches, not the remembered one.
func TestTablesOfSwitchesWin(t *testing.T) {
	_, all := managers(t, "rlft(6,2)", emulator.Options{}, 1, 0)
	all[0].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+time.Second, all...)
	was := all[0].manager.inForce
	ev := planning.Plan(t.Context(), smtest.JobOf("updn", 0), &terms.RouteRequest{Graph: was.Graph})
	cfg := all[1].manager.cfg
	cfg.Last = planner.Keep(ev.Result.Plan, was.Graph)
	if bytes.Equal(routed(ev.Result.Plan), routed(was.Plan)) {
		t.Fatal("both Plans are the same")
	}
	all[1].manager = NewManager(cfg, terms.UsualWatch)
	all[1].onAction = func(a *terms.Action) {
		if isTable(a) {
			t.Errorf("%s is written", ledger.AttrName(a.Attr))
		}
	}
	all[1].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+5*time.Second, all...)
	all[0].sub.Detach(all[0].id)
	runTogether(all[0].now+time.Minute, all[1])
	if n, _ := masters(all[1:]); n != 1 {
		t.Fatal(journals(all))
	}
	all[1].verify(t)
}

// TestOtherLanesAreWritten: a port that holds another lane table than the master before has told it
// gets the right one when another manager takes over.
func TestOtherLanesAreWritten(t *testing.T) {
	m := newMarket(t, "torus(4x4,hosts=1)", 1, 2)
	m.routing = smtest.JobOf("dfsssp", 0)
	m.start(0)
	m.run(5*time.Second, false)
	m.start(1)
	m.run(15*time.Second, false)
	master := m.only("at first")
	if master.manager.inForce.Plan.VLs < 2 {
		t.Fatal("it has one lane")
	}
	q, err := mad.Request{Method: mad.Set, Attr: mad.AttrSLtoVLMappingTable}.Directed(make([]byte, mad.Size), nil)
	if err != nil {
		t.Fatal(err)
	}
	for sl := range 16 {
		mad.SLtoVLMappingTableVL.Set(q.Data(), sl, 7)
	}
	m.managers[1].sub.Send(m.managers[1].id, &wire.Datagram{Addr: wire.Directed(), MAD: q})
	written := 0
	m.wrote = func(_ *virtual, a *terms.Action) {
		if isTable(a) {
			written++
		}
	}
	m.kill(master).verify(t)
	if written != 1 {
		t.Errorf("%d tables are written", written)
	}
}

// TestRebalanceAfterTakeover: the master has repaired, and dies before it has routed all afresh.
// The manager after it does so in its place.
func TestRebalanceAfterTakeover(t *testing.T) {
	m, master, _ := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
	id := slices.IndexFunc(m.f.Links, func(l fabric.Link) bool {
		return m.f.Nodes[l.A.Node].Type == fabric.Switch && m.f.Nodes[l.B.Node].Type == fabric.Switch
	})
	for _, down := range []bool{true, false} {
		if err := m.sub.SetLinkDown(fabric.LinkID(id), down); err != nil {
			t.Fatal(err)
		}
		m.run(3*time.Second, false)
	}
	v := m.kill(master)
	if v.manager.afresh == terms.Never {
		t.Fatalf("nothing is to be routed afresh %s", journals(m.living()))
	}
	m.run(terms.UsualWatch.Rebalance+5*time.Second, false)
	if c := v.manager.found(); v.manager.afresh < terms.Never || !v.manager.given.Afresh || !bytes.Equal(routed(c.Plan), v.scratch()) {
		t.Errorf("it is still as it was repaired %s", journals(m.living()))
	}
}

// TestParts: a long value is read as it was written, changed part by part. While it changes, or if
// a part is missing or differs, the value is absent.
func TestParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := replica.Table{}
		draw := func() (data []byte) {
			for range rapid.IntRange(0, 4).Draw(t, "runs") {
				n := rapid.IntRange(0, 6000).Draw(t, "length")
				if rapid.Bool().Draw(t, "alike") {
					data = append(data, bytes.Repeat([]byte{1}, n)...)
				} else {
					x := rapid.Uint32().Draw(t, "x")
					for range n {
						x = x*1664525 + 1013904223
						data = append(data, byte(x>>24))
					}
				}
			}
			return data
		}
		table.Put(clients.NewPacker(clients.RulesValue).Pack(draw())...)
		packer := clients.NewPacker(clients.PlanValue)
		for range 3 {
			before, _ := clients.ValueOf(table, clients.PlanValue)
			data := draw()
			if rapid.Bool().Draw(t, "longer") {
				data = append(bytes.Clone(before), data...)
			}
			list := packer.Changes(table, data)
			if fresh := clients.NewPacker(clients.PlanValue).Changes(table, data); !reflect.DeepEqual(list, fresh) {
				t.Fatal("what was packed before changes what is packed now")
			}
			for i := range list {
				if len(list[i].Value) > sa.LongestValue {
					t.Fatalf("an entry of %d bytes", len(list[i].Value))
				}
				table.Put(list[i])
				if got, ok := clients.ValueOf(table, clients.PlanValue); ok && !bytes.Equal(got, data) && !bytes.Equal(got, before) {
					t.Fatal("between the two it is read")
				}
			}
			if got, ok := clients.ValueOf(table, clients.PlanValue); !ok || !bytes.Equal(got, data) {
				t.Fatalf("%t: %d bytes of %d", ok, len(got), len(data))
			}
			if len(packer.Changes(table, data)) > 0 {
				t.Fatal("the same is a change")
			}
			if n := len(slices.DeleteFunc(slices.Collect(maps.Keys(table)), func(n sa.EntryName) bool { return n.Key[0] != byte(clients.PlanValue) })); n != len(clients.NewPacker(clients.PlanValue).Pack(data)) {
				t.Fatalf("%d entries", n)
			}
		}
		names := slices.SortedFunc(maps.Keys(table), sa.CompareNames)
		name := names[rapid.IntRange(0, len(names)-1).Draw(t, "entry")]
		was, _ := clients.ValueOf(table, clients.PlanValue)
		value := bytes.Clone(table[name])
		value[rapid.IntRange(0, len(value)-1).Draw(t, "byte")] ^= byte(1 << rapid.IntRange(0, 7).Draw(t, "bit"))
		if table[name] = value; rapid.Bool().Draw(t, "missing") {
			delete(table, name)
		}
		if got, ok := clients.ValueOf(table, clients.PlanValue); ok && !bytes.Equal(got, was) {
			t.Fatal("what nobody has written is read")
		}
	})
}

// TestUnknownValues: what a master of another version tells is said, and who takes its place routes
// afresh, by its own files.
func TestUnknownValues(t *testing.T) {
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1, 0)
	all[0].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+time.Second, all...)
	all[1].step(&terms.Event{Kind: terms.Start})
	runTogether(all[0].now+time.Second, all...)
	all[1].step(terms.NewsEvent(&terms.News{Plan: []byte("{weftplan"), Rules: []byte("{weftplan")}))
	if n := all[1].told(terms.NotRead); n != 2 || !reflect.DeepEqual(all[1].manager.learned, learned{}) {
		t.Errorf("%d of 2 told %s", n, journals(all))
	}
}
