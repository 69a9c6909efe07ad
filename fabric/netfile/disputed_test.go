package netfile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/netfiletest"
)

// TestContradictions: for random lines about cables, a cable is used if and only if all lines about
// its ports agree. The others are listed with their lines, and the file is refused unless that is
// allowed.
func TestContradictions(t *testing.T) {
	type port struct{ node, port int }
	type cable struct{ a, b port }
	refused := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 15))
		var text strings.Builder
		told := map[cable]bool{}
		of := map[port]map[cable]bool{}
		for n := range 4 {
			fmt.Fprintf(&text, "Switch 4 \"S-000000000000000%d\"\n", n+1)
			for range rng.IntN(4) {
				a, b := port{n, 1 + rng.IntN(4)}, port{rng.IntN(4), 1 + rng.IntN(4)}
				fmt.Fprintf(&text, "[%d] \"S-000000000000000%d\"[%d]\n", a.port, b.node+1, b.port)
				c := cable{a, b}
				if b.node < a.node || b.node == a.node && b.port < a.port {
					c = cable{b, a}
				}
				told[c] = true
				for _, p := range []port{a, b} {
					if of[p] == nil {
						of[p] = map[cable]bool{}
					}
					of[p][c] = true
				}
			}
		}
		want := 0
		for c := range told {
			if len(of[c.a]) == 1 && len(of[c.b]) == 1 && c.a != c.b {
				want++
			}
		}
		contradicted := slices.ContainsFunc(portsOf(of), func(n int) bool { return n > 1 })
		f, warnings, err := Read("told", []byte(text.String()), Options{Disputed: true})
		if strings.Contains(fmt.Sprint(err), "ends early") {
			f, warnings, err = Read("told", []byte(text.String()), Options{Partial: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		named := slices.ContainsFunc(warnings, func(w lines.Warning) bool {
			return w.Dispute != nil && w.Dispute.Cables && len(w.Dispute.Ports) == 4 && w.Line > 0 && strings.Contains(w.Dispute.Text, fmt.Sprint(w.Line))
		})
		if len(f.Links) != want || named != contradicted {
			t.Errorf("%d cables, want %d, named %v, want %v:\n%s%v", len(f.Links), want, named, contradicted, text.String(), warnings)
		}
		for _, l := range f.Links {
			a, b := port{int(f.Nodes[l.A.Node].GUID) - 1, int(l.A.Port)}, port{int(f.Nodes[l.B.Node].GUID) - 1, int(l.B.Port)}
			if !told[cable{a, b}] && !told[cable{b, a}] {
				t.Errorf("%v - %v is told by no line", a, b)
			}
		}
		if _, _, err := Read("told", []byte(text.String()), Options{}); contradicted {
			refused++
			if err == nil || !strings.HasSuffix(err.Error(), netfiletest.Again) {
				t.Errorf("%v", err)
			}
		}
	}
	if refused < 50 {
		t.Errorf("%d files with contradictions", refused)
	}
}

// portsOf counts the different values for each port.
func portsOf[K comparable, V comparable](of map[K]map[V]bool) (counts []int) {
	for _, all := range of {
		counts = append(counts, len(all))
	}
	return counts
}

// TestDisputes: contradictions about a cable or port are in its warning.
func TestDisputes(t *testing.T) {
	const text = `Switch 8 "S-0000000000000001"		# "a" base port 0 lid 1 lmc 0
[1] "H-0000000000000002"[1](3) # "h" lid 5 4xSDR
Ca 1 "H-0000000000000002"		# "h"
[1](4) "S-0000000000000001"[1] # lid 6 lmc 0 "a" lid 1 1xSDR
`
	_, warnings, err := Read("odd", []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range warnings {
		if d := w.Dispute; d != nil {
			got = append(got, fmt.Sprint(len(d.Ports), " ", d.Ports[len(d.Ports)-1].Short(), " ", d.Text, " ", d.Cables))
		}
	}
	want := []string{
		"1 h[1] GUID 0x0000000000000004 by line 4, 0x0000000000000003 before false",
		"1 h[1] LID 6 by line 4, LID 5 before false", "2 h[1] 4x by one end, 1x by the other false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
