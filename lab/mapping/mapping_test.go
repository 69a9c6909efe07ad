package mapping

import (
	"context"
	"testing"

	"weft/lab"
)

// TestReproduction runs everything in the quick mode: what must hold does.
func TestReproduction(t *testing.T) {
	must := map[string]lab.Verdict{
		"C: host and switch probes, sent and answered (within 25 %)":     lab.Holds,
		"C+A: host and switch probes, sent and answered (within 25 %)":   lab.Explained,
		"C+A+B: host and switch probes, sent and answered (within 25 %)": lab.Explained,
		"C: comparison probes of Myricom (within 25 %)":                  lab.Holds,
		"C+A: comparison probes of Myricom (within 25 %)":                lab.Holds,
	}
	for _, a := range Reproduction().Artefacts {
		res, err := a.Run(context.Background(), &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 1})
		if err != nil {
			t.Fatal(a.Name, err)
		}
		for _, c := range res.Claims {
			if want, ok := must[c.Text]; ok && c.Verdict != want {
				t.Errorf("%s: %s, want %s (%s)", c.Text, c.Verdict, want, c.Ours)
			}
			delete(must, c.Text)
		}
	}
	for text := range must {
		t.Errorf("no claim %q", text)
	}
}

// TestRewired keeps the numbers of the abstract.
func TestRewired(t *testing.T) {
	for _, c := range []struct {
		withB                  bool
		hosts, switches, wires int
	}{{false, 70, 26, 128}, {true, 100, 40, 193}} {
		n, err := rewired(c.withB)
		if err != nil {
			t.Fatal(err)
		}
		if n.NumHosts() != c.hosts || n.NumSwitches() != c.switches || n.NumWires() != c.wires {
			t.Errorf("%d hosts, %d switches, %d wires", n.NumHosts(), n.NumSwitches(), n.NumWires())
		}
	}
}
