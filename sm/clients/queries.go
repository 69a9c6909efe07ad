package clients

import (
	"cmp"
	"slices"
	"sync"

	"weft/sm/terms"
	"weft/wire/mad"
)

// queryCounts counts queries. It is safe for concurrent use.
type queryCounts struct {
	mu       sync.Mutex
	by       map[mad.AttrID]*terms.QueryCount // 0: unknown attributes
	unheeded int                              // queries without an answer
}

// count counts a query by its answer, nil for none.
func (c *queryCounts) count(query, answer mad.Datagram) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer == nil {
		c.unheeded++
		return
	}
	n := c.of(query.Attr())
	switch answer.Status() {
	case mad.StatusOK, mad.StatusNoRecords:
		n.Answered++
	case mad.StatusBusy:
		n.Busy++
	default:
		n.Refused++
	}
}

// of returns the count of an attribute.
func (c *queryCounts) of(attr mad.AttrID) *terms.QueryCount {
	name := "other"
	if l := mad.ClassSA.Attribute(attr); l != nil {
		name = l.Name
	} else {
		attr = 0
	}
	n := c.by[attr]
	if n == nil {
		if c.by == nil {
			c.by = map[mad.AttrID]*terms.QueryCount{}
		}
		n = &terms.QueryCount{Attribute: name}
		c.by[attr] = n
	}
	return n
}

// Now returns the counts in the order of attribute names, and the number of queries without an
// answer.
func (c *queryCounts) Now() (list []terms.QueryCount, unheeded int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.by {
		list = append(list, *n)
	}
	slices.SortFunc(list, func(a, b terms.QueryCount) int { return cmp.Compare(a.Attribute, b.Attribute) })
	return list, c.unheeded
}
