package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Sheet says which rows belong to a sweep. A store can have more: rows of an earlier description,
// or of sources that have changed since.
type Sheet struct {
	Description string   `json:"description"` // YAML
	Command     string   `json:"command"`
	Shard       int      `json:"shard,omitempty"` // this worker, from 1; 0: the whole sweep
	Shards      int      `json:"shards,omitempty"`
	Sources     []string `json:"sources"`
	Cases       []string `json:"cases"`            // in the order of the sweep
	Places      []int    `json:"places,omitempty"` // of a worker: where its cases stand in the order of the whole sweep
	Equal       []string `json:"equal_draws,omitempty"`
}

// SheetOf returns the sheet of an expanded sweep, with the cases of this shard.
func (r *Run) SheetOf(p *Plan, description, command string) *Sheet {
	s := &Sheet{Description: description, Command: command, Shard: r.Shard.I, Shards: r.Shard.N, Sources: []string{}, Cases: []string{}, Equal: p.Equal}
	place := 0
	for _, j := range p.Jobs {
		mine := r.mine(j)
		for _, c := range j.Cases {
			place++
			if !slices.Contains(s.Sources, c.Row.Sources) {
				s.Sources = append(s.Sources, c.Row.Sources)
			}
			if mine {
				s.Cases = append(s.Cases, c.Row.Case)
				if r.Shard.N > 0 {
					s.Places = append(s.Places, place)
				}
			}
		}
	}
	slices.Sort(s.Sources)
	return s
}

// ReadSheet reads the JSON of a sheet.
func ReadSheet(name string, data []byte) (*Sheet, error) {
	var s Sheet
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &s, nil
}

// JoinSheets joins the sheets of all workers of a sweep, and lists the workers without a sheet. It
// refuses sheets of different sweeps or of different sources.
func JoinSheets(sheets []*Sheet) (*Sheet, []int, error) {
	if len(sheets) == 0 {
		return nil, nil, fmt.Errorf("no worker has begun: want files of weft lab sweep --shard")
	}
	sheets = slices.SortedFunc(slices.Values(sheets), func(a, b *Sheet) int { return a.Shard - b.Shard })
	first := sheets[0]
	all := &Sheet{Description: first.Description, Command: first.Command, Sources: first.Sources, Cases: []string{}}
	if first.Shards > 1 {
		all.Command += fmt.Sprintf("  # and the other parts of %d, joined by weft lab merge", first.Shards)
	}
	var missing []int
	place := map[string]int{}
	next := 1
	for _, s := range sheets {
		if s.Description != first.Description || s.Shards != first.Shards {
			return nil, nil, fmt.Errorf("workers %d and %d run different sweeps: give each sweep a folder of its own", first.Shard, s.Shard)
		}
		if !slices.Equal(s.Sources, first.Sources) {
			return nil, nil, fmt.Errorf("workers %d and %d have different sources (%s and %s): run one version of weft, on one kind of processor", first.Shard, s.Shard, strings.Join(first.Sources, " "), strings.Join(s.Sources, " "))
		}
		for ; next < s.Shard; next++ {
			missing = append(missing, next)
		}
		next = s.Shard + 1
		all.Cases = append(all.Cases, s.Cases...)
		for i, at := range s.Places[:min(len(s.Places), len(s.Cases))] {
			place[s.Cases[i]] = at
		}
		for _, text := range s.Equal {
			if !slices.Contains(all.Equal, text) {
				all.Equal = append(all.Equal, text)
			}
		}
	}
	for ; next <= first.Shards; next++ {
		missing = append(missing, next)
	}
	slices.SortStableFunc(all.Cases, func(a, b string) int { return place[a] - place[b] })
	return all, missing, nil
}

// Repeat computes the case of a row again and returns the new row. Its Sources are those of this
// program; if the row has others, the results may differ.
func (r *Run) Repeat(ctx context.Context, row *Row) (*Row, error) {
	var id identity
	if err := json.Unmarshal([]byte(row.Identity), &id); err != nil {
		return nil, fmt.Errorf("row %s: identity: %w", row.Case, err)
	}
	v := &variant{Place: row.Place}
	if _, err := v.measure(r.Setup); err != nil {
		return nil, err
	}
	if v.Graph != row.Graph {
		return nil, fmt.Errorf("%s: the fabric is not that of the row: the file has changed, or the code that reads or makes it", row.Fabric)
	}
	c := &Case{identity: &id, Row: Row{Case: row.Case, Place: row.Place, Asked: row.Asked, Made: r.Made}}
	var err error
	if c.Row.Sources, err = r.Digest(id.Workload.packages()...); err != nil {
		return nil, err
	}
	j := &Job{variant: v, key: row.Case, routing: &id.Routing, engine: row.Engine, Cases: []*Case{c}}
	v.opened.jobs = 1
	if err := r.job(ctx, j, max(1, r.Workers)); err != nil {
		return nil, err
	}
	return r.Rows[row.Case], nil
}
