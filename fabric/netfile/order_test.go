package netfile

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/examples"
	"weft/fabric"
)

// A dump says every cable twice and its nodes in any order: shuffled blocks, with
// any of the second listings of cables left out, give the same fabric.
func TestOrderAndSecondListingsDoNotMatter(t *testing.T) {
	var blocks []string
	for b := range strings.SplitSeq(string(examples.PSMNX5), "\n\n") {
		if strings.HasPrefix(b, "vendid=") {
			blocks = append(blocks, b)
		}
	}
	if len(blocks) != 100 {
		t.Fatalf("%d blocks, want 100", len(blocks))
	}
	want := mustRead(t, strings.Join(blocks, "\n\n"), Options{Partial: true})
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.Permutation(blocks).Draw(t, "order")
		drop := rapid.Uint64().Draw(t, "drop")
		f, _, err := Read("file", []byte(dropListings(order, drop)), Options{Partial: true})
		if err != nil {
			t.Fatal(err)
		}
		if d := fabric.Diff(want, f); len(d) != 0 {
			t.Fatalf("%d changes, first %s", len(d), d[0])
		}
	})
}

// dropListings joins blocks but drops, by the bits of drop, port lines of switches whose cable is
// also listed from the other end. (A CA's own lines contain its LMC.)
func dropListings(blocks []string, drop uint64) string {
	var b strings.Builder
	listed := map[string]bool{} // switch-to-switch cables that were written, by both ends
	for _, block := range blocks {
		self := ""
		for line := range strings.SplitSeq(block, "\n") {
			isSwitch := strings.HasPrefix(line, "Switch")
			if isSwitch || strings.HasPrefix(line, "Ca") {
				self = strings.Split(line, `"`)[1]
			}
			if strings.HasPrefix(line, "[") && self[0] == 'S' {
				port, rest, _ := strings.Cut(line, `"`)
				peer, rest, _ := strings.Cut(rest, `"`)
				far, _, _ := strings.Cut(rest, "]")
				here, there := self+strings.TrimSpace(port), peer+far+"]"
				drop = drop>>1 | drop<<63
				if drop&1 != 0 && (peer[0] == 'H' || listed[there+here]) {
					continue
				}
				listed[here+there] = true
			}
			b.WriteString(line + "\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}
