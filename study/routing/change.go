package routing

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/judge/check"
	"weft/planner"
	"weft/route"
	"weft/route/repair"
	"weft/study"
)

// Change describes the changes of a new Plan in a subnet with an old one.
type Change struct {
	Since   string `json:"since"`   // the file of the old Plan
	Ports   Tally  `json:"ports"`   // end ports, by base LID
	LIDs    Tally  `json:"lids"`    // moved: it names another port now
	Pairs   *Tally `json:"pairs"`   // of hosts; kept: every LID in use still is; null unless sources choose among LIDs
	Entries Tally  `json:"entries"` // entries of the forwarding tables of present switches
	Blocks  int    `json:"blocks"`  // blocks of 64 entries to write

	// Repair counts the work of a repair of the old Plan. It is null if an engine routed afresh;
	// the reason is given if a repair was impossible.
	Repair      *repair.Figures `json:"repair"`
	NotRepaired string          `json:"not_repaired,omitempty"`
	Balance     *Balance        `json:"balance,omitempty"` // of the repaired Plan; absent with --no-check and on very large fabrics
	// Mixture says what can happen while switches hold entries of both Plans; absent with
	// --no-check.
	Mixture *check.Mixture `json:"mixture,omitempty"`

	Switches []SwitchChange `json:"switches"` // switches to write to
	Moved    []MovedPort    `json:"moved_ports"`

	numSwitches int // of the fabric
}

// Tally counts unchanged, changed, new and removed items.
type Tally struct {
	Kept  int `json:"kept"`
	Moved int `json:"moved"`
	New   int `json:"new"`
	Gone  int `json:"gone"`
}

// SwitchChange describes the writes of the manager to a switch.
type SwitchChange struct {
	GUID    fabric.GUID `json:"guid"`
	Name    string      `json:"name"`
	Entries Tally       `json:"entries"`
	Blocks  int         `json:"blocks"`
}

// MovedPort is an end port with a new base LID.
type MovedPort struct {
	GUID fabric.GUID `json:"guid"` // of the node
	Name string      `json:"name"`
	Port uint8       `json:"port"`
	From fabric.LID  `json:"from"`
	To   fabric.LID  `json:"to"`
}

// NewChange makes the document of a Change from the Plan of a file to the Plan of a job. mixture
// and balance may be nil.
func NewChange(since string, g *fabric.Graph, c *route.Change, r *planner.Result, mixture *check.Mixture, balance *Balance) *Change {
	out := &Change{
		Since: since, Ports: Tally(c.Ports), LIDs: Tally(c.LIDs), Pairs: (*Tally)(c.Pairs), Entries: Tally(c.Entries),
		Blocks: c.Blocks, Repair: r.Repaired, Mixture: mixture, Balance: balance, Switches: []SwitchChange{}, Moved: []MovedPort{}, numSwitches: g.NumSwitches,
	}
	if r.NotRepaired != nil {
		out.NotRepaired = r.NotRepaired.Error()
	}
	for _, s := range c.Switches {
		out.Switches = append(out.Switches, SwitchChange{g.SwitchGUID[s.Switch], g.SwitchDesc[s.Switch], Tally(s.Entries), s.Blocks})
	}
	for _, m := range c.Moved {
		out.Moved = append(out.Moved, MovedPort{g.EndNodeGUID[m.End], g.EndDesc[m.End], g.EndNum[m.End], m.From, m.To})
	}
	return out
}

// changesShown limits the listed ports and switches.
const changesShown = 10

func (c *Change) write(w io.Writer) error {
	rows := [][]string{{"since " + c.Since, "kept", "moved", "new", "gone"}}
	row := func(what string, t Tally) {
		rows = append(rows, []string{what, strconv.Itoa(t.Kept), strconv.Itoa(t.Moved), strconv.Itoa(t.New), strconv.Itoa(t.Gone)})
	}
	row("end ports", c.Ports)
	row("LIDs", c.LIDs)
	if c.Pairs != nil {
		row("pairs of hosts", *c.Pairs)
	}
	row("forwarding entries", c.Entries)
	if err := study.Table(w, rows); err != nil {
		return err
	}
	for i, p := range c.Moved {
		if i == changesShown {
			fmt.Fprintf(w, "  and %d more ports (--json lists all)\n", len(c.Moved)-i)
			break
		}
		fmt.Fprintf(w, "  %q (%s) port %d moves from LID %d to %d\n", p.Name, p.GUID, p.Port, p.From, p.To)
	}
	c.writeRepair(w)
	fmt.Fprintf(w, "to write: %d of %d switches, %d blocks of %d entries\n", len(c.Switches), c.numSwitches, c.Blocks, route.BlockSize)
	c.writeMixture(w)
	if len(c.Switches) == 0 {
		return nil
	}
	most := slices.SortedStableFunc(slices.Values(c.Switches), func(a, b SwitchChange) int {
		return cmp.Compare(b.Entries.changed(), a.Entries.changed())
	})
	rows = [][]string{{"  switch", "entries", "blocks"}}
	for i := range most[:min(len(most), changesShown)] {
		s := &most[i]
		rows = append(rows, []string{fmt.Sprintf("  %q (%s)", s.Name, s.GUID), strconv.Itoa(s.Entries.changed()), strconv.Itoa(s.Blocks)})
	}
	if more := len(most) - changesShown; more > 0 {
		rows = append(rows, []string{fmt.Sprintf("  and %d more (--json lists all)", more)})
	}
	return study.Table(w, rows)
}

// writeRepair prints the work of a repair, or the reason why there was none.
func (c *Change) writeRepair(w io.Writer) {
	if c.NotRepaired != "" {
		fmt.Fprintln(w, "routed afresh:", c.NotRepaired)
	}
	r := c.Repair
	if r == nil {
		return
	}
	fmt.Fprintf(w, "repaired: %d entries for %d LIDs crossed what is lost, in %d blocks; %d of them moved, %d entries are new, %d dropped\n",
		r.Crossed, r.Columns, r.CrossedBlocks, r.Moved, r.Filled, r.Dropped)
	if r.Dependencies > 0 {
		fmt.Fprintf(w, "%d channel dependencies are new\n", r.Dependencies)
	}
	if r.Relaned > 0 {
		fmt.Fprintf(w, "%d classes of pairs got another service level: their sources must ask for path records again\n", r.Relaned)
	}
	if r.Unordered {
		fmt.Fprintln(w, "the old Plan has cycles of channel dependencies, and so none were avoided")
	}
	if r.Unused > 0 {
		fmt.Fprintf(w, "%d links that have come carry nothing yet; --rebalance uses them\n", r.Unused)
	}
	c.Balance.write(w)
}

// writeMixture prints what can happen while the manager writes the tables.
func (c *Change) writeMixture(w io.Writer) {
	m := c.Mixture
	switch {
	case m == nil:
		return
	case m.OK:
		fmt.Fprintln(w, "while they are written: old and new entries, mixed in any order, neither loop nor deadlock")
		return
	}
	for _, l := range m.Loops {
		fmt.Fprintf(w, "while they are written: packets to LID %d can loop between %s\n", l.LID, portList(l.Switches))
	}
	if more := m.LoopLIDs - len(m.Loops); more > 0 {
		fmt.Fprintf(w, "  and to %d LIDs more\n", more)
	}
	switch m.Deadlock.DeadlockFree {
	case check.Yes:
		fmt.Fprintln(w, "while they are written: no deadlock")
	case check.Unknown:
		fmt.Fprintln(w, "while they are written: whether packets can deadlock is unknown, as the lanes are")
	case check.No:
		fmt.Fprintf(w, "while they are written: packets can deadlock, on VLs %v: a ring of %d channels, the first from %s\n",
			m.VLs, len(m.Deadlock.Cycle), m.Deadlock.Cycle[0].From)
	}
}

// ringShown limits the named switches of a ring.
const ringShown = 4

func portList(ports []fabric.PortName) string {
	words := make([]string, 0, ringShown+1)
	for i := range ports {
		if i == ringShown {
			words = append(words, fmt.Sprintf("%d more", len(ports)-i))
			break
		}
		words = append(words, ports[i].String())
	}
	return strings.Join(words, ", ")
}

// changed counts the items that are not as before.
func (t *Tally) changed() int { return t.Moved + t.New + t.Gone }
