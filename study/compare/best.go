package compare

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/fabric/bill"
	"weft/internal/fold"
	"weft/planner"
	"weft/route/engine"
	"weft/study"
	"weft/study/choose"
)

// Recommend names the engine to use, by the rule of engine auto: of the engines that deliver nearly
// as much as the best, the one with the fewest lanes. Only proven Plans count.
func (c *Comparison) Recommend() {
	best, next, proven := c.bestTwo()
	if best == nil {
		c.Best = nil
		return
	}
	why := fmt.Sprintf("the only one that is proven (%s)", best.figures())
	switch {
	case next != nil && next.VLs > best.VLs:
		why = fmt.Sprintf("the best of %d that are proven, or as good on fewer lanes (%s); next %s (%s)", proven, best.figures(), next.Engine, next.figures())
	case next != nil:
		why = fmt.Sprintf("the best of %d that are proven (%s); next %s (%s)", proven, best.figures(), next.Engine, next.figures())
	}
	c.Best = &Recommended{Fabric: c.Fabric, Engine: best.Engine, Why: why}
}

// bestTwo returns the two best proven rows and the number of proven rows.
func (c *Comparison) bestTwo() (best, next *Row, proven int) {
	var trials []planner.Trial
	var rows []*Row
	engines := make([]*Row, len(c.Engines))
	for i := range c.Engines {
		engines[i] = &c.Engines[i]
	}
	slices.SortStableFunc(engines, func(a, b *Row) int { return cmp.Compare(engine.Preference(a.Engine), engine.Preference(b.Engine)) })
	for _, r := range engines {
		if slices.ContainsFunc(rows, r.same) {
			continue
		}
		if r.Refused == nil && r.Check.OK && r.Figures != nil {
			trials = append(trials, planner.Trial{VLs: r.VLs, Figures: r.Figures})
			rows = append(rows, r)
		}
	}
	first, second := planner.Rank(trials)
	for i := range trials {
		if &trials[i] == first {
			best = rows[i]
		}
		if &trials[i] == second {
			next = rows[i]
		}
	}
	return best, next, len(trials)
}

// same reports whether two rows are of one engine, named or chosen by auto, and have equal figures.
func (c *Row) same(of *Row) bool {
	return c.Figures != nil && strings.TrimPrefix(c.Engine, engine.Auto+": ") == strings.TrimPrefix(of.Engine, engine.Auto+": ") && c.figures() == of.figures()
}

func (c *Row) figures() string {
	return fmt.Sprintf("ebb %.3f, shift %.1f, %s", c.ebb(), c.Figures.Shift.Mean, study.Plural(c.VLs, "lane"))
}

// Recommend names the fabric to buy and its best engine: the fabric that delivers the most, or one
// that is worth it because it delivers nearly as much for less (choose.Pick).
func (c *Comparisons) Recommend() {
	var options []choose.Option
	var of []*Comparison
	var rows []*Row
	reference := 0
	for _, f := range c.Fabrics {
		best, _, _ := f.bestTwo()
		if best == nil || best.ebb() == 0 { // one host has nobody to send to
			continue
		}
		o := choose.Option{Price: f.price(), Delivered: best.ebb(), Shift: best.Figures.Shift.Mean}
		options, of, rows = append(options, o), append(of, f), append(rows, best)
		if at := options[reference]; o.Delivered/at.Delivered*at.Shift/o.Shift > 1 {
			reference = len(options) - 1
		}
	}
	if len(options) == 0 {
		c.Best = nil
		return
	}
	best, cheaper := choose.Pick(options, reference)
	c.Best = &Recommended{Fabric: of[best].Fabric, Engine: rows[best].Engine}
	if best == reference {
		c.Best.Why = fmt.Sprintf("it delivers the most in bisections and all-to-all together (%s), for %s", rows[best].figures(), of[best].priceText())
	} else {
		c.Best.Why = fmt.Sprintf("it delivers nearly as much as %s (%s against %s), for %s in place of %s",
			of[reference].Fabric, rows[best].figures(), rows[reference].figures(), of[best].priceText(), of[reference].priceText())
	}
	if best != cheaper {
		c.Best.But = fmt.Sprintf("%s takes %s and delivers nine tenths of that or more in bisections (%s): take it where all-to-all traffic does not count",
			of[cheaper].Fabric, of[cheaper].priceText(), rows[cheaper].figures())
	}
}

// price returns the cost of a server, or its share of the switches where there are no prices.
func (c *Comparison) price() float64 {
	if c.Cost != nil {
		return c.PerServer
	}
	return float64(c.Bill.Switches) / float64(max(c.Bill.Servers, 1))
}

func (c *Comparison) priceText() string {
	if c.Cost != nil {
		return bill.Money(*c.Cost, c.Currency)
	}
	noun := "switches"
	if c.Bill.Switches == 1 {
		noun = "switch"
	}
	return fmt.Sprintf("%d %s (%s)", c.Bill.Switches, noun, c.Bill.HostsText())
}

// Write prints the recommendation for people.
func (r *Recommended) Write(w io.Writer) error {
	if r == nil {
		_, err := fmt.Fprintln(w, "\nRecommended: none: nothing is proven, or there are no two hosts")
		return err
	}
	fmt.Fprintf(w, "\nRecommended: %s by %s\n", r.Fabric, r.Engine)
	_, err := fmt.Fprintln(w, "  "+fold.Text(2, r.Why+"."))
	if r.But != "" {
		_, err = fmt.Fprintln(w, "  "+fold.Text(2, "But "+r.But+"."))
	}
	return err
}
