package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/fabric"
	"weft/fabric/source"
	"weft/fabric/subnets"
	"weft/intersubnet"
	"weft/planner/between"
	"weft/route"
	"weft/route/engine"
	"weft/route/planfile"
	simbetween "weft/sim/between"
	"weft/study/several"
)

// BetweenHelp explains several subnets in the help texts of commands that take them.
const BetweenHelp = `SEVERAL SUBNETS

FABRIC may also be several subnets joined by routers: a file that begins with the line "weft
subnets 1", or a formula with these arguments:

  ` + subnets.FormulaHelp

// BetweenFlags are the options for several subnets.
type BetweenFlags struct {
	Method    string
	engines   []string // SUBNET=CHAIN
	mappings  []string // SUBNET=FILE
	down      []string // ROUTER[PORT]
	HostsOnly bool
	sum       bool
}

// betweenNames lists the options for several subnets.
var betweenNames = []string{"between", "engine-of", "mapping", "port-down", "hosts-only", "sum-of-lids"}

// Add adds the flags.
func (b *BetweenFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&b.Method, "between", string(intersubnet.Auto), "`METHOD` of routing between subnets: "+strings.ReplaceAll(intersubnet.Methods, "\n", " "))
	f.StringArrayVar(&b.engines, "engine-of", nil, "`NAME=CHAIN`: engine or chain of engines for one subnet; can be repeated (default: --engine)")
	f.StringArrayVar(&b.mappings, "mapping", nil, "`NAME=FILE` with the gateways of one subnet; can be repeated. Lines: GID, prefix or *, then the GUID of a router port; after a GID, optionally the GUID of the switch whose hosts it holds for")
	f.StringArrayVar(&b.down, "port-down", nil, "do not use the router port with this `GUID`; can be repeated")
	f.BoolVar(&b.HostsOnly, "hosts-only", false, "prove pairs of hosts only, not port 0 of switches")
	f.BoolVar(&b.sum, "sum-of-lids", false, "routers hash the sum of source and destination LID, as in algorithm 1 of the paper, instead of both")
}

// Refuse returns an error if an option for several subnets is given with a single fabric.
func (b *BetweenFlags) Refuse(cmd *cobra.Command) error {
	for _, name := range betweenNames {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is for several subnets, and FABRIC is a single one", name)
		}
	}
	return nil
}

// RefuseOne returns an error if an option for a single fabric is given with several subnets;
// allowed lists further options that work with both.
func RefuseOne(cmd *cobra.Command, allowed ...string) error {
	ok := map[string]bool{}
	for _, name := range append(append([]string{"help", "json", "verbose", "quiet", "ibnl", "partial"}, betweenNames...), allowed...) {
		ok[name] = true
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !ok[f.Name] && err == nil {
			err = fmt.Errorf("--%s does not work with several subnets yet", f.Name)
		}
	})
	return err
}

// Several reports whether a FABRIC argument names several subnets.
func (f *FabricFlags) Several(arg string) bool {
	return source.IsNetwork(arg, source.Options{Dir: f.Dir})
}

// Network reads several subnets and prints warnings.
func (f *FabricFlags) Network(cmd *cobra.Command, arg string) (n *subnets.Network, err error) {
	err = Leavable(func() error {
		net, warnings, err := source.OpenNetwork(arg, source.Options{IBNL: f.IBNL, Stdin: cmd.InOrStdin(), Dir: f.Dir, Partial: f.Partial})
		for i, w := range warnings {
			if !f.Quiet && i < warningsShown {
				fmt.Fprintln(cmd.ErrOrStderr(), "weft: warning:", w)
			}
		}
		n = net
		return err
	})(cmd.Context())
	return n, err
}

// Request converts the options to a routing request.
func (b *BetweenFlags) Request(n *subnets.Network, local *RouteFlags) (*between.Request, error) {
	method, err := intersubnet.ParseMethod(b.Method)
	if err != nil {
		return nil, fmt.Errorf("--between: %w", err)
	}
	req := &between.Request{Request: intersubnet.Request{Method: method, Mappings: map[int]*intersubnet.Mapping{}, SumOfLIDs: b.sum}, Local: local.Request, Chains: map[int]route.Chain{}}
	for _, text := range b.engines {
		s, chain, err := subnetOf(n, text)
		if err != nil {
			return nil, fmt.Errorf("--engine-of %s: %w", text, err)
		}
		if req.Chains[s], err = engine.Parse(chain, nil); err != nil {
			return nil, fmt.Errorf("--engine-of %s: %w", text, err)
		}
	}
	for _, text := range b.mappings {
		s, file, err := subnetOf(n, text)
		if err != nil {
			return nil, fmt.Errorf("--mapping %s: %w", text, err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if req.Mappings[s], err = intersubnet.ReadMapping(file, data); err != nil {
			return nil, err
		}
	}
	for _, text := range b.down {
		port, err := n.FindPort(text)
		if err != nil {
			return nil, fmt.Errorf("--port-down: %w", err)
		}
		req.Down = append(req.Down, port)
	}
	return req, nil
}

// subnetOf splits NAME=VALUE and finds the subnet.
func subnetOf(n *subnets.Network, text string) (s int, value string, err error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || value == "" {
		return 0, "", errors.New("want NAME=VALUE")
	}
	for s := range n.Subnets {
		if n.Subnets[s].Name == name {
			return s, value, nil
		}
	}
	return 0, "", fmt.Errorf("no subnet is called %q", name)
}

// Route routes and judges several subnets with progress.
func (b *BetweenFlags) Route(cmd *cobra.Command, n *subnets.Network, local *RouteFlags) (d *several.Routing, p *intersubnet.Plan, err error) {
	req, err := b.Request(n, local)
	if err != nil {
		return nil, nil, err
	}
	var r *between.Result
	begun := time.Now()
	err = WithProgress(cmd, "routing", func(ctx context.Context) (err error) {
		d, r, err = several.Route(ctx, n, req, b.HostsOnly)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	d.Seconds, d.PeakRSS = time.Since(begun).Seconds(), PeakRSS()
	return d, r.Plan, nil
}

// betweenFile is the name of the file with routers and gateways in a directory of Plans.
const betweenFile = "between.json"

// planOf and mappingOf return the file names of a subnet in such a directory.
func planOf(s int) string    { return fmt.Sprintf("subnet-%d.plan", s) }
func mappingOf(s int) string { return fmt.Sprintf("subnet-%d.mapping", s) }

// WriteBetween writes a Plan of several subnets to a directory.
func WriteBetween(cmd *cobra.Command, dir string, p *intersubnet.Plan) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	put := func(name string, write func(io.Writer) error) error {
		f, err := OpenOutput(cmd, filepath.Join(dir, name))
		if err != nil {
			return err
		}
		f.Told = io.Discard
		return f.Write(write)
	}
	for s, local := range p.Local {
		err := errors.Join(
			put(planOf(s), func(w io.Writer) error { return planfile.Save(w, p.Net.NamedGraph(int32(s)), local) }),
			put(mappingOf(s), func(w io.Writer) error { return p.WriteMapping(w, int32(s)) }))
		if err != nil {
			return err
		}
	}
	if err := put(betweenFile, p.Save); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "weft: wrote the Plans and mapping files of %d subnets to %s\n", len(p.Local), dir)
	return nil
}

// LoadBetween reads a directory of WriteBetween. Equal subnets share a Plan if their files differ
// only by GUIDs.
func LoadBetween(dir string, n *subnets.Network) (*intersubnet.Plan, error) {
	local := make([]*route.Plan, len(n.Subnets))
	type key struct {
		kind int32
		hash [sha256.Size]byte // of the Plan, saved with the GUIDs of its Kind
	}
	known := map[key]*route.Plan{}
	for s := range local {
		path := filepath.Join(dir, planOf(s))
		one, err := loadLocal(path, n.NamedGraph(int32(s)))
		if err != nil {
			return nil, err
		}
		hash := sha256.New()
		if err := planfile.Save(hash, n.Graph(int32(s)), one); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		k := key{n.Subnets[s].Kind, [sha256.Size]byte(hash.Sum(nil))}
		if known[k] == nil {
			known[k] = one
		}
		local[s] = known[k]
	}
	path := filepath.Join(dir, betweenFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := intersubnet.Load(f, n, local)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// loadLocal reads the Plan of one subnet.
func loadLocal(path string, g *fabric.Graph) (*route.Plan, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := planfile.Load(f, g)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// betweenRuns is the default number of random bisections of several subnets.
const betweenRuns = 100

// RoutingNames lists the routing options that work with several subnets.
var RoutingNames = []string{"engine", "option", "vls", "seed", "jobs", "lmc", "fresh-lids"}

// Flows returns a request for random bisections.
func (r *RouteFlags) Flows(runs int) *simbetween.FlowRequest {
	return &simbetween.FlowRequest{Runs: cmp.Or(runs, betweenRuns), Seed: r.Seed, Workers: r.Workers}
}

// PlanOr reads a Plan of several subnets from a directory, or routes them if dir is empty.
func (b *BetweenFlags) PlanOr(cmd *cobra.Command, dir string, n *subnets.Network, local *RouteFlags) (*intersubnet.Plan, error) {
	if dir != "" {
		return LoadBetween(dir, n)
	}
	_, p, err := b.Route(cmd, n, local)
	return p, err
}

// EveryMethod is the default of --between in weft compare.
const EveryMethod = "all"

// AddCompared adds the options, with several methods for --between.
func (b *BetweenFlags) AddCompared(cmd *cobra.Command) {
	b.Add(cmd)
	cmd.Flags().Lookup("engine-of").Usage = "`NAME=CHAIN`: engine or chain of engines for one subnet; can be repeated (default: --engines)"
	f := cmd.Flags().Lookup("between")
	f.Usage, f.DefValue, b.Method = "`METHODS` of routing between subnets to compare, a,b,c or all", EveryMethod, EveryMethod
}
