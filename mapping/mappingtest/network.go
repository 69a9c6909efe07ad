// Package mappingtest has helpers for the tests of mappers. Only tests import it.
package mappingtest

import (
	"testing"

	"weft/fabric/gen"
	"weft/mapping"
)

// Network returns the network of a formula.
func Network(tb testing.TB, formula string) *mapping.Network {
	tb.Helper()
	f, err := gen.Parse(formula)
	if err != nil {
		tb.Fatal(err)
	}
	n, err := mapping.FromFabric(f)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}
