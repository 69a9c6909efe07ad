package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Reading is a way to understand a paper other than by its letter, where its text leaves something open or contradicts its own figures. All
// claims are judged by the literal text first, and those that differ then by the one set of readings that the paper has.
type Reading struct {
	Name string
	Text string // what is done in place of the literal text
	// Chosen says that it is one of the set. The others are tried one at a time, to show what they do to every claim.
	Chosen bool
	// Fitted says that it was searched for with the paper's own figures as the measure.
	Fitted bool
	// Solver says that it needs a solver of linear programmes. Such a reading is never of the set: what is installed decides no verdict.
	Solver bool
	// In names the artefacts that it changes; nil for all.
	In []string
}

// concerns says whether a reading changes an artefact.
func (x *Reading) concerns(a *Artefact) bool { return x.In == nil || slices.Contains(x.In, a.Name) }

// Reads reports whether a reading is on. The name must be one of the paper's.
func (s *Setup) Reads(name string) bool { return slices.Contains(s.Readings, name) }

// chosen are the names of the set of readings of a paper that concern an artefact, nil for all of them, and those of them that were not fitted.
func (r *Reproduction) chosen(a *Artefact) (set, unfitted []string) {
	for _, x := range r.Readings {
		if !x.Chosen || a != nil && !x.concerns(a) {
			continue
		}
		set = append(set, x.Name)
		if !x.Fitted {
			unfitted = append(unfitted, x.Name)
		}
	}
	return set, unfitted
}

// Tried holds the verdicts on the claims of an artefact, in their order, under one reading alone or under the whole set.
type Tried struct {
	Reading  string    `json:"reading"` // theSet for the set, theLetter for the literal text
	Verdicts []Verdict `json:"verdicts"`
	Ours     []string  `json:"ours"`
}

// theSet stands for all readings of a paper's set together, where there are several.
const theSet = "the set"

// theLetter stands for the literal text, in the first seed block as the readings are tried.
const theLetter = "the letter"

func tried(reading string, claims []Claim) Tried {
	t := Tried{Reading: reading}
	for _, c := range claims {
		t.Verdicts, t.Ours = append(t.Verdicts, c.fitted()), append(t.Ours, c.Ours)
	}
	return t
}

// judge runs an artefact by the literal text, then by the paper's set of readings where a claim differs, and by each reading alone. Where
// none differs it tries those of the set once, to show what they break.
func (r *Record) judge(ctx context.Context, p *Reproduction, a *Artefact, s *Setup) {
	letter := runBlocks(ctx, a, s, nil, func(int) bool { return true })
	r.Result, r.Blocks = letter.Result, letter.blocks
	differing := func(i int) bool { return r.Claims[i].Verdict == Differs }
	differs := slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Verdict == Differs })
	set, unfitted := p.chosen(a)
	r.Set = set
	if len(set) > 0 && differs {
		read := runBlocks(ctx, a, s, set, differing)
		plain := read // what holds without the readings that were fitted is not fitted
		switch len(unfitted) {
		case len(set):
		case 0:
			plain = letter
		default:
			plain = runBlocks(ctx, a, s, unfitted, differing)
		}
		r.BlocksAsRead = read.blocks
		r.readAs(read.Result, plain.Result)
		if len(set) > 1 {
			r.Tried = append(r.Tried, tried(theSet, read.Claims))
		}
	} else if len(set) > 1 && !s.Verdicts {
		r.Tried = append(r.Tried, tried(theSet, runBlock(ctx, a, s, 0, set, true).Claims))
	}
	r.tryReadings(ctx, p, a, s, letter.alone)
	for i := range r.Claims {
		c := &r.Claims[i]
		if c.Verdict = c.fitted(); c.Verdict == Fitted && c.RestsOn != "" {
			c.Why = strings.TrimSpace("It rests on " + c.RestsOn + ". " + c.Why)
		}
	}
}

// tryReadings tries each reading alone that the record does not have yet, in the first seed block, and drops those that no longer concern
// the artefact. The claims by the letter in that block are nil for a kept record.
func (r *Record) tryReadings(ctx context.Context, p *Reproduction, a *Artefact, s *Setup, letter []Claim) {
	differs := r.BlocksAsRead > 0 || slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Verdict == Differs })
	isNew := false
	alone := func(name string, readings ...string) Tried {
		claims := runBlock(ctx, a, s, 0, readings, true).Claims
		if letter == nil && !slices.EqualFunc(claims, r.Claims, func(now, kept Claim) bool { return now.Text == kept.Text }) {
			Check(fmt.Errorf("other claims are kept than are judged now: run it again (--redo --only %s)", a.Name))
		}
		isNew = true
		return tried(name, claims)
	}
	var all []Tried
	if t := r.tried(theSet); t != nil {
		all = append(all, *t)
	}
	for _, x := range p.Readings {
		if !x.concerns(a) {
			continue
		}
		if t := r.tried(x.Name); t != nil {
			all = append(all, *t)
		} else if !s.Verdicts && (differs || x.Chosen) && (!x.Solver || s.SolveLinear != nil) {
			all = append(all, alone(x.Name, x.Name))
		}
	}
	if len(all) > 0 {
		switch t := r.tried(theLetter); {
		case t != nil:
			all = slices.Insert(all, 0, *t)
		case letter != nil:
			all = slices.Insert(all, 0, tried(theLetter, letter))
		case isNew:
			all = slices.Insert(all, 0, alone(theLetter))
		}
	}
	r.Tried = all
}

// What the names and titles of tables and charts as read end with.
const (
	nameAsRead  = "-as-read"
	titleAsRead = ", as read"
)

// readAs judges what differs by what the set of readings gives, and by what those of it give that were not fitted. It adds the tables as
// read, and the charts too if a verdict rests on them.
func (r *Record) readAs(read, plain *Result) {
	rests := false
	for i := range r.Claims {
		c, as := &r.Claims[i], read.Claims[i]
		switch {
		case c.Verdict != Differs:
		case as.Verdict == Holds:
			rests = true
			c.Why, c.Undecided = "As read: "+as.Ours+".", false
			if c.Verdict = Fitted; plain.Claims[i].Verdict == Holds {
				c.Verdict = HoldsAsRead
			}
		default:
			c.Why = strings.TrimSpace(c.Why + " As read: " + as.Ours + ".")
		}
	}
	for _, t := range read.Tables {
		t.Name, t.Title = t.Name+nameAsRead, t.Title+titleAsRead
		r.Tables = append(r.Tables, t)
	}
	for _, c := range read.Charts {
		if c.Name, c.Title = c.Name+nameAsRead, c.Title+titleAsRead; rests {
			r.Charts = append(r.Charts, c)
		}
	}
}
