// Package subnetstest builds networks of several subnets for tests. Only tests import it.
package subnetstest

import (
	"weft/fabric/gen"
	"weft/fabric/subnets"
)

// Fataler has the methods common to tests of testing and of rapid.
type Fataler interface {
	Helper()
	Fatal(args ...any)
}

// Open builds the fabric of a formula.
func Open(arg string) (subnets.Opened, error) {
	f, err := gen.Parse(arg)
	return subnets.Opened{Fabric: f, Made: true}, err
}

// Network builds the network of a formula.
func Network(t Fataler, text string) *subnets.Network {
	t.Helper()
	f, err := subnets.Expand(text, Open)
	if err != nil {
		t.Fatal(err)
	}
	n, err := f.Build(text, Open)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
