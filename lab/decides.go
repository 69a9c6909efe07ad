package lab

import (
	"bufio"
	"fmt"
	"strings"
)

// Decider is the place where a difference from a paper is decided.
type Decider string

// The deciders.
const (
	TheText  Decider = "the text"         // it leaves open, or contradicts, what the number depends on
	TheData  Decider = "the paper's data" // its machine, its program or its own figures: no reading of the text gives them
	OurModel Decider = "our model"        // what we measure is not all that theirs measured
)

// Decision explains why some claims differ from the paper: the place that decides it, and the
// attempts to find it.
type Decision struct {
	Artefact string
	Of       string // words in the texts of the claims; "" for all others of the artefact
	By       Decider
	Tried    string // a sentence: the reason, and what was tried
}

// decisionOf returns the index of the first decision about a claim, -1 if there is none.
func (r *Reproduction) decisionOf(artefact, text string) int {
	for i := range r.Decisions {
		if d := &r.Decisions[i]; d.Artefact == artefact && strings.Contains(text, d.Of) {
			return i
		}
	}
	return -1
}

// CheckDecisions lists the claims that differ and have no decision, and the decisions without such
// a claim.
func (r *Reproduction) CheckDecisions(records []*Record) (list []string) {
	used := make([]bool, len(r.Decisions))
	for _, rec := range records {
		for i := range rec.Claims {
			c := &rec.Claims[i]
			if c.Verdict != Differs {
				continue
			}
			if k := r.decisionOf(rec.Artefact, c.Text); k < 0 {
				list = append(list, "no decision on "+ClaimName(rec.Artefact, c.Text))
			} else {
				used[k] = true
			}
		}
	}
	for i, d := range r.Decisions {
		if !used[i] {
			list = append(list, "no such claim differs: "+ClaimName(d.Artefact, d.Of))
		}
	}
	return list
}

// writeDecisions writes the decisions, each with the number of its claims.
func (r *Reproduction) writeDecisions(b *bufio.Writer, records []*Record) {
	if len(r.Decisions) == 0 {
		return
	}
	claims := make([]int, len(r.Decisions))
	for _, rec := range records {
		for i := range rec.Claims {
			if k := r.decisionOf(rec.Artefact, rec.Claims[i].Text); k >= 0 && rec.Claims[i].Verdict == Differs {
				claims[k]++
			}
		}
	}
	fmt.Fprint(b, "## What decides the differences\n\n")
	paragraph(b, "The text, if it leaves open what a number depends on. The paper's data, if no reading of the text gives its number. Our model, if it lacks something that the paper measured.")
	for i, d := range r.Decisions {
		if claims[i] == 0 {
			continue
		}
		about := "1 claim"
		if claims[i] > 1 {
			about = fmt.Sprintf("%d claims", claims[i])
		}
		if d.Of != "" {
			about += fmt.Sprintf(" with %q", d.Of)
		}
		item(b, "- ", fmt.Sprintf("[%s](#%s), %s: **%s**. %s", d.Artefact, d.Artefact, about, d.By, d.Tried))
	}
	fmt.Fprintln(b)
}
