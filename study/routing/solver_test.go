package routing

import (
	"os"
	"testing"
	"time"

	"weft/route/engine"
)

// TestSolving: without an engine that needs a solver nothing is looked for.
func TestSolving(t *testing.T) {
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := Solving{Program: "./none/cbc", Limit: time.Second}
	if needed, err := s.Equip(chain, time.Now()); needed || err != nil || s.Report() != nil {
		t.Error(needed, err)
	}
	if chain, err = engine.Parse("srd+ilp", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Equip(chain, time.Now()); !CouldNot(err) {
		t.Error(err)
	}
	s.Dir = t.TempDir() + "/lp"
	if needed, err := s.Equip(chain, time.Now()); !needed || err != nil || s.Report().Written != s.Dir {
		t.Error(needed, err)
	}
	if _, err := os.Stat(s.Dir); err != nil {
		t.Error(err)
	}
}
