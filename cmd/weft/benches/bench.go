// Package benches holds weft lab bench: it runs weft and OpenSM on ibsim, and measures both.
// Package lab/bench orders the runs and compares them.
package benches

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/netfile/discovery"
	"weft/lab/bench"
	"weft/lab/measure"
	"weft/lab/store"
)

// The fabrics and engines that are compared if none are named.
var (
	usualFabrics = []string{"fat648", "rlft(12,3)", "deimos", "torus(6x6x6,hosts=1)", "dragonfly(4,2,2)"}
	fullFabrics  = []string{
		"odin", "chic", "tsubame", "now-c", "racks648", "rlft(12,3)|fail(share=0.01,links=up,seed=1)", "fat648|hosts(even=17,odd=1)",
		"mesh(8x8,hosts=2)", "hypercube(6,hosts=1)", "kautz(3,3,hosts=72)", "dragonflyplus(4,4,4,2)", "hyperx(4x4,hosts=2)", "slimfly(5)",
		"random(switches=40,hosts=80,links=70,seed=1)", "rlft(18,3)", "fat3456", "juropa", "ranger",
	}
	usualEngines = []string{"minhop", "updn", "ftree", "dfsssp", "lash", "nue"}
	fullEngines  = []string{"sssp", "dor"}
)

const benchHelp = `Compare weft with the installed OpenSM on the same fabrics, in one run: what the forwarding tables of
both deliver, and the time and memory that both take.

Each program brings the subnet up on an ibsim of its own: weft sm --once --unproven, and opensm -o. The
runs alternate (weft, OpenSM, weft, OpenSM, ...), so that a change of the machine's load meets both. A
ratio is OpenSM's value divided by weft's: the geometric mean of the ratios of the rounds, with its 95 %
interval (Student's t of the logarithms). CPU seconds count all threads, user and system, and depend
far less on other programs than wall seconds do. "Routing" is the computation of the tables alone: in
weft LIDs, paths and lanes on all cores, in a process of its own; in OpenSM the time of its thread
between two breakpoints (this needs cc, on x86-64).

weft measures the tables of both: effective bisection bandwidth (ebb), all-to-all by shifts (the sum
of the largest congestions), pairs of hosts on the busiest channel (any), and on trees on the busiest
one that leads up (up). OpenSM's are not measured beyond 5 million entries, since it would write
gigabytes. An engine that refuses a fabric has no times.

FABRICs and engines have a small default set, which takes some minutes; --full adds more, and takes
hours. An engine is a name that both programs know, or WEFT'S:OPENSM'S.

-o FILE keeps the runs: in a SQLite store, or as lines of text (.csv, .tsv). Runs that the file has are
not made again, unless weft's sources, OpenSM or the host have changed; a round is made whole.`

// flags are the options of weft lab bench.
type flags struct {
	fabric    cli.FabricFlags
	engines   []string
	rounds    int
	full      bool
	limit     time.Duration
	output    string
	page      string
	kept      bool
	asJSON    bool
	host      string
	routeOnly bool
	workers   int
}

// Commands returns weft lab bench.
func Commands() []*cobra.Command {
	var o flags
	cmd := &cobra.Command{
		Use:   "bench [FABRIC...]",
		Short: "compare weft with the installed OpenSM, in turn",
		Long:  benchHelp,
		Example: `  weft lab bench -o bench.db
  weft lab bench fat648 'torus(4x4x4,hosts=2)' -e ftree -e dfsssp --rounds 9
  weft lab bench 'rlft(12,3)' -e auto:ftree --json
  weft lab bench -o rows.csv --kept --page performance.md`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	o.fabric.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&o.fabric.Dir, "in", "", "`DIR` in which relative file names of FABRICs are looked up (default: the current directory)")
	f.StringArrayVarP(&o.engines, "engine", "e", nil, "`ENGINE` of both programs, or WEFT'S:OPENSM'S; can be repeated (default: "+strings.Join(usualEngines, ", ")+")")
	f.IntVar(&o.rounds, "rounds", 5, "number `N` of rounds")
	f.BoolVar(&o.full, "full", false, "compare more fabrics and engines; takes hours")
	f.DurationVar(&o.limit, "limit", 2*time.Minute, "longest `TIME` of a run")
	f.StringVarP(&o.output, "output", "o", "", "`FILE` for the runs, created or continued: a SQLite store, or text if its name ends in .csv or .tsv")
	f.StringVar(&o.page, "page", "", "also write the tables into the Markdown page `FILE`, between the lines <!-- begin bench NAME --> and <!-- end bench NAME -->, NAME being that of -o without its ending")
	f.BoolVar(&o.kept, "kept", false, "run nothing: print the comparison of the runs that -o has")
	f.StringVar(&o.host, "host", "", "`NAME` of this machine in the rows (default: its host name)")
	f.BoolVar(&o.routeOnly, "route-only", false, "without OpenSM: route one FABRIC by one engine, and print the CPU seconds of the routing alone")
	cli.JobsFlag(cmd, &o.workers)
	cli.JSONFlag(cmd, &o.asJSON)
	return []*cobra.Command{cmd}
}

func (o *flags) run(cmd *cobra.Command, args []string) error {
	if o.routeOnly {
		return o.route(cmd, args)
	}
	if o.rounds < 1 || o.limit <= 0 {
		return errors.New("--rounds and --limit must be above 0")
	}
	if o.page != "" && o.output == "" {
		return errors.New("--page needs -o: the block has the name of that file")
	}
	if o.kept {
		if o.output == "" {
			return errors.New("--kept needs -o: the file of the runs")
		}
		if _, err := os.Stat(o.output); err != nil { // openRows would create it
			return err
		}
	}
	keep, rows, err := openRows(o.output)
	if err != nil {
		return err
	}
	b, err := o.compare(cmd, args, keep, rows)
	if err = errors.Join(err, keep.Close()); b == nil || err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	s := b.Summarise()
	if o.page != "" && err == nil {
		if err := o.writePage(cmd, b, s); err != nil {
			return err
		}
	}
	return errors.Join(err, cli.Answer(cmd.OutOrStdout(), s, o.asJSON))
}

// compare makes the missing runs.
func (o *flags) compare(cmd *cobra.Command, args []string, keep keeper, rows []bench.Row) (*bench.Bench, error) {
	if o.kept {
		b, err := bench.FromRows(rows)
		if err != nil {
			return nil, fmt.Errorf("--kept: %s: %w", o.output, err)
		}
		return b, nil
	}
	dir, err := os.MkdirTemp("", "weft-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a scratch folder
	peers, err := findPeers(cmd.Context(), dir, cmd.ErrOrStderr())
	if err != nil {
		return nil, err
	}
	m := &runner{flags: o, peers: peers, dir: dir, opened: map[string]*opened{}}
	b, err := o.bench(cmd, args, m)
	if err != nil {
		return nil, err
	}
	b.Add(rows)
	b.Keep = keep.Put
	all, ended := b.Missing(), 0
	return b, cli.WithSteps(cmd, "comparing", func(ctx context.Context, step func(string)) error {
		b.Run = func(ctx context.Context, p bench.Pair, row *bench.Row) error {
			step(fmt.Sprintf("%d of at most %d runs done; %s by %s on %s", ended, all, row.Program, p, row.Fabric))
			ended++
			return m.run(ctx, p, row)
		}
		return b.Do(ctx)
	})
}

// bench opens the fabrics and lists what to compare.
func (o *flags) bench(cmd *cobra.Command, args []string, m *runner) (*bench.Bench, error) {
	fabrics, engines := args, o.engines
	if len(fabrics) == 0 {
		fabrics = usualFabrics
		if o.full {
			fabrics = append(slices.Clip(fabrics), fullFabrics...)
		}
	}
	if len(engines) == 0 {
		engines = usualEngines
		if o.full {
			engines = append(slices.Clip(engines), fullEngines...)
		}
	}
	b := &bench.Bench{Rounds: o.rounds, Rows: map[string]*bench.Row{}}
	for _, text := range engines {
		p, err := bench.ParsePair(text)
		if err == nil {
			_, err = measure.ParseEngines(p.Ours, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("--engine: %w", err)
		}
		b.Pairs = append(b.Pairs, p)
	}
	for _, arg := range fabrics {
		subject, err := m.open(cmd, arg)
		if err != nil {
			return nil, err
		}
		b.Subjects = append(b.Subjects, *subject)
	}
	digest, err := cli.SourceDigest()("weft/lab/measure", "weft/lab/measure/flowload", "weft/fabric/source")
	b.Made = bench.Made{
		Version: cli.Version, Commit: cli.Commit(), Sources: digest, Peer: m.peers.version, Host: cmp.Or(o.host, cli.HostName()),
		Platform: cli.Platform(), Cores: int64(runtime.NumCPU()),
	}
	return b, err
}

// opened is a fabric, with its net file for ibsim.
type opened struct {
	g     *fabric.Graph
	net   string
	ports int // of all nodes, port 0 of switches included
}

// open opens a fabric and writes its net file.
func (m *runner) open(cmd *cobra.Command, arg string) (*bench.Subject, error) {
	src, err := m.fabric.Open(cmd, arg)
	if err != nil {
		return nil, err
	}
	var net bytes.Buffer
	if err := discovery.WriteIBNetDiscover(&net, src.Fabric); err != nil {
		return nil, fmt.Errorf("%s: %w", arg, err)
	}
	f := &opened{g: src.Fabric.Compile(), net: filepath.Join(m.dir, fmt.Sprintf("%d.net", len(m.opened)))}
	for i := range src.Fabric.Nodes {
		f.ports += len(src.Fabric.Nodes[i].Ports) + 2
	}
	m.opened[arg] = f
	s := &bench.Subject{Fabric: arg, Graph: measure.GraphDigest(f.g), Switches: int64(f.g.NumSwitches)}
	for h := range f.g.NumHosts {
		if f.g.IsHost(int32(h)) {
			s.Hosts++
		}
	}
	return s, os.WriteFile(f.net, net.Bytes(), 0o600)
}

// keeper keeps runs.
type keeper interface {
	Put(*bench.Row) error
	Close() error
}

type nothing struct{}

func (nothing) Put(*bench.Row) error { return nil }
func (nothing) Close() error         { return nil }

// openRows opens the file of the runs, and reads them.
func openRows(path string) (keeper, []bench.Row, error) {
	switch filepath.Ext(path) {
	case "":
		if path == "" {
			return nothing{}, nil, nil
		}
	case ".csv", ".tsv":
		return store.OpenText[bench.Row](path)
	}
	db, err := store.Open[bench.Row](path)
	if err != nil {
		return nil, nil, err
	}
	rows, err := db.Rows()
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return db, rows, nil
}

// writePage replaces the block of a page.
func (o *flags) writePage(cmd *cobra.Command, b *bench.Bench, s *bench.Summary) error {
	name := strings.TrimSuffix(filepath.Base(o.output), filepath.Ext(o.output))
	return cli.WriteBlock(cmd, o.page, "bench "+name, func(w io.Writer) error {
		s.WriteMarkdown(w, b.Command(filepath.Base(o.output)))
		return nil
	})
}
