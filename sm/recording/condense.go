package recording

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/sm/terms"
)

// Condenser joins the incidents of one cause into one line of the log: of at least leastJoined
// incidents of a kind it finds the device that most of them share. It is not for concurrent use.
type Condenser struct {
	batch  []terms.Incident // of this step of the manager
	coming []terms.Incident // of a cause of which more may come
	since  time.Duration    // time of the step of the first of them
}

// The limits of a Condenser.
const (
	leastJoined = 3  // incidents that become one line
	mostNamed   = 8  // parts named in such a line
	mostLines   = 20 // of causes in one step
)

// longestHeld bounds the time that an incident waits for others of its cause: a long round must not
// hide that something has happened. The time is that of the Manager's steps, which a recording has:
// so a replay joins the same incidents.
const longestHeld = 2500 * time.Millisecond

// Add takes an incident. It returns the lines to be written now, in order. So the order does not
// depend on when Flush is called.
func (c *Condenser) Add(i terms.Incident) []terms.Incident {
	var lines []terms.Incident
	if i.Step != 0 {
		lines = c.heldLong(i.Step)
	}
	switch {
	case i.Kind == terms.RoundEnds || i.Kind == terms.Ended:
		return append(append(lines, c.End()...), i)
	case i.Shared != nil && i.Shared.Comes:
		if len(c.coming) == 0 {
			c.since = i.Step
		}
		c.coming = append(c.coming, i)
		return lines
	case i.Shared == nil && len(c.batch) == 0:
		return append(lines, i)
	}
	c.batch = append(c.batch, i)
	return lines
}

// Flush returns the lines to be written after a step of the Manager. now is the time of the
// Manager.
func (c *Condenser) Flush(now time.Duration) []terms.Incident {
	lines := append(c.heldLong(now), condense(c.batch)...)
	c.batch = nil
	return lines
}

// heldLong returns the lines that have waited for more of their cause long enough. Another run of
// the Manager, at another port, begins at time 0 again.
func (c *Condenser) heldLong(now time.Duration) (lines []terms.Incident) {
	if len(c.coming) > 0 && (now >= c.since+longestHeld || now < c.since) {
		lines, c.coming = condense(c.coming), nil
	}
	return lines
}

// End returns everything that waits.
func (c *Condenser) End() []terms.Incident {
	lines := append(condense(c.batch), condense(c.coming)...)
	c.batch, c.coming = nil, nil
	return lines
}

// condense joins incidents. The line of a group has the place of its first one.
func condense(list []terms.Incident) []terms.Incident {
	list = unfold(list)
	lines := make([]*terms.Incident, len(list))
	groups := map[string][]int{} // of list
	var order []string
	for k := range list {
		i := &list[k]
		lines[k] = i
		if i.Shared == nil || len(i.Shared.Sides) == 0 {
			continue
		}
		key := string(i.Kind) + "\x00" + i.Shared.What
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], k)
	}
	for _, key := range order {
		joinGroup(list, groups[key], lines)
	}
	var out []terms.Incident
	folded := 0
	for _, i := range lines {
		switch {
		case i == nil:
		case i.Shared != nil && len(out) >= mostLines:
			folded++
		default:
			out = append(out, *i)
		}
	}
	if folded > 0 {
		out = append(out, terms.Incident{Kind: terms.FabricChanged, Text: fmt.Sprintf("and %d more changes", folded)})
	}
	return out
}

// unfold replaces incidents that stand for others by these, and drops the addition of a node that
// has returned: one line says so.
func unfold(list []terms.Incident) (all []terms.Incident) {
	returned := map[string]bool{}
	for _, i := range list {
		if i.Shared != nil && len(i.Shared.Rest) > 0 {
			all = append(all, i.Shared.Rest...)
		} else {
			all = append(all, i)
		}
		if i.Kind == terms.NodeReturned && i.Shared != nil && len(i.Shared.Sides) > 0 {
			returned[i.Shared.Sides[0].Part] = true
		}
	}
	return slices.DeleteFunc(all, func(i terms.Incident) bool {
		return i.Kind == terms.FabricChanged && i.Shared != nil && i.Shared.What == terms.NodesAdded && len(i.Shared.Sides) > 0 && returned[i.Shared.Sides[0].Part]
	})
}

// joinGroup joins incidents of one kind by device, the device that most of them share first. It
// puts the joined line in place of the first one and removes the others.
func joinGroup(list []terms.Incident, group []int, lines []*terms.Incident) {
	for {
		by := map[string]int{}
		best := ""
		for _, k := range group {
			for s := range list[k].Shared.Sides {
				device := list[k].Shared.Sides[s].Device
				if by[device]++; by[device] > by[best] {
					best = device
				}
			}
		}
		if by[best] < leastJoined {
			return
		}
		var parts []string
		var first *terms.Incident
		rest := group[:0:0]
		for _, k := range group {
			sides := list[k].Shared.Sides
			s := slices.IndexFunc(sides, func(s terms.Side) bool { return s.Device == best })
			if s < 0 {
				rest = append(rest, k)
				continue
			}
			parts = append(parts, sides[s].Part)
			if lines[k] = nil; first == nil {
				first = &terms.Incident{Kind: list[k].Kind, At: sides[s].At, Shared: list[k].Shared}
				lines[k] = first
			}
		}
		what := strings.NewReplacer("{n}", strconv.Itoa(len(parts)), "{at}", best).Replace(first.Shared.What)
		first.Text = what + ": " + firstOf(parts)
		group = rest
	}
}

// firstOf lists the first parts, and counts the others.
func firstOf(parts []string) string {
	if more := len(parts) - mostNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(parts[:mostNamed], ", "), more)
	}
	return strings.Join(parts, ", ")
}
