// Package demo shows what weft does on real clusters, formulas and an emulated subnet, in
// about a minute.
package demo

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"weft/examples"
	"weft/fabric/netfile"
	"weft/fabric/source"
	"weft/fabric/summary"
	"weft/layout"
	"weft/route/job"
	"weft/study"
)

// Config says how to run the demo.
type Config struct {
	Routing job.Request // the chain apart
	Clock   func() time.Duration
	PeakRSS func() float64 // memory of the process, 10^6 bytes
	// Step runs a step with its progress shown.
	Step func(what string, work func(context.Context) error) error
	Out  io.Writer // where each part is printed as it is done; nil: nowhere
	// Picture takes the picture of each fabric; nil: none is drawn. name is fit for a file.
	Picture func(name string, p *layout.Picture) error
}

// Demo is the document of `weft demo --json`.
type Demo struct {
	Fabrics []Fabric `json:"fabrics"`
	Repair  *Repair  `json:"repair"`
}

// Fabric is a fabric, and what engines make of it.
type Fabric struct {
	Title   string           `json:"title"`
	Fabric  *summary.Summary `json:"fabric"`
	Engines []study.Compared `json:"engines"`
}

// fabrics lists the fabrics of the demo; without a dump the name is a formula.
var fabrics = []struct {
	title, name string
	dump        []byte
}{
	{"A real cluster: PSMN X5, ENS de Lyon, as ibnetdiscover printed it", "examples/psmn-x5.ibnetdiscover", examples.PSMNX5},
	{"A real cluster: two cores with hosts on one of them", "examples/sx6036.ibnetdiscover", examples.SX6036},
	{"A formula: 3-level tree of 36-port switches, 11,664 hosts", "rlft(36,3)", nil},
	{"A formula: torus of 6x6x6, two hosts a switch", "torus(6x6x6,hosts=2)", nil},
	{"A formula, degraded: 648-port fat-tree with 20 links failed", "fat648|fail(links=20,seed=1)", nil},
}

// engines are quick on every fabric of the demo.
const engines = "minhop,updn,dor,auto"

// runs is the number of random bisections, few so that the demo is quick.
const runs = 100

// Run runs all parts of the demo.
func Run(c *Config) (*Demo, error) {
	d := &Demo{}
	for i := range fabrics {
		f, err := c.fabric(fabrics[i].title, fabrics[i].name, fabrics[i].dump)
		if err != nil {
			return nil, err
		}
		d.Fabrics = append(d.Fabrics, *f)
		if c.Out != nil {
			if err := f.write(c.Out); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if d.Repair, err = c.repair(); err != nil || c.Out == nil {
		return d, err
	}
	d.Repair.write(c.Out)
	return d, c.cycle()
}

// open reads a dump, or makes the fabric of a formula.
func open(name string, dump []byte) (*source.Source, error) {
	if dump == nil {
		return source.Generate(name)
	}
	f, warnings, err := netfile.Read(name, dump, netfile.Options{})
	return &source.Source{Fabric: f, Format: "ibnetdiscover", Warnings: warnings}, err
}

// fabric compares engines on one fabric.
func (c *Config) fabric(title, name string, dump []byte) (*Fabric, error) {
	src, err := open(name, dump)
	if err != nil {
		return nil, err
	}
	chain, err := job.ParseEngines(engines, nil)
	if err != nil {
		return nil, err
	}
	g, out := src.Fabric.Compile(), &Fabric{Title: title}
	if c.Picture != nil {
		p, err := study.Picture(context.Background(), src, nil, study.ByLoad, c.Routing.Workers)
		if err == nil {
			err = c.Picture(fileName(name), p)
		}
		if err != nil {
			return nil, err
		}
	}
	err = c.Step("counting "+g.Name, func(ctx context.Context) (err error) {
		out.Fabric, err = summary.Of(ctx, src, g)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, step := range chain {
		err := c.Step("comparing "+step.Engine.Name, func(ctx context.Context) error {
			row, err := study.CompareEngine(ctx, g, step, &c.Routing, study.Figures{Runs: runs}, c.PeakRSS)
			if err == nil {
				row.RouteRSS = 0 // the memory is not this engine's own
				out.Engines = append(out.Engines, *row)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fileName makes the name of a fabric the name of a file.
func fileName(fabric string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' {
			return r
		}
		return '-'
	}, filepath.Base(fabric)), "-")
}

func (f *Fabric) write(w io.Writer) error {
	s := f.Fabric
	fmt.Fprintf(w, "%s\n%s: %d switches, %d hosts, %d links, diameter %d\n\n", f.Title, s.Name, s.Switches, s.EndPorts, s.Links.Links, s.Diameter)
	if err := study.WriteCompared(w, f.Engines); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// cycle shows why the judge is there: minimal routes on a ring, the cycle that can
// deadlock them, and the same ring with a routing that cannot.
func (c *Config) cycle() error {
	src, err := open("torus(5,hosts=1)", nil)
	if err != nil {
		return err
	}
	g := src.Fabric.Compile()
	fmt.Fprintln(c.Out, "Why a judge: minimal routes on a ring of 5 switches can deadlock.")
	for _, name := range []string{"minhop", "dor"} {
		req := c.Routing
		if req.Chain, err = job.ParseEngines(name, nil); err != nil {
			return err
		}
		err := c.Step("routing", func(ctx context.Context) error {
			r, err := job.Run(ctx, g, &req)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.Out, "\n%s says:\n", name)
			return r.Report.Write(c.Out)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
