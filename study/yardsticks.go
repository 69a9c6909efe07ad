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
	servers := serverRows(engines, all)
	fmt.Fprintln(w, "\nThe yardstick: by the rates of links; sums over rounds of the largest congestion")
	if err := Table(w, first); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := Table(w, second); err != nil || servers == nil {
		return err
	}
	fmt.Fprintln(w, "\nServers to servers, each message on all rails that both have; bandwidth of a port, and of a server in links")
	return Table(w, servers)
}

// serverRows lists the figures of servers with several ports; nil if each has one.
func serverRows(engines []string, all []*flow.Yardstick) [][]string {
	rows := [][]string{{"", "SERVERS", "HOST PORTS", "PLANES", "EBB", "+-95%", "A SERVER", "SHIFTS"}}
	for i, y := range all {
		if y != nil && y.Servers != nil {
			s := y.Servers
			rows = append(rows, []string{
				engines[i], strconv.Itoa(s.Servers), strconv.Itoa(s.HostPorts), strconv.Itoa(s.Planes),
				fmt.Sprintf("%.4f", s.EBB.Mean), fmt.Sprintf("%.4f", s.EBB.CI95), fmt.Sprintf("%.2f", s.PerServer.Mean), fmt.Sprintf("%.0f", s.Shift.Sum),
			})
		}
	}
	if len(rows) == 1 {
		return nil
	}
	return rows
}

// leastPairs formats the lower bound of the pairs on a channel, "-" for none.
func leastPairs(bound float64) string {
	if bound == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", bound)
}
