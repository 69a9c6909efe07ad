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

// RouteFlags holds the options of every command that routes.
type RouteFlags struct {
	planner.Request // the chain apart
	Options         []string
	KindFlags       KindFlags
	LevelFlags      LevelFlags
}

// Add adds the flags.
func (r *RouteFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Uint8Var(&r.LIDs.LMC, "lmc", 0, "LID mask control `N`, 0 to 7: every CA and router port gets 2^N LIDs")
	f.BoolVar(&r.LIDs.Fresh, "fresh-lids", false, "assign new LIDs; do not keep the LIDs that the ports have")
	f.IntVar(&r.MaxVLs, "vls", 0, "use at most `N` data VLs (default: what the ports have, 8 if unknown)")
	f.Uint64Var(&r.Seed, "seed", 1, "seed `N` of engines that draw at random")
	JobsFlag(cmd, &r.Workers)
	f.StringArrayVarP(&r.Options, "option", "O", nil, "engine option `NAME=VALUE`, or ENGINE.NAME=VALUE; can be repeated (weft route --engines lists them)")
	r.KindFlags.add(cmd)
	r.LevelFlags.add(f)
	r.Now = Clock()
}

// Args returns the options as arguments for another process with one engine.
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

// ChainFlag adds --engine.
func ChainFlag(cmd *cobra.Command, chain *string) {
	cmd.Flags().StringVarP(chain, "engine", "e", engine.Auto, "`ENGINE`, or a chain a,b,c: the first that does not refuse is used; auto: the one that delivers the most bandwidth")
}

// SetChain parses the chain of engines and checks all routing options.
func (r *RouteFlags) SetChain(chain string) (err error) {
	if r.Chain, err = engine.Parse(chain, r.Options); err != nil {
		return err
	}
	return r.Check()
}

// Check returns an error for options out of range, and reads the files of kinds and levels.
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

// RouteFabric routes a fabric with a progress display. It prints refusals, the choice of auto, and
// a warning if replies need an SL of their own.
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
		fmt.Fprintln(w, "weft: warning: with these lanes a reply must use the SL of its own path, not the SL of its request")
	}
	return r, nil
}

// PathSetFlags holds the options for explicit paths, which replace --engine, and their solver.
type PathSetFlags struct {
	paths, names string
	file         routing.PathFile // empty where the paths are computed
	Solving      routing.Solving
}

// Add adds the flags.
func (p *PathSetFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.file.Choice, "choice", "", "with --paths and forwarding tables: `FILE` with the destination LID that each host uses for each peer, as --write-choice writes it (default: any LID)")
	f.StringVar(&p.paths, "paths", "", "compute explicit paths with this `METHOD` before LIDs are assigned (weft route --engines lists them), or take the paths of an engine or a file")
	f.StringVar(&p.names, "names", "color-l", "with --paths: assign LIDs to the paths with this `METHOD`")
	SolverFlags(cmd, &p.Solving, "--names ilp and -O balance=programme")
}

// SolverFlags adds the options of the solver; options names the options that need one, for the help
// text.
func SolverFlags(cmd *cobra.Command, s *routing.Solving, options string) {
	f := cmd.Flags()
	f.StringVar(&s.Program, "solver", "", "for "+options+": `PROGRAM`, the solver by name or path (default: the first installed one of "+routing.SolverNames()+")")
	f.DurationVar(&s.Limit, "solver-time", 10*time.Second, "for --names ilp: time limit for each programme; a destination needs one or two")
	f.DurationVar(&s.Total, "solver-total", 5*time.Minute, "for --names ilp: time limit for all programmes; after it the best answers so far are used")
	f.StringVar(&s.Dir, "write-lp", "", "for --names ilp: write the programmes to directory `DIR` and do not solve them")
}

// RefuseSolver returns an error if a solver option is given but nothing needs a solver.
func RefuseSolver(cmd *cobra.Command, options string) error {
	for _, flag := range []string{"solver", "solver-time", "solver-total", "write-lp"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s needs %s", flag, options)
		}
	}
	return nil
}

// Chain returns the chain of --paths and --names, PATHS+NAMES, or without --paths the given chain.
func (p *PathSetFlags) Chain(cmd *cobra.Command, chain string) (string, error) {
	switch f := cmd.Flags(); {
	case p.paths == "" && f.Changed("names"):
		return "", errors.New("--names needs --paths")
	case p.paths == "" && p.file.Choice != "":
		return "", errors.New("--choice needs --paths FILE")
	case p.paths == "":
		return chain, nil
	case f.Changed("engine"):
		return "", errors.New("give --paths or --engine, not both")
	}
	if _, err := os.Stat(p.paths); err == nil && !routing.IsEngine(p.paths+"+"+p.names) {
		p.file.Path = p.paths
		return routing.FromFile + "+" + p.names, nil
	}
	if p.file.Choice != "" {
		return "", errors.New("--choice needs --paths FILE")
	}
	words := fabric.SplitUnquoted(p.paths, ",")
	for i, word := range words {
		word = strings.TrimSpace(word)
		if strings.Contains(word, "=") { // an option of the one before
			continue
		}
		if err := engine.CheckPaths(word); err != nil {
			return "", fmt.Errorf("--paths: no such file, and %w", err)
		}
		words[i] = word + "+" + p.names
	}
	return strings.Join(words, ","), nil
}

// Give makes engines with paths from a file read that file.
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

// Equip gives the solver to engines that need one.
func (p *PathSetFlags) Equip(cmd *cobra.Command, chain route.Chain) error {
	if equipped, err := p.Solving.Equip(chain, time.Now()); equipped || err != nil {
		return err
	}
	return RefuseSolver(cmd, "--names ilp or -O balance=programme")
}

// KeepFlags holds the options for the Plan that a subnet runs now.
type KeepFlags struct {
	Path      string
	Kept      *planner.Kept // nil without one
	Rebalance bool
}

// KeepHelp explains --keep in the help text of weft route.
const KeepHelp = `REPAIRING AN EARLIER PLAN

--keep OLD-PLAN is for a subnet that runs OLD-PLAN and has since lost or gained hosts, links or
switches. It repairs that Plan. Only table entries whose path crossed a lost part get another port;
new parts get entries; links that came back stay unused for now. Ports are matched by GUID and
keep their LIDs, and each source keeps the LIDs that it sends to. LIDs of absent ports stay
reserved while others are free.

--rebalance routes from scratch instead, and keeps LIDs where the new paths allow it. So do
--engine, --option, --lmc, --vls and --seed. The engine, its options and the LMC default to those
of OLD-PLAN; auto or a chain of engines that made OLD-PLAN chooses anew. If a repair would create a
dependency cycle, weft also routes from scratch, and the report says why.

The report lists the changes and the table blocks to write. It says whether packets can loop or
deadlock while some switches have old entries and others new ones, and what a fresh routing would
deliver.`

// Add adds the flags.
func (k *KeepFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&k.Path, "keep", "", "repair the Plan in `FILE`, from weft route -o or weft sm --plan, and report the changes")
	f.BoolVar(&k.Rebalance, "rebalance", false, "with --keep: route from scratch and keep only the LIDs")
}

// SetChain sets the given chain, or the chain that the job of the kept Plan named.
func (k *KeepFlags) SetChain(cmd *cobra.Command, chain string, routing *RouteFlags) error {
	if k.Path == "" {
		if k.Rebalance {
			return errors.New("--rebalance needs --keep")
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
	if routing.Chain, err = engine.AskedFor(&k.Kept.Plan.Recipe, routing.Options); err != nil {
		return fmt.Errorf("--keep: %s: %w", k.Path, err)
	}
	return routing.Check()
}

// read reads the kept Plan once.
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

// Hold makes the engines keep the LIDs, and the LMC unless another one is given.
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

// Afresh reports whether the options ask for a fresh routing.
func (k *KeepFlags) Afresh(cmd *cobra.Command) bool {
	return k.Rebalance || slices.ContainsFunc([]string{"engine", "paths", "option", "lmc", "vls", "seed"}, cmd.Flags().Changed)
}

// LaneFileFlags adds the options for lanes and destination LIDs of foreign tables.
func LaneFileFlags(cmd *cobra.Command, files *routing.TableFiles) {
	f := cmd.Flags()
	f.StringVar(&files.SLs, "sl", "", "with --lfts: `FILE` with the service levels of the paths, from saquery -p or weft route --sl")
	f.StringVar(&files.SL2VLs, "sl2vl", "", "with --lfts: `FILE` with the SL2VL tables")
	f.StringVar(&files.Choice, "choice", "", "with --lfts: `FILE` with the destination LID that each host uses for each peer, as weft route --write-choice writes it (default: any LID)")
	f.BoolVar(&files.OneLane, "one-lane", false, "all traffic shares one lane (QoS is off), whatever SLs the tables or the Plan were made for")
}

// RefuseBesideTables returns an error if a routing option is given together with tables.
func RefuseBesideTables(cmd *cobra.Command, files *routing.TableFiles) error {
	for _, option := range []string{"engine", "lmc", "fresh-lids", "vls", "option", "roles", "levels"} {
		if files.Given() && cmd.Flags().Changed(option) {
			return fmt.Errorf("give --%s, or tables with --plan or --lfts, not both", option)
		}
	}
	return nil
}

// ReadOrRoute reads the tables of the given files, or routes the fabric if there are none.
func ReadOrRoute(cmd *cobra.Command, g *fabric.Graph, files *routing.TableFiles, req *planner.Request) (*planner.Result, error) {
	if files.Given() {
		return LoadTables(cmd, g, files)
	}
	return RouteFabric(cmd, g, req)
}

// LoadTables reads the Plan of the files, and prints warnings.
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

// Document is an answer that can be printed as text or JSON.
type Document interface{ Write(io.Writer) error }

// Answer prints a document as text or JSON.
func Answer(w io.Writer, d Document, asJSON bool) error {
	if asJSON {
		return PrintJSON(w, d)
	}
	return d.Write(w)
}

// LongDocument is a document with details that --verbose prints.
type LongDocument interface {
	Document
	WriteAll(io.Writer) error
}

// Form selects how an answer is printed: as JSON, or as text with all details.
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
