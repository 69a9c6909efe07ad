package gen

import (
	"math"
	"slices"
	"strconv"

	"weft/fabric"
	"weft/fabric/gen/internal/nodes"
)

// parts takes links and nodes of a fabric down, or out of use.
type parts struct {
	f    *fabric.Fabric
	link func(fabric.LinkID, bool)
	node func(fabric.NodeID, bool)
}

// partParams returns the parameters that select links, switches, hosts and servers.
func partParams() []param {
	return []param{
		optional("links", word, "N"), optional("share", share, "0..1"), option("switches", "N", 1, fabric.MaxNodes),
		optional("switch", texts, "NAME"), optional("link", texts, "NAME[PORT]"), optional("host", texts, "NAME"),
		optional("server", texts, "NAME"), option("servers", "N", 1, fabric.MaxNodes), anySeed,
	}
}

// fail takes parts of a copy down.
func fail(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	f = f.Clone()
	return f, (&parts{f, f.SetLinkDown, f.SetNodeDown}).take(a)
}

// drain takes parts of a copy out of use. Of a host these are its cables.
func drain(f *fabric.Fabric, a *args) (*fabric.Fabric, error) {
	f = f.Clone()
	node := func(id fabric.NodeID, drained bool) {
		if nodes.IsSwitch(f, id) {
			f.SetSwitchDrained(id, drained)
			return
		}
		for _, l := range f.Cabled(id, nil) {
			f.SetLinkDrained(l, drained)
		}
	}
	return f, (&parts{f, f.SetLinkDrained, node}).take(a)
}

// take applies to the parts that the arguments name.
func (p *parts) take(a *args) error {
	kinds := []string{"links", "share", "switches", "switch", "link", "host", "server", "servers"}
	if a.given("share") {
		kinds = kinds[1:] // links= then selects the kind of links
	}
	if err := a.oneOf(kinds...); err != nil {
		return err
	}
	switch {
	case a.given("share"):
		return p.shareOfLinks(a)
	case a.given("links"):
		return p.someLinks(a)
	case a.given("switches"):
		return p.someSwitches(a)
	case a.given("link"):
		return p.namedLinks(a)
	case a.given("switch"):
		return p.namedSwitches(a)
	}
	return p.takeServers(a)
}

func (p *parts) someLinks(a *args) error {
	v := a.value("links")
	n, err := strconv.Atoi(v.text)
	if err != nil || n < 1 {
		return problemf(v.pos, "links=%s: want a number from 1, or links=up with share= (a switch is named by switch=NAME, a cable by link=NAME[PORT])", v.text)
	}
	links := nodes.SwitchLinks(p.f, func(*fabric.Link) bool { return true })
	if n > len(links) {
		return problemf(v.pos, "links=%d: %d switch-to-switch links are up", n, len(links))
	}
	for _, id := range sample(newRand(a), links, n) {
		p.link(id, true)
	}
	return nil
}

func (p *parts) someSwitches(a *args) error {
	up := nodes.ByGUID(p.f, func(id fabric.NodeID) bool { return nodes.IsSwitch(p.f, id) && !p.f.Nodes[id].Down })
	n := a.int("switches")
	if n > len(up) {
		return problemf(a.value("switches").pos, "switches=%d: %d switches are up", n, len(up))
	}
	for _, id := range sample(newRand(a), up, n) {
		p.node(id, true)
	}
	return nil
}

func (p *parts) namedSwitches(a *args) error {
	for _, name := range a.texts("switch") {
		id, err := p.f.FindSwitch(name)
		if err != nil {
			return problemf(a.value("switch").pos, "%v", err)
		}
		p.node(id, true)
	}
	return nil
}

func (p *parts) namedLinks(a *args) error {
	for _, name := range a.texts("link") {
		id, err := p.f.FindLink(name)
		if err != nil {
			return problemf(a.value("link").pos, "%v", err)
		}
		p.link(id, true)
	}
	return nil
}

// takeServers takes the hosts and servers of the arguments: for a host one adapter, for a server
// all its adapters.
func (p *parts) takeServers(a *args) error {
	for _, name := range a.texts("host") {
		id, err := p.f.FindHost(name)
		if err != nil {
			return problemf(a.value("host").pos, "%v", err)
		}
		p.node(id, true)
	}
	s := p.f.Servers()
	for _, name := range a.texts("server") {
		i, err := s.Find(p.f, name)
		if err != nil {
			return problemf(a.value("server").pos, "%v", err)
		}
		p.server(s.List[i])
	}
	if !a.given("servers") {
		return nil
	}
	up := slices.DeleteFunc(s.List, func(v fabric.Server) bool {
		return !slices.ContainsFunc(v.Adapters, func(i int32) bool { return !p.f.Nodes[i].Down })
	})
	n := a.int("servers")
	if n > len(up) {
		return problemf(a.value("servers").pos, "servers=%d: %d servers are up", n, len(up))
	}
	for _, v := range sample(newRand(a), up, n) {
		p.server(v)
	}
	return nil
}

// server applies to all adapters of a server.
func (p *parts) server(v fabric.Server) {
	for _, i := range v.Adapters {
		p.node(fabric.NodeID(i), true)
	}
}

// shareOfLinks takes a share of all switch links, or of the links between levels.
func (p *parts) shareOfLinks(a *args) error {
	want, kind := func(*fabric.Link) bool { return true }, "between switches"
	switch text := a.text("links"); {
	case text == "up":
		level := Levels(p.f)
		want = func(l *fabric.Link) bool { return level[l.A.Node] != level[l.B.Node] }
		kind = "between switches of different levels"
	case a.given("links") && text != "all":
		return problemf(a.value("links").pos, "links=%s: with share= want links=up (between levels) or links=all", text)
	}
	links := nodes.SwitchLinks(p.f, want)
	if len(links) == 0 {
		return problemf(a.pos, "no link %s is up", kind)
	}
	n := int(math.Round(a.fraction("share") * float64(len(links))))
	for _, id := range sample(newRand(a), links, n) {
		p.link(id, true)
	}
	return nil
}
