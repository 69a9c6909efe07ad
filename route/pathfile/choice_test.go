package pathfile_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/judge/conformance"
	"weft/route"
	"weft/route/engine/updn"
	"weft/route/lids"
	"weft/route/pathfile"
	"weft/route/recipe"
)

type fataler interface{ Fatal(...any) }

// planned is a Plan with several LIDs a host.
func planned(t fataler, g *fabric.Graph, lmc uint8) *route.Plan {
	plan, err := recipe.Run(context.Background(), g, &recipe.Request{Engine: updn.Spec(), Names: lids.Options{LMC: lmc}, Workers: 1}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// choiceText is an H table.
func choiceText(t fataler, g *fabric.Graph, plan *route.Plan) string {
	var b bytes.Buffer
	if err := pathfile.WriteChoice(&b, g, plan); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestChoice: an H table has a line for each LID that a host may use.
func TestChoice(t *testing.T) {
	g := graph(t, "rlft(4,1,hosts=3)")
	table := choiceText(t, g, planned(t, g, 1))
	if n := strings.Count(table, "\n"); n != 1+3*2*2 {
		t.Errorf("%d lines:\n%s", n, table)
	}
}

// TestChoiceRoundTrip: a table that was written is read as it was, whatever hosts use.
func TestChoiceRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := conformance.Draw(t).Compile()
		plan := planned(t, g, 2)
		hosts := int32(g.NumHosts)
		if hosts < 2 {
			return
		}
		row := rapid.Custom(func(t *rapid.T) route.ChoiceRow {
			src := rapid.Int32Range(0, hosts-1).Draw(t, "source")
			dst := (src + rapid.Int32Range(1, hosts-1).Draw(t, "on")) % hosts
			return route.ChoiceRow{Source: src, Target: dst, Offset: rapid.Uint8Range(0, uint8(plan.Ends.Count(dst)-1)).Draw(t, "offset")}
		})
		plan.Choice = route.NewChoice(g.NumEnds, rapid.SliceOf(row).Draw(t, "rows"))
		want := choiceText(t, g, plan)
		again := *plan
		var err error
		if again.Choice, err = pathfile.ReadChoice("h", []byte(want), g, &plan.Ends); err != nil {
			t.Fatal(err)
		}
		if got := choiceText(t, g, &again); got != want {
			t.Fatalf("read as\n%s\nwant\n%s", got, want)
		}
	})
}

// TestBadChoice: what is wrong is told with its line.
func TestBadChoice(t *testing.T) {
	g := graph(t, "rlft(4,1,hosts=3)")
	plan := planned(t, g, 1)
	plan.Ends.Base[2] = 0
	for _, c := range []struct{ table, want string }{
		{"# nothing", "h: the file has no LID"},
		{"\nhost 0|host 1", "h:2: want a source, a target and a LID, separated by tabs"},
		{"host 0|nobody|1", `h:1: target: no host is called "nobody"`},
		{"host 0|host 0|1", "h:1: host 0 is both source and target"},
		{"host 0|host 1|x", `h:1: "x" is no LID`},
		{"host 0|host 1|65536", `h:1: "65536" is no LID`},
		{"host 0|host 1|60000", "h:1: LID 60000 does not belong to "},
		{"host 0|host 2|1", "h:1: no LID of "},
	} {
		_, err := pathfile.ReadChoice("h", []byte(strings.ReplaceAll(c.table, "|", "\t")), g, &plan.Ends)
		if _, ok := errors.AsType[*netfile.Error](err); !ok || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.table, err, c.want)
		}
	}
}

func FuzzReadChoice(f *testing.F) {
	g := graph(f, "rlft(4,1,hosts=3)")
	plan := planned(f, g, 1)
	f.Add([]byte(choiceText(f, g, plan)))
	f.Add([]byte("host 0\thost 1[1]\t0x4\n\n# none\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		choice, err := pathfile.ReadChoice("h", data, g, &plan.Ends)
		if err != nil {
			if _, ok := errors.AsType[*netfile.Error](err); !ok {
				t.Fatal("no place:", err)
			}
			return
		}
		read := *plan
		read.Choice = choice
		if err := read.Fits(g); err != nil {
			t.Fatal(err)
		}
		want := choiceText(t, g, &read)
		if read.Choice, err = pathfile.ReadChoice("h", []byte(want), g, &plan.Ends); err != nil || choiceText(t, g, &read) != want {
			t.Fatal("written and read again it is another table", err)
		}
	})
}
