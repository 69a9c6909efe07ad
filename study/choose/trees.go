package choose

import (
	"fmt"
	"math"
	"strings"

	fewest "weft/fabric/gen/smallest"
)

// tree returns the smallest fat tree; its formula finds it.
func tree(n need) smallest { return treeOf(n, 0) }

// growingTree returns the smallest fat tree whose first pod holds the hosts of the first step, so
// that no roots are bought before the second one.
func growingTree(n need) smallest { return treeOf(n, n.first) }

func treeOf(n need, first int) smallest {
	pods := 0.0
	if n.pods > n.ratio {
		pods = n.pods
	}
	t, err := fewest.Find(n.radix, n.hosts, fewest.Limits{Ratio: n.ratio, PodRatio: pods, First: first})
	if err != nil {
		return smallest{}
	}
	if t.Levels() < 3 {
		pods, first = 0, 0 // there are no pods
	}
	load := n.ratio
	if pods > 0 {
		load = t.Load()
	}
	args := []string{fmt.Sprintf("tree(%d,%d", n.radix, n.hosts)}
	if n.ratio > 1 {
		args = append(args, fmt.Sprintf("ratio=%g", n.ratio))
	}
	if pods > 0 {
		args = append(args, fmt.Sprintf("pods=%g", pods))
	}
	if first > 0 {
		args = append(args, fmt.Sprintf("first=%d", first))
	}
	return smallest{switches: t.Switches(), load: load, formula: strings.Join(args, ",") + ")"}
}

// rails returns the smallest rail-optimised tree: k rail switches in each pod, all joined to all
// spines. If these have too few ports, every rail has spines of its own (railPlanes).
func rails(n need) smallest {
	var best smallest
	k := n.rails
	for pods := 2; pods*k <= n.radix; pods++ {
		servers := ceilDiv(n.hosts, pods)
		for width := 1; pods*k*width <= n.radix; width++ {
			spines := ceilDiv(ceilDivRatio(servers, n.ratio), width)
			if servers+spines*width > n.radix {
				continue
			}
			best.try(pods*k+spines, pods*k*spines*width, quotient(servers, spines*width), "rail(%d,%d,%d,spines=%d,width=%d%s)", k, servers, pods, spines, width, railHosts(n, pods, servers))
		}
	}
	if best.formula == "" {
		best = railsWithCores(n, 0)
	}
	return best
}

// railsWithCores returns the smallest network of rails that cores join. If first is not 0, it
// returns the one with the fewest switches for the first hosts.
func railsWithCores(n need, first int) (best smallest) {
	for groups := 1; groups*n.rails <= n.radix; groups++ {
		railPlanes(n, groups, first, &best)
	}
	return best
}

// growingRails returns the network of rails and cores that takes the fewest switches at the first
// step of growth.
func growingRails(n need) smallest { return railsWithCores(n, n.first) }

// railHosts is the argument hosts= of a rail-optimised tree whose pods hold more.
func railHosts(n need, pods, servers int) string {
	if pods*servers == n.hosts {
		return ""
	}
	return fmt.Sprintf(",hosts=%d", n.hosts)
}

// railPlanes tries all networks of this form: every rail has spines of its own in each group of
// pods, and cores join them. Of uniform traffic, one part in k times groups stays below the spines
// of its rail and group.
func railPlanes(n need, groups, first int, best *smallest) {
	k, sets := n.rails, n.rails*groups
	for inGroup := 1; inGroup < n.radix; inGroup++ {
		pods := groups * inGroup
		servers := ceilDiv(n.hosts, pods)
		if pods == 1 || servers >= n.radix {
			continue
		}
		for width := 1; inGroup*width < n.radix; width++ {
			spines := ceilDiv(ceilDivRatio(servers, n.ratio), width)
			away := quotient(inGroup*servers*(sets-1), sets*spines) // traffic of a spine to cores
			up := max(1, int(math.Ceil(away/n.pods-1e-9)))
			cores := ceilDiv(up, min(up, n.radix/sets))
			up = ceilDiv(up, cores)
			if servers+spines*width > n.radix || inGroup*width+cores*up > n.radix {
				continue
			}
			more := railHosts(n, pods, servers)
			if groups > 1 {
				more = fmt.Sprintf(",groups=%d", groups) + more
			}
			now := 0
			if first > 0 {
				standing := ceilDiv(first, servers)
				now = standing*k + ceilDiv(standing, inGroup)*k*spines + spines*cores
			}
			if best.formula != "" && now > best.first {
				continue
			}
			if now < best.first {
				*best = smallest{}
			}
			best.try(pods*k+sets*spines+spines*cores, k*pods*spines*width+sets*spines*cores*up, max(quotient(servers, spines*width), away/float64(cores*up)),
				"rail(%d,%d,%d,spines=%d,width=%d,cores=%d,up=%d%s)", k, servers, pods, spines, width, cores, up, more)
			best.first = now
		}
	}
}
