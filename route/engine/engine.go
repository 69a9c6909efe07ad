// Package engine lists the routing engines. Each is a package of its own below
// this one, with one constructor; a new engine is added to the list here, and the
// conformance suite (route/engine/conformance) then runs it on every fabric.
package engine

import (
	"fmt"
	"strings"

	"weft/route"
	"weft/route/engine/dfsssp"
	"weft/route/engine/dor"
	"weft/route/engine/lash"
	"weft/route/engine/minhop"
	"weft/route/engine/sssp"
	"weft/route/engine/updn"
)

// All lists the engines in the order in which they are printed.
func All() []*route.Spec {
	return []*route.Spec{minhop.Spec(), updn.Spec(), dor.Spec(), sssp.Spec(), dfsssp.Spec(), lash.Spec()}
}

// Default is the chain used when none is named: its last engine routes any
// network, free of deadlock.
const Default = "updn"

// Find finds an engine by name.
func Find(name string) (*route.Spec, error) {
	var names []string
	for _, s := range All() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("engine: no engine is called %q (there are: %s)", name, strings.Join(names, ", "))
}

// Chain finds the engines of a comma-separated list, tried in that order; "all"
// stands for every engine.
func Chain(list string) ([]*route.Spec, error) {
	if list == "all" {
		return All(), nil
	}
	var chain []*route.Spec
	for name := range strings.SplitSeq(list, ",") {
		s, err := Find(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		chain = append(chain, s)
	}
	return chain, nil
}
