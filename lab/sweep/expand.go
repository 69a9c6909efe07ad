package sweep

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weft/fabric"
	"weft/internal/par"
	"weft/lab/measure"
	"weft/route/levels"
)

// Setup holds the functions and values that a sweep gets from its caller.
type Setup struct {
	// Open makes the Graph of a FABRIC argument.
	Open func(arg string) (*fabric.Graph, error)
	// Digest returns the digest of the sources of packages and of their imports.
	Digest  func(packages ...string) (string, error)
	Kinds   []fabric.KindRule // of the file that the description names; so Levels
	Levels  levels.Levels
	Workers int
	Made    Made // version, commit, platform, host
	// Now is the clock for measured times; nil leaves them 0.
	Now   func() time.Duration
	Older Older
}

// identity holds everything that decides the result of a case. Two cases with the same JSON are
// one.
type identity struct {
	Graph       string          `json:"graph"`
	Routing     measure.Routing `json:"routing"`
	Workload    Workload        `json:"workload"`
	TrafficSeed uint64          `json:"traffic_seed"`
	Sources     string          `json:"sources"`
}

// name returns the JSON of an identity, and its digest: the name of the case.
func (id *identity) name() (name, text string) {
	data, err := json.Marshal(id)
	if err != nil {
		panic(fmt.Sprintf("sweep: an identity without JSON: %v", err))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12]), string(data)
}

// Case is a case of a sweep in one of its cells. If two cells have the same fabric, they share a
// case, each with a label of its own.
type Case struct {
	Row      Row // its name, fabric and job; no outcome
	identity *identity
	at       int64 // where it stands in the order of the sweep: the cell, and the number in the cell
	older    bool  // of older sources, whose row is there
}

// Job is a Plan to be made, with the cases that measure it.
type Job struct {
	variant *variant
	key     string // of the Graph and the routing
	routing *measure.Routing
	engine  string
	Cases   []*Case
}

// variant is a fabric with a draw of a damage.
type variant struct {
	Place
	number int // of its cell
	opened *opened
}

// Plan is an expanded sweep.
type Plan struct {
	Jobs   []*Job
	Cases  int
	Points int // cases, counting equal ones
	Equal  []Equal
	// OlderRows holds the older sources that have a row, by the case of the present sources.
	OlderRows map[string]string
	dealt     map[string]int // the order in which jobs, or cells, are dealt to shards
}

// packages lists the packages that compute a workload.
func (w *Workload) packages() []string {
	load := "weft/lab/measure/flowload"
	switch {
	case w.Packets != nil:
		load = "weft/lab/measure/packetload"
	case w.App != nil:
		load = "weft/lab/measure/appload"
	}
	return []string{"weft/lab/measure", load, "weft/fabric/source"}
}

// text returns a workload as the column workload holds it.
func (w *Workload) text() string {
	name, params := "flow", any(w.Flow)
	switch {
	case w.Packets != nil:
		name, params = "packets", w.Packets
	case w.App != nil:
		name, params = "app", w.App
	}
	data, err := json.Marshal(params)
	if err != nil {
		panic(fmt.Sprintf("sweep: a workload without JSON: %v", err))
	}
	if string(data) == "{}" {
		return name
	}
	return name + " " + string(data)
}

// cell names a network with a damage.
func (p *Place) cell() string { return p.Network + "|" + p.Damage }

// variants lists each fabric with each draw of each damage. draws holds the number of draws of
// cells with more than the least.
func (d *Description) variants(draws map[string]int) (list []*variant) {
	seen := map[string]bool{}
	for _, network := range d.Fabrics {
		for _, text := range d.Damage {
			suffix, drawn, _ := damageOf(text) // Validate has checked it
			damage := strings.TrimSpace(text)
			if suffix == "" {
				damage = NoDamage
			}
			place := Place{Fabric: network, Network: network, Damage: damage}
			if seen[place.cell()] {
				continue
			}
			number := len(seen)
			seen[place.cell()] = true
			if !drawn {
				if suffix != "" {
					place.Fabric += "|" + suffix
				}
				list = append(list, &variant{Place: place, number: number})
				continue
			}
			for k := range cmp.Or(draws[place.cell()], d.Draws.Least) {
				p := place
				p.Draw = int64(d.Draws.First) + int64(k)
				p.Fabric += "|" + withSeed(suffix, uint64(p.Draw))
				list = append(list, &variant{Place: p, number: number})
			}
		}
	}
	return list
}

// Expand opens all fabrics and makes the cases. Of equal cases of a cell it keeps the first. draws
// holds the number of draws of cells with more than the least.
func (d *Description) Expand(ctx context.Context, s *Setup, draws map[string]int) (*Plan, error) {
	variants := d.variants(draws)
	err := par.For(ctx, s.Workers, len(variants), func(_, i int) error { return d.open(variants[i], s) })
	if err != nil {
		return nil, err
	}
	p := &Plan{Equal: equalDraws(variants), OlderRows: map[string]string{}}
	e := expansion{Description: d, Setup: s, plan: p, jobs: map[string]*Job{}, cases: map[string]bool{}, points: map[point]bool{}, sources: map[string]string{}, size: map[int]int64{}}
	for _, v := range variants {
		if err := e.addFabric(v); err != nil {
			return nil, err
		}
	}
	p.deal(d)
	return p, nil
}

// dealtBy returns the key that decides the shard of a job. If draws go on until intervals are
// narrow, all jobs of a cell belong to one shard, because the decision needs all rows of the cell.
func (d *Description) dealtBy(j *Job) string {
	if d.Draws.Within > 0 {
		return j.variant.cell()
	}
	return j.key
}

// deal orders the jobs by a digest: shards get equal numbers of jobs, of all engines and fabrics.
func (p *Plan) deal(d *Description) {
	digests := map[string][sha256.Size]byte{}
	for _, j := range p.Jobs {
		key := d.dealtBy(j)
		digests[key] = sha256.Sum256([]byte(key))
	}
	order := slices.SortedFunc(maps.Keys(digests), func(a, b string) int {
		x, y := digests[a], digests[b]
		return bytes.Compare(x[:], y[:])
	})
	p.dealt = map[string]int{}
	for i, key := range order {
		p.dealt[key] = i
	}
}

// digest returns a digest of the names of all cases.
func (p *Plan) digest() string {
	sum := sha256.New()
	for _, j := range p.Jobs {
		for _, c := range j.Cases {
			sum.Write([]byte(c.Row.Case))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// Equal notes a cell with draws that are equal to others, or fail nothing.
type Equal struct{ cell, text string }

// equalDraws lists the cells with such draws. It compares a draw with the other draws of its cell
// and with fabrics that are not drawn: this worker may not know the number of draws of another
// cell.
func equalDraws(variants []*variant) (list []Equal) {
	whole, distinct := map[string]bool{}, map[point]bool{}
	equal, drawn := map[int]int{}, map[int]int{}
	for _, v := range variants {
		at := point{v.number, v.Graph}
		if v.Draw == 0 {
			whole[v.Graph] = true
		} else if whole[v.Graph] || distinct[at] {
			equal[v.number]++
		}
		if !distinct[at] {
			distinct[at] = true
			drawn[v.number]++
		}
	}
	for _, v := range variants {
		if n := equal[v.number]; n > 0 {
			list = append(list, Equal{v.cell(), fmt.Sprintf("%s, damage %s: %d draws are equal to others, or fail nothing: %d distinct fabrics", v.Network, v.Damage, n, drawn[v.number])})
			delete(equal, v.number)
		}
	}
	return list
}

// open opens the fabric of a variant. A whole fabric must have the switches that engine options
// name; a damaged one may have lost them, and its cases are not run.
func (d *Description) open(v *variant, s *Setup) error {
	g, err := v.describe(s)
	if err != nil {
		return fmt.Errorf("%s: %w", v.Fabric, err)
	}
	if v.Damage != NoDamage {
		return nil
	}
	for _, text := range d.Engines {
		engines, err := measure.ParseEngines(text, d.optionsOf(text))
		if err == nil {
			err = (&measure.Routing{Engines: engines}).CheckSwitches(g)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", v.Fabric, err)
		}
	}
	return nil
}

// describe opens the fabric of a variant and describes it.
func (v *variant) describe(s *Setup) (*fabric.Graph, error) {
	g, err := s.Open(v.Fabric)
	if err != nil {
		return nil, err
	}
	hosts := 0
	for h := range g.NumHosts {
		if g.IsHost(int32(h)) {
			hosts++
		}
	}
	v.Graph, v.Hosts, v.Switches, v.Links = measure.GraphDigest(g), int64(hosts), int64(g.NumSwitches), int64(g.NumChannels/2)
	v.opened = &opened{open: func() (*fabric.Graph, error) { return s.Open(v.Fabric) }, digest: v.Graph}
	return g, nil
}

// expansion makes the cases of a sweep.
type expansion struct {
	*Description
	*Setup
	plan    *Plan
	jobs    map[string]*Job
	cases   map[string]bool
	points  map[point]bool
	size    map[int]int64     // cases of a cell
	sources map[string]string // by workload
}

// point is a case, or a Graph, in a cell.
type point struct {
	cell int
	name string
}

// addFabric adds the cases of a fabric.
func (e *expansion) addFabric(v *variant) error {
	for _, text := range e.Engines {
		chain, err := measure.ParseEngines(text, e.optionsOf(text))
		if err != nil {
			return err
		}
		for _, vls := range e.Lanes {
			for _, lmc := range e.LMC {
				for _, seed := range e.Seeds.Engine {
					routing := &measure.Routing{Engines: chain, VLs: vls, LMC: uint8(lmc), Fresh: e.FreshLIDs, Seed: seed, Kinds: e.Setup.Kinds, Levels: e.Setup.Levels}
					if err := e.addRouting(v, text, routing); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// optionsOf lists the options that an engine of a chain has.
func (d *Description) optionsOf(chain string) (list []string) {
	for _, option := range d.Options {
		if _, err := measure.ParseEngines(chain, []string{option}); err == nil {
			list = append(list, option)
		}
	}
	return list
}

// addRouting adds the cases of one routing of a fabric.
func (e *expansion) addRouting(v *variant, text string, routing *measure.Routing) error {
	for i := range e.Workloads {
		w := &e.Workloads[i]
		sources, err := e.sourcesOf(w)
		if err != nil {
			return err
		}
		for _, seed := range e.Seeds.Traffic {
			id := &identity{v.Graph, *routing, *w, seed, sources}
			c := &Case{identity: id, Row: Row{Place: v.Place, Asked: Asked{
				Engine: text, Options: strings.Join(e.optionsOf(text), " "), MostVLs: int64(routing.VLs), LMC: int64(routing.LMC), Fresh: routing.Fresh,
				EngineSeed: int64(routing.Seed), Workload: w.text(), TrafficSeed: int64(seed),
			}, Made: e.Made}}
			c.Row.Case, c.Row.Identity = id.name()
			c.Row.Sources = sources
			e.takeOlder(c)
			keep, err := e.keeps(&c.Row)
			if err != nil {
				return err
			}
			if !keep {
				continue
			}
			e.plan.Points++
			if at := (point{v.number, c.Row.Case}); !e.points[at] {
				e.points[at] = true
				e.addCase(v, c, routing)
			}
		}
	}
	return nil
}

// addCase puts a case into the job of its Plan. If cells are shared out to workers, each cell has
// jobs of its own: another worker does not know how many draws the others make.
func (e *expansion) addCase(v *variant, c *Case, routing *measure.Routing) {
	data, err := json.Marshal(routing)
	if err != nil {
		panic(fmt.Sprintf("sweep: a routing without JSON: %v", err))
	}
	key := v.Graph + string(data)
	if e.Draws.Within > 0 {
		key = v.cell() + key
	}
	j := e.jobs[key]
	if j == nil {
		j = &Job{variant: v, key: key, routing: routing, engine: c.Row.Engine}
		e.jobs[key] = j
		e.plan.Jobs = append(e.plan.Jobs, j)
	}
	j.Cases = append(j.Cases, c)
	c.at = int64(v.number)<<32 + e.size[v.number]
	e.size[v.number]++
	if !e.cases[c.Row.Case] {
		e.cases[c.Row.Case] = true
		e.plan.Cases++
	}
}

// sourcesOf returns the digest of the sources of a workload.
func (e *expansion) sourcesOf(w *Workload) (string, error) {
	packages := w.packages()
	key := strings.Join(packages, " ")
	if e.sources[key] == "" {
		sum, err := e.Digest(packages...)
		if err != nil {
			return "", err
		}
		if sum == "" {
			return "", errors.New("sweep: no digest of sources")
		}
		e.sources[key] = sum
	}
	return e.sources[key], nil
}
