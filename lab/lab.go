package lab

import (
	"context"
	"hash/fnv"
	"strings"

	"weft/internal/chart"
	"weft/route/names/ilp"
)

// Reproduction is a paper whose tables and figures can be run again.
type Reproduction struct {
	Name  string // argument of weft lab reproduce
	Paper string
	// Says summarises the paper's claims in two or three sentences. They open the page of results.
	Says string
	// Assumptions state, a line each, what weft assumes for everything that the paper leaves open,
	// for all artefacts; "" if nothing needs it.
	Assumptions string
	Artefacts   []Artefact
	// Sentences is the paper's claims.tsv: every sentence and cell about a result, with the claim
	// that judges it or the reason for having none.
	Sentences string
	// Plain explains the largest differences in plain words, by artefact and text of the claim
	// (ClaimName).
	Plain map[string]string
	// Decisions say what decides each difference; the first that fits a claim is about it.
	Decisions []Decision
	// Found says in a sentence or two what came out; it opens the line of verdicts.
	Found string
	// Cover names the chart on the first screen of the page; "" for the first one of the artefact
	// with the largest difference.
	Cover string
	// Finish sets the parts of a chart that are the same in every run, such as marks for printed
	// values, so that stored charts match new ones. It may be nil, and must accept the same chart
	// twice.
	Finish func(c *chart.Chart)
	// Readings are ways to read the paper other than literally.
	Readings []Reading
}

// finish finishes the charts of a record, under the literal text and under the readings.
func (r *Reproduction) finish(rec *Record) {
	if r.Finish == nil {
		return
	}
	for i := range rec.Charts {
		c := &rec.Charts[i]
		name, read := strings.CutSuffix(c.Name, nameAsRead)
		c.Name = name
		r.Finish(c)
		if read {
			c.Name, c.Title = name+nameAsRead, strings.TrimSuffix(c.Title, titleAsRead)+titleAsRead
		}
	}
}

// Find finds an artefact by name.
func (r *Reproduction) Find(name string) (*Artefact, bool) {
	for i := range r.Artefacts {
		if r.Artefacts[i].Name == name {
			return &r.Artefacts[i], true
		}
	}
	return nil, false
}

// Artefact is a table, figure or experiment of a paper.
type Artefact struct {
	Name  string // for example fig4
	Title string
	Place string // in the paper
	// Measured says that the result contains seconds and memory of this machine.
	Measured bool
	// Seedless says that no claim depends on the seed: one run decides them.
	Seedless bool
	// Blocks is the maximum number of seed blocks of a full run, fixed in advance by the cost of a
	// block: fewer than Enough if that would take too long; 0 stands for Enough.
	Blocks int
	Run    func(context.Context, *Setup) *Result // an error ends the artefact, see Check
}

// Mode is the extent of a run.
type Mode string

// The modes.
const (
	Quick Mode = "quick" // small samples, small networks: minutes for a whole paper
	Full  Mode = "full"  // as the paper
)

// Setup holds the settings of a run: mode, seed, cores, rows.
type Setup struct {
	Mode    Mode
	Seed    uint64
	Workers int // goroutines; results do not depend on the number
	// Blocks is the maximum number of seed blocks for judging claims; 0 for the artefact's own.
	// Readings lists the active readings.
	Blocks   int
	Readings []string
	// Verdicts limits the run to the needs of the verdicts: no reading is tried alone.
	Verdicts bool
	// ClaimsOnly says that this run's tables and charts are not kept: an artefact may skip whatever
	// no claim needs.
	ClaimsOnly bool
	// SolveLinear solves linear programmes. It is nil if no solver is installed; readings that need
	// one are then not tried.
	SolveLinear ilp.SolveLinear
	// Rows selects rows by name; nil selects all.
	Rows func(name string) bool
	// Step announces the next step to a waiting user; it may be nil.
	Step func(what string)
	// Meter measures work. If it is nil, all costs are zero.
	Meter Meter
}

// Meter carries out work and returns its cost.
type Meter func(work func() error) (Cost, error)

// Cost is the time and memory that work took.
type Cost struct {
	Seconds   float64 // of CPU time, all threads
	Allocated float64 // bytes allocated, freed or not
}

// Pick returns quick in the quick mode and full in the full mode.
func Pick[T any](s *Setup, quick, full T) T {
	if s.Mode == Full {
		return full
	}
	return quick
}

// Want reports whether a row is selected, and announces it if so.
func (s *Setup) Want(row string) bool {
	if s.Rows != nil && !s.Rows(row) {
		return false
	}
	if s.Step != nil {
		s.Step(row)
	}
	return true
}

// SeedOf returns the seed of a row, made from the run's seed and the row's name.
func (s *Setup) SeedOf(row string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(row))
	return h.Sum64() ^ s.Seed*0x9e3779b97f4a7c15
}

// Measure carries out work and returns its cost: zero without a Meter.
func (s *Setup) Measure(work func() error) (Cost, error) {
	if s.Meter == nil {
		return Cost{}, work()
	}
	return s.Meter(work)
}
