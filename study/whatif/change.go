package whatif

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"weft/fabric"
	"weft/fabric/gen"
)

// Change is one change of a fabric. Kind is fail, drain, add or move. What is the part, by a name
// (fabric.NameHelp) or as the arguments of a formula's suffix: "links=10,seed=3".
type Change struct{ Kind, What string }

// argument matches the beginning of arguments of a suffix.
var argument = regexp.MustCompile(`^(links|share|switches|switch|link|host|leaf|like|to|seed) *=`)

// HasArguments reports whether What is written as the arguments of a suffix.
func (c Change) HasArguments() bool { return argument.MatchString(c.What) }

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
		name, like, _ := fabric.CutUnquoted(c.What, ",")
		if like = strings.TrimSpace(like); argument.MatchString(like) {
			return suffix(f, c.Kind, "leaf="+quoted(name)+","+like)
		}
		return suffix(f, c.Kind, "leaf="+quoted(c.What))
	case "move":
		what, to, ok := fabric.CutUnquoted(c.What, " to ")
		if !ok {
			return nil, fmt.Errorf("say what is moved and where to: 'HOST to SWITCH', 'NODE[PORT] to SWITCH[PORT]'")
		}
		return suffix(f, c.Kind, "link="+quoted(what)+",to="+quoted(to))
	}
	return c.applyNamed(f.Clone())
}

// applyNamed takes a named node or cable down or out of use, in place.
func (c Change) applyNamed(f *fabric.Fabric) (*fabric.Fabric, error) {
	at, err := f.FindPlace(c.What)
	switch {
	case err == nil && at.Whole && c.Kind == "fail":
		f.SetNodeDown(at.Node, true)
	case err == nil && at.Whole && f.Nodes[at.Node].Type == fabric.Switch:
		f.SetSwitchDrained(at.Node, true)
	case err == nil && at.Whole:
		return nil, fmt.Errorf("%s is a %s: switches and cables can be drained", f.NodeName(at.Node), f.Nodes[at.Node].Type)
	default:
		link, err := f.FindLink(c.What)
		if err != nil {
			return nil, c.several(f, err)
		}
		if c.Kind == "fail" {
			f.SetLinkDown(link, true)
		} else {
			f.SetLinkDrained(link, true)
		}
	}
	return f, nil
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

// Parts lists the differences between a fabric and its copy after changes.
type Parts struct {
	Failed  []string `json:"failed"`  // nodes and cables
	Drained []string `json:"drained"` // switches and cables
	Added   []string `json:"added"`   // nodes
	Moved   []string `json:"moved"`   // cables
}

// PartsOf compares a fabric with its changed copy.
func PartsOf(before, after *fabric.Fabric) *Parts {
	p := &Parts{Failed: []string{}, Drained: []string{}, Added: []string{}, Moved: []string{}}
	for i := range after.Nodes {
		n, name := &after.Nodes[i], fmt.Sprintf("%s %s", after.Nodes[i].Type, after.NodeName(fabric.NodeID(i)))
		was := &fabric.Node{}
		if i < len(before.Nodes) {
			was = &before.Nodes[i]
		} else {
			p.Added = append(p.Added, name)
		}
		switch {
		case n.Down && !was.Down:
			p.Failed = append(p.Failed, name)
		case n.Drained && !was.Drained:
			p.Drained = append(p.Drained, name)
		}
	}
	for i := range before.Links {
		l, was := &after.Links[i], &before.Links[i]
		name := fmt.Sprintf("cable %s - %s", after.EndName(l.A), after.EndName(l.B))
		switch {
		case l.Down && !was.Down:
			p.Failed = append(p.Failed, name)
		case l.Drained && !was.Drained:
			p.Drained = append(p.Drained, name)
		case l.A != was.A || l.B != was.B:
			p.Moved = append(p.Moved, fmt.Sprintf("cable %s - %s to %s - %s", before.EndName(was.A), before.EndName(was.B), after.EndName(l.A), after.EndName(l.B)))
		}
	}
	return p
}

// nothing reports whether there is no difference.
func (p *Parts) nothing() bool { return len(p.Failed)+len(p.Drained)+len(p.Added)+len(p.Moved) == 0 }

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
