package route

import "weft/fabric"

// Change counts the differences between a subnet's old Plan and a new one.
type Change struct {
	Ports   Tally  // end ports, by base LID
	LIDs    Tally  // moved: now of another port
	Pairs   *Tally // of hosts; kept: every LID in use remains usable. nil unless sources choose
	Entries Tally  // of the current switches
	Blocks  int    // of 64 entries, to be written

	Switches []SwitchChange // with blocks to be written
	Moved    []MovedPort
}

// Tally counts unchanged, changed, new and removed items.
type Tally struct{ Kept, Moved, New, Gone int }

func (t *Tally) add(o Tally) {
	t.Kept += o.Kept
	t.Moved += o.Moved
	t.New += o.New
	t.Gone += o.Gone
}

// SwitchChange counts the changes for one switch.
type SwitchChange struct {
	Switch  int32
	Entries Tally
	Blocks  int // of 64 entries
}

// MovedPort is an end port with a new base LID.
type MovedPort struct {
	End      int32
	From, To fabric.LID
}

// Compare finds the changes from a subnet's old Plan to a new one for g. Of the old Graph it needs
// only the switches and end ports (planfile.LoadAlone). It reads all tables and, where sources
// choose among LIDs, all pairs of hosts.
func Compare(old *fabric.Graph, before *Plan, g *fabric.Graph, after *Plan) *Change {
	c := &Change{}
	switches, was := fabric.Match(old, g)
	for e, o := range was {
		if o >= 0 && before.Ends.Base[o] == 0 {
			was[e] = fabric.Nothing
		}
	}
	c.ports(before, after, was)
	c.lids(&before.Ends, &after.Ends, was)
	if before.Choice.By != AnyLID || after.Choice.By != AnyLID {
		c.pairs(old.NumHosts, before, g.NumHosts, after, was)
	}
	c.tables(before, after, switches)
	return c
}

func (c *Change) ports(before, after *Plan, was []int32) {
	for e, o := range was {
		switch base := after.Ends.Base[e]; {
		case base == 0:
		case o < 0:
			c.Ports.New++
		case before.Ends.Base[o] == base:
			c.Ports.Kept++
		default:
			c.Ports.Moved++
			c.Moved = append(c.Moved, MovedPort{int32(e), before.Ends.Base[o], base})
		}
	}
	for _, base := range before.Ends.Base {
		if base != 0 {
			c.Ports.Gone++
		}
	}
	c.Ports.Gone -= c.Ports.Kept + c.Ports.Moved
}

func (c *Change) lids(before, after *Ends, was []int32) {
	old, now := before.ByLID(), after.ByLID()
	for lid := range max(len(old), len(now)) {
		o, e := int32(-1), int32(-1)
		if lid < len(old) {
			o = old[lid]
		}
		if lid < len(now) {
			e = now[lid]
		}
		switch {
		case o < 0 && e >= 0:
			c.LIDs.New++
		case o >= 0 && e < 0:
			c.LIDs.Gone++
		case o >= 0 && was[e] == o:
			c.LIDs.Kept++
		case o >= 0:
			c.LIDs.Moved++
		}
	}
}

// pairs compares the LIDs that each host uses for each other host.
func (c *Change) pairs(oldHosts int, before *Plan, hosts int, after *Plan, was []int32) {
	c.Pairs = &Tally{}
	named := 0
	for _, base := range before.Ends.Base[:oldHosts] {
		if base != 0 {
			named++
		}
	}
	for src := range int32(hosts) {
		for dst := range int32(hosts) {
			switch {
			case src == dst || after.Ends.Base[src] == 0 || after.Ends.Base[dst] == 0:
			case was[src] < 0 || was[dst] < 0:
				c.Pairs.New++
			case usesAll(before, was[src], was[dst], after, src, dst):
				c.Pairs.Kept++
			default:
				c.Pairs.Moved++
			}
		}
	}
	c.Pairs.Gone = named*max(0, named-1) - c.Pairs.Kept - c.Pairs.Moved
}

// usesAll reports whether a source may still send to every LID that it used before.
func usesAll(before *Plan, oldSrc, oldDst int32, after *Plan, src, dst int32) bool {
	base := before.Ends.Base[oldDst]
	for k := range before.Ends.Count(oldDst) {
		lid := base + fabric.LID(k)
		if before.Uses(oldSrc, oldDst, lid) && !after.leadsTo(src, dst, lid) {
			return false
		}
	}
	return true
}

// leadsTo reports whether a LID belongs to the target, and the source may use it.
func (p *Plan) leadsTo(src, dst int32, lid fabric.LID) bool {
	base := p.Ends.Base[dst]
	return lid >= base && int(lid) < int(base)+p.Ends.Count(dst) && p.Uses(src, dst, lid)
}

// tables compares the entries of each switch, a block at a time. was holds by switch its number in
// the old Graph, or -1.
func (c *Change) tables(before, after *Plan, was []int32) {
	for s := range int32(len(was)) {
		sw, o := SwitchChange{Switch: s}, was[s]
		for i := range max(before.Tables.NumBlocks(), after.Tables.NumBlocks()) {
			block, now := before.Tables.BlockOrEmpty(o, i), after.Tables.BlockOrEmpty(s, i)
			if *block != *now {
				sw.Blocks++
			}
			sw.Entries.add(compareBlocks(block, now))
		}
		c.Entries.add(sw.Entries)
		if sw.Blocks > 0 {
			c.Switches = append(c.Switches, sw)
			c.Blocks += sw.Blocks
		}
	}
}

func compareBlocks(was, now *Block) (t Tally) {
	for i, port := range now {
		switch o := was[i]; {
		case o == NoPort && port == NoPort:
		case o == port:
			t.Kept++
		case o == NoPort:
			t.New++
		case port == NoPort:
			t.Gone++
		default:
			t.Moved++
		}
	}
	return t
}
