package sweep

import (
	"slices"
)

// Origin says how many cases of a sweep certain sources computed.
type Origin struct {
	Sources  string // digest
	Older    bool   // than those of the last run
	Cases    int
	Networks []string // in the order of the sweep
	Versions []string // of the programs; so Commits
	Commits  []string
}

// Origins lists the sources that computed the cases of a sheet, oldest first.
func (s *Sheet) Origins(rows map[string]*Row) []Origin {
	var list []Origin
	for _, sources := range s.Older {
		list = append(list, Origin{Sources: sources, Older: true})
	}
	for _, sources := range s.Sources {
		list = append(list, Origin{Sources: sources})
	}
	for _, row := range s.Distinct(rows) {
		i := slices.IndexFunc(list, func(o Origin) bool { return o.Sources == row.Sources })
		if i < 0 {
			i = len(list)
			list = append(list, Origin{Sources: row.Sources})
		}
		o := &list[i]
		o.Cases++
		add(&o.Networks, row.Network)
		add(&o.Versions, row.Version)
		add(&o.Commits, row.Commit)
	}
	return list
}

// add adds a text to a list that lacks it, if it says something.
func add(list *[]string, text string) {
	if text != "" && text != "unknown" && !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

// OlderCases counts the cases of older sources.
func OlderCases(list []Origin) (n int) {
	for _, o := range list {
		if o.Older {
			n += o.Cases
		}
	}
	return n
}
