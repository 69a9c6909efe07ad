// Package columns fills forwarding tables destination by destination, for engines that choose the
// paths to one LID after another.
//
// A column is the entries of all switches for one LID. The LIDs of a destination switch are those
// of its hosts, of its aggregation nodes and of its port 0. Route handles destinations in batches,
// in a given order. It searches for the ways to all destinations of a batch in parallel. Then the
// engine chooses their columns, one destination after another, while Route already searches for the
// next batch. So the choice does not depend on the number of cores.
//
// With several LIDs a port (LMC above 0) most traffic still goes to the base LIDs. So engines first
// choose all base LIDs, exactly as if there were no others, and then add the others to their load:
// Parts returns these two parts. PartsByKind divides each of them by kind of host. Kinds are
// numbered by size (fabric.KindsOf), so the smallest kind is balanced as if alone, and the next one
// on top of it. If some hosts are balanced, and all hosts together are too, so are the rest.
package columns

import (
	"cmp"
	"context"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// Part says which LIDs of a destination are columns.
type Part struct {
	First, End      int  // offsets to the base LID, from First on and below End
	Hosts, PortZero bool // PortZero: with aggregation nodes
	Kind            int  // of the hosts, as in route.Input.Kinds; 0 for all
	Again           bool // the columns begin with the entries of the tables
}

// Parts returns the base LIDs and, if there are any, all others.
func Parts(ends *route.Ends) []Part {
	parts := []Part{{First: 0, End: 1, Hosts: true, PortZero: true}}
	if lmc := ends.MaxLMC(); lmc > 0 {
		parts = append(parts, Part{First: 1, End: 1 << lmc, Hosts: true, PortZero: true})
	}
	return parts
}

// PartsByKind returns the same, each for one kind of hosts after another, and port 0 with the last.
func PartsByKind(in *route.Input) []Part {
	kinds := in.NumKinds()
	if kinds == 0 {
		return Parts(&in.Ends)
	}
	var list []Part
	for _, part := range Parts(&in.Ends) {
		for part.Kind = 1; part.Kind <= kinds; part.Kind++ {
			part.PortZero = part.Kind == kinds
			list = append(list, part)
		}
	}
	return list
}

// Count returns the number of LIDs of an end port in the part, at most 0 if none is.
func (p *Part) Count(ends *route.Ends, end int32) int { return min(ends.Count(end), p.End) - p.First }

// Columns holds, for each LID of a part at one destination switch, the port of every switch.
type Columns struct {
	To    int32 // destination switch
	Ports []Port
	LIDs  []fabric.LID // by column: LIDs of hosts, then those of aggregation nodes and port 0
	N     int          // number of columns
	Hosts int          // columns of hosts

	entries []uint8 // by switch and column, NoPort without a way
	runs    []run
}

// Port is an end port of the destination with its columns.
type Port struct {
	End    int32
	Base   fabric.LID
	Column int // the first of its columns
	Count  int
}

// run is a range of columns with consecutive LIDs.
type run struct {
	lid        fabric.LID // of column first
	first, end int
}

// Open sets the columns for a part at destination switch to. All entries are NoPort, except
// the destination's own.
func (c *Columns) Open(in *route.Input, to int32, part Part) {
	g := in.Graph
	c.To, c.Ports, c.LIDs, c.runs, c.N = to, c.Ports[:0], c.LIDs[:0], c.runs[:0], 0
	if part.Hosts {
		for _, host := range byKind(in, g.HostsOf(to)) {
			if part.Kind == 0 || part.Kind == int(in.Kinds[host]) {
				c.add(&in.Ends, host, part)
			}
		}
	}
	if c.Hosts = c.N; part.PortZero {
		for _, end := range g.OthersOf(to) {
			c.add(&in.Ends, end, part)
		}
	}
	if need := g.NumSwitches * c.N; cap(c.entries) < need {
		c.entries = make([]uint8, need)
	}
	c.entries = c.entries[:g.NumSwitches*c.N]
	for i := range c.entries {
		c.entries[i] = route.NoPort
	}
	row := c.Row(to)
	for _, p := range c.Ports {
		for k := range p.Count {
			row[p.Column+k] = g.EndPort[p.End]
		}
	}
}

// Read copies the entries from tables.
func (c *Columns) Read(tables *route.Tables) {
	for s := range int32(tables.NumSwitches()) {
		row := c.Row(s)
		for _, r := range c.runs {
			tables.ReadRun(s, r.lid, row[r.first:r.end])
		}
	}
}

// byKind sorts hosts by kind.
func byKind(in *route.Input, hosts []int32) []int32 {
	if in.Kinds == nil {
		return hosts
	}
	hosts = slices.Clone(hosts)
	slices.SortStableFunc(hosts, func(a, b int32) int { return cmp.Compare(in.Kinds[a], in.Kinds[b]) })
	return hosts
}

// add gives columns to the LIDs of an end port.
func (c *Columns) add(ends *route.Ends, end int32, part Part) {
	count := part.Count(ends, end)
	if count <= 0 {
		return
	}
	lid := ends.Base[end] + fabric.LID(part.First)
	c.Ports = append(c.Ports, Port{end, ends.Base[end], c.N, count})
	if last := len(c.runs) - 1; last >= 0 && int(c.runs[last].lid)+c.N-c.runs[last].first == int(lid) {
		c.runs[last].end += count
	} else {
		c.runs = append(c.runs, run{lid, c.N, c.N + count})
	}
	for k := range count {
		c.LIDs = append(c.LIDs, lid+fabric.LID(k))
	}
	c.N += count
}

// Row returns the entries of one switch, by column.
func (c *Columns) Row(s int32) []uint8 { return c.entries[int(s)*c.N : (int(s)+1)*c.N] }

// Set sets the port of a switch in a column.
func (c *Columns) Set(s int32, column int, port uint8) { c.entries[int(s)*c.N+column] = port }

// searched is a destination with the result of the search for ways to it.
type searched[F any] struct {
	columns Columns
	found   F
}

// Route routes the LIDs of a part at some destination switches, and writes them into tables. search
// finds the ways to one destination; several run at once, with different worker numbers. choose
// fills in the columns, for one destination after another. Route skips a destination without a
// column unless the part has the base LIDs of all hosts. batch is the number of destinations
// searched, and written, together.
func Route[F any](
	ctx context.Context, in *route.Input, tables *route.Tables, part Part, order []int32, batch int,
	search func(worker int, to int32, found *F), choose func(c *Columns, found *F) error,
) error {
	var batches [2][]searched[F]
	for k := range batches {
		batches[k] = make([]searched[F], min(batch, len(order)))
	}
	start := func(now []int32, into []searched[F]) <-chan error {
		done := make(chan error, 1)
		work := func() {
			done <- par.For(ctx, in.Workers, len(now), func(worker, i int) error {
				into[i].columns.Open(in, now[i], part)
				if part.Again {
					into[i].columns.Read(tables)
				}
				if part.First == 0 && part.Kind == 0 || into[i].columns.N > 0 {
					search(worker, now[i], &into[i].found)
				}
				return nil
			})
		}
		if in.Workers > 1 {
			go work()
		} else {
			work()
		}
		return done
	}
	next := func() []int32 { return order[:min(batch, len(order))] }
	done := start(next(), batches[0])
	for k := 0; len(order) > 0; k = 1 - k {
		if err := <-done; err != nil {
			return err
		}
		now := batches[k][:len(next())]
		order = order[len(now):]
		done = start(next(), batches[1-k])
		if err := chooseAndWrite(ctx, in.Workers, tables, now, choose); err != nil {
			return cmp.Or(err, <-done) // the search must end before its memory is released
		}
	}
	return <-done
}

// chooseAndWrite chooses the columns of a batch, in order, and writes them.
func chooseAndWrite[F any](ctx context.Context, workers int, tables *route.Tables, batch []searched[F], choose func(c *Columns, found *F) error) error {
	chosen := make([]*Columns, len(batch))
	for i := range batch {
		if err := choose(&batch[i].columns, &batch[i].found); err != nil {
			return err
		}
		chosen[i] = &batch[i].columns
	}
	return Write(ctx, workers, tables, chosen)
}

// chunk is the number of switches whose tables a worker writes at once.
const chunk = 64

// Write copies columns into the tables. Several may write columns of different LIDs at once.
func Write(ctx context.Context, workers int, tables *route.Tables, list []*Columns) error {
	n := tables.NumSwitches()
	return par.For(ctx, workers, (n+chunk-1)/chunk, func(_, i int) error {
		for s := int32(i * chunk); s < int32(min(n, (i+1)*chunk)); s++ {
			for _, c := range list {
				row := c.Row(s)
				for _, r := range c.runs {
					tables.SetRun(s, r.lid, row[r.first:r.end])
				}
			}
		}
		return nil
	})
}
