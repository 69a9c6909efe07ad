package watch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/sm/watch/succession"
)

// Drained lists the parts to be drained, in the form of Config.Drain. The next round applies
// changes.
func (m *Manager) Drained() []string {
	m.drains.Follow(m.cfg.Drain)
	return slices.Clone(m.drains.Now)
}

// onDrain handles a request to drain a part or to use it again. Decided returns the outcome.
func (m *Manager) onDrain(now time.Duration, ev *terms.Event) {
	name, warning, verb := "", "", map[bool]string{true: "drained", false: "in use again"}[ev.Kind == terms.DrainPart]
	var err error
	switch {
	case m.inForce == nil:
		err = errors.New("this manager has not brought the subnet up, or is not its master")
	case ev.Kind == terms.DrainPart:
		name, warning, err = m.drains.add(m.inForce, ev.Name)
	default:
		name, err = m.removeDrain(now, ev.Name)
	}
	if err != nil {
		m.out = append(m.out, terms.Action{Kind: terms.Decided, Tag: ev.Tag, Name: ev.Name, Err: err})
		m.tell(terms.DrainRefused, "%s: refused%s: %v", ev.Name, terms.ByWhom(ev.By), err)
		return
	}
	m.out = append(m.out, terms.Action{Kind: terms.Decided, Tag: ev.Tag, Name: name, Incident: terms.Incident{Text: warning}, Drains: m.drains.clone()})
	m.untold = true
	m.tell(terms.DrainTold, "%s is %s from the next round on, as requested%s", name, verb, terms.ByWhom(ev.By))
	m.noteChange(now, name+" is "+verb)
}

// drains lists the switches and cables to be drained.
type drains struct{ terms.Drains }

// clone returns a copy for an action.
func (d *drains) clone() *terms.Drains {
	return &terms.Drains{Told: slices.Clone(d.Told), Now: slices.Clone(d.Now), Trials: d.Trials}
}

// add drains one more switch or cable. It returns the part's name and a warning about hosts that
// are cut off.
func (d *drains) add(c *ledger.Ledger, what string) (name, warning string, err error) {
	f := c.Fabric.Clone()
	for i := range f.Nodes {
		f.Nodes[i].Drained = false
	}
	for i := range f.Links {
		f.Links[i].Drained = false
	}
	for _, w := range d.Now {
		_, _ = c.Drain(f, w) // a missing part may come back
	}
	p, err := f.FindPart(what)
	if err == nil && f.IsDrained(p) {
		err = fmt.Errorf("%s is drained already", f.PartName(p))
	}
	if err == nil {
		p, err = c.Drain(f, what)
	}
	if err != nil {
		return "", "", err
	}
	d.Now = append(slices.Clone(d.Now), ledger.KeyOfPart(f, p))
	return f.PartName(p), ledger.HostsAt(f, p), nil
}

// removeDrain ends the drain of a switch or a cable, releases a link from quarantine, or enables a
// disabled port. It returns the part's name; a missing part is named as in the list.
func (m *Manager) removeDrain(now time.Duration, what string) (name string, err error) {
	f := m.inForce.Fabric
	p, err := f.FindPart(what)
	same := func(w string) bool {
		q, wrong := f.FindPart(w)
		return w == what || err == nil && wrong == nil && p == q
	}
	i := slices.IndexFunc(m.drains.Now, same)
	released := i < 0 && m.releaseNamed(now, what)
	enabled := i < 0 && m.babble.enable(m, what)
	switch {
	case released || enabled:
		return what, nil
	case i < 0 && len(m.drains.Now) == 0:
		return "", cmp.Or(err, errors.New("nothing is drained"))
	case i < 0 && err != nil:
		return "", fmt.Errorf("%w; the drained parts are %s", err, m.drains.names(f))
	case i < 0:
		return "", fmt.Errorf("%s is not drained; the drained parts are %s", f.PartName(p), m.drains.names(f))
	}
	m.drains.Now = slices.Delete(slices.Clone(m.drains.Now), i, i+1)
	if err != nil {
		return what, nil
	}
	return f.PartName(p), nil
}

// names lists the parts to be drained by name; missing parts as Config.Drain names them.
func (d *drains) names(f *fabric.Fabric) string {
	return strings.Join(ledger.PartNames(f, d.Now), ", ")
}

// releaseNamed releases the link at a named port from quarantine, and reports whether it was there.
func (m *Manager) releaseNamed(now time.Duration, what string) bool {
	at, err := m.inForce.Fabric.FindPlace(what)
	if err != nil || at.Whole {
		return false
	}
	l := m.unsteady.at(ledger.PortKey{Node: m.inForce.Fabric.Nodes[at.Node].GUID, Port: at.Port})
	if l == nil || l.state == succession.LinkUsed {
		return false
	}
	l.state, l.came, l.trial = succession.LinkUsed, nil, 0
	m.tell(terms.Released, "%s is used again, as requested", l.name)
	m.noteChange(now, l.name+" is used again")
	return true
}
