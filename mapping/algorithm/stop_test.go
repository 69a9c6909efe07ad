package algorithm

import (
	"context"
	"errors"
	"testing"
	"time"

	"weft/mapping"
	"weft/mapping/mappingtest"
	"weft/mapping/probe"
	"weft/mapping/theory"
)

// counted counts probes, and calls after with the number of each.
type counted struct {
	mapping.Prober
	sent  int
	after func(int)
}

func (c *counted) Probe(turns []mapping.Turn) (mapping.Reply, time.Duration) {
	reply, took := c.Prober.Probe(turns)
	c.sent++
	c.after(c.sent)
	return reply, took
}

// TestStopped: an algorithm whose context ends sends no probe more, and says so; one that
// reaches its limit sends no more than that.
func TestStopped(t *testing.T) {
	n := mappingtest.Network(t, "now-cab")
	for _, a := range All() {
		for _, at := range []int{1, 2, 30, 150} {
			ctx, cancel := context.WithCancel(t.Context())
			m := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, mapping.Myrinet), 0, mapping.Conditions{SelfIdentifying: a.SelfIdentifying})
			p := &counted{m, 0, func(sent int) {
				if sent == at {
					cancel()
				}
			}}
			opt := Options{Self: n.Hosts[0], Radix: n.Radix(), Depth: theory.FactsOf(n, 0).Depth(), Retries: 3}
			if _, err := a.Run(ctx, p, &opt); !errors.Is(err, context.Canceled) || p.sent != at {
				t.Errorf("%s, stopped after %d: %d probes, %v", a.Name, at, p.sent, err)
			}
			p.sent, p.after, opt.Limit = 0, func(int) {}, at
			if _, err := a.Run(t.Context(), p, &opt); !errors.Is(err, probe.ErrLimit) || p.sent != at {
				t.Errorf("%s, limit %d: %d probes, %v", a.Name, at, p.sent, err)
			}
			cancel()
		}
	}
}

// TestEarlyReplies: hosts that answer messages which reach them with turns left, as
// section 6 supposes, are never taken for switches.
func TestEarlyReplies(t *testing.T) {
	hardware := mapping.Myrinet
	hardware.Early = true
	for seed := range uint64(100) {
		n := mappingtest.Random(seed, 20)
		for _, a := range All() {
			if a.Name == "berkeley-labels" {
				continue
			}
			m := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, hardware), 0, mapping.Conditions{SelfIdentifying: a.SelfIdentifying})
			r, err := a.Run(t.Context(), m, &Options{Self: n.Hosts[0], Radix: n.Radix(), Depth: theory.FactsOf(n, 0).Depth(), Limit: 300_000})
			if err == nil {
				err = theory.Same(r.Map, wanted(&a, n))
			}
			if err != nil {
				t.Errorf("network %d, %s: %v", seed, a.Name, err)
			}
		}
	}
}

// TestSilentNetwork: if nothing answers, not even the first probe, the map is the mapper and its
// switch; that does not show the kind of the switches.
func TestSilentNetwork(t *testing.T) {
	self := mapping.Host{ID: 1, Name: "a"}
	for _, a := range All() {
		r, err := a.Run(t.Context(), mute{}, &Options{Self: self, Radix: 8, Depth: 4})
		if err != nil || r.Map.NumHosts() != 1 || r.Map.NumSwitches() != 1 {
			t.Errorf("%s: %v, %v", a.Name, r, err)
		}
	}
	// Switches that answer without an identifier are another thing.
	n := mappingtest.Network(t, "now-c")
	m := mapping.NewMapper(mapping.NewModel(n, mapping.Circuit, mapping.Myrinet), 0, mapping.Conditions{})
	if _, err := mapByIDs(t.Context(), m, &Options{Self: n.Hosts[0], Radix: 8}); err == nil {
		t.Error("anonymous switches identified themselves")
	}
}

type mute struct{}

func (mute) Probe([]mapping.Turn) (mapping.Reply, time.Duration) { return mapping.Reply{}, 0 }

// TestLabelsEnd: the tree of the labels has a limit where none is given.
func TestLabelsEnd(t *testing.T) {
	for given, want := range map[int]int{0: MostLabelled, 7: 7, 2 * MostLabelled: 2 * MostLabelled} {
		if limit := labelLimit(given); limit != want {
			t.Errorf("limit %d: %d, want %d", given, limit, want)
		}
	}
}
