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
	Name  string // of weft lab reproduce
	Paper string
	// Says states in two or three sentences what the paper claims: they open the page of results.
	Says string
	// Assumptions say what weft assumes for everything that the paper leaves open, a line each, once for all artefacts; "" if nothing needs it.
	Assumptions string
	Artefacts   []Artefact
	// Plain says in plain words in what ours differs, by the name of an artefact and the text of its claim (ClaimName): for the largest differences.
	Plain map[string]string
	// Finish sets what is the same in every run of a chart, such as the marks of what the paper prints: kept charts are as new ones then. It may
	// be nil, and may be given a chart twice.
	Finish func(c *chart.Chart)
	// Readings are ways to read it other than by its letter.
	Readings []Reading
}

// finish finishes the charts of a record: those as read like those of the letter.
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
	Name  string // fig4
	Title string
	Place string // in the paper
	// Measured says that seconds and memory of this machine are in the result.
	Measured bool
	// Seedless says that no claim depends on the seed: one run judges it.
	Seedless bool
	// Blocks is the greatest number of seed blocks of a full run, fixed before it by what a block costs: fewer than Enough for what takes too
	// long, 0 for Enough.
	Blocks int
	Run    func(context.Context, *Setup) *Result // an error ends it, see Check
}

// Mode says how much is run.
type Mode string

// The modes.
const (
	Quick Mode = "quick" // small samples, small networks: minutes for a whole paper
	Full  Mode = "full"  // as the paper
)

// Setup holds what every artefact is run with: mode, seed, cores, rows.
type Setup struct {
	Mode    Mode
	Seed    uint64
	Workers int // goroutines; no result depends on it
	// Blocks is the greatest number of seed blocks by which claims are judged, 0 for that of each artefact. Readings are those that are on.
	Blocks   int
	Readings []string
	// Verdicts says that nothing is run but what verdicts need: no reading alone.
	Verdicts bool
	// ClaimsOnly says that the tables and charts of this run are not kept: what no claim is about need not be run.
	ClaimsOnly bool
	// SolveLinear solves linear programmes; nil where no solver is installed, and readings that need one are not tried.
	SolveLinear ilp.SolveLinear
	// Rows keeps the rows whose name it is true for; nil keeps all.
	Rows func(name string) bool
	// Step is told what comes next, for people who wait; it may be nil.
	Step func(what string)
	// Meter measures work; nil measures nothing, and all costs are zero.
	Meter Meter
}

// Meter carries out work and says what it cost.
type Meter func(work func() error) (Cost, error)

// Cost holds the time and memory that work took.
type Cost struct {
	Seconds   float64 // of CPU time, all threads
	Allocated float64 // bytes allocated, freed or not
}

// Pick returns quick in the quick mode, and full in the full one.
func Pick[T any](s *Setup, quick, full T) T {
	if s.Mode == Full {
		return full
	}
	return quick
}

// Want says whether a row is to be run, and announces it if so.
func (s *Setup) Want(row string) bool {
	if s.Rows != nil && !s.Rows(row) {
		return false
	}
	if s.Step != nil {
		s.Step(row)
	}
	return true
}

// SeedOf returns the seed of a row, made of that of the run and the row's name.
func (s *Setup) SeedOf(row string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(row))
	return h.Sum64() ^ s.Seed*0x9e3779b97f4a7c15
}

// Measure carries out work and says what it cost: nothing, without a Meter.
func (s *Setup) Measure(work func() error) (Cost, error) {
	if s.Meter == nil {
		return Cost{}, work()
	}
	return s.Meter(work)
}
