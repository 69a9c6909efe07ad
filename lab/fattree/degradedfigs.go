package fattree

import (
	"context"
	"fmt"
	"strings"

	"weft/lab"
)

// linksOfPaper are the numbers of failed links: 0 to 85 one by one, then 10, 15 and 20 %.
func linksOfPaper(s *lab.Setup) []int {
	if s.Mode != lab.Full {
		return []int{0, 10, 34, 80, 130, 259}
	}
	var numbers []int
	for n := range 86 {
		numbers = append(numbers, n)
	}
	return append(numbers, 130, 194, 259)
}

func switchesOfPaper() []int { return []int{0, 1, 2, 3, 4, 5, 6, 7} }

func degradedTable(name string, m metric) lab.Table {
	return lab.Table{Name: name, Title: "Share of a link that a node gets: " + m.name, Columns: []string{"failed", "number", "engine", "draws", "in order", "least", "most", "independent", "refused because"}}
}

// failingLinks measures the trees of Fig. 2 or 4, whose claims are to be added.
func failingLinks(ctx context.Context, s *lab.Setup, name string, m metric) (*lab.Result, losses) {
	t, l := degradedTable(name, m), losses{}
	measureDegraded(ctx, s, &t, m, anyLink, linksOfPaper(s), 1, l)
	return l.result(name, m, anyLink, linksOfPaper(s), t), l
}

// failingSwitches measures the trees of Fig. 3 or 5. Trees with as many links failed, the
// largest number of Fig. 2, are beside those with switches failed.
func failingSwitches(ctx context.Context, s *lab.Setup, name string, m metric) (*lab.Result, losses) {
	t, l := degradedTable(name, m), losses{}
	draws := lab.Pick(s, 2, 5)
	measureDegraded(ctx, s, &t, m, wholeSwitch, switchesOfPaper(), draws, l)
	measureDegraded(ctx, s, &t, m, anyLink, []int{0, 259}, draws, l)
	return l.result(name, m, wholeSwitch, switchesOfPaper(), t), l
}

// result returns the table and charts of a figure; where there are two estimates, both.
func (l losses) result(name string, m metric, what failure, numbers []int, t lab.Table) *lab.Result {
	title, failing := strings.ToUpper(m.name[:1])+m.name[1:], ", failing "+string(what)
	r := &lab.Result{Tables: []lab.Table{t}, Notes: []string{drawsNote}}
	if m.name != uniformTraffic.name {
		r.Charts = lab.Drawn(l.draw(name, title+failing, what, numbers))
		return r
	}
	r.Charts = lab.Drawn(l.draw(name, title+" in order"+failing, what, numbers), l.independently().draw(name+"-independent", title+" independent"+failing, what, numbers))
	return r
}

// overtakes is the number of failed parts from which on an engine is ahead of another
// for good, and whether there is one.
func (l losses) overtakes(what failure, numbers []int, ahead, behind string) (from int, found bool) {
	for i := len(numbers) - 1; i >= 0; i-- {
		a, ok1 := l.mean(what, numbers[i], ahead)
		b, ok2 := l.mean(what, numbers[i], behind)
		if !ok1 || !ok2 {
			continue
		}
		if a <= b {
			break
		}
		from, found = numbers[i], true
	}
	return from, found
}

func (l losses) crossing(what failure, numbers []int, behind string) string {
	if n, ok := l.overtakes(what, numbers, "DFSSSP", behind); ok {
		return fmt.Sprintf("from %d on", n)
	}
	return "never"
}

func fig2(ctx context.Context, s *lab.Setup) *lab.Result {
	r, l := failingLinks(ctx, s, "fig2", uniformTraffic)
	numbers := linksOfPaper(s)
	place := degradedTable("fig2-places", uniformTraffic)
	for _, what := range []failure{lowLink, highLink} {
		measureDegraded(ctx, s, &place, uniformTraffic, what, []int{1, 40}, lab.Pick(s, 2, 5), l)
	}
	free := l.independently()
	loss := lab.NewClaim("80 failed links: fat-tree routing loses (between the estimates)", "35 %")
	if v, ok := l.drop(anyLink, 80, "EFT"); ok {
		w, _ := free.drop(anyLink, 80, "EFT")
		a, _ := l.drop(anyLink, 80, "ours")
		b, _ := free.drop(anyLink, 80, "ours")
		loss.Judge(min(v, w) <= 0.35 && max(v, w) >= 0.35, "EFT %s in order, %s independent; ours %s, %s", percent(v), percent(w), percent(a), percent(b))
	}
	const crossing = 34
	cross := lab.NewClaim("DFSSSP overtakes fat-tree routing (between the estimates)", fmt.Sprintf("at %d", crossing))
	if _, ok := l.mean(anyLink, 259, "EFT"); ok {
		a, found := l.overtakes(anyLink, numbers, "DFSSSP", "EFT")
		b, foundFree := free.overtakes(anyLink, numbers, "DFSSSP", "EFT")
		cross.Ours = fmt.Sprintf("EFT %s in order, %s independent; ours %s, %s",
			l.crossing(anyLink, numbers, "EFT"), free.crossing(anyLink, numbers, "EFT"), l.crossing(anyLink, numbers, "ours"), free.crossing(anyLink, numbers, "ours"))
		cross.Verdict = lab.Judged(found && min(a, b) <= crossing && (!foundFree || max(a, b) >= crossing))
	}
	flat := lab.NewClaim("LASH stays constant and very low (below 20 %, within 5 points)", "constant")
	if a, ok := l.mean(anyLink, 0, "LASH"); ok {
		if b, ok := l.mean(anyLink, 259, "LASH"); ok {
			flat.Judge(max(a, b) < 0.2 && max(a, b)-min(a, b) < 0.05, "%s to %s", percent(a), percent(b))
		}
	}
	where := lab.NewClaim("a failed link between middle and root costs more than one to a leaf (fat-tree routing)", "much more")
	low, ok1 := l.mean(lowLink, 40, "EFT")
	high, ok2 := l.mean(highLink, 40, "EFT")
	if ok1 && ok2 {
		low1, _ := l.mean(lowLink, 1, "EFT")
		high1, _ := l.mean(highLink, 1, "EFT")
		where.Judge(high < low, "1 failed: %s left against %s; 40 failed: %s against %s", percent(high1), percent(low1), percent(high), percent(low))
		where.Explain(false, "At the flow level a leaf that lost one of three parallel links shares two, so that its nodes get up to a third less; a root link lost is spread over all switches.")
	}
	r.Tables, r.Claims = append(r.Tables, place), []lab.Claim{loss, cross, flat, where, l.safe(anyLink, numbers)}
	return r
}

const drawsNote = "The same parts fail for all engines, and more of them are those of fewer and some more. MinHop is OpenSM's, by table entries in order of leaves; LASH takes the first port; that of weft, with lean=true, spreads destinations over parallel links."

// safe returns the claim that ours, beyond the paper, is the best engine on the mean.
func (l losses) safe(what failure, numbers []int) lab.Claim {
	c := lab.NewClaim(fmt.Sprintf("ours, beyond the paper: the best engine however many %s failed", what), "-")
	n, best, behind := l.best(what, numbers)
	if n > 0 {
		c.Judge(best == n, "%d of %d; on average %.1f points behind the best", best, n, behind)
		_, free, less := l.independently().best(what, numbers)
		if less != behind {
			c.Explain(free == n, "Experiment, messages that do not wait for each other: %d of %d; %.1f points.", free, n, less)
		}
	}
	return c
}

// best counts the numbers of failed parts for which ours is the best engine, and how many
// points it is behind the best on average.
func (l losses) best(what failure, numbers []int) (n, best int, behind float64) {
	for _, k := range numbers {
		ours, ok := l.mean(what, k, "ours")
		if !ok {
			continue
		}
		n++
		most := ours
		for _, e := range degradedEngines() {
			v, _ := l.mean(what, k, e.Name)
			most = max(most, v)
		}
		behind += 100 * (most - ours)
		if ours >= most-rounding {
			best++
		}
	}
	return n, best, behind / float64(max(n, 1))
}

// compareLinks is the claim how 7 failed switches (252 links) compare with 259 links.
func compareLinks(l losses, engine, text, paper string, switchesCostLess bool) lab.Claim {
	c := lab.NewClaim(text, paper)
	a, ok1 := l.drop(wholeSwitch, 7, engine)
	b, ok2 := l.drop(anyLink, 259, engine)
	if ok1 && ok2 {
		c.Judge((a < b) == switchesCostLess, "7 switches cost %s, 259 links %s", percent(a), percent(b))
		a, _ = l.independently().drop(wholeSwitch, 7, engine)
		b, _ = l.independently().drop(anyLink, 259, engine)
		c.Explain((a < b) == switchesCostLess, "Experiment, messages that do not wait for each other: 7 switches cost %s, 259 links %s.", percent(a), percent(b))
	}
	return c
}

func fig3(ctx context.Context, s *lab.Setup) *lab.Result {
	r, l := failingSwitches(ctx, s, "fig3", uniformTraffic)
	r.Claims = []lab.Claim{
		compareLinks(l, "EFT", "fat-tree routing suffers more from failed links than from failed switches", "slightly more", true),
		compareLinks(l, "MinHop", "MinHop suffers more from failed switches than from failed links", "yes", false),
		l.safe(wholeSwitch, switchesOfPaper()),
	}
	return r
}

func fig4(ctx context.Context, s *lab.Setup) *lab.Result {
	r, l := failingLinks(ctx, s, "fig4", randomRings)
	numbers := linksOfPaper(s)
	cross := lab.NewClaim("DFSSSP overtakes fat-tree routing only at 20 % of the links (259)", "at 259")
	if _, ok := l.mean(anyLink, 259, "EFT"); ok {
		n, found := l.overtakes(anyLink, numbers, "DFSSSP", "EFT")
		cross.Judge(found && n >= 194, "EFT %s; ours %s", l.crossing(anyLink, numbers, "EFT"), l.crossing(anyLink, numbers, "ours"))
	}
	falls := lab.NewClaim("no engine delivers more with more failed links (0 to 259, within half a point)", "all less")
	text, every, n := "", true, 0
	for _, e := range degradedEngines() {
		if e.Name == lashOfWeft {
			continue
		}
		a, ok1 := l.mean(anyLink, 0, e.Name)
		b, ok2 := l.mean(anyLink, 259, e.Name)
		if ok1 && ok2 {
			n++
			every = every && b < a+0.005
			text += fmt.Sprintf("%s %s to %s; ", e.Name, percent(a), percent(b))
		}
	}
	if n > 0 {
		a, _ := l.mean(anyLink, 0, lashOfWeft)
		b, _ := l.mean(anyLink, 259, lashOfWeft)
		falls.Judge(every, "%sbut %s, which is not the paper's, %s to %s", text, lashOfWeft, percent(a), percent(b))
	}
	r.Claims = []lab.Claim{cross, falls, l.safe(anyLink, numbers)}
	return r
}

func fig5(ctx context.Context, s *lab.Setup) *lab.Result {
	r, l := failingSwitches(ctx, s, "fig5", randomRings)
	numbers := switchesOfPaper()
	ahead := lab.NewClaim("fat-tree routing is not overtaken by DFSSSP with up to 7 failed switches", "never")
	if _, ok := l.mean(wholeSwitch, 7, "EFT"); ok {
		_, found := l.overtakes(wholeSwitch, numbers, "DFSSSP", "EFT")
		ahead.Judge(!found, "%s", "EFT "+l.crossing(wholeSwitch, numbers, "EFT"))
	}
	spike := lab.NewClaim("MinHop can gain from a failed switch", "more with 2 or 3 failed than with 1")
	minhop := func(n int) estimates { return l[degradation{wholeSwitch, n, "MinHop"}] }
	if _, ok := l.mean(wholeSwitch, 1, "MinHop"); ok {
		one, two, three := minhop(1).inOrder, minhop(2).inOrder, minhop(3).inOrder
		spike.Judge(max(two.Max, three.Max) > one.Mean, "1 failed: mean %s, 2: %s (up to %s), 3: %s (up to %s)", percent(one.Mean), percent(two.Mean), percent(two.Max), percent(three.Mean), percent(three.Max))
	}
	r.Claims = []lab.Claim{ahead, spike, compareLinks(l, "EFT", "fat-tree routing suffers less from failed switches than from failed links", "yes", true), l.safe(wholeSwitch, numbers)}
	return r
}
