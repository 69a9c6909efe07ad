package sweep

import "slices"

// Older holds rows that may be of older sources of weft. Such a row is of another case than the
// present sources would compute. Setup.Older says whether it may stand in for that case, under its
// own name and with its own sources.
type Older struct {
	Take    bool
	Rows    map[string]*Row // by case
	Sources []string        // of the rows, oldest first
}

// find returns the identity of a case under the newest older sources that have a row of it, nil if
// there is none, or if the present sources have a row. The name of a row is the digest of an
// identity, so a row of another fabric, option or seed is never found.
func (o *Older) find(c *Case) *identity {
	if row := o.Rows[c.Row.Case]; row != nil && !Weak(row) {
		return nil
	}
	for _, sources := range slices.Backward(o.Sources) {
		id := *c.identity
		id.Sources = sources
		name, _ := id.name()
		if row := o.Rows[name]; row != nil && !Weak(row) {
			return &id
		}
	}
	return nil
}

// takeOlder makes a case that of older sources, if they have a row of it and that may be taken.
func (e *expansion) takeOlder(c *Case) {
	id := e.Older.find(c)
	if id == nil {
		return
	}
	e.plan.OlderRows[c.Row.Case] = id.Sources
	if e.Older.Take {
		c.older, c.identity, c.Row.Sources = true, id, id.Sources
		c.Row.Case, c.Row.Identity = id.name()
	}
}
