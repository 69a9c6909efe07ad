package engine_test

import (
	"context"
	"errors"
	"testing"

	"weft/fabric"
	"weft/judge/check"
	"weft/judge/quality"
	"weft/route"
	"weft/route/engine"
	"weft/route/recipe"
)

// TestKinds: where every fourth host is of another kind, the paths to those are spread by
// themselves. The channel with the most of them has no more than without the kinds (on networks
// that are not regular a quarter more at most), and over all fabrics fewer.
func TestKinds(t *testing.T) {
	for _, spec := range engine.All() {
		apart, together := 0, 0
		for i, formula := range []string{
			"rlft(8,3)|fail(links=6,seed=2)", "irregular(switches=16,hosts=64)", "dragonfly(4,8,2)",
			"rlft(8,3)", "xgft(2;16,16;1,4)", "pgft(2;8,4;1,2;1,4)", "torus(4x4,hosts=4)", "torus(4x4,hosts=8,width=4)",
		} {
			g := compiled(t, formula)
			rules, io := everyFourth(g)
			plain, refused := routedBy(t, g, spec, nil)
			if refused {
				continue
			}
			kinds, _ := routedBy(t, g, spec, rules)
			r, err := quality.Judge(context.Background(), g, kinds, check.Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			if r.Unreachable > 0 || len(r.Faults) > 0 || spec.Lanes != "none" && r.DeadlockFree != check.Yes {
				t.Errorf("%s: %s: %d unreachable, faults %v, free of deadlock: %v", formula, spec.Name, r.Unreachable, r.Faults, r.DeadlockFree)
			}
			a, b := hottest(g, kinds, io), hottest(g, plain, io)
			apart, together = apart+a, together+b
			if a > b && (i > 2 || 4*a > 5*b) {
				t.Errorf("%s: %s: a channel has %d paths to hosts of the kind, without kinds %d", formula, spec.Name, a, b)
			}
		}
		if apart >= together {
			t.Errorf("%s: %d paths on the hottest channels, without kinds %d", spec.Name, apart, together)
		}
	}
}

// everyFourth puts every fourth host into a kind of its own.
func everyFourth(g *fabric.Graph) (rules []fabric.KindRule, io map[int32]bool) {
	io = map[int32]bool{}
	for h := int32(3); h < int32(g.NumHosts); h += 4 {
		rules = append(rules, fabric.KindRule{Kind: "io", Hosts: g.EndGUID[h].String()})
		io[h] = true
	}
	return rules, io
}

func routedBy(t *testing.T, g *fabric.Graph, spec *route.Spec, kinds []fabric.KindRule) (p *route.Plan, refused bool) {
	p, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: spec, Workers: 2, Kinds: kinds}, func(string) {})
	if _, refused := errors.AsType[*route.Refusal](err); refused {
		return nil, true
	}
	if err != nil {
		t.Fatalf("%s: %s: %v", g.Name, spec.Name, err)
	}
	return p, false
}

// hottest counts the paths from all hosts to some of them on the channel with the most.
func hottest(g *fabric.Graph, p *route.Plan, to map[int32]bool) (most int) {
	load := make([]int, g.NumChannels)
	for dst := range int32(g.NumHosts) {
		if !to[dst] {
			continue
		}
		for src := range int32(g.NumHosts) {
			for s := g.EndSwitch[src]; s != g.EndSwitch[dst]; {
				c, _ := g.At(s, p.Tables.Port(s, p.Ends.Base[dst]))
				load[c]++
				most = max(most, load[c])
				s = g.To[c]
			}
		}
	}
	return most
}
