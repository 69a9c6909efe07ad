package algorithm

import (
	"fmt"
	"slices"
	"testing"

	"weft/mapping"
	"weft/mapping/mappingtest"
)

// share returns the probes that coupon sends from a host, as a share of berkeley's.
func share(t *testing.T, n *mapping.Network, host int32) float64 {
	ours := run(t, "coupon", n, host, mapping.Circuit).Probes.Total().Sent
	return float64(ours) / float64(run(t, "berkeley", n, host, mapping.Circuit).Probes.Total().Sent)
}

// checkShares checks the median, and how many shares are above 1.
func checkShares(t *testing.T, what string, shares []float64, mostAbove int) {
	slices.Sort(shares)
	above := 0
	for _, s := range shares {
		if s > 1 {
			above++
		}
	}
	if median := shares[len(shares)/2]; median > 0.6 || above > mostAbove {
		t.Errorf("%s: the median is %.2f of berkeley's probes, %d of %d above 1", what, median, above, len(shares))
	} else {
		t.Logf("%s: %.2f to %.2f, the median %.2f, %d of %d above 1", what, shares[0], shares[len(shares)-1], median, above, len(shares))
	}
}

// TestShares: coupon sends at most 0.6 of the probes of berkeley in the median, more than it
// from no host of the NOW networks, and on at most 5 of 200 random networks of mean
// degree 3 to 8.
func TestShares(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 3
	}
	for _, formula := range []string{"now-c", "now-ca", "now-cab"} {
		n := mappingtest.Network(t, formula)
		var shares []float64
		for h := 0; h < n.NumHosts(); h += step {
			shares = append(shares, share(t, n, int32(h)))
		}
		checkShares(t, formula, shares, 0)
	}
	var shares []float64
	for seed := 0; seed < 200; seed += step {
		switches, degree := 12+seed%40, 3+seed%6
		formula := fmt.Sprintf("random(switches=%d,hosts=%d,links=%d,seed=%d)", switches, 1+seed%2, switches*degree/2, seed+1)
		shares = append(shares, share(t, mappingtest.Network(t, formula), 0))
	}
	checkShares(t, "random networks", shares, 5)
}
