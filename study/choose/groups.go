package choose

import "fmt"

// leastGroups is the minimum number of groups of a network of groups.
const leastGroups = 3

// dragonfly returns the smallest Dragonfly.
func dragonfly(n need) smallest {
	var best smallest
	for p := 1; p < n.radix; p++ {
		for h := ceilDivRatio(p, n.pods); p+h < n.radix; h++ {
			first, local := 2*h, quotient(2*h, 1) // the load of local cables, times a
			if n.pods > n.ratio {
				first, local = max(2, ceilDivRatio(2*p, n.ratio)), quotient(2*p, 1)
			}
			if p+h+first-1 > n.radix {
				break
			}
			for a := first; p+h+a-1 <= n.radix; a++ {
				groups := ceilDiv(n.hosts, a*p)
				if groups < leastGroups || groups > a*h+1 {
					continue
				}
				switches, cables := groups*a, groups*a*(a-1)/2+groups*a*h/2
				if best.beats(switches, cables) {
					best.try(switches, cables, max(quotient(p, h), local/float64(a)), "dragonfly(%d,%d,%d,groups=%d,hosts=%d)", a, p, h, groups, n.hosts)
					best.between, best.groups = quotient(p, h), groups
				}
			}
		}
	}
	return best
}

// dragonflyPlus returns the smallest Dragonfly+.
func dragonflyPlus(n need) smallest {
	var best smallest
	for spines := 1; spines < n.radix; spines++ {
		for p := 1; p <= min(floorTimes(n.ratio, spines), n.radix-spines); p++ {
			for leaves := 1; leaves < n.radix; leaves++ {
				groups := ceilDiv(n.hosts, leaves*p)
				if groups < leastGroups {
					break
				}
				h := max(ceilDiv(ceilDivRatio(leaves*p, n.pods), spines), ceilDiv(groups-1, spines))
				switches, cables := groups*(leaves+spines), groups*(leaves*spines+spines*h/2)
				if leaves+h <= n.radix && best.beats(switches, cables) {
					best.try(switches, cables, max(quotient(p, spines), quotient(leaves*p, spines*h)), "dragonflyplus(%d,%d,%d,%d,groups=%d,hosts=%d)", leaves, spines, p, h, groups, n.hosts)
					best.between, best.groups = quotient(leaves*p, spines*h), groups
				}
			}
		}
	}
	return best
}

// slimFly returns the smallest Slim Fly: 2 q^2 switches with 3q-1 or 3q+1 half cables each, for q
// an odd prime.
func slimFly(n need) smallest {
	for q := 3; 3*q-1 < 2*n.radix; q += 2 {
		degree := (3*q - 1) / 2
		if q%4 == 3 {
			degree = (3*q + 1) / 2
		}
		perSwitch := ceilDiv(n.hosts, 2*q*q)
		if isPrime(q) && degree+perSwitch <= n.radix && perSwitch <= floorTimes(n.ratio, ceilDiv(degree, 2)) {
			hops := 2 - quotient(degree, 2*q*q-1) // on average, between two switches
			return smallest{switches: 2 * q * q, load: hops * quotient(perSwitch, degree), formula: fmt.Sprintf("slimfly(%d,hosts=%d)", q, perSwitch)}
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
