package whatif

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"weft/fabric"
	"weft/fabric/gen"
)

// Change is one change of a fabric. The part has a name (fabric.NameHelp), or stands as the
// arguments of a formula's suffix: "links=10,seed=3".
type Change struct {
	Kind string `json:"kind"` // fail, drain, add or move
	What string `json:"what"` // the part, as the option of weft whatif of that name takes it
}

// argument matches the beginning of arguments of a suffix.
var argument = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(links|share|switches|switch|link|host|servers|server|leaf|pod|group|like|to|seed) *=`)
})

// unit matches a name of a unit to add: "pod 2".
var unit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^"?(pod|group|server)\b`) })

// HasArguments reports whether What is written as the arguments of a suffix.
func (c Change) HasArguments() bool { return argument().MatchString(c.What) }

// Apply applies changes one after the other to a copy of a fabric. Nodes and links keep their
// indices. It fails if nothing changes.
func Apply(f *fabric.Fabric, changes []Change) (*fabric.Fabric, error) {
	after := f.Clone()
	for _, c := range changes {
		var err error
		if after, err = c.apply(after); err != nil {
			return nil, fmt.Errorf("--%s %s: %w", c.Kind, c.What, err)
		}
	}
	if PartsOf(f, after).nothing() {
		return nil, errors.New("nothing would change: what was named is down, drained or in its place already")
	}
	after.Name = f.Name + " changed"
	return after, nil
}

func (c Change) apply(f *fabric.Fabric) (*fabric.Fabric, error) {
	if c.HasArguments() {
		return suffix(f, c.Kind, c.What)
	}
	switch c.Kind {
	case "add":
		kind := "leaf"
		if m := unit().FindStringSubmatch(c.What); m != nil {
			kind = strings.ToLower(m[1])
		}
		name, like, _ := fabric.CutUnquoted(c.What, ",")
		if like = strings.TrimSpace(like); argument().MatchString(like) {
			return suffix(f, c.Kind, kind+"="+quoted(name)+","+like)
		}
		return suffix(f, c.Kind, kind+"="+quoted(c.What))
	case "move":
		what, to, ok := fabric.CutUnquoted(c.What, " to ")
		if !ok {
			return nil, fmt.Errorf("say what is moved and where to: 'HOST to SWITCH', 'NODE[PORT] to SWITCH[PORT]'")
		}
		if err := oneCable(f, what); err != nil {
			return nil, err
		}
		return suffix(f, c.Kind, "link="+quoted(what)+",to="+quoted(to))
	}
	return c.applyNamed(f)
}

// applyNamed takes a named node, server or cable down or out of use.
func (c Change) applyNamed(f *fabric.Fabric) (*fabric.Fabric, error) {
	at, err := f.FindPlace(c.What)
	if err == nil && at.Whole {
		kind := "host"
		if f.Nodes[at.Node].Type == fabric.Switch {
			kind = "switch"
		}
		return suffix(f, c.Kind, kind+"="+f.Nodes[at.Node].GUID.String())
	}
	if s := serverCalled(f, c.What); err != nil && s != nil {
		return suffix(f, c.Kind, "server="+s.GUID.String())
	}
	link, err := f.FindLink(c.What)
	if err != nil {
		return nil, c.several(f, err)
	}
	f = f.Clone()
	if c.Kind == "fail" {
		f.SetLinkDown(link, true)
	} else {
		f.SetLinkDrained(link, true)
	}
	return f, nil
}

// DrainedHosts returns the node GUIDs of the hosts and servers that changes drain by their names; a
// cable of a host that is drained by itself does not count.
func DrainedHosts(f *fabric.Fabric, changes []Change) map[fabric.GUID]bool {
	out := map[fabric.GUID]bool{}
	for _, c := range changes {
		if c.Kind != "drain" || c.namesLink(f) {
			continue
		}
		after, err := c.apply(f)
		if err != nil {
			continue // it names what another change adds
		}
		for i := range f.Links {
			if f.IsSwitchLink(fabric.LinkID(i)) || !after.Links[i].Drained {
				continue
			}
			for _, e := range []fabric.End{f.Links[i].A, f.Links[i].B} {
				out[f.Nodes[e.Node].GUID] = true
			}
		}
	}
	return out
}

// namesLink reports whether a change names single cables.
func (c Change) namesLink(f *fabric.Fabric) bool {
	if c.HasArguments() {
		return strings.HasPrefix(c.What, "link")
	}
	at, err := f.FindPlace(c.What)
	return err == nil && !at.Whole || err != nil && serverCalled(f, c.What) == nil
}

// serverCalled returns the server with exactly this name; nil if there is none.
func serverCalled(f *fabric.Fabric, name string) *fabric.Server {
	name = fabric.Unquote(strings.TrimSpace(name))
	list := f.Servers().List
	if i := slices.IndexFunc(list, func(s fabric.Server) bool { return strings.EqualFold(s.Name, name) }); i >= 0 {
		return &list[i]
	}
	return nil
}

// oneCable returns an error that lists the ports of a server with several cables, if a name is that
// of one.
func oneCable(f *fabric.Fabric, name string) error {
	var s *fabric.Server
	if at, err := f.FindPlace(name); err != nil {
		s = serverCalled(f, name)
	} else if servers := f.Servers(); at.Whole && servers.Of[at.Node] != fabric.NoServer {
		s = &servers.List[servers.Of[at.Node]]
		s.Adapters = []int32{int32(at.Node)}
	}
	if s == nil {
		return nil
	}
	var ports []string
	for _, adapter := range s.Adapters {
		for p := range f.Cabled(fabric.NodeID(adapter), nil) {
			here := fabric.End{Node: fabric.NodeID(adapter), Port: p}
			ports = append(ports, fmt.Sprintf("%s (to %s)", f.EndName(here), f.NodeName(f.Peer(here).Node)))
		}
	}
	if len(ports) < 2 {
		return nil
	}
	return fmt.Errorf("%q has %d cables, and each is moved by itself, --move 'NODE[PORT] to SWITCH': %s", s.Name, len(ports), list(ports))
}

func suffix(f *fabric.Fabric, kind, arguments string) (*fabric.Fabric, error) {
	after, err := gen.Apply(f, kind+"("+arguments+")")
	if err != nil {
		if problem, ok := errors.AsType[*gen.Error](err); ok { // people did not write the suffix
			err = errors.New(strings.TrimPrefix(problem.Text, arguments+": "))
		}
		return nil, err
	}
	return after, nil
}

// several explains in an error that each part needs its own option, if the text begins with a part
// and a comma or semicolon.
func (c Change) several(f *fabric.Fabric, err error) error {
	for _, sep := range []string{",", ";"} {
		first, rest, more := fabric.CutUnquoted(c.What, sep)
		if !more {
			continue
		}
		if _, known := f.FindPlace(first); known == nil {
			return fmt.Errorf("%w: give each part an option of its own, --%s '%s' --%[2]s '%[4]s'", err, c.Kind, strings.TrimSpace(first), strings.TrimSpace(rest))
		}
	}
	return err
}

// quoted puts a name in double quotes unless it has quotes already.
func quoted(name string) string {
	name = strings.TrimSpace(name)
	if strings.Contains(name, `"`) {
		return name
	}
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		return `"` + name[:i] + `"` + name[i:]
	}
	return `"` + name + `"`
}

// StillUp returns the changed fabric with drained parts still carrying traffic, as they do until
// the tables are written.
func StillUp(before, after *fabric.Fabric) *fabric.Fabric {
	f := after.Clone()
	for i := range before.Links {
		f.SetLinkDrained(fabric.LinkID(i), before.Links[i].Drained)
	}
	for i := range before.Nodes {
		f.SetSwitchDrained(fabric.NodeID(i), before.Nodes[i].Drained)
	}
	return f
}
