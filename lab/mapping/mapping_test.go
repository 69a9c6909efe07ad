package mapping

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft/lab"
)

// TestReproduction runs everything in the quick mode. No claim differs without an
// experiment that explains it, but those on random orders of hosts and starts of mappers, of
// which the quick mode draws too few; what is known well enough to hold does.
func TestReproduction(t *testing.T) {
	must := map[string]lab.Verdict{
		"C: host and switch probes, sent and answered (within 25 %)":     lab.Holds,
		"C+A: host and switch probes, sent and answered (within 25 %)":   lab.Explained,
		"C+A+B: host and switch probes, sent and answered (within 25 %)": lab.Explained,
		"C: comparison probes of Myricom (within 25 %)":                  lab.Holds,
		"C: Myricom sends 3 to 6 times as many probes as Berkeley":       lab.Holds,
	}
	for _, a := range Reproduction().Artefacts {
		res := a.Run(context.Background(), &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 1})
		for _, c := range res.Claims {
			if strings.Contains(c.Text, "at random") || strings.Contains(c.Text, "longest over shortest") {
				continue
			}
			want, known := must[c.Text]
			if known && c.Verdict != want || !known && c.Verdict != lab.Holds && c.Verdict != lab.Explained {
				t.Errorf("%s: %s: %s (paper %s, ours %s; %s)", a.Name, c.Text, c.Verdict, c.Paper, c.Ours, c.Why)
			}
			delete(must, c.Text)
		}
		for _, p := range res.Pictures {
			if !bytes.HasPrefix(p.SVG, []byte("<svg")) || !strings.HasPrefix(p.Name, a.Name) {
				t.Errorf("%s: picture %s", a.Name, p.Name)
			}
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

// TestCommitted runs artefacts of the committed results again, in full.
func TestCommitted(t *testing.T) {
	const dir = "../../docs/results/mapping"
	for _, name := range []string{"fig3", "fig4", "fig5", "fig6", "fig7", "fig8", "fig10", "routes"} {
		data, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := lab.Load(data)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := Reproduction().Find(name)
		res := a.Run(context.Background(), &lab.Setup{Mode: lab.Full, Seed: committed.Seed, Workers: 2})
		again := "an algorithm or the model changed; run: weft lab reproduce mapping --full --redo -o docs/results"
		if !reflect.DeepEqual(res.Tables, committed.Tables) {
			t.Errorf("%s: tables\n%v, in docs/results\n%v: %s", name, res.Tables, committed.Tables, again)
		}
		if !reflect.DeepEqual(res.Claims, committed.Claims) {
			t.Errorf("%s: claims\n%v, in docs/results\n%v: %s", name, res.Claims, committed.Claims, again)
		}
		for _, p := range res.Pictures {
			if old, err := os.ReadFile(filepath.Join(dir, p.Name+".svg")); err != nil || !bytes.Equal(old, p.SVG) {
				t.Errorf("%s: the picture is not that of docs/results (%v): %s", name, err, again)
			}
		}
	}
}
