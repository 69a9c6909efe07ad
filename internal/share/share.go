// Package share divides places among ports, so that no port can take all of them.
//
// A place is what a port holds at the manager: a multicast group, a service, a message under way.
// The rule for all kinds is Rule.Allows: a port may take another place if it holds fewer than a few
// (Floor), or fewer than a percentage of the free places. So shares shrink as places become scarce.
// At 10 %, one port gets at most 1/11 of all places, 10 such ports together half, and ports that
// hold few find room until none is left. (A. Choudhury and E. Hahne, "Dynamic Queue Length
// Thresholds for Shared-Memory Packet Switches", IEEE/ACM ToN 1998.)
//
// The rule limits new places only. A port that holds more than its share, for example by a copy
// from another manager, keeps it.
package share

// The share of a port.
const (
	UsualPercent = 10 // of the free places
	Floor        = 16 // places that any port may hold
)

// Rule is the share of a port. The zero value is the usual one.
type Rule struct {
	Percent int // of the free places, 1 to 100; 0: UsualPercent
}

// Allows reports whether a port that holds some of the used places may take another one.
func (r Rule) Allows(held, used, most int) bool {
	return used < most && (held < Floor || held*100 < (most-used)*r.percent())
}

// Fits reports whether a port may take n more units of something whose pieces vary in size. A first
// piece needs only room.
func (r Rule) Fits(n, held, used, most int) bool {
	return used+n <= most && (held == 0 || (held+n)*100 <= (most-used)*r.percent())
}

func (r Rule) percent() int {
	if r.Percent == 0 {
		return UsualPercent
	}
	return r.Percent
}

// Count counts the used places by holder. The zero value is empty.
type Count[K comparable] struct {
	all int
	of  map[K]int
}

// Add adds places of a holder, or removes them if n is negative.
func (c *Count[K]) Add(holder K, n int) {
	if c.of == nil {
		c.of = map[K]int{}
	}
	c.all += n
	if c.of[holder] += n; c.of[holder] == 0 {
		delete(c.of, holder)
	}
}

// Of returns the number of places of a holder.
func (c *Count[K]) Of(holder K) int { return c.of[holder] }

// All returns the number of used places.
func (c *Count[K]) All() int { return c.all }

// Clear removes all places.
func (c *Count[K]) Clear() {
	c.all = 0
	clear(c.of)
}

// Allows reports whether a holder may take another place by a rule.
func (c *Count[K]) Allows(r Rule, holder K, most int) bool {
	return r.Allows(c.of[holder], c.all, most)
}
