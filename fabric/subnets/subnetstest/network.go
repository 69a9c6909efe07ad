// Package subnetstest makes networks of several subnets for tests. It is imported by tests only.
package subnetstest

import (
	"weft/fabric/gen"
	"weft/fabric/subnets"
)

// Fataler has the methods that tests of testing and of rapid have in common.
type Fataler interface {
	Helper()
	Fatal(args ...any)
}

// Open makes the fabric of a formula.
func Open(arg string) (subnets.Opened, error) {
	f, err := gen.Parse(arg)
	return subnets.Opened{Fabric: f, Made: true}, err
}

// Network makes the network of a formula.
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
