// Package measure computes a case of a sweep: it routes a Graph (this package), and measures the
// Plan under a workload (a package for each: flowload, packetload). The result of a case depends on
// the code of these packages and of their imports only: the digest of their sources is part of the
// name of a case. Code that only describes, schedules or stores cases must stay outside.
package measure

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"reflect"

	"weft/fabric"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/levels"
	"weft/route/lids"
)

// Routing holds everything that decides a Plan besides the Graph. Its engines are parsed, so that
// two spellings of an option are equal.
type Routing struct {
	Engines []Engine          `json:"engines"`
	VLs     int               `json:"vls,omitempty"` // most data VLs; 0: as many as the hardware has
	LMC     uint8             `json:"lmc,omitempty"`
	Fresh   bool              `json:"fresh_lids,omitempty"`
	Seed    uint64            `json:"engine_seed"`
	Kinds   []fabric.KindRule `json:"kinds,omitempty"`
	Levels  levels.Levels     `json:"levels,omitempty"`
}

// Engine is an engine of a chain with its options.
type Engine struct {
	Name    string            `json:"name"`
	Options map[string]string `json:"options,omitempty"`
}

// ParseEngines reads a chain of engines and further options, as commands do.
func ParseEngines(chain string, options []string) ([]Engine, error) {
	steps, err := engine.Parse(chain, options)
	if err != nil {
		return nil, err
	}
	out := make([]Engine, len(steps))
	for i, s := range steps {
		out[i] = Engine{s.Engine.Name, s.Options}
	}
	return out, nil
}

// chain returns the engines as a chain that can route.
func (r *Routing) chain() (chain route.Chain, err error) {
	for _, e := range r.Engines {
		var options []string
		for name, value := range e.Options {
			options = append(options, name+"="+value)
		}
		step, err := engine.Parse(e.Name, options)
		if err != nil {
			return nil, err
		}
		chain = append(chain, step...)
	}
	return chain, nil
}

// CheckSwitches returns an error if options name a switch that a Graph does not have.
func (r *Routing) CheckSwitches(g *fabric.Graph) error {
	chain, err := r.chain()
	if err != nil {
		return err
	}
	return chain.CheckSwitches(g)
}

// Route makes the Plan and judges it. The error wraps a *route.Refusal if no engine routed.
func (r *Routing) Route(ctx context.Context, g *fabric.Graph, workers int) (*planner.Result, error) {
	chain, err := r.chain()
	if err != nil {
		return nil, err
	}
	return planner.Run(ctx, g, &planner.Request{
		Chain: chain, LIDs: lids.Options{LMC: r.LMC, Fresh: r.Fresh}, MaxVLs: r.VLs,
		Workers: workers, Seed: r.Seed, Kinds: r.Kinds, Levels: r.Levels,
	})
}

// GraphDigest returns a digest of all fields of a Graph but its name. So two draws of failures that
// take the same links down have one digest.
func GraphDigest(g *fabric.Graph) string {
	sum := sha256.New()
	v := reflect.ValueOf(g).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Name != "Name" {
			fmt.Fprintf(sum, "%s %d ", f.Name, lengthOf(v.Field(i)))
			writeValue(sum, v.Field(i))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

func lengthOf(v reflect.Value) int {
	if v.Kind() == reflect.Slice {
		return v.Len()
	}
	return 1
}

// writeValue writes a number, or a slice of numbers or texts. It panics on a field that it cannot
// digest, so that a new field of the Graph is noticed.
func writeValue(sum hash.Hash, v reflect.Value) {
	switch x := v.Interface().(type) {
	case int:
		fmt.Fprintf(sum, "%d ", x)
	case []string:
		for _, text := range x {
			fmt.Fprintf(sum, "%d %s", len(text), text)
		}
	default:
		if err := binary.Write(sum, binary.LittleEndian, v.Interface()); err != nil {
			panic(fmt.Sprintf("measure: a Graph with a field that has no digest: %v", err))
		}
	}
}
