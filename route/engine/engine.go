// Package engine lists the routing engines. Each is a package of its own below
// this one, with one constructor; a new engine is added to the list here, and the
// conformance suite (route/engine/conformance) then runs it on every fabric.
package engine

import (
	"fmt"
	"strings"

	"weft/internal/spelling"
	"weft/route"
	"weft/route/engine/dfsssp"
	"weft/route/engine/dfsssp/plain"
	"weft/route/engine/dor"
	"weft/route/engine/ftree"
	"weft/route/engine/hyperx"
	"weft/route/engine/lash"
	"weft/route/engine/minhop"
	"weft/route/engine/nue"
	"weft/route/engine/pathset"
	"weft/route/engine/sssp"
	"weft/route/engine/torus"
	"weft/route/engine/updn"
	"weft/route/engine/valiant"
)

// All lists the engines in the order in which they are printed.
func All() []*route.Spec {
	return []*route.Spec{minhop.Spec(), updn.Spec(), dor.Spec(), sssp.Spec(), dfsssp.Spec(), plain.OnlineSpec(), lash.Spec(), nue.Spec(), ftree.Spec(), torus.Spec(), hyperx.Spec(), valiant.Spec()}
}

// Find finds an engine by name, one of the list or PATHS+NAMES (route/engine/pathset).
func Find(name string) (*route.Spec, error) {
	if spec, ok, err := pathset.Parse(name); ok {
		return spec, err
	}
	var names []string
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("engine: no engine is called %q%s (there are: %s)", name, spelling.Hint(name, names), strings.Join(names, ", "))
}
