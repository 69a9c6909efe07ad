package papers

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/lab"
)

const results = "../../docs/results"

// TestCommittedFiles: the results that are committed are whole, and their tables and
// charts are what the records give today.
func TestCommittedFiles(t *testing.T) {
	for _, r := range All() {
		var records []*lab.Record
		for _, a := range r.Artefacts {
			data, err := os.ReadFile(filepath.Join(results, r.Name, a.Name+".json"))
			if err != nil {
				t.Error(err)
				continue
			}
			rec, err := lab.Load(data)
			if err != nil {
				t.Errorf("%s %s: %v", r.Name, a.Name, err)
				continue
			}
			if !rec.Fits(r, &a, &lab.Setup{Mode: lab.Full, Seed: rec.Seed}, "") {
				t.Errorf("%s %s: not of a full run of all rows", r.Name, a.Name)
			}
			for i := range rec.Claims {
				if c := &rec.Claims[i]; strings.Contains(c.Why, "As read: ") != (c.AsRead != "") {
					t.Errorf("%s %s: claim %q: the record has no number as read, as those of older versions: make it again", r.Name, a.Name, c.Text)
				}
			}
			records = append(records, rec)
			files, err := rec.Files()
			if err != nil {
				t.Errorf("%s %s: %v", r.Name, a.Name, err)
			}
			for _, f := range files {
				same(t, filepath.Join(r.Name, f.Name), f.Data)
			}
		}
		pages := r.Pages(records)
		for _, f := range pages {
			same(t, filepath.Join(r.Name, f.Name), f.Data)
		}
		inPlainWords(t, r, string(pages[0].Data))
		for _, problem := range r.CheckDecisions(records) {
			t.Errorf("%s: %s", r.Name, problem)
		}
	}
}

// inPlainWords checks that a page begins with one screen: the paper's claims, the outcome, the
// largest differences in plain words, and a picture.
func inPlainWords(t *testing.T, r *lab.Reproduction, page string) {
	t.Helper()
	screen, _, _ := strings.Cut(page, "\n## ")
	if lines := strings.Count(screen, "\n"); lines > 50 || !strings.Contains(screen, "**The paper claims**") || !strings.Contains(screen, "**What came out**") ||
		strings.Count(screen, ".svg)") != 1 && strings.Contains(page, ".svg)") {
		t.Errorf("%s: the page begins with %d lines:\n%s", r.Name, lines, screen)
	}
	_, list, found := strings.Cut(screen, "**The largest differences** from the literal text:\n\n")
	if !found {
		t.Errorf("%s: no largest differences", r.Name)
	}
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.SplitSeq(list, "\n- ") {
		line = strings.Join(strings.Fields(strings.TrimPrefix(line, "- ")), " ")
		plain := false
		for _, words := range r.Plain {
			plain = plain || strings.HasPrefix(line, words+" (")
		}
		if !plain {
			t.Errorf("%s: no plain words (Reproduction.Plain) for %s", r.Name, line)
		}
	}
}

// update writes the pages and files from the records.
var update = flag.Bool("update", false, "write the pages, tables and charts of docs/results that the records give")

func same(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join(results, name), want, 0o644); err != nil {
			t.Error(err)
		}
	}
	got, err := os.ReadFile(filepath.Join(results, name))
	if err != nil {
		t.Error(err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s is not what its record gives: run this test with -update", name)
	}
}

// TestList: every artefact of every paper, in order.
func TestList(t *testing.T) {
	list := List().Artefacts
	for _, r := range All() {
		for i := range r.Artefacts {
			a := &r.Artefacts[i]
			if len(list) == 0 || list[0] != (Entry{r.Name, a.Name, a.Place, a.Title}) {
				t.Fatalf("%s %s is not next in the list", r.Name, a.Name)
			}
			list = list[1:]
		}
	}
	if len(list) > 0 {
		t.Errorf("%d entries more than artefacts", len(list))
	}
}

// sameVerdict is a row of a page's table of verdicts with other seed blocks: the first block, and
// the claims with the same verdict.
var sameVerdict = regexp.MustCompile(`(?m)^\| (\d+) \| (\d+) of (\d+) \| .* \|$`)

// TestSameVerdicts: docs/papers.md has the counts of all pages, and their sum. Other seed blocks
// give the same verdict in 19 of 20 claims.
func TestSameVerdicts(t *testing.T) {
	data, err := os.ReadFile("../../docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	same, claims := 0, 0
	for _, r := range All() {
		page, err := os.ReadFile(filepath.Join(results, r.Name, "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range sameVerdict.FindAllStringSubmatch(string(page), -1) {
			if want := fmt.Sprintf("| %s | %s | %s of %s |", r.Name, row[1], row[2], row[3]); !strings.Contains(string(data), want) {
				t.Errorf("docs/papers.md has no row %s", want)
			}
			held, _ := strconv.Atoi(row[2])
			all, _ := strconv.Atoi(row[3])
			same, claims = same+held, claims+all
		}
	}
	if want := fmt.Sprintf("%d of %d", same, claims); !strings.Contains(string(data), want) || 20*same < 19*claims {
		t.Errorf("other seed blocks give the same verdict in %s claims", want)
	}
}
