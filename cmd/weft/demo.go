package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"weft/examples"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/fabric/source"
	"weft/fabric/summary"
	"weft/route/job"
	"weft/route/quality"
)

// demoFabric is one fabric of the demo.
type demoFabric struct {
	title string
	open  func() (*source.Source, error)
}

func demoFabrics() []demoFabric {
	return []demoFabric{
		{"A real cluster: PSMN X5, ENS de Lyon, as ibnetdiscover printed it", dump("examples/psmn-x5.ibnetdiscover", examples.PSMNX5)},
		{"A real cluster: two cores with hosts on one of them", dump("examples/sx6036.ibnetdiscover", examples.SX6036)},
		{"A formula: 3-level tree of 36-port switches, 11,664 hosts", formula("rlft(36,3)")},
		{"A formula: torus of 6x6x6, two hosts a switch", formula("torus(6x6x6,hosts=2)")},
		{"A formula, degraded: 648-port fat-tree with 20 links failed", formula("fat648|fail(links=20,seed=1)")},
	}
}

func dump(name string, data []byte) func() (*source.Source, error) {
	return func() (*source.Source, error) {
		f, warnings, err := netfile.Read(name, data, netfile.Options{})
		return &source.Source{Fabric: f, Format: "ibnetdiscover", Warnings: warnings}, err
	}
}

func formula(expr string) func() (*source.Source, error) {
	return func() (*source.Source, error) {
		f, err := gen.Parse(expr)
		return &source.Source{Fabric: f, Format: "formula"}, err
	}
}

// demoEngines are quick on every fabric of the demo.
const demoEngines = "minhop,updn,dor"

// demoRuns is the number of random bisections, few so that the demo is quick.
const demoRuns = 100

func demoCmd() *cobra.Command {
	var (
		routing routeFlags
		asJSON  bool
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "route real clusters and formulas, bring an emulated fabric up, pull a cable",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDemo(cmd, &routing, asJSON)
		},
	}
	routing.add(cmd)
	for _, name := range []string{"lmc", "fresh-lids", "vls", "seed", "option"} {
		if err := cmd.Flags().MarkHidden(name); err != nil {
			panic(err) // a flag of routeFlags was renamed
		}
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// demoResult is what `weft demo --json` prints of a fabric.
type demoResult struct {
	Title   string           `json:"title"`
	Fabric  *summary.Summary `json:"fabric"`
	Engines []comparison     `json:"engines"`
}

func runDemo(cmd *cobra.Command, routing *routeFlags, asJSON bool) error {
	out := cmd.OutOrStdout()
	chain, err := job.ParseEngines(demoEngines, nil)
	if err != nil {
		return err
	}
	var results []demoResult
	for _, d := range demoFabrics() {
		src, err := d.open()
		if err != nil {
			return err
		}
		g := src.Fabric.Compile()
		result := demoResult{Title: d.title}
		if result.Fabric, err = summary.Of(cmd.Context(), src, g); err != nil {
			return err
		}
		if result.Engines, err = compareEngines(cmd, g, chain, routing, demoRuns); err != nil {
			return err
		}
		results = append(results, result)
		if asJSON {
			continue
		}
		s := result.Fabric
		fmt.Fprintf(out, "%s\n%s: %d switches, %d hosts, %d links, diameter %d\n\n",
			d.title, s.Name, s.Switches, s.EndPorts, s.Links.Links, s.Diameter)
		if err := writeComparison(out, result.Engines); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	repair, err := runDemoRepair(cmd, routing)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(out, map[string]any{"fabrics": results, "repair": repair})
	}
	repair.write(out)
	return demoCycle(cmd, out, routing)
}

// demoCycle shows why the judge is there: minimal routes on a ring, the cycle that
// can deadlock them, and the same ring with a routing that cannot.
func demoCycle(cmd *cobra.Command, out io.Writer, routing *routeFlags) error {
	src, err := formula("torus(5,hosts=1)")()
	if err != nil {
		return err
	}
	g := src.Fabric.Compile()
	fmt.Fprintln(out, "Why a judge: minimal routes on a ring of 5 switches can deadlock.")
	for _, name := range []string{"minhop", "dor"} {
		report, err := judgeEngine(cmd, g, name, routing)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := report.Write(&text); err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s says:\n%s", name, text.String())
	}
	return nil
}

func judgeEngine(cmd *cobra.Command, g *fabric.Graph, name string, routing *routeFlags) (*quality.Report, error) {
	chain, err := job.ParseEngines(name, nil)
	if err != nil {
		return nil, err
	}
	req := routing.Request
	req.Chain = chain
	r, err := job.Run(cmd.Context(), g, &req)
	return r.Report, err
}
