package packets

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"weft/fabric"
	"weft/intersubnet"
	"weft/planner"
	"weft/route"
	simbetween "weft/sim/between"
	"weft/sim/packet"
	"weft/study"
)

// Changes describes the events of the network while packets travel.
type Changes struct {
	File string // "" for none
	Text []byte // what it holds
	// Fabric is the fabric of the Graph. Routing is the request for a fresh routing where tables
	// cannot be repaired.
	Fabric  *fabric.Fabric
	Routing *planner.Request
	// BlockTime is the time between two blocks of forwarding tables that the manager writes.
	BlockTime time.Duration
}

// NetworkChange is an event of the network during a run.
type NetworkChange struct {
	At     float64 `json:"at_ns"`            // since the end of the warm-up
	What   string  `json:"what"`             // down, up or repair; with several subnets also lost or back, for a manager
	Part   string  `json:"part,omitempty"`   // switch or cable; router, port of one, or manager
	Blocks int     `json:"blocks,omitempty"` // blocks of forwarding tables that a repair writes
	// Written is the time of the last of them: a repair starts to write when the previous one has
	// finished.
	Written float64 `json:"written_ns,omitempty"`
	Engine  string  `json:"engine,omitempty"`         // the engine that routed afresh, if the tables could not be repaired
	Moved   int64   `json:"gateways_moved,omitempty"` // by a repair between subnets: pairs of a subnet and a target with a new router port

	line   int
	part   fabric.Part
	sw     int32        // of the Graph: the switch, or one at an end of the cable
	port   uint8        // of it, 0 for the switch
	plan   *route.Plan  // of a repair, as the whole network has it
	writes []blockWrite // to get there

	// Between subnets.
	ports   []int32           // router ports that fail or return
	subnet  int               // whose manager is lost or back
	ways    *intersubnet.Plan // that hosts and routers are told of
	told    []int32           // subnets whose hosts are
	routers bool              // all routers are too
}

// blockWrite is a block of a forwarding table to write.
type blockWrite struct {
	sw    int32
	index int
}

// readChanges parses a file of changes and sorts them by time. A line is a time and an event: "20us
// down PART", "60us up PART", "30us repair". Errors name the file and the line.
func (r *Request) readChanges(g *fabric.Graph) (list []NetworkChange, err error) {
	line := 0
	for text := range strings.SplitSeq(string(r.Changes.Text), "\n") {
		line++
		if text = strings.TrimSpace(text); text == "" || text[0] == '#' {
			continue
		}
		c, name, err := readChange(text)
		switch {
		case err != nil:
		case c.At > float64(r.Duration):
			err = fmt.Errorf("the run is over by then: give a --duration of more than %v", r.Duration)
		case r.Between != nil:
			err = r.Between.readBetweenChange(&c, name)
		default:
			if err = c.find(name, r.Changes.Fabric); err == nil && c.Part != "" {
				err = c.locate(r.Changes.Fabric, g)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", r.Changes.File, line, err)
		}
		c.line = line
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no changes", r.Changes.File)
	}
	slices.SortStableFunc(list, func(a, b NetworkChange) int { return cmp.Compare(a.At, b.At) })
	return list, nil
}

// readChange parses a line, and returns the name of its part separately.
func readChange(text string) (c NetworkChange, name string, err error) {
	when, rest, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " ")
	at, err := time.ParseDuration(when)
	if err != nil || at < 0 {
		return c, "", fmt.Errorf("%q is no time, with its unit (20us)", when)
	}
	c.At = float64(at)
	c.What, name, _ = strings.Cut(rest, " ")
	return c, name, nil
}

// find looks up the part of a change in one fabric.
func (c *NetworkChange) find(name string, f *fabric.Fabric) (err error) {
	switch {
	case c.What == "repair" && name == "":
		return nil
	case c.What == "repair":
		return fmt.Errorf("repair is for the whole network: leave out %q", name)
	case c.What != "down" && c.What != "up":
		return fmt.Errorf("%q: want down PART, up PART or repair", c.What)
	case name == "":
		return fmt.Errorf("%s: name a switch or a cable", c.What)
	}
	if place, err := f.FindPlace(name); err == nil && place.Whole && f.Nodes[place.Node].Type != fabric.Switch {
		n := &f.Nodes[place.Node]
		return fmt.Errorf("%s is a %s: name its cable, as in %s[1]", f.NodeName(place.Node), n.Type, n.Desc)
	}
	if c.part, err = f.FindPart(name); err != nil {
		return err
	}
	c.Part = f.PartName(c.part)
	return nil
}

// locate looks up the part of a change in the Graph.
func (c *NetworkChange) locate(f *fabric.Fabric, g *fabric.Graph) error {
	at := fabric.End{Node: c.part.Switch}
	if c.part.Link != fabric.NoLink {
		if at = f.Links[c.part.Link].A; f.Nodes[at.Node].Type != fabric.Switch {
			at = f.Links[c.part.Link].B
		}
	}
	sw, found := slices.BinarySearch(g.SwitchGUID, f.Nodes[at.Node].GUID)
	c.sw, c.port = int32(sw), at.Port
	if found && c.port > 0 {
		channel, end := g.At(c.sw, c.port)
		found = channel >= 0 || end >= 0
	}
	if !found {
		return fmt.Errorf("%s is no part of the network that packets pass: it is down, drained or not connected", c.Part)
	}
	return nil
}

// prepareChanges reads the changes and computes the blocks that repairs write.
func (j *job) prepareChanges(ctx context.Context) (err error) {
	if j.Changes.File == "" {
		return nil
	}
	if j.changes, err = j.readChanges(j.g); err != nil {
		return err
	}
	if j.Between != nil {
		return j.prepareBetween(ctx)
	}
	down, tables, free := map[fabric.Part]bool{}, newHeldTables(j.plan.Plan, j.g), 0.
	for i := range j.changes {
		c := &j.changes[i]
		if c.What != "repair" {
			if delete(down, c.part); c.What == "down" {
				down[c.part] = true
			}
			if c.port == 0 {
				tables.down[c.sw] = c.What == "down"
			}
			continue
		}
		if c.plan, err = j.repairedFor(ctx, c, down); err != nil {
			return fmt.Errorf("%s:%d: repair: %w", j.Changes.File, c.line, err)
		}
		c.writes = tables.write(c.plan)
		c.Blocks = len(c.writes)
		free = max(free, c.At) + float64(c.Blocks)*float64(j.Changes.BlockTime)
		c.Written = free
		j.vls = max(j.vls, packet.Lanes(c.plan))
	}
	return nil
}

// heldTables stores the forwarding tables of switches, by switch and block.
type heldTables struct {
	blocks [][]route.Block
	down   []bool // by switch: the manager cannot write to it
}

func newHeldTables(p *route.Plan, g *fabric.Graph) *heldTables {
	h := &heldTables{blocks: make([][]route.Block, g.NumSwitches), down: make([]bool, g.NumSwitches)}
	for sw := range h.blocks {
		for i := range p.Tables.NumBlocks() {
			h.blocks[sw] = append(h.blocks[sw], *p.Tables.Block(int32(sw), i))
		}
	}
	return h
}

// write stores the tables of a Plan in the switches that are up, and returns the changed blocks.
func (h *heldTables) write(p *route.Plan) (list []blockWrite) {
	for sw, blocks := range h.blocks {
		for i := range blocks {
			if b := p.Tables.Block(int32(sw), i); !h.down[sw] && blocks[i] != *b {
				blocks[i] = *b
				list = append(list, blockWrite{int32(sw), i})
			}
		}
	}
	return list
}

// repairedFor returns the Plan of the run, repaired for the parts that are down, or the Plan itself
// if none is. End ports keep their LIDs.
func (j *job) repairedFor(ctx context.Context, c *NetworkChange, down map[fabric.Part]bool) (*route.Plan, error) {
	before := j.plan.Plan
	if len(down) == 0 {
		return before, nil
	}
	f := j.Changes.Fabric.Clone()
	for part := range down {
		if part.Link == fabric.NoLink {
			f.SetNodeDown(part.Switch, true)
		} else {
			f.SetLinkDown(part.Link, true)
		}
	}
	g, kept, req := f.Compile(), planner.Keep(before, j.g), *j.Changes.Routing
	req.Kept = kept
	if err := kept.Hold(g, &req); err != nil {
		return nil, err
	}
	r, err := planner.Route(ctx, g, &req)
	if err != nil {
		return nil, err
	}
	if r.Engine != nil && r.Repaired == nil {
		c.Engine = r.Engine.Name
	}
	plan := onWhole(j.g, before, g, r.Plan)
	return plan, plan.Fits(j.g)
}

// onWhole returns a Plan for the whole network with the tables and lanes of a Plan for the
// remaining part. End ports have the same LIDs in both. Absent switches keep their tables.
func onWhole(whole *fabric.Graph, before *route.Plan, left *fabric.Graph, p *route.Plan) *route.Plan {
	out := *before
	switches, ends := fabric.Match(left, whole)
	blocks := before.Tables.NumBlocks()
	rows := make([][]*route.Block, whole.NumSwitches)
	for s, number := range switches {
		for i := range blocks {
			block := p.Tables.BlockOrEmpty(number, i)
			if number < 0 {
				block = before.Tables.Block(int32(s), i)
			}
			rows[s] = append(rows[s], block)
		}
	}
	out.Tables, out.VLs = route.TablesOf(blocks, rows), p.VLs
	if out.SL, out.SL2VL = nil, nil; p.SL == nil || p.SL2VL == nil {
		return &out
	}
	sl, m := *p.SL, *p.SL2VL
	sl.Src, sl.Dst = make([]int32, whole.NumEnds), make([]int32, int(before.Ends.Top())+1)
	copy(sl.Dst, p.SL.Dst)
	for lid, class := range sl.Dst {
		sl.Dst[lid] = max(class, 0)
	}
	m.Host, m.Switch = make([]uint16, whole.NumHosts), make([]route.SwitchSL2VL, whole.NumSwitches)
	for e, number := range ends {
		if number >= 0 {
			sl.Src[e] = p.SL.Src[number]
		}
		if number >= 0 && e < whole.NumHosts {
			m.Host[e] = p.SL2VL.Host[number]
		}
	}
	for s, number := range switches {
		if m.Switch[s].Index = []uint16{0}; number >= 0 {
			m.Switch[s] = p.SL2VL.Switch[number]
		}
	}
	out.SL, out.SL2VL, out.Levels = &sl, &m, p.Levels
	out.Arbitration = out.LevelArbitration(whole)
	return &out
}

// scheduleChanges schedules each change in a run. relay holds the routers between subnets, nil for
// one fabric.
func (j *job) scheduleChanges(sim *packet.Sim, relay *simbetween.Transition, warmup packet.Time) {
	for i := range j.changes {
		c := &j.changes[i]
		at := warmup + packet.Time(c.At)*packet.Nanosecond
		if relay != nil {
			sim.At(at, func(s *packet.Sim) { c.applyBetween(s, relay) })
			continue
		}
		if down := c.What == "down"; c.What != "repair" {
			sim.At(at, func(s *packet.Sim) {
				if c.port > 0 {
					s.SetPortDown(c.sw, c.port, down)
				} else {
					s.SetSwitchDown(c.sw, down)
				}
			})
			continue
		}
		written, each := warmup+packet.Time(c.Written)*packet.Nanosecond, packet.Time(j.Changes.BlockTime)*packet.Nanosecond
		for i, w := range c.writes {
			sim.At(written-packet.Time(len(c.writes)-i)*each, func(s *packet.Sim) { s.WriteBlock(w.sw, w.index, c.plan.Tables.Block(w.sw, w.index)) })
		}
		if j.vls > 1 {
			sim.At(written, func(s *packet.Sim) { writeLanes(s, j.g, c.plan) })
		}
	}
}

// writeLanes gives all switches and end ports the lanes of a Plan at once.
func writeLanes(s *packet.Sim, g *fabric.Graph, p *route.Plan) {
	for sw := range int32(g.NumSwitches) {
		s.WriteLanes(sw, p)
	}
	for e := range int32(g.NumEnds) {
		s.WriteHost(e, p)
	}
}

// writeChanges prints the changes for people.
func writeChanges(w io.Writer, list []NetworkChange) {
	items := make([]string, len(list))
	for i, c := range list {
		items[i] = fmt.Sprintf("%v %s", time.Duration(c.At), c.What)
		switch {
		case c.Part != "":
			items[i] += " " + c.Part
		case c.ways != nil:
			items[i] += fmt.Sprintf(": %d gateways change, %s told", c.Moved, study.Plural(len(c.told), "subnet"))
		case c.Engine != "":
			items[i] += fmt.Sprintf(": %s written by %v, routed afresh by %s", study.Plural(c.Blocks, "block"), time.Duration(c.Written), c.Engine)
		default:
			items[i] += fmt.Sprintf(": %s written by %v", study.Plural(c.Blocks, "block"), time.Duration(c.Written))
		}
	}
	study.WriteSome(w, "changes", items, len(items))
}
