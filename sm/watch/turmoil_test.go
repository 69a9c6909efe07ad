package watch

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"weft/fabric"
	"weft/route"
	"weft/route/levels"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/succession"
	"weft/wire/mad"
)

// turmoil is the activity in the subnet of a market besides its customers' requests: cables flap,
// parts are drained and used again, and managers get other levels of service.
type turmoil struct {
	m      *market
	files  []levels.Levels // that managers start with, and are told
	parts  []string        // switches and cables by name
	cables []fabric.LinkID

	drained []string            // as it was acknowledged last
	orders  map[uint64][]string // by tag: what is drained when all standbys know it
	tag     uint64

	calm  bool // nothing has happened that the master has not done all for
	rests int  // takeovers in which that was so

	held, drains, told int // takeovers with links in quarantine, with drains, after levels were told
	wrong              string
}

// newTurmoil begins it.
func newTurmoil(m *market, seed uint64) *turmoil {
	x := &turmoil{m: m, orders: map[uint64][]string{}}
	m.decided = x.decided
	for _, text := range []string{"", "default\nstorage share=3 sl=5", "default share=2\nstorage share=7 sl=6\ncontrol priority=high class=9"} {
		var list levels.Levels
		if text != "" {
			list = readLevels(m.t, text)
		}
		x.files = append(x.files, list)
	}
	config := m.config
	m.config = func(i int, c *terms.Config) {
		if config != nil {
			config(i, c)
		}
		c.Levels = x.files[(uint64(i)+seed)%3]
	}
	for id := range m.f.Links {
		if m.f.IsSwitchLink(fabric.LinkID(id)) {
			x.cables = append(x.cables, fabric.LinkID(id))
			x.parts = append(x.parts, m.f.EndName(m.f.Links[id].A))
		}
	}
	for id := range m.f.Nodes {
		if n := &m.f.Nodes[id]; n.Type == fabric.Switch {
			x.parts = append(x.parts, n.Desc)
		}
	}
	return x
}

// next has something happen, and lets time pass until it is over.
func (x *turmoil) next(master *virtual) {
	m, rng := x.m, x.m.rng
	x.calm = false
	switch rng.IntN(4) {
	case 0, 1:
		id := x.cables[rng.IntN(len(x.cables))]
		for tries := 0; x.mayCutOff(master, id) && tries < 100; tries++ {
			id = x.cables[rng.IntN(len(x.cables))]
		}
		for range 1 + rng.IntN(2*terms.UsualWatch.Flaps.Times) {
			if err := m.sub.Flap(id, 300*time.Millisecond); err != nil {
				m.t.Fatal(err)
			}
			m.run(time.Duration(1500+rng.IntN(1000))*time.Millisecond, true)
		}
	case 2:
		kind, name := terms.DrainPart, x.parts[rng.IntN(len(x.parts))]
		if list := master.manager.Drained(); len(list) > 0 && rng.IntN(2) == 0 {
			kind, name = terms.UndrainPart, list[rng.IntN(len(list))]
		}
		x.tag++
		master.step(&terms.Event{Kind: kind, Name: name, Tag: x.tag})
	case 3:
		cfg := master.manager.cfg
		cfg.Levels = x.files[rng.IntN(3)]
		master.step(&terms.Event{Kind: terms.Reconfigure, Settings: &terms.Settings{Config: cfg, Watch: terms.UsualWatch, Routing: master.routing, What: "as the test says"}})
	}
}

// mayCutOff reports whether another cable of a switch with hosts is in quarantine: without this one
// managers there may be cut off, and clients asked to register again.
func (x *turmoil) mayCutOff(v *virtual, id fabric.LinkID) bool {
	f := x.m.f
	for _, e := range []fabric.End{f.Links[id].A, f.Links[id].B} {
		hosts, held := false, false
		for _, l := range f.Cabled(e.Node, nil) {
			hosts = hosts || !f.IsSwitchLink(l)
			held = held || l != id && f.IsSwitchLink(l) && x.m.isHeld(v, l)
		}
		if hosts && held {
			return true
		}
	}
	return false
}

// hear takes what a manager does.
func (x *turmoil) hear(v *virtual, a *terms.Action) {
	switch {
	case a.Kind == terms.Decided && a.Tag > 0 && a.Err == nil:
		x.orders[a.Tag] = slices.Clone(a.Drains.Now)
	case a.Kind == terms.Note && (a.Incident.Kind == terms.Released || a.Incident.Kind == terms.RoundBegun && v.manager.given.Afresh):
		x.calm = false
	case a.Kind == terms.Send && a.Method == mad.Set && (isTable(a) || a.Attr == mad.AttrPKeyTable) && a.Attr != mad.AttrMulticastForwardingTable:
		switch right := a.Attr == mad.AttrLinearForwardingTable && x.m.holds(v, a); {
		case x.wrong != "":
		case right && x.m.fair:
			x.wrong = fmt.Sprintf("block %d of %x is written, and right", a.Modifier, a.Path)
		case x.calm && (right || x.m.fair):
			x.wrong = fmt.Sprintf("%s, modifier 0x%X, of %x is written, and nothing has happened", ledger.AttrName(a.Attr), a.Modifier, a.Path)
		}
	}
}

// holds reports whether a switch holds the block that it is about to be told.
func (m *market) holds(v *virtual, a *terms.Action) bool {
	c := v.manager.found()
	for id := range c.Nodes {
		if n := &c.Nodes[id]; n.HasSwitch && bytes.Equal(n.Path, a.Path) {
			for _, sw := range m.sub.Tables().Switches {
				if sw.GUID == n.GUID {
					from := int(a.Modifier) * route.BlockSize
					return from+route.BlockSize <= len(sw.Ports) && bytes.Equal(sw.Ports[from:from+route.BlockSize], a.Data)
				}
			}
		}
	}
	return false
}

// decided notes that all standbys know an order.
func (x *turmoil) decided(tag uint64) {
	if list, ok := x.orders[tag]; ok {
		x.drained = list
		for t := range maps.Keys(x.orders) {
			if t <= tag {
				delete(x.orders, t)
			}
		}
	}
}

// isSettled reports whether a master has handled everything that happened.
func (m *Manager) isSettled() bool {
	return !m.inRound && m.election.handing == nil && !m.groups.stale && m.change.Due() == terms.Never && m.moves.Due(&m.watch, m.now) == terms.Never && m.again == terms.Never && m.wanted.why == "" && m.looks.due() == terms.Never && !m.looks.under && m.groups.step == groupsRest && m.groups.membersDue() == terms.Never
}

// settle lets time pass until the master has handled everything that happened; false if that takes
// too long.
func (x *turmoil) settle(may bool) bool {
	for wait := 0; ; wait++ {
		n, master := masters(x.m.living())
		if n == 1 && master.manager.isSettled() && (may || x.m.followed()) {
			x.calm = true
			return true
		}
		if x.m.run(100*time.Millisecond, may); wait == 300 {
			return false
		}
	}
}

// seen holds what a takeover does not change.
type seen struct {
	held   []string
	levels []route.Level
	rules  levels.Levels
	paths  []byte
}

func (x *turmoil) see(v *virtual) (s seen) {
	for _, l := range v.manager.unsteady.links {
		if l.state == succession.LinkHeld {
			s.held = append(s.held, l.name)
		}
	}
	s.levels, s.rules = v.manager.inForce.Plan.Levels, v.manager.cfg.Levels
	s.paths = x.m.paths(v)
	return s
}

// check compares a master's rules with the acknowledged ones, and, after a takeover in the calm,
// with the rules before.
func (x *turmoil) check(v *virtual, before *seen, when string) {
	t := x.m.t
	t.Helper()
	if x.wrong != "" {
		t.Fatalf("%s: %s %s", when, x.wrong, journals(x.m.living()))
	}
	drained := v.manager.Drained()
	if !slices.Equal(drained, x.drained) && !slices.ContainsFunc(slices.Collect(maps.Values(x.orders)), func(list []string) bool { return slices.Equal(list, drained) }) {
		t.Fatalf("%s: drained are %v, acknowledged were %v %s", when, drained, x.drained, journals(x.m.living()))
	}
	if x.drained, x.orders = drained, map[uint64][]string{}; before == nil || !x.calm {
		return
	}
	is := x.see(v)
	switch {
	case !slices.Equal(is.held, before.held):
		t.Fatalf("%s: in quarantine are %q, and were %q %s", when, is.held, before.held, journals(x.m.living()))
	case !slices.Equal(is.levels, before.levels) || !is.rules.Equal(before.rules):
		t.Fatalf("%s: levels are %v, and were %v %s", when, is.rules, before.rules, journals(x.m.living()))
	case !bytes.Equal(is.paths, before.paths):
		t.Fatalf("%s: hosts are told other paths than before %s", when, journals(x.m.living()))
	}
	x.rests++
	count := func(n *int, is bool) {
		if is {
			*n++
		}
	}
	count(&x.held, len(is.held) > 0)
	count(&x.drains, len(drained) > 0)
	count(&x.told, len(is.levels) > 0)
}
