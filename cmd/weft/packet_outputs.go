package main

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"weft/study/packets"
)

// packetOutputs are the files that weft simulate packet writes.
type packetOutputs struct {
	csv    string
	svg    string
	beside []string // documents of earlier simulations, drawn beside this one
	links  string
	hosts  string
	flows  string
	times  []string // for the steps of a run
}

func (o *packetOutputs) add(f *pflag.FlagSet, steps *int) {
	f.StringVar(&o.csv, "csv", "", "write the rows to this file, separated by commas")
	f.StringVar(&o.svg, "svg", "", "draw accepted load and latency against --load to this file")
	f.StringSliceVar(&o.beside, "beside", nil, "with --svg: what earlier calls printed with --json, drawn beside this one")
	f.StringSliceVar(&o.times, "over-time", nil, "write throughput, latency, use of links and filling of buffers over time to this file, for the first run of the last row: a picture where the name ends in .svg, else separated by commas")
	f.StringVar(&o.links, "links", "", "write use, waiting for credits and filling of buffers of each link in that run to this file, tab-separated, the busiest first")
	f.StringVar(&o.hosts, "hosts", "", "write what each host port sent and took in that run to this file, tab-separated")
	f.StringVar(&o.flows, "flows", "", "write what each host port took from each other one in that run, and the latency, to this file, tab-separated")
	f.IntVar(steps, "steps", 0, "so many steps of that run, also with --json (default: 100 with --over-time or --links, else none)")
}

// set checks the options, and asks for the steps that they need.
func (o *packetOutputs) set(r *packets.Request) error {
	overTime := len(o.times) > 0 || o.links != ""
	r.CountFlows = o.flows != ""
	switch {
	case r.IsBEff() && (o.hosts != "" || o.flows != ""):
		return errors.New("--hosts and --flows: b_eff is many short runs")
	case r.IsBEff() && (r.Steps > 0 || overTime):
		return errors.New("--over-time, --links and --steps: b_eff is many short runs")
	case len(o.beside) > 0 && o.svg == "":
		return errors.New("--beside goes with --svg")
	case o.svg != "" && len(r.Loads) == 0:
		return errors.New("--svg draws figures against the load that is offered: give --load (--over-time draws one run)")
	case overTime && r.Steps == 0:
		r.Steps = 100
	}
	return nil
}

// paths lists the names of the files, "" for one that is not wanted.
func (o *packetOutputs) paths() []string {
	return append([]string{o.csv, o.links, o.svg, o.hosts, o.flows}, o.times...)
}

// earlier reads the simulations that are drawn beside this one.
func (o *packetOutputs) earlier() (list []*packets.Simulation, err error) {
	for _, path := range o.beside {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		earlier, err := packets.Read(path, data)
		if err != nil {
			return nil, err
		}
		list = append(list, earlier)
	}
	return list, nil
}

// writers are the functions that write the files, in the order of paths.
func (o *packetOutputs) writers(out *packets.Simulation, earlier []*packets.Simulation) []func(io.Writer) error {
	curves := append(earlier, out)
	list := []func(io.Writer) error{out.WriteCSV, out.WriteLinks, func(w io.Writer) error { return packets.DrawCurves(w, curves) }, out.WriteHosts, out.WriteFlows}
	for _, path := range o.times {
		if strings.HasSuffix(path, ".svg") {
			list = append(list, out.DrawTimes)
		} else {
			list = append(list, out.WriteTimes)
		}
	}
	return list
}
