package mapping

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"weft/lab"
	model "weft/mapping"
	"weft/mapping/algorithm"
	"weft/mapping/concurrent"
)

// startSpread is the time within which all mappers of an election start; lateSpread belongs to the
// reading lateStarts.
const (
	startSpread = 20 * time.Millisecond
	lateSpread  = 4 * time.Second
)

func fig7(ctx context.Context, s *lab.Setup) *lab.Result {
	t := lab.Table{
		Name: "fig7", Title: "Times of one master and of election (modelled, ms)",
		Columns: []string{"system", "one master", "paper: min", "avg", "max", "election: min", "avg", "max", "paper: min", "avg", "max"},
	}
	r := &lab.Result{Notes: []string{
		"Overhead and timeout of a probe are fitted to the times of one master: the sizes say nothing, their relation does. Nothing varies in ours with one master.",
		fmt.Sprintf("In an election every host maps, all starting within %s; the utility host has the lowest address, the others are drawn for each of the runs. Time counts from the start of the first. Messages wait for wires that others hold, those of collided worms until the break of 55 ms.", startSpread),
	}}
	for i := range systems {
		claims := systems[i].fig7(ctx, s, &t)
		r.Claims = append(r.Claims, claims...)
	}
	r.Tables = []lab.Table{t}
	return r
}

// fig7 times both modes on a system.
func (sys *system) fig7(ctx context.Context, s *lab.Setup, t *lab.Table) []lab.Claim {
	longer := lab.Gained(sys.name+": election takes longer than one master by", lab.Percent(sys.election[1]/sys.master[1]-1), 100*(sys.election[1]/sys.master[1]-1))
	spread := lab.Gained(sys.name+": longest above shortest election", lab.Percent(sys.election[2]/sys.election[0]-1), 100*(sys.election[2]/sys.election[0]-1))
	varies := lab.Gained(sys.name+": longest above shortest time of one master", lab.Percent(sys.master[2]/sys.master[0]-1), 100*(sys.master[2]/sys.master[0]-1))
	restOn(fittedTimes, &longer.Claim, &spread.Claim)
	claims := []lab.Claim{
		lab.NewClaim(sys.name+": time of one master (least, within 25 %)", lab.Num(sys.master[0])+" ms"),
		lab.NewClaim(sys.name+": time of election (average, within 25 %)", lab.Num(sys.election[1])+" ms"),
		longer.Claim,
		spread.Claim,
		varies.Claim,
	}
	restOn(fittedTimes, &claims[0], &claims[1])
	if n, ok := sys.wired(s); ok {
		res := trial{algorithm: "berkeley", from: mapper(s), rule: rule(s)}.run(ctx, n)
		times := elections(ctx, s, n)
		cells := []string{sys.name, lab.Num(ms(res))}
		for _, three := range [][3]float64{sys.master, times, sys.election} {
			for _, v := range three {
				cells = append(cells, lab.Num(v))
			}
		}
		t.Add(cells...)
		claims[0].Judge(within(ms(res), sys.master[0]), "%s ms", lab.Num(ms(res)))
		claims[1].JudgeRange(times[1], 0.75*sys.election[1], 1.25*sys.election[1], "%.0f ms")
		claims[4].Judge(varies.Low <= 0, "%s", lab.Percent(0))
		claims[2], claims[3] = longer.JudgedBy(100*(times[1]/ms(res)-1), true), spread.JudgedBy(100*(times[2]/times[0]-1), true)
	}
	return claims
}

// elections returns the least, mean and largest time of some elections.
func elections(ctx context.Context, s *lab.Setup, n *model.Network) (times [3]float64) {
	a := lab.Must(algorithm.Find("berkeley"))
	lowest, within := lab.Must(n.FindHost(mapper(s))), startSpread
	if s.Reads(lateStarts) {
		within = lateSpread
	}
	var all []float64
	for run := range uint64(lab.Pick(s, 5, 20)) {
		rng := rand.New(rand.NewPCG(s.SeedOf("fig7"), run))
		address := make([]uint64, n.NumHosts())
		for h, p := range rng.Perm(len(address)) {
			address[h] = uint64(p) + 2
		}
		address[lowest] = 1
		res := lab.Must(concurrent.Elect(ctx, n, &concurrent.ElectionOptions{
			Algorithm: a, Rule: rule(s), Hardware: model.Myrinet, Address: address, Spread: within, Seed: s.SeedOf("fig7") + run,
		}))
		if len(res.Winners) != 1 || res.Winners[0].Host != lowest {
			lab.Check(fmt.Errorf("lab: an election had %d winners, or a winner other than the lowest", len(res.Winners)))
		}
		all = append(all, res.Elapsed.Seconds()*1000)
		times[1] += all[run] / float64(lab.Pick(s, 5, 20))
	}
	times[0], times[2] = slices.Min(all), slices.Max(all)
	return times
}
