package study

import (
	"strings"
	"testing"

	"weft/internal/fold"
	"weft/sim/flow"
)

// TestYardstickFitsAPage: the names of engines and figures as long as they usually get stay within
// a line.
func TestYardstickFitsAPage(t *testing.T) {
	y := &flow.Yardstick{PermutationMedian: 100, PermutationP99: 100, PairLoadSwitches: 123456, PairLoadBound: 123456}
	y.PairLoad, y.DarkChannels = 123456, 10000
	y.Shift.Sum, y.Doubling.Sum, y.DoublingRandom.Sum = 123456, 1234, 1234
	var b strings.Builder
	if err := WriteYardsticks(&b, []string{"auto: dfsssp"}, []*flow.Yardstick{y}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(strings.TrimSpace(line)) > fold.Columns {
			t.Errorf("wider than %d: %s", fold.Columns, line)
		}
	}
}
