package machine_test

import (
	"strings"
	"testing"

	"weft/apps/goal"
	"weft/apps/machine"
)

// TestEarlierEventFirst: of operations that wait for a processor the one with the earliest event is
// first, also if it began to wait last. The events of l2 and l5 come into being at 0, when l1 and
// l3 begin: l5 waits from 100 on, l2 from 1000 on.
func TestEarlierEventFirst(t *testing.T) {
	s, err := goal.Read(strings.NewReader(`num_ranks 1
rank 0 {
l1: calc 1000 cpu 0
l2: calc 5 cpu 1
l3: calc 100 cpu 2
l4: calc 2000 cpu 1
l5: calc 7 cpu 1
l6: calc 10000 cpu 0
l2 requires l1
l5 requires l3
l6 requires l5
}
`))
	if err != nil {
		t.Fatal(err)
	}
	m := machine.New(s.Start(), machine.Usual)
	if err := m.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if end := m.End(0); end != 2000+5+7+10000 {
		t.Errorf("the rank ends at %d, want 12012", end)
	}
}
