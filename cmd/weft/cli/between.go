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
	"weft/route"
	"weft/route/engine"
	"weft/route/planfile"
	"weft/study/several"
)

// BetweenHelp tells of several subnets in the help text of commands that take them.
const BetweenHelp = `FABRIC may be several subnets that routers join: a file that begins with the line
"weft subnets 1", or a formula:
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

// betweenNames are the options that go with several subnets alone.
var betweenNames = []string{"between", "engine-of", "mapping", "port-down", "hosts-only", "sum-of-lids"}

// Add adds the flags.
func (b *BetweenFlags) Add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&b.Method, "between", string(intersubnet.Auto), "how to route between subnets: "+strings.ReplaceAll(intersubnet.Methods, "\n", " "))
	f.StringArrayVar(&b.engines, "engine-of", nil, "engine, or chain of engines, of one of several subnets, NAME=CHAIN (default: --engine)")
	f.StringArrayVar(&b.mappings, "mapping", nil, "file of the gateways of one of several subnets, NAME=FILE: lines GID or prefix or *, and the GUID of a router port; behind a GID also that of the switch of the sources for which it holds")
	f.StringArrayVar(&b.down, "port-down", nil, "port of a router that is not to be used, by its GUID")
	f.BoolVar(&b.HostsOnly, "hosts-only", false, "prove several subnets for pairs of hosts alone, not for port 0 of switches")
	f.BoolVar(&b.sum, "sum-of-lids", false, "have routers hash the sum of source and destination LID, as the paper's algorithm 1, not both")
}

// Refuse refuses options for several subnets where there is one.
func (b *BetweenFlags) Refuse(cmd *cobra.Command) error {
	for _, name := range betweenNames {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s goes with several subnets, and FABRIC is one", name)
		}
	}
	return nil
}

// RefuseOne refuses options for one fabric where there are several subnets.
func RefuseOne(cmd *cobra.Command, allowed ...string) error {
	ok := map[string]bool{}
	for _, name := range append(append([]string{"help", "json", "verbose", "quiet", "ibnl", "partial"}, betweenNames...), allowed...) {
		ok[name] = true
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !ok[f.Name] && err == nil {
			err = fmt.Errorf("--%s goes with one FABRIC, not yet with several subnets", f.Name)
		}
	})
	return err
}

// Several reports whether a FABRIC argument is several subnets.
func (f *FabricFlags) Several(arg string) bool {
	return source.IsNetwork(arg, source.Options{Dir: f.Dir})
}

// Network reads several subnets and prints what is odd about them.
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

// Request makes the request of a routing.
func (b *BetweenFlags) Request(n *subnets.Network, local *RouteFlags) (*intersubnet.Request, error) {
	method, err := intersubnet.ParseMethod(b.Method)
	if err != nil {
		return nil, fmt.Errorf("--between: %w", err)
	}
	req := &intersubnet.Request{Method: method, Local: local.Request, Chains: map[int]route.Chain{}, Mappings: map[int]*intersubnet.Mapping{}, SumOfLIDs: b.sum}
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

// subnetOf parts NAME=VALUE and finds the subnet.
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
	var r *intersubnet.Result
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

// betweenFile is the file in a directory of Plans that holds what is between the subnets.
const betweenFile = "between.json"

// planOf and mappingOf name the files of a subnet in such a directory.
func planOf(s int) string    { return fmt.Sprintf("subnet-%d.plan", s) }
func mappingOf(s int) string { return fmt.Sprintf("subnet-%d.mapping", s) }

// WriteBetween writes a Plan for several subnets to a directory.
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

// LoadBetween reads what WriteBetween wrote. Subnets of one kind share a Plan where their files differ by GUIDs alone.
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

// loadLocal reads the Plan of one of several subnets.
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

// betweenRuns is the number of random bisections of several subnets that are measured by default.
const betweenRuns = 100

// RoutingNames are the options of routing that go with several subnets.
var RoutingNames = []string{"engine", "option", "vls", "seed", "jobs", "lmc", "fresh-lids"}

// Flows asks for bisections.
func (r *RouteFlags) Flows(runs int) *intersubnet.FlowRequest {
	return &intersubnet.FlowRequest{Runs: cmp.Or(runs, betweenRuns), Seed: r.Seed, Workers: r.Workers}
}

// PlanOr reads a Plan of several subnets from a directory, or routes.
func (b *BetweenFlags) PlanOr(cmd *cobra.Command, dir string, n *subnets.Network, local *RouteFlags) (*intersubnet.Plan, error) {
	if dir != "" {
		return LoadBetween(dir, n)
	}
	_, p, err := b.Route(cmd, n, local)
	return p, err
}

// EveryMethod is the value of --between that compare takes by default.
const EveryMethod = "all"

// AddCompared adds the options, with --between for several methods.
func (b *BetweenFlags) AddCompared(cmd *cobra.Command) {
	b.Add(cmd)
	f := cmd.Flags().Lookup("between")
	f.Usage, f.DefValue, b.Method = "ways to route between several subnets that are compared, a,b,c or all", EveryMethod, EveryMethod
}
