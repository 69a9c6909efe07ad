package packets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/sim/beff"
	"weft/study"
)

// BEff is the pattern of the latency and bandwidth benchmark of HPC Challenge. :RINGS or
// :RINGS,PAIRS may follow: the number of random rings, and the maximum number of ping-pongs of each
// size.
const BEff = "b_eff"

// IsBEff reports whether the pattern is BEff. Streams then run beside it.
func (t *Traffic) IsBEff() bool {
	name, _, _ := strings.Cut(t.Pattern, ":")
	return name == BEff && t.File == "" && t.Messages == ""
}

// validateBEff returns an error for an option that does not go with BEff.
func (t *Traffic) validateBEff() error {
	switch _, err := t.beff(nil); {
	case len(t.Loads) > 0 || t.Bursts.On > 0 || t.Once:
		return errors.New("pattern b_eff: its ranks wait for one another, and it has an end: leave out --load, --bursts and --once")
	case t.Message.drawn():
		return errors.New("message: all messages of a kind of b_eff have one size")
	case t.Order == "random":
		return errors.New("order random: b_eff has random rings beside the natural one")
	default:
		return err
	}
}

// beff parses the arguments behind the name of the pattern.
func (t *Traffic) beff(hosts []int32) (beff.Options, error) {
	o := beff.Usual(hosts)
	o.Bandwidth.Bytes = cmp.Or(t.Message.Least, o.Bandwidth.Bytes)
	_, arg, given := strings.Cut(t.Pattern, ":")
	if !given {
		return o, nil
	}
	words := strings.Split(arg, ",")
	rings, err := strconv.Atoi(words[0])
	if err != nil || rings < 0 || rings > 10_000 || len(words) > 2 {
		return o, fmt.Errorf("pattern %s: want b_eff:RINGS or b_eff:RINGS,PAIRS, with 0 to 10000 rings", t.Pattern)
	}
	o.Latency.Rings, o.Bandwidth.Rings = rings, rings
	if len(words) == 2 {
		pairs, err := strconv.Atoi(words[1])
		if err != nil || pairs < 0 || pairs > 1<<30 {
			return o, fmt.Errorf("pattern %s: %q is no number of pairs", t.Pattern, words[1])
		}
		o.Latency.Pairs, o.Bandwidth.Pairs = pairs, pairs
	}
	return o, nil
}

// runBEff runs the benchmark and stores its figures in the document.
func (j *job) runBEff(ctx context.Context, out *Simulation) error {
	o, err := j.beff(j.hosts)
	if err != nil {
		return err
	}
	o.Seed, o.Workers, o.Others = j.Seed, j.Workers, j.beside
	if out.BEff, err = beff.Run(ctx, j.g, j.plan.Plan, j.Hardware, &o); err != nil {
		return err
	}
	out.Message, out.Packets = o.Bandwidth.Bytes, out.BEff.Packets
	return nil
}

// beffFigure is one printed figure of BEff; latencies are in nanoseconds.
type beffFigure struct {
	name    string
	span    beff.Span
	of      int
	what    string
	latency bool // in place of bandwidth
}

// beffFigures lists the figures in HPC Challenge's order: ping-pong, natural ring, random rings.
func beffFigures(r *beff.Result) (list []beffFigure) {
	span := func(each []float64, mean float64) beff.Span {
		return beff.Span{Min: slices.Min(each), Mean: mean, Max: slices.Max(each)}
	}
	add := func(latency bool, pairs beff.Span, count int, natural float64, each []float64, mean float64) {
		if count > 0 {
			list = append(list, beffFigure{name: "ping-pong", span: pairs, of: count, what: "pair", latency: latency})
		}
		list = append(list, beffFigure{name: "natural ring", span: beff.Span{Min: natural, Mean: natural, Max: natural}, of: 1, what: "ring", latency: latency})
		if len(each) > 0 {
			list = append(list, beffFigure{name: "random ring", span: span(each, mean), of: len(each), what: "ring", latency: latency})
		}
	}
	p := r.PingPong
	if p == nil {
		p = &beff.PingPong{}
	}
	add(true, p.Latency, p.LatencyPairs, r.Natural.Latency, r.Latencies, r.Random.Latency)
	add(false, p.Bandwidth, p.BandwidthPairs, r.Natural.Bandwidth, r.Bandwidths, r.Random.Bandwidth)
	return list
}

// beffTable returns a row for each figure.
func (o *Simulation) beffTable() [][]string {
	rows := [][]string{{"B_EFF", "MIN", "MEAN", "MAX", "OF"}}
	for _, f := range beffFigures(o.BEff) {
		name, factor, digits := f.name+" bandwidth, MB/s", 1.0, 1
		if f.latency {
			name, factor, digits = f.name+" latency, us", 1e-3, 3
		}
		number := func(v float64) string { return strconv.FormatFloat(v*factor, 'f', digits, 64) }
		rows = append(rows, []string{name, number(f.span.Min), number(f.span.Mean), number(f.span.Max), study.Plural(f.of, f.what)})
	}
	return rows
}

// beffCSV returns a line for each figure below a line of names.
func (o *Simulation) beffCSV() string {
	var b strings.Builder
	b.WriteString("figure,unit,min,mean,max,count\n")
	for _, f := range beffFigures(o.BEff) {
		unit := "mbyte_per_second"
		if f.latency {
			unit = "ns"
		}
		fmt.Fprintf(&b, "%s,%s,%g,%g,%g,%d\n", f.name, unit, f.span.Min, f.span.Mean, f.span.Max, f.of)
	}
	return b.String()
}
