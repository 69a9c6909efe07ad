package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/lab/sweep"
)

// origins writes which sources computed the cases.
func (m *maker) origins(list []sweep.Origin) {
	if text := older(list); text != "" {
		m.page.text(text)
	}
	t := table{Head: []string{"digest of the sources", "", "cases", "version", "commit", "networks"}}
	for _, o := range list {
		age := ""
		if o.Older {
			age = "older"
		}
		t.add(o.Sources, age, fmt.Sprint(o.Cases), strings.Join(o.Versions, ", "), strings.Join(o.Commits, ", "), strings.Join(o.Networks, ", "))
	}
	m.page.fold("Sources", t)
}

// older returns sentences about the cases of older sources: their number and their networks; "" if
// there are none.
func older(list []sweep.Origin) string {
	all, before, present := 0, []string{}, []string{}
	for _, o := range list {
		all += o.Cases
		if o.Older {
			before = append(before, o.Networks...)
		} else {
			present = append(present, o.Networks...)
		}
	}
	n := sweep.OlderCases(list)
	if n == 0 {
		return ""
	}
	var part []string
	for _, name := range before {
		if slices.Contains(present, name) && !slices.Contains(part, name) {
			part = append(part, name)
		}
	}
	text := fmt.Sprintf("Of these %[2]d cases, %[1]d are of older sources of weft than those of the last run.", n, all)
	if len(present) == 0 {
		return text
	}
	if len(part) > 0 {
		text += fmt.Sprintf(" Partly older: %s.", some(part))
	}
	slices.Sort(present)
	present = slices.DeleteFunc(slices.Compact(present), func(name string) bool { return slices.Contains(part, name) })
	if len(present) > 0 {
		text += fmt.Sprintf(" All of the last run: %s.", some(present))
	}
	return text
}

// mostNetworks limits the networks that a sentence names.
const mostNetworks = 8

// some lists networks, or counts them if they are many.
func some(networks []string) string {
	if len(networks) > mostNetworks {
		return fmt.Sprintf("%d networks", len(networks))
	}
	return strings.Join(networks, ", ")
}
