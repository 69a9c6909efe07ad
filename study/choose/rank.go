package choose

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/fabric/bill"
	"weft/internal/fold"
)

// Proposals is the document of `weft suggest --json`.
type Proposals struct {
	Want
	Servers   int         `json:"servers"`                  // of all kinds
	HostPorts int         `json:"host_ports"`               // of all servers
	Measured  bool        `json:"measured"`                 // all were routed; otherwise they are compared by uniform
	Priced    bool        `json:"priced"`                   // costs count in place of switches
	Currency  string      `json:"currency,omitempty"`       // of costs
	Stopped   bool        `json:"stopped"`                  // before all were measured
	Proposals []*Proposal `json:"proposals"`                // proposals that no other one beats, the one that delivers most first
	Beaten    []*Proposal `json:"beaten"`                   // by another, in the same order
	None      []string    `json:"kinds_left_out"`           // kinds that cannot hold the hosts with this radix, or only with a network too large to build
	LeftOut   []LeftOut   `json:"left_out"`                 // the same, each with the reason
	Best      *Choice     `json:"recommendation,omitempty"` // absent if no proposal keeps all that is asked
	Nearest   *Choice     `json:"nearest,omitempty"`        // without a recommendation: the network that misses least
	Commands  []string    `json:"commands"`                 // to go on with
}

// newProposals returns the document before there are proposals.
func newProposals(w Want, prices *bill.Prices) *Proposals {
	p := &Proposals{
		Want: w, Servers: w.Hosts + w.others(), Proposals: []*Proposal{}, Beaten: []*Proposal{}, None: []string{}, LeftOut: []LeftOut{}, Commands: []string{},
		HostPorts: w.Hosts*(w.Rails+w.OnPlane) + w.Storage.Servers*w.Storage.Ports + w.Service.Servers*w.Service.Ports,
	}
	if prices != nil {
		p.Currency, p.Priced = prices.Currency, true
	}
	return p
}

// leaveOut lists the kinds without a proposal.
func (p *Proposals) leaveOut(list []LeftOut) {
	for _, l := range list {
		if !slices.ContainsFunc(p.Proposals, func(c *Proposal) bool { return c.Kind == l.Kind }) && !slices.Contains(p.None, l.Kind) {
			p.None, p.LeftOut = append(p.None, l.Kind), append(p.LeftOut, l)
		}
	}
}

// Choice names the recommended network, and the reason.
type Choice struct {
	Formula string `json:"formula"` // of a plane
	Planes  int    `json:"planes"`
	Whole   string `json:"whole"` // the formula of everything
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

// prices returns the price of every step of growth, the last one first.
func (p *Proposals) prices(of *Proposal) []float64 {
	list := []float64{p.price(of)}
	for _, s := range of.Steps[:max(0, len(of.Steps)-1)] {
		if p.Priced {
			list = append(list, s.Cost)
		} else {
			list = append(list, float64(s.Bill.Switches))
		}
	}
	return list
}

// beats reports whether a network costs no more than another one, at any step, delivers no less in
// any figure, and slows no application down. Planes and a network that joins them are not compared:
// what planes deliver ends at each of them.
func (p *Proposals) beats(a, b *Proposal) bool {
	for i, price := range p.prices(a) {
		if price > p.prices(b)[i] {
			return false
		}
	}
	return a.Planes == b.Planes && p.delivered(a) >= p.delivered(b) && a.Shift <= b.Shift && !slowerApp(a, b)
}

// rank sorts proposals by the time of applications, if there are any, then by bandwidth; it
// separates beaten ones, and recommends one.
func (p *Proposals) rank() {
	all := append(p.Proposals, p.Beaten...)
	weighApps(all)
	slices.SortStableFunc(all, func(a, b *Proposal) int {
		return cmp.Or(cmp.Compare(a.AppsTime, b.AppsTime), cmp.Compare(p.delivered(b), p.delivered(a)), cmp.Compare(a.Shift, b.Shift), slices.Compare(p.prices(a), p.prices(b)))
	})
	p.Proposals, p.Beaten = []*Proposal{}, []*Proposal{}
	for _, c := range all {
		i := slices.IndexFunc(p.Proposals, func(before *Proposal) bool { return p.beats(before, c) })
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
	Delivered float64 // in random bisections; of a machine with applications, how fast these are
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

// recommend chooses a network that misses nothing. The reference is the tree of the accepted
// oversubscription, or for servers of several ports the rails. Without such a network it is the one
// that delivers the most. If nothing was measured the reference stays.
func (p *Proposals) recommend(all []*Proposal) {
	if len(all) == 0 {
		return
	}
	at := p.reference(all)
	if at < 0 {
		p.nearest(all)
		return
	}
	options := make([]Option, len(all))
	for i, c := range all {
		options[i] = Option{p.price(c), p.delivered(c), c.Shift}
		if c.AppsTime > 0 {
			options[i] = Option{p.price(c), 1 / c.AppsTime, 1} // for these, bandwidth does not count
		}
		planes := c.Planes != all[at].Planes
		if len(c.Missing) > 0 || planes {
			options[i].Shift = math.Inf(1) // may be named, but not recommended
		}
		if planes && (len(c.Missing) > 0 || !p.isReference(c)) {
			options[i].Delivered = 0
		}
	}
	b, c := Pick(options, at)
	if !p.Measured && p.isReference(all[at]) {
		b = at
	}
	best, cheaper := all[b], all[c]
	p.Best = &Choice{Formula: best.Formula, Planes: best.Planes, Whole: best.Whole, Why: p.why(best, all[at])}
	if best != cheaper {
		p.Best.But = p.but(best, cheaper)
	}
	p.Commands = p.commands(best, cheaper)
}

// but returns the case for a cheaper network.
func (p *Proposals) but(best, cheaper *Proposal) string {
	text := fmt.Sprintf("%s takes %s and delivers nine tenths of that or more ", cheaper.Whole, p.priceText(cheaper))
	if cheaper.AppsTime > 0 {
		text = fmt.Sprintf("%s takes %s, and the applications take %.2f times as long or less ", cheaper.Whole, p.priceText(cheaper), 1/enough)
	}
	switch {
	case cheaper.AppsTime > 0 && cheaper.Planes == best.Planes:
		text = strings.TrimSpace(text)
	case cheaper.Planes > best.Planes:
		return text + "within each plane: take it where no cable is needed between the planes, because servers pass the traffic from one to another"
	case cheaper.Planes < best.Planes:
		return text + "over one network that joins the ports of a server"
	case !p.Measured:
		text += "of uniform traffic; what static routes make of it was not measured"
	case len(cheaper.Missing) > 0 && cheaper.Shift <= slowest*best.Shift:
		text += fmt.Sprintf("in bisections (ebb %.3f, shifts %.1f)", cheaper.EBB, cheaper.Shift)
	default:
		text += fmt.Sprintf("in bisections (ebb %.3f): take it where all-to-all traffic, which takes %.1f times as long, does not count, or the switches route adaptively", cheaper.EBB, cheaper.Shift/best.Shift)
	}
	if len(cheaper.Missing) > 0 {
		text += ". It misses what was asked: " + strings.Join(cheaper.Missing, "; ")
	}
	return text
}

// nearest names the network to take if none fulfils the whole need: the least oversubscribed one,
// and among equals the one that delivers the most.
func (p *Proposals) nearest(all []*Proposal) {
	c := slices.MinFunc(all, func(a, b *Proposal) int {
		return cmp.Or(cmp.Compare(a.Ratio, b.Ratio), cmp.Compare(p.delivered(b), p.delivered(a)))
	})
	p.Nearest = &Choice{Formula: c.Formula, Planes: c.Planes, Whole: c.Whole, Why: strings.Join(c.Missing, "; ")}
	p.Commands = p.commands(c, c)
}

// usual is the kind of network that others are held against: rails for servers of several ports,
// else trees.
func (p *Proposals) usual() string {
	if p.Rails > 1 {
		return rail
	}
	return "tree"
}

// isReference reports whether a network is of a kind that carries all traffic alike.
func (p *Proposals) isReference(c *Proposal) bool { return c.Kind == "tree" || c.Kind == rail }

// reference returns the index of the network to replace, among the networks that miss nothing. It
// is the most oversubscribed one of the usual kind, or else of trees, or else the first of any
// kind; -1 if all miss something.
func (p *Proposals) reference(all []*Proposal) int {
	for _, kind := range []string{p.usual(), "tree"} {
		at := -1
		for i, c := range all {
			if c.Kind == kind && len(c.Missing) == 0 && (at < 0 || p.cheaperReference(c, all[at])) {
				at = i
			}
		}
		if at >= 0 {
			return at
		}
	}
	return slices.IndexFunc(all, func(c *Proposal) bool { return len(c.Missing) == 0 })
}

// cheaperReference reports whether a network is more oversubscribed than another one, or as much
// and cheaper over all steps of growth.
func (p *Proposals) cheaperReference(a, b *Proposal) bool {
	sum := func(c *Proposal) (s float64) {
		for _, price := range p.prices(c) {
			s += price
		}
		return s
	}
	return cmp.Or(cmp.Compare(b.Ratio, a.Ratio), cmp.Compare(b.Pods, a.Pods), cmp.Compare(sum(a), sum(b))) < 0
}

// why returns the reason for a recommendation.
func (p *Proposals) why(best, reference *Proposal) string {
	figures := fmt.Sprintf("%.2f of uniform traffic", best.Uniform)
	if p.Measured {
		figures = fmt.Sprintf("ebb %.3f, shifts %.1f", best.EBB, best.Shift)
	}
	if best.AppsTime > 0 {
		figures = fmt.Sprintf("applications %.2f times as long as on the fastest, %s", best.AppsTime, figures)
	}
	none := fmt.Sprintf("no tree of three levels and %g:1 holds the hosts", p.Ratio)
	switch {
	case best != reference:
		return fmt.Sprintf("%s in place of %s of %s, for nearly as much (%s)", p.priceText(best), p.priceText(reference), reference.Whole, figures)
	case best.Kind == rail:
		return fmt.Sprintf("traffic within a rail stays on its switches, and the rails are joined: all ports reach each other at the accepted oversubscription (%s), for %s", figures, p.priceText(best))
	case best.Kind != "tree" && len(p.Kinds) > 0 && !slices.Contains(p.Kinds, "tree"):
		return fmt.Sprintf("it delivers the most of the kinds that were asked for (%s), for %s", figures, p.priceText(best))
	case best.Kind != "tree":
		return fmt.Sprintf("%s; it delivers the most (%s), for %s", none, figures, p.priceText(best))
	case best.Subnets != nil:
		return fmt.Sprintf("%d subnets, each a tree, joined by %s (%s), for %s", best.Subnets.Number, fold.Count(best.Subnets.Routers, "router", "routers"), figures, p.priceText(best))
	case best.Bill.Switches == best.Planes:
		return fmt.Sprintf("one switch holds all hosts (%s)", figures)
	case best.AppsTime > 0:
		return fmt.Sprintf("nothing for less than its %s runs the applications nearly as fast (%s)", p.priceText(best), figures)
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
	return fold.Count(of.Bill.Switches, "switch", "switches")
}

// compared is the number of networks in the suggested weft compare command.
const compared = 3

// commands lists the suggested commands. Several subnets, which take long, are not compared. Planes
// that together take more LIDs than a subnet has are studied one by one.
func (p *Proposals) commands(best, cheaper *Proposal) []string {
	show := "weft show '" + best.Whole + "' --svg network.svg"
	if best.Subnets != nil {
		return []string{show, "weft route '" + best.Whole + "'"}
	}
	routed := func(c *Proposal) string {
		if c.Bill.Switches+c.HostPorts > p.subnetLIDs() {
			return c.Formula
		}
		return c.Whole
	}
	list := []*Proposal{best}
	if cheaper != best && cheaper.Subnets == nil {
		list = append(list, cheaper)
	}
	for _, c := range p.Proposals {
		if len(list) < compared && !slices.Contains(list, c) && c.Subnets == nil && len(c.Missing) <= len(best.Missing) {
			list = append(list, c)
		}
	}
	compare := []string{"weft compare"}
	for _, c := range list {
		compare = append(compare, "'"+routed(c)+"'")
	}
	for _, t := range best.Apps {
		compare = append(compare, "--app '"+t.Program+"'")
	}
	return []string{
		strings.Join(compare, " "),
		"weft whatif '" + routed(best) + "' --each switch",
		show,
	}
}
