package choose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/fabric/bill"
)

// Proposals is the document of `weft suggest --json`.
type Proposals struct {
	Want
	Measured  bool        `json:"measured"`                 // all were routed; otherwise they are compared by uniform
	Priced    bool        `json:"priced"`                   // costs count in place of switches
	Currency  string      `json:"currency,omitempty"`       // of costs
	Stopped   bool        `json:"stopped"`                  // before all were measured
	Proposals []*Proposal `json:"proposals"`                // proposals that no other one beats, the one that delivers most first
	Beaten    []*Proposal `json:"beaten"`                   // by another, in the same order
	None      []string    `json:"kinds_left_out"`           // kinds that cannot hold the hosts with this radix, or only with a network too large to build
	Best      *Choice     `json:"recommendation,omitempty"` // absent if there is no proposal
	Commands  []string    `json:"commands"`                 // to go on with
}

// Choice names the recommended network, and the reason.
type Choice struct {
	Formula string `json:"formula"`
	Planes  int    `json:"planes"`
	Why     string `json:"why"`
	But     string `json:"but,omitempty"` // the case for another network
}

// price returns the cost of a network, or the number of its switches where there are no prices.
func (p *Proposals) price(of *Proposal) float64 {
	if p.Priced {
		return of.Cost
	}
	return float64(of.Bill.Switches)
}

// rank sorts proposals by bandwidth, separates beaten ones, and recommends one.
func (p *Proposals) rank() {
	all := append(p.Proposals, p.Beaten...)
	slices.SortStableFunc(all, func(a, b *Proposal) int {
		return cmp.Or(cmp.Compare(p.delivered(b), p.delivered(a)), cmp.Compare(p.price(a), p.price(b)))
	})
	p.Proposals, p.Beaten = []*Proposal{}, []*Proposal{}
	for _, c := range all {
		// Those before it deliver as much or more.
		i := slices.IndexFunc(p.Proposals, func(before *Proposal) bool { return p.price(before) <= p.price(c) })
		if i < 0 {
			p.Proposals = append(p.Proposals, c)
			continue
		}
		c.Beaten = p.Proposals[i].Formula
		p.Beaten = append(p.Beaten, c)
	}
	p.recommend(all)
}

// A network replaces the tree if it delivers enough of its bandwidth in bisections, takes at most
// slowest times as long for shifts, and costs at most worth of its price.
const enough, slowest, worth = .9, 1.25, .9

// delivered returns the bandwidth for comparing networks: ebb, or uniform if nothing was measured.
func (p *Proposals) delivered(of *Proposal) float64 {
	if p.Measured {
		return of.EBB
	}
	return of.Uniform
}

// Option is a network as an argument of Pick.
type Option struct {
	Price     float64 // its cost, or its switches
	Delivered float64 // in random bisections
	Shift     float64 // time of all-to-all by shifts
}

// Pick returns the cheapest option that is nearly as good as a reference and cheap enough, or the
// reference. cheaper is the cheapest option by bisections alone, regardless of shifts.
func Pick(options []Option, reference int) (best, cheaper int) {
	best, cheaper = reference, reference
	r := options[reference]
	for i, o := range options {
		if o.Delivered < enough*r.Delivered || o.Price > worth*r.Price {
			continue
		}
		if o.Price < options[cheaper].Price {
			cheaper = i
		}
		if o.Shift <= slowest*r.Shift && o.Price < options[best].Price {
			best = i
		}
	}
	if options[cheaper].Price > worth*options[best].Price {
		cheaper = best
	}
	return best, cheaper
}

// recommend chooses a network. The reference is the tree of the accepted oversubscription, or
// without such a tree the network that delivers the most. If nothing was measured the tree stays.
func (p *Proposals) recommend(all []*Proposal) {
	if len(all) == 0 {
		return
	}
	options, at := make([]Option, len(all)), p.reference(all)
	for i, c := range all {
		options[i] = Option{p.price(c), p.delivered(c), c.Shift}
		if !p.accepts(c) && p.accepts(all[at]) {
			options[i].Shift = math.Inf(1) // may be named, but not recommended
		}
	}
	b, c := Pick(options, at)
	if !p.Measured && all[at].Kind == "tree" {
		b = at
	}
	best, cheaper := all[b], all[c]
	p.Best = &Choice{Formula: best.Formula, Planes: best.Planes, Why: p.why(best, all[at])}
	if best != cheaper {
		p.Best.But = fmt.Sprintf("%s takes %s and delivers nine tenths of that or more ", cheaper.Formula, p.priceText(cheaper))
		switch {
		case !p.Measured:
			p.Best.But += "of uniform traffic; what static routes make of it was not measured"
		case !p.accepts(cheaper) && cheaper.Shift <= slowest*best.Shift:
			p.Best.But += fmt.Sprintf("in bisections (ebb %.3f, shifts %.1f): take it where an oversubscription of %g:1 will do", cheaper.EBB, cheaper.Shift, cheaper.Ratio)
		default:
			p.Best.But += fmt.Sprintf("in bisections (ebb %.3f): take it where all-to-all traffic, which takes %.1f times as long, does not count, or the switches route adaptively", cheaper.EBB, cheaper.Shift/best.Shift)
		}
	}
	p.Commands = p.commands(best, cheaper)
}

// accepts reports whether a network has at most the accepted oversubscription.
func (p *Proposals) accepts(c *Proposal) bool { return c.Ratio <= p.Ratio }

// reference returns the index of the network to replace: the accepted tree with the largest
// oversubscription, or the first accepted network, or the first.
func (p *Proposals) reference(all []*Proposal) int {
	at := -1
	for i, c := range all {
		if c.Kind == "tree" && p.accepts(c) && (at < 0 || c.Ratio > all[at].Ratio) {
			at = i
		}
	}
	if at < 0 {
		at = slices.IndexFunc(all, p.accepts)
	}
	return max(at, 0)
}

// why returns the reason for a recommendation.
func (p *Proposals) why(best, reference *Proposal) string {
	figures := fmt.Sprintf("%.2f of uniform traffic", best.Uniform)
	if p.Measured {
		figures = fmt.Sprintf("ebb %.3f, shifts %.1f", best.EBB, best.Shift)
	}
	switch {
	case best != reference:
		return fmt.Sprintf("%s in place of %s of %s, for nearly as much (%s)", p.priceText(best), p.priceText(reference), reference.Formula, figures)
	case best.Kind != "tree" && len(p.Kinds) > 0 && !slices.Contains(p.Kinds, "tree"):
		return fmt.Sprintf("it delivers the most of the kinds that were asked for (%s), for %s", figures, p.priceText(best))
	case best.Kind != "tree":
		return fmt.Sprintf("no tree of three levels and %g:1 holds the hosts; it delivers the most (%s), for %s", p.Ratio, figures, p.priceText(best))
	case best.Bill.Switches == best.Planes:
		return fmt.Sprintf("one switch holds all hosts (%s)", figures)
	case p.Measured:
		return fmt.Sprintf("a tree delivers all kinds of traffic alike (%s), and nothing for less than its %s does nearly as well in both", figures, p.priceText(best))
	}
	return fmt.Sprintf("a tree delivers all kinds of traffic alike (%s), for %s", figures, p.priceText(best))
}

// priceText formats the cost of a network, or the number of its switches.
func (p *Proposals) priceText(of *Proposal) string {
	if p.Priced {
		return bill.Money(of.Cost, p.Currency)
	}
	if of.Bill.Switches == 1 {
		return "1 switch"
	}
	return fmt.Sprintf("%d switches", of.Bill.Switches)
}

// compared is the number of networks in the suggested weft compare command.
const compared = 3

// commands lists the suggested commands. A network too large for one subnet is only drawn, not
// routed.
func (p *Proposals) commands(best, cheaper *Proposal) []string {
	show := "weft show '" + best.Formula + "' --svg network.svg"
	if best.LIDs > subnetLIDs {
		return []string{show}
	}
	list := []*Proposal{best}
	if cheaper != best && cheaper.LIDs <= subnetLIDs {
		list = append(list, cheaper)
	}
	for _, c := range p.Proposals {
		if len(list) < compared && !slices.Contains(list, c) && c.LIDs <= subnetLIDs {
			list = append(list, c)
		}
	}
	compare := []string{"weft compare"}
	for _, c := range list {
		compare = append(compare, "'"+c.Formula+"'")
	}
	return []string{
		strings.Join(compare, " "),
		"weft whatif '" + best.Formula + "' --each switch",
		show,
	}
}
