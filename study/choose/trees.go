package choose

import (
	"fmt"
	"math"
	"strings"

	"weft/fabric/gen"
)

// tree returns the smallest fat tree; its formula finds it.
func tree(n need) smallest { return treeOf(n, 0) }

// growingTree returns the smallest fat tree whose first pod holds the hosts of the first step, so
// that no roots are bought before the second one.
func growingTree(n need) smallest { return treeOf(n, n.first) }

func treeOf(n need, first int) smallest {
	ratio, pods := max(n.ratio, 1), 0.0
	if n.pods > n.ratio {
		pods = n.pods
	}
	switches, load, err := gen.TreeSize(n.radix, n.hosts, ratio, pods, first)
	if err != nil {
		return smallest{}
	}
	if pods == 0 {
		load = ratio
	}
	args := []string{fmt.Sprintf("tree(%d,%d", n.radix, n.hosts)}
	if ratio > 1 {
		args = append(args, fmt.Sprintf("ratio=%g", ratio))
	}
	if pods > 0 {
		args = append(args, fmt.Sprintf("pods=%g", pods))
	}
	if first > 0 {
		args = append(args, fmt.Sprintf("first=%d", first))
	}
	return smallest{switches: switches, load: load, formula: strings.Join(args, ",") + ")"}
}

// rails returns the smallest rail-optimised tree: k rail switches in each pod, all joined to all
// spines. If these have too few ports it is a network of planes (railPlanes).
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
			best.try(pods*k+spines, pods*k*spines*width, quotient(servers, spines*width), "rail(%d,%d,%d,spines=%d,width=%d)", k, servers, pods, spines, width)
		}
	}
	if best.formula == "" && k <= n.radix {
		return railPlanes(n)
	}
	return best
}

// railPlanes returns the smallest network of two-level planes, one for each rail, joined by cores.
// All but one part in k of uniform traffic crosses to another rail.
func railPlanes(n need) smallest {
	var best smallest
	k := n.rails
	for pods := 2; pods < n.radix; pods++ {
		servers := ceilDiv(n.hosts, pods)
		for width := 1; pods*width < n.radix; width++ {
			spines := ceilDiv(ceilDivRatio(servers, n.ratio), width)
			away := quotient(pods*servers*(k-1), k*spines) // traffic of a spine to cores
			up := max(1, int(math.Ceil(away/n.pods-1e-9)))
			cores := ceilDiv(up, min(up, n.radix/k))
			up = ceilDiv(up, cores)
			if servers+spines*width > n.radix || pods*width+cores*up > n.radix {
				continue
			}
			best.try(pods*k+k*spines+spines*cores, k*pods*spines*width+k*spines*cores*up, max(quotient(servers, spines*width), away/float64(cores*up)),
				"rail(%d,%d,%d,spines=%d,width=%d,cores=%d,up=%d)", k, servers, pods, spines, width, cores, up)
		}
	}
	return best
}
