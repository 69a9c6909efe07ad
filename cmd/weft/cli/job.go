package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/internal/fold"
	"weft/planner"
	"weft/route"
	"weft/route/engine"
	"weft/route/levels"
	"weft/study/routing"
)

// RouteFlags are the options of every command that routes.
type RouteFlags struct {
	planner.Request // the chain apart
	Options         []string
	KindFlags       KindFlags
	LevelFlags      LevelFlags
}

// Add adds the flags.
func (r *RouteFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Uint8Var(&r.LIDs.LMC, "lmc", 0, "LID mask control: every CA and router port gets 2^LMC LIDs (0 to 7)")
	f.BoolVar(&r.LIDs.Fresh, "fresh-lids", false, "assign new LIDs instead of keeping those that the ports have")
	f.IntVar(&r.MaxVLs, "vls", 0, "data VLs that may be used (default: what the ports have, 8 if unknown)")
	f.Uint64Var(&r.Seed, "seed", 1, "seed of engines that draw at random")
	JobsFlag(cmd, &r.Workers)
	f.StringArrayVarP(&r.Options, "option", "O", nil, "option of an engine, NAME=VALUE or ENGINE.NAME=VALUE (weft route --engines)")
	r.KindFlags.add(cmd)
	r.LevelFlags.add(f)
	r.Now = Clock()
}

// Args are the arguments that say the same to another process, for one engine.
func (r *RouteFlags) Args(step route.Step) []string {
	args := []string{
		"--engines", step.Engine.Name,
		"--lmc", fmt.Sprint(r.LIDs.LMC), fmt.Sprintf("--fresh-lids=%t", r.LIDs.Fresh), "--vls", fmt.Sprint(r.MaxVLs),
		"--seed", fmt.Sprint(r.Seed), "--jobs", fmt.Sprint(r.Workers),
	}
	args = append(args, r.KindFlags.args()...)
	for _, name := range slices.Sorted(maps.Keys(step.Options)) {
		args = append(args, "--option", name+"="+step.Options[name])
	}
	return args
}

// ChainFlag adds the option that names a chain.
func ChainFlag(cmd *cobra.Command, chain *string) {
	cmd.Flags().StringVarP(chain, "engine", "e", engine.Auto, "engine, or a chain a,b,c of which the first that does not refuse is used; auto is the one that delivers the most")
}

// SetChain reads a chain of engines and validates all that was asked for.
func (r *RouteFlags) SetChain(chain string) (err error) {
	if r.Chain, err = engine.Parse(chain, r.Options); err != nil {
		return err
	}
	return r.Check()
}

// Check reports options out of range.
func (r *RouteFlags) Check() (err error) {
	if err = r.Validate(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	if r.Kinds, err = r.KindFlags.read(); err != nil {
		return err
	}
	r.Levels, err = r.LevelFlags.read()
	return err
}

// RouteFabric runs a routing job with progress, and tells of refusals and of lanes that
// need replies of their own.
func RouteFabric(cmd *cobra.Command, g *fabric.Graph, req *planner.Request) (r *planner.Result, err error) {
	if err := WarnKinds(cmd, g, req.Kinds); err != nil {
		return nil, err
	}
	err = WithProgress(cmd, "routing", func(ctx context.Context) (err error) {
		r, err = planner.Route(ctx, g, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	w := cmd.ErrOrStderr()
	for _, e := range r.Refused {
		fmt.Fprintln(w, "weft: refused:", e)
	}
	if len(r.Refused) > 0 {
		fmt.Fprintln(w, "weft: routed by", r.Engine.Name, "instead")
	}
	if r.Choice != nil {
		fmt.Fprintln(w, "weft:", fold.Text(6, "auto: "+r.Choice.String()))
	}
	if !r.Plan.Service.ReplySameSL {
		fmt.Fprintln(w, "weft: warning: with these lanes an answer must travel on the SL of its own path, not on that of its request")
	}
	return r, nil
}

// PathSetFlags choose an engine of two stages, instead of --engine, and its solver.
type PathSetFlags struct {
	paths, names string
	file         routing.PathFile // empty where the paths are computed
	Solving      routing.Solving
}

// Add adds the flags.
func (p *PathSetFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.file.Choice, "choice", "", "with --paths of forwarding tables: by which LIDs hosts send to each other, as --write-choice writes it (default: any LID)")
	f.StringVar(&p.paths, "paths", "", "before LIDs are given, compute explicit paths by this computation (weft route --engines lists them), or take those of an engine or a file")
	f.StringVar(&p.names, "names", "color-l", "with --paths: give the paths LIDs by this assignment")
	SolverFlags(cmd, &p.Solving, "--names ilp and -O balance=programme")
}

// SolverFlags adds the options of a solver, which is for some other options.
func SolverFlags(cmd *cobra.Command, s *routing.Solving, options string) {
	f := cmd.Flags()
	f.StringVar(&s.Program, "solver", "", "for "+options+": the solver, by name or path (default: the first that is installed of "+routing.SolverNames()+")")
	f.DurationVar(&s.Limit, "solver-time", 10*time.Second, "for --names ilp: how long the solver may take for a programme; each destination takes one or two")
	f.DurationVar(&s.Total, "solver-total", 5*time.Minute, "for --names ilp: how long it may take for all programmes; then the best answers found so far are used")
	f.StringVar(&s.Dir, "write-lp", "", "for --names ilp: write the programmes to this directory instead of solving them")
}

// RefuseSolver refuses options of a solver where nothing needs one; they are for some other options.
func RefuseSolver(cmd *cobra.Command, options string) error {
	for _, flag := range []string{"solver", "solver-time", "solver-total", "write-lp"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s goes with %s", flag, options)
		}
	}
	return nil
}

// Chain lists the engines of both stages, PATHS+NAMES, or is the chain asked for.
func (p *PathSetFlags) Chain(cmd *cobra.Command, chain string) (string, error) {
	switch f := cmd.Flags(); {
	case p.paths == "" && f.Changed("names"):
		return "", errors.New("--names needs --paths")
	case p.paths == "" && p.file.Choice != "":
		return "", errors.New("--choice goes with --paths FILE")
	case p.paths == "":
		return chain, nil
	case f.Changed("engine"):
		return "", errors.New("--paths and --engine exclude each other")
	}
	if _, err := os.Stat(p.paths); err == nil && !routing.IsEngine(p.paths+"+"+p.names) {
		p.file.Path = p.paths
		return routing.FromFile + "+" + p.names, nil
	}
	if p.file.Choice != "" {
		return "", errors.New("--choice goes with --paths FILE")
	}
	words := fabric.SplitUnquoted(p.paths, ",")
	for i, word := range words {
		word = strings.TrimSpace(word)
		if strings.Contains(word, "=") { // an option of the one before
			continue
		}
		if err := engine.CheckPaths(word); err != nil {
			return "", fmt.Errorf("--paths: there is no such file, and %w", err)
		}
		words[i] = word + "+" + p.names
	}
	return strings.Join(words, ","), nil
}

// Give has engines whose paths come from a file read it.
func (p *PathSetFlags) Give(cmd *cobra.Command, chain route.Chain) error {
	if p.file.Path == "" {
		return nil
	}
	var err error
	if p.file.Partial, err = cmd.Flags().GetBool("partial"); err != nil {
		return err
	}
	if err := routing.ReadPaths(chain, &p.file, func(path string) (io.ReadCloser, error) { return os.Open(path) }, func(texts []string) { Warn(cmd, texts) }); err != nil {
		return err
	}
	return p.Equip(cmd, chain)
}

// Equip gives engines that need one a solver.
func (p *PathSetFlags) Equip(cmd *cobra.Command, chain route.Chain) error {
	if equipped, err := p.Solving.Equip(chain, time.Now()); equipped || err != nil {
		return err
	}
	return RefuseSolver(cmd, "--names ilp or -O balance=programme")
}

// KeepFlags name the Plan that a subnet runs now.
type KeepFlags struct {
	Path      string
	Kept      *planner.Kept // nil without one
	Rebalance bool
}

// KeepHelp tells of --keep in the help text of weft route.
const KeepHelp = `--keep OLD-PLAN is for a fabric that has changed - hosts, links or switches added or
lost - and a subnet that runs the old Plan. It repairs that Plan: only entries whose path
crossed what is lost get another port, and what is new gets entries; links that have come
back carry nothing yet. End ports are known by their GUIDs and keep their LIDs, each source
keeps the LIDs that it sends to, and LIDs of ports that are gone wait for them as long as
there are others.

--rebalance routes afresh instead, and keeps the LIDs wherever the new paths allow it; so do
--engine, --option, --lmc, --vls and --seed. The engine, its options and the LMC are those
of the old Plan unless they are given. A fresh routing is also made, and the report says
why, where a repair would need a cycle of dependencies. The report says what changes, what
must be written to the switches, whether packets can loop or deadlock while some switches
have old entries and others new ones, and what a fresh routing would deliver.`

// Add adds the flags.
func (k *KeepFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&k.Path, "keep", "", "repair this Plan (written by -o), and report what changes")
	f.BoolVar(&k.Rebalance, "rebalance", false, "with --keep: route afresh, keep only the LIDs")
}

// SetChain sets the chain that was asked for, or takes over that of the Plan to be kept.
func (k *KeepFlags) SetChain(cmd *cobra.Command, chain string, routing *RouteFlags) error {
	if k.Path == "" {
		if k.Rebalance {
			return errors.New("--rebalance goes with --keep")
		}
		return routing.SetChain(chain)
	}
	if err := k.read(); err != nil {
		return err
	}
	if flags := cmd.Flags(); flags.Changed("engine") || flags.Changed("paths") {
		return routing.SetChain(chain)
	}
	var err error
	if routing.Chain, err = engine.ChainOf(&k.Kept.Plan.Recipe, routing.Options); err != nil {
		return fmt.Errorf("--keep: %s: %w", k.Path, err)
	}
	return routing.Check()
}

// read reads the Plan to be kept, unless that was done.
func (k *KeepFlags) read() error {
	if k.Kept != nil {
		return nil
	}
	f, err := os.Open(k.Path)
	if err != nil {
		return fmt.Errorf("--keep: %w", err)
	}
	defer f.Close()
	if k.Kept, err = planner.ReadKept(f); err != nil {
		return fmt.Errorf("--keep: %s: %w", k.Path, err)
	}
	return nil
}

// Hold makes the engines keep the LIDs, and the LMC unless another one was asked for.
func (k *KeepFlags) Hold(cmd *cobra.Command, g *fabric.Graph, routing *RouteFlags) error {
	if k.Kept == nil {
		return nil
	}
	if err := k.Kept.Hold(g, &routing.Request); err != nil {
		return fmt.Errorf("--keep: %s: %w", k.Path, err)
	}
	if cmd.Flags().Changed("lmc") {
		routing.HeldLMC = 0
	}
	if !cmd.Flags().Changed("levels") {
		routing.Levels = levels.Of(k.Kept.Plan)
	}
	if !k.Afresh(cmd) {
		routing.Kept = k.Kept
	}
	return nil
}

// Afresh reports whether a fresh routing was asked for.
func (k *KeepFlags) Afresh(cmd *cobra.Command) bool {
	return k.Rebalance || slices.ContainsFunc([]string{"engine", "paths", "option", "lmc", "vls", "seed"}, cmd.Flags().Changed)
}

// LaneFileFlags adds the options that tell the lanes of foreign tables, and which LIDs are used.
func LaneFileFlags(cmd *cobra.Command, files *routing.TableFiles) {
	f := cmd.Flags()
	f.StringVar(&files.SLs, "sl", "", "service levels of the paths that go with --lfts: output of saquery -p, or as weft route --sl writes them")
	f.StringVar(&files.SL2VLs, "sl2vl", "", "SL2VL tables that go with --lfts")
	f.StringVar(&files.Choice, "choice", "", "by which LIDs hosts send to each other, with --lfts: as weft route --write-choice writes it (default: any LID)")
	f.BoolVar(&files.OneLane, "one-lane", false, "all traffic shares one lane: QoS is off, whatever SLs the tables are made for")
}

// RefuseBesideTables refuses options that say how to route where tables are given.
func RefuseBesideTables(cmd *cobra.Command, files *routing.TableFiles) error {
	for _, option := range []string{"engine", "lmc", "fresh-lids", "vls", "option", "roles", "levels"} {
		if files.Given() && cmd.Flags().Changed(option) {
			return fmt.Errorf("give --%s, or tables with --plan or --lfts, not both", option)
		}
	}
	return nil
}

// ReadOrRoute reads the tables of files where there are some, and routes the fabric where not.
func ReadOrRoute(cmd *cobra.Command, g *fabric.Graph, files *routing.TableFiles, req *planner.Request) (*planner.Result, error) {
	if files.Given() {
		return LoadTables(cmd, g, files)
	}
	return RouteFabric(cmd, g, req)
}

// LoadTables reads the Plan of files, and tells what is odd in them.
func LoadTables(cmd *cobra.Command, g *fabric.Graph, files *routing.TableFiles) (*planner.Result, error) {
	partial, err := cmd.Flags().GetBool("partial")
	if err != nil {
		return nil, err
	}
	files.Partial = partial
	plan, warnings, err := files.Load(g, func(path string) (io.ReadCloser, error) { return os.Open(path) })
	Warn(cmd, warnings)
	return &planner.Result{Plan: plan}, err
}

// Warn prints warnings on stderr.
func Warn(cmd *cobra.Command, warnings []string) {
	for _, text := range warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", text)
	}
}

// Document is an answer that prints itself for people, or as JSON.
type Document interface{ Write(io.Writer) error }

// Answer prints a document as it was asked for.
func Answer(w io.Writer, d Document, asJSON bool) error {
	if asJSON {
		return PrintJSON(w, d)
	}
	return d.Write(w)
}

// LongDocument is a document that has more to say than it prints by default.
type LongDocument interface {
	Document
	WriteAll(io.Writer) error
}

// Form says how an answer is printed: as JSON, with all that there is to say.
type Form struct{ JSON, All bool }

// Add adds --json and --verbose.
func (f *Form) Add(cmd *cobra.Command) {
	JSONFlag(cmd, &f.JSON)
	cmd.Flags().BoolVarP(&f.All, "verbose", "v", false, "print every figure and every example")
}

// Answer prints a document in this form.
func (f *Form) Answer(w io.Writer, d LongDocument) error {
	if f.All && !f.JSON {
		return d.WriteAll(w)
	}
	return Answer(w, d, f.JSON)
}
