package study

import (
	"fmt"
	"io"
	"strconv"

	"weft/sim/flow"
)

// WriteYardsticks prints the yardsticks of several engines in two tables, so that they fit a page.
// all holds one yardstick for each engine, nil for none.
func WriteYardsticks(w io.Writer, engines []string, all []*flow.Yardstick) error {
	first := [][]string{{"", "EBB", "+-95%", "BOUND", "SHIFTS", "DOUBLING", "DOUBLING random"}}
	second := [][]string{{"", "PERMUTATION median/99%", "PAIRS/CHANNEL hosts/all", "LEAST", "DARK"}}
	for i, y := range all {
		if y != nil {
			first = append(first, []string{
				engines[i], fmt.Sprintf("%.4f", y.EBB.Mean), fmt.Sprintf("%.4f", y.EBB.CI95), fmt.Sprintf("%.4f", y.EBBBound),
				fmt.Sprintf("%.0f", y.Shift.Sum), fmt.Sprintf("%.1f", y.Doubling.Sum), fmt.Sprintf("%.1f", y.DoublingRandom.Sum),
			})
			second = append(second, []string{
				engines[i], fmt.Sprintf("%.2f/%.2f", y.PermutationMedian, y.PermutationP99), fmt.Sprintf("%d/%d", y.PairLoad, y.PairLoadSwitches), leastPairs(y.PairLoadBound),
				strconv.Itoa(y.DarkChannels),
			})
		}
	}
	if len(first) == 1 {
		return nil
	}
	fmt.Fprintln(w, "\nThe yardstick: by the rates of links; sums over rounds of the largest congestion")
	if err := Table(w, first); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return Table(w, second)
}

// leastPairs formats the lower bound of the pairs on a channel, "-" for none.
func leastPairs(bound float64) string {
	if bound == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", bound)
}
