package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Reading is a way to understand a paper other than literally, where its text leaves something open
// or contradicts its own figures. Claims are first judged by the literal text. Claims that differ
// are then judged by the paper's one set of readings.
type Reading struct {
	Name string
	Text string // replaces the literal text
	// Chosen says that the reading belongs to the paper's set. Others are tried one at a time, to
	// show their effect on every claim.
	Chosen bool
	// ChosenIn names the artefacts whose set has a chosen reading, where the other artefacts would
	// take too long; nil for all.
	ChosenIn []string
	// Fitted says that the reading was fitted to the paper's own figures.
	Fitted bool
	// Solver says that the reading needs a solver of linear programmes. It is never in the set:
	// verdicts do not depend on installed software.
	Solver bool
	// In names the artefacts that the reading changes; nil for all.
	In []string
}

// concerns reports whether a reading changes an artefact.
func (x *Reading) concerns(a *Artefact) bool { return x.In == nil || slices.Contains(x.In, a.Name) }

// Reads reports whether a reading is active. The name must be one of the paper's.
func (s *Setup) Reads(name string) bool { return slices.Contains(s.Readings, name) }

// chosen returns the names of the paper's set of readings that concern an artefact (nil for all
// artefacts), and those among them that were not fitted.
func (r *Reproduction) chosen(a *Artefact) (set, unfitted []string) {
	for _, x := range r.Readings {
		if !x.Chosen || a != nil && (!x.concerns(a) || x.ChosenIn != nil && !slices.Contains(x.ChosenIn, a.Name)) {
			continue
		}
		set = append(set, x.Name)
		if !x.Fitted {
			unfitted = append(unfitted, x.Name)
		}
	}
	return set, unfitted
}

// Tried holds the verdicts on an artefact's claims, in their order, under one reading or the whole
// set.
type Tried struct {
	Reading  string    `json:"reading"` // the name of a reading, or "the set", or "the letter"
	Verdicts []Verdict `json:"verdicts"`
	Ours     []string  `json:"ours"`
}

// theSet names a paper's whole set of readings, if it has several.
const theSet = "the set"

// theLetter names the literal text, run in the first seed block like the readings.
const theLetter = "the letter"

func tried(reading string, claims []Claim) Tried {
	t := Tried{Reading: reading}
	for _, c := range claims {
		t.Verdicts, t.Ours = append(t.Verdicts, c.fitted()), append(t.Ours, c.Ours)
	}
	return t
}

// judge runs an artefact by the literal text, then by the paper's set of readings if a claim
// differs, and by each reading alone. If no claim differs, it still tries the set once, to show
// which claims the set breaks.
func (r *Record) judge(ctx context.Context, p *Reproduction, a *Artefact, s *Setup) {
	letter := runBlocks(ctx, a, s, nil, func(int) bool { return true })
	r.Result, r.Blocks = letter.Result, letter.blocks
	differing := func(i int) bool { return r.Claims[i].Verdict == Differs }
	differs := slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Verdict == Differs })
	set, unfitted := p.chosen(a)
	r.Set = set
	if len(set) > 0 && differs {
		read := runBlocks(ctx, a, s, set, differing)
		plain := read // claims that hold without the fitted readings are not Fitted
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

// tryReadings tries each reading that the record lacks, alone and in the first seed block, and
// drops readings that no longer concern the artefact. letter has the claims by the literal text in
// that block, nil for a kept record.
func (r *Record) tryReadings(ctx context.Context, p *Reproduction, a *Artefact, s *Setup, letter []Claim) {
	differs := r.BlocksAsRead > 0 || slices.ContainsFunc(r.Claims, func(c Claim) bool { return c.Verdict == Differs })
	isNew := false
	alone := func(name string, readings ...string) Tried {
		claims := runBlock(ctx, a, s, 0, readings, true).Claims
		if letter == nil && !slices.EqualFunc(claims, r.Claims, func(now, kept Claim) bool { return now.Text == kept.Text }) {
			Check(fmt.Errorf("the stored claims differ from the claims judged now: run it again (--redo --only %s)", a.Name))
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

// Suffixes of names and titles of tables and charts under the readings.
const (
	nameAsRead  = "-as-read"
	titleAsRead = ", as read"
)

// readAs judges the differing claims again by the results under the set of readings (read) and
// under its unfitted readings (plain). It adds the tables under the readings, and the charts if a
// verdict rests on them.
func (r *Record) readAs(read, plain *Result) {
	rests := false
	for i := range r.Claims {
		c, as := &r.Claims[i], read.Claims[i]
		switch {
		case c.Verdict != Differs:
		case as.Verdict == Holds:
			rests = true
			c.AsRead, c.Why, c.Undecided = as.Ours, "As read: "+as.Ours+".", false
			if c.Verdict = Fitted; plain.Claims[i].Verdict == Holds {
				c.Verdict = HoldsAsRead
			}
		default:
			c.AsRead, c.Why = as.Ours, strings.TrimSpace(c.Why+" As read: "+as.Ours+".")
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
