package packets

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/planner"
	"weft/study/studytest"
)

// TestLimit: a link that carries packets for two hosts limits all; without it nothing does. A
// hot-spot limits by its own link.
func TestLimit(t *testing.T) {
	for formula, c := range map[string]struct {
		spots int
		text  string
	}{
		"rlft(8,2)":                          {0, ""},
		"rlft(8,2)|fail(link=leaf 0[5])":     {0, "limited by spine "},
		"rlft(8,2)|fail(link=leaf 0[5]) hot": {1, "packets from 31 hosts to 1 host"},
	} {
		network, hot := strings.CutSuffix(formula, " hot")
		g, routing := studytest.Routed(t, network, "ftree,balance=closed")
		r := usualRequest()
		if r.Duration *= 10; hot {
			r.HotSpots.Groups, r.HotSpots.Share = c.spots, .5
		}
		out, err := Simulate(t.Context(), g, routing, r)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := out.Write(&text); err != nil {
			t.Error(err)
		}
		switch line := strings.Join(strings.Fields(text.String()), " "); {
		case c.text == "" && out.Limit == nil:
		case c.text == "" || out.Limit == nil || !strings.Contains(line, c.text):
			t.Errorf("%s: limited by %+v; want %q in\n%s", formula, out.Limit, c.text, text.String())
		case !hot && (out.Limit.Targets != 2 || out.Limit.Sources < 24 || out.Limit.Used < .98):
			t.Errorf("%s: limited by %+v, want packets for 2 hosts", formula, out.Limit)
		}
	}
}

// TestUsersAsDumb: the hosts with packets on a link are those whose paths pass it, walked pair by
// pair.
func TestUsersAsDumb(t *testing.T) {
	some := 0
	rapid.Check(t, func(rt *rapid.T) {
		formula := rapid.SampledFrom([]string{"rlft(4,2)", "rlft(4,3)|hosts(even=2,odd=1)", "torus(3x3,hosts=2)"}).Draw(rt, "fabric")
		g, routing := studytest.Routed(t, formula, "minhop")
		for range rapid.IntRange(0, 6).Draw(rt, "entries") {
			s, lid := rapid.IntRange(0, g.NumSwitches-1).Draw(rt, "switch"), rapid.IntRange(1, int(routing.Plan.Tables.Top())).Draw(rt, "lid")
			routing.Plan.Tables.Set(int32(s), fabric.LID(lid), uint8(rapid.IntRange(0, 5).Draw(rt, "port")))
		}
		run := &oneRun{}
		if rapid.Bool().Draw(rt, "pairs") {
			run.sendersTo = map[int32][]int32{}
		}
		pairs := map[[2]int32]bool{}
		for src := range int32(g.NumHosts) {
			run.senders, run.takers = append(run.senders, src), append(run.takers, src)
			for dst := range int32(g.NumHosts) {
				if src == dst || run.sendersTo != nil && rapid.IntRange(0, 2).Draw(rt, "sends") > 0 {
					continue
				}
				if pairs[[2]int32{src, dst}] = true; run.sendersTo != nil {
					run.sendersTo[dst] = append(run.sendersTo[dst], src)
				}
			}
		}
		c := int32(rapid.IntRange(0, g.NumChannels-1).Draw(rt, "channel"))
		sources, targets := map[int32]bool{}, map[int32]bool{}
		for pair := range pairs {
			if passes(g, routing, pair, c) {
				sources[pair[0]], targets[pair[1]] = true, true
			}
		}
		j := &job{Request: usualRequest(), g: g, plan: routing}
		if a, b := j.usersOf(run, g.From[c], g.FromPort[c]); a != len(sources) || b != len(targets) {
			rt.Fatalf("%d sources, %d targets, want %d and %d", a, b, len(sources), len(targets))
		}
		some += len(sources)
	})
	if some == 0 {
		t.Error("no link has a user")
	}
}

// passes reports whether the path of a pair passes a channel.
func passes(g *fabric.Graph, routing *planner.Result, pair [2]int32, channel int32) bool {
	s := g.EndSwitch[pair[0]]
	for range g.NumSwitches {
		c, _ := g.At(s, routing.Plan.Tables.Port(s, routing.Plan.Ends.Base[pair[1]]))
		if c == channel {
			return true
		}
		if c < 0 {
			return false
		}
		s = g.To[c]
	}
	return false
}
