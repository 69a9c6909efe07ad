package choose

import (
	"context"
	"fmt"
	"math"
	"time"

	"weft/apps/collective"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/internal/fold"
	"weft/planner"
	"weft/route/engine"
	"weft/study/app"
)

// OpenApps reads the applications of a machine. A program without ranks= gets all of its places.
func (w *Want) OpenApps(texts []string) ([]*app.Program, error) {
	d := collective.Defaults{Ranks: w.Hosts}
	if w.Rails > 1 {
		d.Ranks, d.Group = w.Hosts*w.Rails, w.Rails
	}
	list, err := app.OpenEach(texts, d)
	for _, p := range list {
		if err == nil && p.Ranks() > d.Ranks {
			err = fmt.Errorf("%s: %s, and the machine has %s for them", p.Name, fold.Count(p.Ranks(), "rank", "ranks"), fold.Count(d.Ranks, "port of a compute server", "ports of compute servers"))
		}
	}
	return list, err
}

// runApps runs the applications on a routed network, by flows. Servers of several ports have a rank
// on each, in order of the rails: then all planes are routed, by the engine of one.
func (s *Study) runApps(ctx context.Context, p *Proposal, g *fabric.Graph, r *planner.Result) error {
	if len(s.Apps) == 0 {
		return nil
	}
	options := app.Usual()
	options.Workers, options.Sends = s.Workers, s.Sends
	if p.HostPorts > p.Servers {
		options.OnPorts, options.Placement = true, "rail"
	}
	if p.Planes > 1 {
		f, err := gen.Parse(p.whole(nil))
		if err != nil {
			return err
		}
		chain, err := engine.Parse(p.Engine, nil)
		if err != nil {
			return err
		}
		g = f.Compile()
		if r, err = planner.Run(ctx, g, &planner.Request{Chain: chain, Seed: s.Seed, Workers: s.Workers}); err != nil {
			return fmt.Errorf("%s: %w", p.whole(nil), err)
		}
	}
	for _, program := range s.Apps {
		t, err := app.TimeOf(ctx, g, r, program, options)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", program.Name, p.whole(nil), err)
		}
		p.Apps = append(p.Apps, t)
	}
	return nil
}

// weighApps sets the mean time of the applications of each network.
func weighApps(all []*Proposal) {
	if len(all) == 0 || all[0].Apps == nil {
		return
	}
	for i := range all[0].Apps {
		first := math.Inf(1)
		for _, c := range all {
			first = min(first, c.Apps[i].EndNS)
		}
		for _, c := range all {
			if i == 0 {
				c.AppsTime = 0
			}
			c.AppsTime += share(c.Apps[i].EndNS, first) / float64(len(c.Apps))
		}
	}
}

// share returns a divided by b; 1 if both are 0.
func share(a, b float64) float64 {
	if b == 0 {
		return 1
	}
	return a / b
}

// slowerApp reports whether an application takes longer on a network than on another one.
func slowerApp(a, b *Proposal) bool {
	for i := range a.Apps {
		if a.Apps[i].EndNS > b.Apps[i].EndNS {
			return true
		}
	}
	return false
}

// appText describes the time of an application on a network.
func appText(t *app.Time) string {
	return fmt.Sprintf("%s: %v, %.2f times one switch", t.Program, time.Duration(t.EndNS).Round(time.Microsecond), t.Cost)
}
