// Package bench compares weft with another subnet manager on the same fabrics: what their tables
// deliver, and the time and memory that they take. A Bench lists the runs: first the tables of both
// programs, then rounds. In a round each program brings the subnet up once, in turn: weft, OpenSM,
// weft, OpenSM. So a change of the machine's load meets both. Summarise compares each round with
// itself (summary.go). The caller starts the programs.
package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The programs.
const (
	Weft   = "weft"
	openSM = "OpenSM"
)

// Statuses of a run. All but finished have a reason.
const (
	finished = "done"
	Refused  = "refused"
	Late     = "time limit"
	Failed   = "failed"
)

// Pair names an engine of weft and one of OpenSM.
type Pair struct{ Ours, Theirs string }

// ParsePair reads ENGINE, or OURS:THEIRS.
func ParsePair(text string) (Pair, error) {
	ours, theirs, two := strings.Cut(text, ":")
	if !two {
		theirs = ours
	}
	if strings.TrimSpace(ours) == "" || strings.TrimSpace(theirs) == "" {
		return Pair{}, fmt.Errorf("engine %q: want the name of an engine of both programs, or WEFT'S:OPENSM'S", text)
	}
	return Pair{ours, theirs}, nil
}

// String returns the name of a pair: one word if both engines have the same name.
func (p Pair) String() string {
	if p.Ours == p.Theirs {
		return p.Ours
	}
	return p.Ours + ":" + p.Theirs
}

// Subject is the fabric of a row.
type Subject struct {
	Fabric   string `parquet:"fabric"`
	Graph    string `parquet:"graph"` // digest of the compiled fabric
	Hosts    int64  `parquet:"hosts"`
	Switches int64  `parquet:"switches"`
}

// Row is a run of a program. The names of columns have their units; a column without a value was
// not measured.
type Row struct {
	Case string `parquet:"case"` // digest of all that decides whether the run is to be made again
	Subject
	Engine  string `parquet:"engine"` // of the Pair
	Program string `parquet:"program"`
	Round   int64  `parquet:"round"` // from 1; 0: the tables
	Status  string `parquet:"status"`
	Reason  string `parquet:"reason"`
	Cost
	Tables
	Made
}

// Cost is the time and memory of a run that brings a subnet up.
type Cost struct {
	RouteCPU *float64 `parquet:"route_cpu_seconds"` // the computation of the routing alone
	CPU      *float64 `parquet:"cpu_seconds"`       // the whole program, user and system
	Wall     *float64 `parquet:"wall_seconds"`
	Peak     *float64 `parquet:"peak_rss_mb"`
}

// Tables are the figures of forwarding tables. Package sim/flow defines them.
type Tables struct {
	EBB         *float64 `json:"ebb_share,omitempty" parquet:"ebb_share"`
	EBBCI       *float64 `json:"ebb_ci95_share,omitempty" parquet:"ebb_ci95_share"`
	Shift       *float64 `json:"shift_congestion_sum,omitempty" parquet:"shift_congestion_sum"`
	Pairs       *int64   `json:"channel_load_max_pairs,omitempty" parquet:"channel_load_max_pairs"`
	Up          *int64   `json:"up_channel_load_max_pairs,omitempty" parquet:"up_channel_load_max_pairs"` // only on trees
	Undelivered *int64   `json:"undelivered_pairs,omitempty" parquet:"undelivered_pairs"`
	LeftOut     *int64   `json:"hosts_left_out,omitempty" parquet:"hosts_left_out"` // without a LID: in no figure
	VLs         *int64   `json:"vls,omitempty" parquet:"vls"`
}

// Made says who made a row.
type Made struct {
	Version  string  `json:"weft_version" parquet:"weft_version" store:"made"`
	Commit   string  `json:"weft_commit" parquet:"weft_commit" store:"made"`
	Sources  string  `json:"weft_sources" parquet:"weft_sources"` // digest of the sources that route and measure
	Peer     string  `json:"opensm_version" parquet:"opensm_version"`
	Host     string  `json:"host" parquet:"host"`
	Platform string  `json:"platform" parquet:"platform" store:"made"`
	Cores    int64   `json:"cores" parquet:"cores" store:"made"`
	Load     float64 `json:"-" parquet:"load_average" store:"made"` // of one minute, when the run began
	Turn     int64   `json:"-" parquet:"turn" store:"made"`         // number of the run in its file, from 1
}

// Bench is a comparison.
type Bench struct {
	Subjects []Subject
	Pairs    []Pair
	Rounds   int
	Made     Made
	// Rows holds the known rows by case; Do adds the new ones.
	Rows map[string]*Row
	// Run makes a run: it fills in the outcome, the cost or the tables.
	Run func(ctx context.Context, pair Pair, row *Row) error
	// Keep stores a row.
	Keep func(row *Row) error

	turn int64 // of the last run
}

// FromRows returns the bench that made rows. If several benches did, it returns the last one.
func FromRows(rows []Row) (*Bench, error) {
	b := &Bench{Rows: map[string]*Row{}}
	rows = slices.SortedFunc(slices.Values(rows), func(a, b Row) int { return cmp.Compare(a.Turn, b.Turn) })
	if len(rows) == 0 {
		return nil, errors.New("no runs")
	}
	b.Made = rows[len(rows)-1].Made
	b.Add(rows)
	for i := range rows {
		row := &rows[i]
		named := *row
		named.Sources, named.Peer, named.Host = b.Made.Sources, b.Made.Peer, b.Made.Host
		if named.setCase(); named.Case != row.Case {
			continue // of an earlier bench
		}
		p, err := ParsePair(row.Engine)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(b.Subjects, row.Subject) {
			b.Subjects = append(b.Subjects, row.Subject)
		}
		if !slices.Contains(b.Pairs, p) {
			b.Pairs = append(b.Pairs, p)
		}
		b.Rounds = max(b.Rounds, int(row.Round))
	}
	return b, nil
}

// setCase gives a row the digest of everything that decides whether it is made again. A timed row
// of one program depends on the version of the other too: both must have run in turn.
func (r *Row) setCase() {
	id := []any{r.Graph, r.Engine, r.Program, r.Round}
	if r.Round > 0 || r.Program == Weft {
		id = append(id, r.Sources)
	}
	if r.Round > 0 || r.Program == openSM {
		id = append(id, r.Peer)
	}
	if r.Round > 0 {
		id = append(id, r.Host)
	}
	data, err := json.Marshal(id)
	if err != nil {
		panic(fmt.Sprintf("bench: a row without JSON: %v", err))
	}
	sum := sha256.Sum256(data)
	r.Case = hex.EncodeToString(sum[:12])
}

// round returns the rows of a round in their order, without outcome.
func (b *Bench) round(s Subject, p Pair, round int) []*Row {
	var rows []*Row
	for _, program := range []string{Weft, openSM} {
		row := &Row{Subject: s, Engine: p.String(), Program: program, Round: int64(round), Made: b.Made}
		row.setCase()
		rows = append(rows, row)
	}
	return rows
}

// Do makes the runs that have no row. If a program has no tables for a fabric, the fabric has no
// rounds with that engine.
func (b *Bench) Do(ctx context.Context) error {
	for _, s := range b.Subjects {
		for _, p := range b.Pairs {
			for round := range b.Rounds + 1 {
				done, err := b.makeRound(ctx, p, b.round(s, p, round), round > 0)
				if err != nil {
					return err
				}
				if !done {
					break
				}
			}
		}
	}
	return nil
}

// Add adds known rows.
func (b *Bench) Add(rows []Row) {
	for i := range rows {
		b.Rows[rows[i].Case] = &rows[i]
		b.turn = max(b.turn, rows[i].Turn)
	}
}

// Missing counts the runs to be made, if no program refuses a fabric.
func (b *Bench) Missing() (n int) {
	for _, s := range b.Subjects {
		for _, p := range b.Pairs {
			for round := range b.Rounds + 1 {
				for _, row := range b.round(s, p, round) {
					if b.Rows[row.Case] == nil {
						n++
					}
				}
			}
		}
	}
	return n
}

// makeRound makes the missing runs of a round; if whole is true and one is missing, it makes all.
// It reports whether all of them are done.
func (b *Bench) makeRound(ctx context.Context, p Pair, rows []*Row, whole bool) (bool, error) {
	missing := 0
	for _, row := range rows {
		if b.Rows[row.Case] == nil {
			missing++
		}
	}
	done := true
	for _, row := range rows {
		if kept := b.Rows[row.Case]; kept != nil && (missing == 0 || !whole) {
			done = done && kept.Status == finished
			continue
		}
		if err := b.Run(ctx, p, row); err != nil {
			return false, err
		}
		if ctx.Err() != nil { // the run may have been interrupted
			return false, ctx.Err()
		}
		row.Status = cmp.Or(row.Status, finished)
		b.turn++
		row.Turn = b.turn
		b.Rows[row.Case] = row
		if err := b.Keep(row); err != nil {
			return false, err
		}
		done = done && row.Status == finished
	}
	return done, nil
}
