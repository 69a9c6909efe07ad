// Package labtest has helpers for the tests of reproductions: they run artefacts, and check claims
// and committed records. Only tests import it.
package labtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/lab"
)

// Run runs one artefact of a paper. Its claims must match the texts and ranges of the record in
// docs/results.
func Run(t *testing.T, r *lab.Reproduction, name string, s *lab.Setup) *lab.Record {
	t.Helper()
	a, ok := r.Find(name)
	if !ok {
		t.Fatalf("%s has no artefact %s", r.Name, name)
	}
	rec, err := lab.RunArtefact(t.Context(), r, a, s, "")
	if err != nil {
		t.Fatal(err)
	}
	sameClaims(t, r, rec, Committed(t, r, name))
	return rec
}

// sameClaims compares the texts and ranges of a run's claims with the record in docs/results.
func sameClaims(t *testing.T, r *lab.Reproduction, now, old *lab.Record) {
	t.Helper()
	for i := range now.Claims {
		c := &now.Claims[i]
		k := slices.IndexFunc(old.Claims, func(was lab.Claim) bool { return was.Text == c.Text })
		if k < 0 {
			t.Errorf("%s %s: docs/results has no claim %q: %s", r.Name, now.Artefact, c.Text, again(r, now.Artefact))
			continue
		}
		for _, is := range c.Ranges() {
			parts := old.Claims[k].Ranges()
			p := slices.IndexFunc(parts, func(was lab.Range) bool { return is.Of == was.Of })
			switch {
			case p < 0:
				t.Errorf("%s %s: %q is not about %q in docs/results: %s", r.Name, now.Artefact, c.Text, is.Of, again(r, now.Artefact))
			case is.Low != parts[p].Low || is.High != parts[p].High:
				t.Errorf("%s %s: %q (%s) must be %g to %g, in docs/results %g to %g: %s", r.Name, now.Artefact, c.Text, is.Of, is.Low, is.High, parts[p].Low, parts[p].High, again(r, now.Artefact))
			}
		}
	}
	if now.Mode == lab.Full && len(old.Claims) > len(now.Claims) { // the quick mode leaves some out
		t.Errorf("%s %s: %d claims, in docs/results %d: %s", r.Name, now.Artefact, len(now.Claims), len(old.Claims), again(r, now.Artefact))
	}
}

// Committed reads the record of an artefact in docs/results.
func Committed(t *testing.T, r *lab.Reproduction, artefact string) *lab.Record {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../docs/results", r.Name, artefact+".json"))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := lab.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// again returns the command that makes an artefact's record anew.
func again(r *lab.Reproduction, artefact string) string {
	return fmt.Sprintf("run: weft lab reproduce %s --full --redo --only %s -o docs/results", r.Name, artefact)
}

// Rows selects rows by name.
func Rows(names ...string) func(string) bool {
	return func(row string) bool { return slices.Contains(names, row) }
}

// CheckCommitted runs rows of an artefact again in full, and compares them with the first table of
// the record in docs/results.
func CheckCommitted(t *testing.T, r *lab.Reproduction, artefact string, rows ...string) {
	t.Helper()
	old := Committed(t, r, artefact)
	if old.Mode != lab.Full {
		t.Errorf("%s %s: the committed results are of mode %s", r.Name, artefact, old.Mode)
	}
	now := Run(t, r, artefact, &lab.Setup{Mode: lab.Full, Seed: old.Seed, Workers: 2, Blocks: 1, Rows: Rows(rows...)})
	if len(now.Tables[0].Rows) < len(rows) {
		t.Errorf("%s %s: %d rows, want %d", r.Name, artefact, len(now.Tables[0].Rows), len(rows))
	}
	for _, row := range now.Tables[0].Rows {
		if !slices.ContainsFunc(old.Tables[0].Rows, func(was []string) bool { return slices.Equal(was, row) }) {
			t.Errorf("%s %s: %q is not in docs/results: a computation changed; %s", r.Name, artefact, row, again(r, artefact))
		}
	}
}

// DrawNetwork draws a connected random network of 2 to 12 switches with two hosts each.
func DrawNetwork(r *rapid.T) (*fabric.Graph, uint64) {
	switches := rapid.IntRange(2, 12).Draw(r, "switches")
	links := rapid.IntRange(switches-1, switches*(switches-1)/2).Draw(r, "links")
	seed := rapid.Uint64Range(0, 1000).Draw(r, "seed")
	g, err := lab.Graph(fmt.Sprintf("random(switches=%d,hosts=2,links=%d,seed=%d)", switches, links, seed))
	if err != nil {
		r.Fatal(err)
	}
	return g, seed
}

// CheckClaims compares a paper's claims with its sentences (Reproduction.Sentences). A line names
// the artefact and the text of the claim that judges the sentence, or the reason for having none.
// Only lines of the abstract and the conclusion name claims that another line names too.
func CheckClaims(t *testing.T, r *lab.Reproduction) {
	t.Helper()
	listed, below := map[[2]string]bool{}, map[[2]string]bool{} // below: outside abstract and conclusion
	headlines := 0
	for _, row := range lab.ReadPrinted(r.Sentences) {
		key := [2]string{row["artefact"], row["claim"]}
		switch {
		case row["place"] == "" || row["says"] == "":
			t.Errorf("%s: a line without place or sentence: %v", r.Name, row)
		case (row["reason"] == "-") == (row["claim"] == "-") || (row["artefact"] != "-") != (row["claim"] != "-"):
			t.Errorf("%s: a line has neither a claim nor a reason, or both: %v", r.Name, row)
		case row["claim"] == "-":
		case lab.IsHeadline(row["place"]):
			headlines++
			listed[key] = true
		case below[key]:
			t.Errorf("%s: %s occurs twice", r.Name, row["claim"])
		default:
			listed[key], below[key] = true, true
		}
	}
	if headlines == 0 {
		t.Errorf("%s: no claim judges its abstract or conclusion", r.Name)
	}
	claimNames := map[string]bool{}
	for key := range listed {
		claimNames[lab.ClaimName(key[0], key[1])] = true
	}
	for name := range r.Plain {
		if !claimNames[name] {
			t.Errorf("%s: plain words for %q, which is not in claims.tsv", r.Name, name)
		}
	}
	for _, a := range r.Artefacts {
		rec := Run(t, r, a.Name, &lab.Setup{Mode: lab.Full, Blocks: 1, Rows: func(string) bool { return false }})
		for _, c := range rec.Claims {
			key := [2]string{a.Name, c.Text}
			if !listed[key] {
				t.Errorf("%s %s: no line of claims.tsv has %q", r.Name, a.Name, c.Text)
			}
			delete(listed, key)
		}
	}
	for key := range listed {
		t.Errorf("%s: claims.tsv has %q of %s, which is not judged", r.Name, key[1], key[0])
	}
}
