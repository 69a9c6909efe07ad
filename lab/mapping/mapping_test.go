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
	"weft/lab/labtest"
)

// TestReproduction runs everything in the quick mode, under the literal text and under each
// reading. The claims known well enough to hold do.
func TestReproduction(t *testing.T) {
	must := map[string]lab.Verdict{
		"C: host and switch probes, sent and answered (within 25 %)":                           lab.Holds,
		"C+A: host and switch probes, sent and answered (within 25 %)":                         lab.Differs,
		"C+A+B: host and switch probes, sent and answered (within 25 %)":                       lab.Differs,
		"C: comparison probes of Myricom (within 25 %)":                                        lab.Holds,
		"C: Myricom sends so many times as many probes as Berkeley (section 5.4, within 25 %)": lab.Holds,
	}
	r := Reproduction()
	for _, a := range r.Artefacts {
		res := a.Run(context.Background(), &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 1})
		for _, c := range res.Claims {
			want, known := must[c.Text]
			if known && c.Verdict != want || c.Verdict != lab.Holds && c.Verdict != lab.Differs {
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
	fig6, _ := r.Find("fig6")
	for _, x := range r.Readings {
		res := fig6.Run(context.Background(), &lab.Setup{Mode: lab.Quick, Seed: 1, Workers: 1, Readings: []string{x.Name}})
		if all := res.Claims[2].Verdict == lab.Holds; all != (x.Name == rewiredReading || x.Name == otherMapper) {
			t.Errorf("reading %s: C+A+B of fig6 %s", x.Name, res.Claims[2].Verdict)
		}
	}
}

// TestClaims: every sentence and cell of the paper has a claim or a reason why not.
func TestClaims(t *testing.T) { labtest.CheckClaims(t, Reproduction()) }

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
	r := Reproduction()
	for i := range r.Artefacts {
		a := &r.Artefacts[i]
		if !a.Seedless || a.Name == "growth" {
			continue // eight seed blocks, or a large tree, take minutes
		}
		data, err := os.ReadFile(filepath.Join(dir, a.Name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := lab.Load(data)
		if err != nil {
			t.Fatal(err)
		}
		res, err := lab.RunArtefact(t.Context(), r, a, &lab.Setup{Mode: lab.Full, Seed: committed.Seed, Workers: 2, Blocks: lab.Enough}, "")
		if err != nil {
			t.Fatal(err)
		}
		again := "an algorithm or the model changed; run: weft lab reproduce mapping --full --redo -o docs/results"
		if !reflect.DeepEqual(res.Tables, committed.Tables) {
			t.Errorf("%s: tables\n%v, in docs/results\n%v: %s", a.Name, res.Tables, committed.Tables, again)
		}
		if !reflect.DeepEqual(res.Claims, committed.Claims) {
			t.Errorf("%s: claims\n%v, in docs/results\n%v: %s", a.Name, res.Claims, committed.Claims, again)
		}
		for _, p := range res.Pictures {
			if old, err := os.ReadFile(filepath.Join(dir, p.Name+".svg")); err != nil || !bytes.Equal(old, p.SVG) {
				t.Errorf("%s: the picture is not that of docs/results (%v): %s", a.Name, err, again)
			}
		}
	}
}
