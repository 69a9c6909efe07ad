// Package managers reads the subnet managers that ibdiagnet lists.
package managers

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// Manager is a subnet manager, as a program found it.
type Manager struct {
	State    string      `json:"state"`          // master, standby, discovering, not active
	GUID     fabric.GUID `json:"guid,omitempty"` // port GUID; absent in files of ibdiagnet 1
	LID      fabric.LID  `json:"lid,omitempty"`
	Port     uint8       `json:"port,omitempty"` // of its node; 0 on a switch
	Device   uint16      `json:"device,omitempty"`
	Priority uint8       `json:"priority"`
	Name     string      `json:"name,omitempty"` // of its node, where the file has it
	Line     int         `json:"-"`
}

// heading is the line that a list of managers has.
const heading = "ibdiagnet fabric SM report"

// Is recognises a file of subnet managers by its first lines.
func Is(data []byte) bool {
	for range 20 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		line = bytes.TrimSpace(line)
		switch {
		case string(line) == heading:
			return true
		case len(line) > 0 && line[0] != '#' || len(rest) == 0:
			return false
		}
		data = rest
	}
	return false
}

type reader struct {
	lines.Messages
	began bool
	state string
	list  []Manager
}

// Read reads ibdiagnet2.sm, and ibdiagnet.sm of ibdiagnet 1. Errors are of type *lines.Error.
func Read(name string, data []byte) ([]Manager, []lines.Warning, error) {
	r := reader{Messages: lines.Messages{File: name}}
	if err := lines.Each(name, data, r.line); err != nil {
		return nil, nil, err
	}
	if !r.began {
		return nil, nil, r.Errorf(0, "no line %q: not a list of subnet managers", heading)
	}
	if len(r.list) == 0 {
		r.Warnf(0, "no subnet manager in this file")
	}
	return r.list, r.Warnings, nil
}

// states are the states in the words of the files, and ours.
var states = map[string]string{
	"master": "master", "standby": "standby", "discovering": "discovering", "di" + "covering": "discovering", // as ibdiagnet 1 spells it
	"not active": "not active", "not-active": "not active", "notactive": "not active", "unknown": "unknown",
}

func (r *reader) line(line []byte, at int) error {
	text := strings.TrimSpace(string(line))
	switch state, ok := strings.CutPrefix(text, "SM - "); {
	case text == "" || text[0] == '#':
		return nil
	case text == heading:
		r.began = true
		return nil
	case !r.began:
		return r.Errorf(at, "%q before the line %q", lines.Printable(text), heading)
	case ok:
		if r.state = states[strings.ToLower(strings.TrimSpace(state))]; r.state == "" {
			return r.Errorf(at, "state %q: want master, standby, discovering or not active", lines.Printable(state))
		}
		return nil
	}
	if name, rest, ok := strings.Cut(text, "\tstate:"); ok {
		return r.older(name, rest, at)
	}
	if r.state == "" {
		return r.Errorf(at, "a subnet manager without a line \"SM - STATE\" before")
	}
	return r.manager(text, at)
}

// manager parses a manager of ibdiagnet 2: Port=0 lid=0x0004 guid=0x.. dev=54000 priority:15, with
// or without a name before.
func (r *reader) manager(text string, at int) error {
	m := Manager{State: r.state, Line: at}
	met := map[string]bool{}
	var name []string
	for word := range strings.FieldsSeq(text) {
		cut := strings.IndexAny(word, "=:")
		key := ""
		if cut > 0 {
			key = strings.ToLower(word[:cut])
		}
		var err error
		switch key {
		case "port":
			err = r.number(word[cut+1:], key, fabric.MaxPorts, at, func(v uint64) { m.Port = uint8(v) })
		case "lid":
			err = r.number(word[cut+1:], key, uint64(fabric.MaxUnicastLID), at, func(v uint64) { m.LID = fabric.LID(v) })
		case "guid":
			err = r.number(word[cut+1:], key, 1<<64-1, at, func(v uint64) { m.GUID = fabric.GUID(v) })
		case "dev":
			err = r.number(word[cut+1:], key, 1<<16-1, at, func(v uint64) { m.Device = uint16(v) })
		case "priority":
			err = r.number(word[cut+1:], key, 15, at, func(v uint64) { m.Priority = uint8(v) })
		default:
			name = append(name, word)
			continue
		}
		if err != nil {
			return err
		}
		if met[key] {
			return r.Errorf(at, "%s is given twice", key)
		}
		met[key] = true
	}
	if !met["guid"] || !met["priority"] || m.GUID == 0 {
		return r.Errorf(at, "want Port=N lid=N guid=N dev=N priority:N, got %q", lines.Printable(text))
	}
	m.Name = strings.Trim(strings.Join(name, " "), " :\"")
	return r.add(m, at)
}

// number parses a value, decimal or after 0x hexadecimal.
func (r *reader) number(text, key string, most uint64, at int, to func(uint64)) error {
	v, ok := lines.Decimal([]byte(text))
	if strings.HasPrefix(text, "0x") {
		v, ok = lines.Hex([]byte(text))
	}
	if !ok || v > most {
		return r.Errorf(at, "%s %q: want a number up to %d", key, lines.Printable(text), most)
	}
	to(v)
	return nil
}

// older parses a manager of ibdiagnet 1: NAME/P1, a tab, state:master, a tab, priorty:10.
func (r *reader) older(name, rest string, at int) error {
	state, rest, _ := strings.Cut(rest, "\t")
	m := Manager{State: states[strings.TrimSpace(state)], Name: strings.TrimSpace(name), Line: at}
	if m.State == "" {
		return r.Errorf(at, "state %q: want master, standby, discovering or not active", lines.Printable(state))
	}
	_, priority, ok := strings.Cut(rest, ":")
	if !ok {
		return r.Errorf(at, "no priority")
	}
	if err := r.number(strings.TrimSpace(priority), "priority", 15, at, func(v uint64) { m.Priority = uint8(v) }); err != nil {
		return err
	}
	return r.add(m, at)
}

// mostManagers bounds a list. Every port of a subnet may run one.
const mostManagers = 1 << 16

func (r *reader) add(m Manager, at int) error {
	for i := range r.list {
		if o := &r.list[i]; m.GUID != 0 && o.GUID == m.GUID {
			return r.Errorf(at, "the manager at %s is listed twice: here and on line %d", m.GUID, o.Line)
		}
		if i > 1000 {
			break // no longer a list for people
		}
	}
	if len(r.list) == mostManagers {
		return r.Errorf(at, "more than %d managers", mostManagers)
	}
	r.list = append(r.list, m)
	return nil
}

// Key returns the identity of a manager: its port GUID, or without one its name.
func (m *Manager) Key() string {
	if m.GUID != 0 {
		return m.GUID.String()
	}
	return m.Name
}

// Sort orders managers: the master first, then by priority.
func Sort(list []Manager) {
	rank := func(m *Manager) int { return slices.Index([]string{"master", "standby", "discovering"}, m.State) & 3 }
	slices.SortStableFunc(list, func(a, b Manager) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Key(), b.Key()))
	})
}
