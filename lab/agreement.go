package lab

// Agreement counts the claims with the same verdict in two runs of a paper with different seed
// blocks, and lists the others. It skips claims that one run did not judge, or judged by too few
// blocks, and claims that cannot be tested.
type Agreement struct {
	Same    int      `json:"same"`
	Claims  int      `json:"claims"`
	Open    int      `json:"open"` // claims that one of the runs has not judged, or with too few blocks
	Changed []Change `json:"changed"`
}

// Change is a claim whose verdict in the second run differs from the first.
type Change struct {
	Artefact string `json:"artefact"`
	First    Claim  `json:"first"`
	Second   Claim  `json:"second"`
}

// Compare compares the verdicts of two runs on the claims that both have.
func Compare(first, second []*Record) *Agreement {
	type key struct{ artefact, text string }
	was := map[key]Claim{}
	for _, rec := range first {
		for _, c := range rec.Claims {
			was[key{rec.Artefact, c.Text}] = c
		}
	}
	a := &Agreement{Changed: []Change{}}
	for _, rec := range second {
		for _, c := range rec.Claims {
			before, ok := was[key{rec.Artefact, c.Text}]
			if !ok {
				continue
			}
			if before.open() || c.open() {
				a.Open++
				continue
			}
			a.Claims++
			if before.Verdict == c.Verdict {
				a.Same++
			} else {
				a.Changed = append(a.Changed, Change{rec.Artefact, before, c})
			}
		}
	}
	return a
}

// open reports whether a claim has no verdict on the paper.
func (c *Claim) open() bool {
	return c.Verdict == TooFew || c.Verdict == NotRun || c.Verdict == NotTestable
}

// Rows returns a row for each changed claim: the artefact, the claim, both verdicts and both
// results.
func (a *Agreement) Rows() (rows [][]string) {
	for _, c := range a.Changed {
		rows = append(rows, []string{c.Artefact, c.First.Text, c.First.verdict() + ": " + c.First.Ours, c.Second.verdict() + ": " + c.Second.Ours})
	}
	return rows
}

// Stored returns a paper's records from a Store, in the paper's order.
func (r *Reproduction) Stored(s Store) (all []*Record) {
	for i := range r.Artefacts {
		if rec := stored(s, r.Artefacts[i].Name); rec != nil {
			all = append(all, rec)
		}
	}
	return all
}
