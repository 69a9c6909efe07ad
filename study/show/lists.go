package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/managers"
	"weft/fabric/netfile/tables"
)

// Tables is the document of `weft show TABLES --json`: the contents of a file of forwarding tables.
type Tables struct {
	Name     string     `json:"name"` // of the file
	Switches int        `json:"switches"`
	Entries  int        `json:"entries"`            // with a path, at all switches
	Fewest   int        `json:"fewest_entries"`     // at a switch
	Most     int        `json:"most_entries"`       // at a switch
	TopLID   fabric.LID `json:"top_lid"`            // the highest with a path
	Ports    int        `json:"named_ports"`        // LIDs whose port the file names
	Warnings []string   `json:"warnings,omitempty"` // all oddities of the file
}

// NewTables counts the contents of a file of forwarding tables.
func NewTables(name string, t *tables.LFTs, warnings []string) *Tables {
	d := &Tables{Name: name, Switches: len(t.Switches), TopLID: t.TopLID(), Ports: len(t.Targets), Warnings: warnings}
	for i := range t.Switches {
		n := t.Switches[i].Entries()
		d.Entries += n
		d.Most = max(d.Most, n)
		if i == 0 || n < d.Fewest {
			d.Fewest = n
		}
	}
	return d
}

// Write prints the counts.
func (d *Tables) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "tables       %s\nswitches     %d\nentries      %d (%d to %d at a switch)\nhighest LID  %d\nnamed ports  %d\nwarnings     %d\n",
		d.Name, d.Switches, d.Entries, d.Fewest, d.Most, d.TopLID, d.Ports, len(d.Warnings))
	return err
}

// TableDifference lists the changes from one file of forwarding tables to another.
type TableDifference struct {
	Equal   bool            `json:"equal"`
	Changes []tables.Change `json:"changes"`
}

// CompareTables lists the changes from a to b.
func CompareTables(a, b *tables.LFTs) *TableDifference {
	changes := append([]tables.Change{}, a.Changes(b)...)
	return &TableDifference{Equal: len(changes) == 0, Changes: changes}
}

// IsEqual reports whether nothing changed.
func (d *TableDifference) IsEqual() bool { return d.Equal }

// Write prints the changes, one a line, and the number of switches and entries.
func (d *TableDifference) Write(w io.Writer) error {
	entries, switches := 0, map[fabric.GUID]bool{}
	for i := range d.Changes {
		c := &d.Changes[i]
		entries += len(c.LIDs)
		switches[c.Switch] = true
		name := c.Switch.String()
		if c.Name != "" {
			name = fmt.Sprintf("%q (%s)", c.Name, c.Switch)
		}
		line := fmt.Sprintf("%s: %s", c.Kind, name)
		if len(c.LIDs) > 0 {
			line += fmt.Sprintf(": LIDs %s: %s -> %s", lidRanges(c.LIDs), portWord(c.From), portWord(c.To))
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d entries differ at %d switches\n", entries, len(switches))
	return err
}

func portWord(p *uint8) string {
	if p == nil {
		return "none"
	}
	return fmt.Sprintf("port %d", *p)
}

// lidRanges writes sorted LIDs, as in 1-4,7.
func lidRanges(lids []fabric.LID) string {
	var parts []string
	for i := 0; i < len(lids); {
		j := i
		for j+1 < len(lids) && lids[j+1] == lids[j]+1 {
			j++
		}
		if j == i {
			parts = append(parts, fmt.Sprint(lids[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", lids[i], lids[j]))
		}
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// Managers is the document of `weft show SMS --json`: subnet managers that ibdiagnet found.
type Managers struct {
	Name     string             `json:"name"`     // of the file
	Managers []managers.Manager `json:"managers"` // the master first
	Warnings []string           `json:"warnings,omitempty"`
}

// NewManagers lists subnet managers.
func NewManagers(name string, list []managers.Manager, warnings []string) *Managers {
	list = append([]managers.Manager{}, list...)
	managers.Sort(list)
	return &Managers{Name: name, Managers: list, Warnings: warnings}
}

// Write prints the managers, one a line.
func (d *Managers) Write(w io.Writer) error {
	for i := range d.Managers {
		if _, err := fmt.Fprintln(w, managerLine(&d.Managers[i])); err != nil {
			return err
		}
	}
	masters := 0
	for i := range d.Managers {
		if d.Managers[i].State == "master" {
			masters++
		}
	}
	_, err := fmt.Fprintf(w, "subnet managers: %d, masters: %d\n", len(d.Managers), masters)
	return err
}

func managerLine(m *managers.Manager) string {
	text := fmt.Sprintf("%-11s  priority %2d", m.State, m.Priority)
	if m.GUID != 0 {
		text += fmt.Sprintf("  %s[%d]  LID %d", m.GUID, m.Port, m.LID)
	}
	if m.Name != "" {
		text += "  " + m.Name
	}
	return text
}

// ManagerChange is a change of a subnet manager.
type ManagerChange struct {
	Kind    string `json:"kind"`           // "manager added", "manager removed", "manager changed"
	Manager string `json:"manager"`        // port GUID, or the name where the file has no GUID
	From    string `json:"from,omitempty"` // state, priority and LID before
	To      string `json:"to,omitempty"`   // and now
}

// ManagerDifference lists the changes from one list of subnet managers to another.
type ManagerDifference struct {
	Equal   bool            `json:"equal"`
	Changes []ManagerChange `json:"changes"`
}

// CompareManagers lists the changes from a to b.
func CompareManagers(a, b []managers.Manager) *ManagerDifference {
	was, is := map[string]string{}, map[string]string{}
	keys := map[string]bool{}
	for list, m := range map[*[]managers.Manager]map[string]string{&a: was, &b: is} {
		for i := range *list {
			one := &(*list)[i]
			keys[one.Key()] = true
			m[one.Key()] = fmt.Sprintf("%s, priority %d, LID %d", one.State, one.Priority, one.LID)
		}
	}
	d := &ManagerDifference{Changes: []ManagerChange{}}
	for key := range keys {
		from, before := was[key]
		to, now := is[key]
		switch {
		case !before:
			d.Changes = append(d.Changes, ManagerChange{"manager added", key, "", to})
		case !now:
			d.Changes = append(d.Changes, ManagerChange{"manager removed", key, from, ""})
		case from != to:
			d.Changes = append(d.Changes, ManagerChange{"manager changed", key, from, to})
		}
	}
	slices.SortFunc(d.Changes, func(a, b ManagerChange) int { return cmp.Compare(a.Manager, b.Manager) })
	d.Equal = len(d.Changes) == 0
	return d
}

// IsEqual reports whether nothing changed.
func (d *ManagerDifference) IsEqual() bool { return d.Equal }

// Write prints the changes, one a line.
func (d *ManagerDifference) Write(w io.Writer) error {
	for _, c := range d.Changes {
		text := cmp.Or(c.From, "none") + " -> " + cmp.Or(c.To, "none")
		if _, err := fmt.Fprintf(w, "%s: %s: %s\n", c.Kind, c.Manager, text); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d managers differ\n", len(d.Changes))
	return err
}
