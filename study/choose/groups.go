package choose

import (
	"fmt"
	"math"

	"weft/fabric/gen"
)

// tree returns the smallest fat tree; its formula finds it.
func tree(hosts, radix int, ratio float64) smallest {
	formula := fmt.Sprintf("tree(%d,%d)", radix, hosts)
	if ratio > 1 {
		formula = fmt.Sprintf("tree(%d,%d,ratio=%g)", radix, hosts, ratio)
	}
	if _, err := gen.Parse(formula); err != nil {
		return smallest{}
	}
	return smallest{load: ratio, formula: formula}
}

// rails returns the smallest rail-optimised tree: k rail switches in each pod, all joined to all
// spines. If these have too few ports it is a network of planes (railPlanes).
func rails(hosts, radix, k int, ratio float64) smallest {
	var best smallest
	for pods := 2; pods*k <= radix; pods++ {
		servers := ceilDiv(hosts, pods)
		for width := 1; pods*k*width <= radix; width++ {
			spines := ceilDiv(ceilDivRatio(servers, ratio), width)
			if servers+spines*width > radix {
				continue
			}
			best.try(pods*k+spines, pods*k*spines*width, quotient(servers, spines*width), "rail(%d,%d,%d,spines=%d,width=%d)", k, servers, pods, spines, width)
		}
	}
	if best.formula == "" && k <= radix {
		return railPlanes(hosts, radix, k, ratio)
	}
	return best
}

// railPlanes returns the smallest network of two-level planes, one for each rail, joined by cores.
// All but one part in k of uniform traffic crosses to another rail.
func railPlanes(hosts, radix, k int, ratio float64) smallest {
	var best smallest
	for pods := 2; pods < radix; pods++ {
		servers := ceilDiv(hosts, pods)
		for width := 1; pods*width < radix; width++ {
			spines := ceilDiv(ceilDivRatio(servers, ratio), width)
			away := quotient(pods*servers*(k-1), k*spines) // traffic of a spine to cores
			up := max(1, int(math.Ceil(away/ratio-1e-9)))
			cores := ceilDiv(up, min(up, radix/k))
			up = ceilDiv(up, cores)
			if servers+spines*width > radix || pods*width+cores*up > radix {
				continue
			}
			best.try(pods*k+k*spines+spines*cores, k*pods*spines*width+k*spines*cores*up, max(quotient(servers, spines*width), away/float64(cores*up)),
				"rail(%d,%d,%d,spines=%d,width=%d,cores=%d,up=%d)", k, servers, pods, spines, width, cores, up)
		}
	}
	return best
}

// leastGroups is the minimum number of groups of a network of groups.
const leastGroups = 3

// dragonfly returns the smallest Dragonfly.
func dragonfly(hosts, radix int, ratio float64) smallest {
	var best smallest
	for p := 1; p < radix; p++ {
		for h := ceilDivRatio(p, ratio); p+h+2*h-1 <= radix; h++ {
			for a := 2 * h; p+h+a-1 <= radix; a++ {
				groups := ceilDiv(hosts, a*p)
				if groups < leastGroups || groups > a*h+1 {
					continue
				}
				switches, cables := groups*a, groups*a*(a-1)/2+groups*a*h/2
				if best.beats(switches, cables) {
					best.try(switches, cables, max(quotient(p, h), quotient(2*h, a)), "dragonfly(%d,%d,%d,groups=%d,hosts=%d)", a, p, h, groups, hosts)
				}
			}
		}
	}
	return best
}

// dragonflyPlus returns the smallest Dragonfly+.
func dragonflyPlus(hosts, radix int, ratio float64) smallest {
	var best smallest
	for spines := 1; spines < radix; spines++ {
		for p := 1; p <= min(floorTimes(ratio, spines), radix-spines); p++ {
			for leaves := 1; leaves < radix; leaves++ {
				groups := ceilDiv(hosts, leaves*p)
				if groups < leastGroups {
					break
				}
				h := max(ceilDiv(ceilDivRatio(leaves*p, ratio), spines), ceilDiv(groups-1, spines))
				switches, cables := groups*(leaves+spines), groups*(leaves*spines+spines*h/2)
				if leaves+h <= radix && best.beats(switches, cables) {
					best.try(switches, cables, max(quotient(p, spines), quotient(leaves*p, spines*h)), "dragonflyplus(%d,%d,%d,%d,groups=%d,hosts=%d)", leaves, spines, p, h, groups, hosts)
				}
			}
		}
	}
	return best
}

// slimFly returns the smallest Slim Fly: 2 q^2 switches with 3q-1 or 3q+1 half cables each, for q
// an odd prime.
func slimFly(hosts, radix int, ratio float64) smallest {
	for q := 3; 3*q-1 < 2*radix; q += 2 {
		degree := (3*q - 1) / 2
		if q%4 == 3 {
			degree = (3*q + 1) / 2
		}
		perSwitch := ceilDiv(hosts, 2*q*q)
		if isPrime(q) && degree+perSwitch <= radix && perSwitch <= floorTimes(ratio, ceilDiv(degree, 2)) {
			hops := 2 - quotient(degree, 2*q*q-1) // on average, between two switches
			return smallest{load: hops * quotient(perSwitch, degree), formula: fmt.Sprintf("slimfly(%d,hosts=%d)", q, perSwitch)}
		}
	}
	return smallest{}
}

func isPrime(q int) bool {
	for d := 2; d*d <= q; d++ {
		if q%d == 0 {
			return false
		}
	}
	return q > 1
}
