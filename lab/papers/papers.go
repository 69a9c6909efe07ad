// Package papers lists the papers that can be reproduced. Each is a package of its own next to this
// one; add a new one to the list here.
package papers

import (
	"fmt"
	"strings"

	"weft/internal/spelling"
	"weft/lab"
	"weft/lab/dfsssp"
	"weft/lab/fattree"
	"weft/lab/intersubnet"
	"weft/lab/mapping"
	"weft/lab/naming"
	"weft/lab/vftree"
)

// All lists the reproductions in printing order.
func All() []*lab.Reproduction {
	return append([]*lab.Reproduction{naming.LID(), naming.Renaming(), dfsssp.Reproduction(), mapping.Reproduction()}, append(fattree.Reproductions(), vftree.Reproduction(), intersubnet.Reproduction())...)
}

// Entry is an artefact of a paper in the list of all artefacts.
type Entry struct {
	Reproduction string `json:"reproduction"`
	Artefact     string `json:"artefact"`
	Place        string `json:"place"`
	Title        string `json:"title"`
}

// Listing is the document of `weft lab list --json`.
type Listing struct {
	Artefacts []Entry `json:"artefacts"`
}

// List lists the artefacts of all papers.
func List() *Listing {
	l := &Listing{}
	for _, r := range All() {
		for _, a := range r.Artefacts {
			l.Artefacts = append(l.Artefacts, Entry{r.Name, a.Name, a.Place, a.Title})
		}
	}
	return l
}

// Find finds a reproduction by name.
func Find(name string) (*lab.Reproduction, error) {
	var names []string
	for _, r := range All() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return nil, fmt.Errorf("lab: nothing is called %q%s (there are: %s)", name, spelling.Hint(name, names), strings.Join(names, ", "))
}
