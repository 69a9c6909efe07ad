package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/route"
	"weft/route/engine"
	"weft/route/lids"
	"weft/route/recipe"
)

// routeFlags are the options of every command that routes.
type routeFlags struct {
	lmc     uint8
	fresh   bool
	vls     int
	seed    uint64
	workers int
	options []string
	held    *route.Held // LIDs in use; nil: those in the dump
	heldLMC uint8       // LMC in use, where --lmc does not say another one
}

func (r *routeFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Uint8Var(&r.lmc, "lmc", 0, "LID mask control: every CA and router port gets 2^LMC LIDs (0 to 7)")
	f.BoolVar(&r.fresh, "fresh-lids", false, "assign new LIDs instead of keeping those that the ports have")
	f.IntVar(&r.vls, "vls", 0, "data VLs that may be used (default: what the ports have, 8 if unknown)")
	f.Uint64Var(&r.seed, "seed", 1, "seed of engines that draw lots")
	jobsFlag(cmd, &r.workers)
	f.StringArrayVarP(&r.options, "option", "O", nil, "option of an engine, NAME=VALUE or ENGINE.NAME=VALUE (weft route --engines)")
}

// chainHelp tells what a chain of engines is.
const chainHelp = `--engine takes one engine or a chain: the next one is tried when one refuses, and
the output says so. Every chain ends in ` + engine.Last + `, which never refuses and is free of
deadlock on any number of lanes, unless it ends in ` + engine.None + `: --engine dor,` + engine.None + `.`

// chainFlag adds the option that names a chain.
func chainFlag(cmd *cobra.Command, chain *string) {
	cmd.Flags().StringVarP(chain, "engine", "e", engine.Default,
		"engine, or a chain a,b,c of which the first that does not refuse is used; then "+engine.Last+", unless it ends in "+engine.None)
}

// specs are the engines of a chain, which must have the options.
func (r *routeFlags) specs(chain string) ([]*route.Spec, error) {
	specs, err := engine.WithLast(chain)
	if err != nil {
		return nil, err
	}
	return specs, r.validate(specs)
}

// validate reports an option that is malformed, out of range or that none of the
// engines has.
func (r *routeFlags) validate(specs []*route.Spec) error {
	if r.lmc > fabric.MaxLMC {
		return fmt.Errorf("--lmc %d is out of range (0 to %d)", r.lmc, fabric.MaxLMC)
	}
	if r.vls < 0 || r.vls > 15 {
		return fmt.Errorf("--vls %d is out of range (1 to 15)", r.vls)
	}
	for _, text := range r.options {
		name, _, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("--option %q is not NAME=VALUE", text)
		}
		owner, name := splitOption(name)
		if !slices.ContainsFunc(specs, func(s *route.Spec) bool {
			return (owner == "" || owner == s.Name) && hasOption(s, name)
		}) {
			return fmt.Errorf("--option %s: none of the engines asked for has it (weft route --engines)", text)
		}
	}
	return nil
}

// request makes the routing request of one engine. Options without an engine's name
// go to every engine that has them.
func (r *routeFlags) request(spec *route.Spec) *recipe.Request {
	req := &recipe.Request{
		Engine: spec, Names: lids.Options{LMC: r.lmc, Fresh: r.fresh, Held: r.held},
		MaxVLs: r.vls, Workers: r.workers, Seed: r.seed,
	}
	if !spec.OwnNames {
		req.Names.LMC = max(r.lmc, r.heldLMC)
	}
	for _, text := range r.options {
		name, value, _ := strings.Cut(text, "=")
		owner, name := splitOption(name)
		if (owner == "" || owner == spec.Name) && hasOption(spec, name) {
			if req.Options == nil {
				req.Options = map[string]string{}
			}
			req.Options[name] = value
		}
	}
	return req
}

// args are the arguments that say the same to another process, for one engine.
func (r *routeFlags) args(spec *route.Spec) []string {
	args := []string{
		"--lmc", fmt.Sprint(r.lmc), fmt.Sprintf("--fresh-lids=%t", r.fresh), "--vls", fmt.Sprint(r.vls),
		"--seed", fmt.Sprint(r.seed), "--jobs", fmt.Sprint(r.workers),
	}
	options := r.request(spec).Options
	for _, name := range slices.Sorted(maps.Keys(options)) {
		args = append(args, "--option", name+"="+options[name])
	}
	return args
}

func splitOption(name string) (owner, option string) {
	if before, after, ok := strings.Cut(name, "."); ok {
		return before, after
	}
	return "", name
}

func hasOption(spec *route.Spec, name string) bool {
	return slices.ContainsFunc(spec.Options, func(o route.Option) bool { return o.Name == name })
}

// stageTime is how long a stage took.
type stageTime struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// routed is a Plan with how it came about.
type routed struct {
	plan    *route.Plan
	engine  *route.Spec
	refused []error // of the engines tried before, in order
	stages  []stageTime
	seconds float64
}

// routeChain tries the engines in order until one does not refuse.
func routeChain(ctx context.Context, g *fabric.Graph, chain []*route.Spec, flags *routeFlags) (*routed, error) {
	out := &routed{}
	for _, spec := range chain {
		out.stages = nil
		last := time.Now()
		start := last
		lap := func(next string) {
			now := time.Now()
			if n := len(out.stages); n > 0 {
				out.stages[n-1].Seconds = now.Sub(last).Seconds()
			}
			if next != "" {
				out.stages = append(out.stages, stageTime{Name: next})
			}
			last = now
		}
		plan, err := recipe.Run(ctx, g, flags.request(spec), lap)
		lap("")
		out.seconds = time.Since(start).Seconds()
		out.plan, out.engine = plan, spec
		if err == nil {
			return out, nil
		}
		if _, refused := errors.AsType[*route.Refusal](err); !refused {
			return nil, err
		}
		out.refused = append(out.refused, err)
	}
	return nil, errors.Join(out.refused...)
}
