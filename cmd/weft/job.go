package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/route/engine"
	"weft/route/job"
)

// routeFlags are the options of every command that routes.
type routeFlags struct {
	job.Request // the chain apart
	options     []string
}

func (r *routeFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Uint8Var(&r.LIDs.LMC, "lmc", 0, "LID mask control: every CA and router port gets 2^LMC LIDs (0 to 7)")
	f.BoolVar(&r.LIDs.Fresh, "fresh-lids", false, "assign new LIDs instead of keeping those that the ports have")
	f.IntVar(&r.MaxVLs, "vls", 0, "data VLs that may be used (default: what the ports have, 8 if unknown)")
	f.Uint64Var(&r.Seed, "seed", 1, "seed of engines that draw lots")
	jobsFlag(cmd, &r.Workers)
	f.StringArrayVarP(&r.options, "option", "O", nil, "option of an engine, NAME=VALUE or ENGINE.NAME=VALUE (weft route --engines)")
	r.Now = clock()
}

// chainFlag adds the option that names a chain.
func chainFlag(cmd *cobra.Command, chain *string) {
	cmd.Flags().StringVarP(chain, "engine", "e", engine.Default,
		"engine, or a chain a,b,c of which the first that does not refuse is used; then "+engine.Last+", unless it ends in "+engine.None)
}

// setChain reads a chain of engines and validates all that was asked for.
func (r *routeFlags) setChain(chain string) (err error) {
	if r.Chain, err = job.ParseChain(chain, r.options); err != nil {
		return err
	}
	return r.validate()
}

// validate reports options out of range.
func (r *routeFlags) validate() error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	return nil
}

// args are the arguments that say the same to another process, for one engine.
func (r *routeFlags) args(step job.Step) []string {
	args := []string{
		"--engines", step.Engine.Name,
		"--lmc", fmt.Sprint(r.LIDs.LMC), fmt.Sprintf("--fresh-lids=%t", r.LIDs.Fresh), "--vls", fmt.Sprint(r.MaxVLs),
		"--seed", fmt.Sprint(r.Seed), "--jobs", fmt.Sprint(r.Workers),
	}
	for _, name := range slices.Sorted(maps.Keys(step.Options)) {
		args = append(args, "--option", name+"="+step.Options[name])
	}
	return args
}

// routeFabric runs a routing job with progress, and tells of refusals and of lanes that
// need replies of their own.
func routeFabric(cmd *cobra.Command, g *fabric.Graph, req *job.Request) (r *job.Result, err error) {
	err = withProgress(cmd, "routing", func(ctx context.Context) (err error) {
		r, err = job.Route(ctx, g, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	warnOfResult(cmd.ErrOrStderr(), r)
	return r, nil
}

func warnOfResult(w io.Writer, r *job.Result) {
	for _, e := range r.Refused {
		fmt.Fprintln(w, "weft: refused:", e)
	}
	if len(r.Refused) > 0 {
		fmt.Fprintln(w, "weft: routed by", r.Engine.Name, "instead")
	}
	if !r.Plan.Service.ReplySameSL {
		fmt.Fprintln(w, "weft: warning: with these lanes an answer must travel on the SL of its own path, not on that of its request")
	}
}
