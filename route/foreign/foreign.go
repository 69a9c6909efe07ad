// Package foreign exchanges routings with other subnet managers. It turns their tables into a Plan,
// which the judge judges like any other (foreign.go), and a Plan into tables for them (export.go).
// Package fabric/netfile/tables reads and writes the files.
package foreign

import (
	"fmt"

	"weft/fabric"
	"weft/fabric/netfile/tables"
	"weft/route"
)

// Files holds the files of another subnet manager's routing. SLs and SL2VL may be nil: then the
// lanes are unknown.
type Files struct {
	LFTs  *tables.LFTs
	SLs   *tables.PathSLs
	SL2VL *tables.SL2VLs
}

// Plan makes a Plan of the files for a graph. End ports have their discovered LIDs, or those in the
// tables. notes list oddities and unusable parts; unclear LIDs are in Plan.Unclear. Plan fails if
// no switch of the tables is in the fabric.
func (f *Files) Plan(g *fabric.Graph) (p *route.Plan, notes []string, err error) {
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	ends, unclear := f.ends(g, note)
	p = &route.Plan{Ends: ends, Unclear: unclear, Recipe: route.Recipe{Paths: "as programmed", Names: route.AsSeen, Lanes: "as programmed"}}
	if p.Tables, err = f.tables(g, &ends, note); err != nil {
		return nil, notes, err
	}
	if f.SLs != nil {
		p.SL = f.serviceLevels(&ends, note)
	}
	if f.SL2VL != nil {
		p.SL2VL = f.lanes(g, &ends, note)
	}
	if p.SL2VL != nil {
		for _, t := range p.SL2VL.Pool {
			for _, vl := range t {
				if vl != route.DropVL {
					p.VLs = max(p.VLs, int(vl)+1)
				}
			}
		}
	}
	p.Service.ReplySameSL = true
	return p, notes, nil
}

// switchesNoted limits the switches of one kind named in notes.
const switchesNoted = 10

func (f *Files) tables(g *fabric.Graph, ends *route.Ends, note func(string, ...any)) (*route.Tables, error) {
	index := indexByGUID(g.SwitchGUID)
	t := route.NewTables(g.NumSwitches, max(f.LFTs.TopLID(), ends.Top()))
	found, strange := 0, 0
	for i := range f.LFTs.Switches {
		sw := &f.LFTs.Switches[i]
		s, ok := index[sw.GUID]
		if !ok {
			if strange++; strange <= switchesNoted {
				note("switch %s of the tables is not in the fabric (or down): ignored", sw.GUID)
			}
			continue
		}
		found++
		for lid, port := range sw.Ports {
			if port != route.NoPort {
				t.Set(s, fabric.LID(lid), port)
			}
		}
	}
	if found == 0 {
		return nil, fmt.Errorf("route: none of the %d switches of the tables is in the fabric %q", len(f.LFTs.Switches), g.Name)
	}
	if more := strange - switchesNoted; more > 0 {
		note("and %d more switches of the tables are not in the fabric", more)
	}
	silent := f.Silent(g)
	for _, s := range silent[:min(len(silent), switchesNoted)] {
		note("%s has no table in the file: it forwards nothing", fabric.SwitchName(g, s))
	}
	if more := len(silent) - switchesNoted; more > 0 {
		note("and %d more switches have no table in the file", more)
	}
	return t, nil
}

// Silent lists the switches of a graph without a table in the files.
func (f *Files) Silent(g *fabric.Graph) (silent []int32) {
	told := make(map[fabric.GUID]bool, len(f.LFTs.Switches))
	for i := range f.LFTs.Switches {
		told[f.LFTs.Switches[i].GUID] = true
	}
	for s, guid := range g.SwitchGUID {
		if !told[guid] {
			silent = append(silent, int32(s))
		}
	}
	return silent
}

// serviceLevels gives sources with equal rows one class, and every LID its own.
func (f *Files) serviceLevels(ends *route.Ends, note func(string, ...any)) *route.SLs {
	if len(f.SLs.Rows) == 0 {
		return route.UniformSL(ends, 0)
	}
	row := map[fabric.LID]int{}
	for i, r := range f.SLs.Rows {
		row[r.LID] = i
	}
	var (
		class  = map[*uint8]int32{} // class of a row, by where its SLs lie: equal rows share them
		rows   [][]uint8
		src    = make([]int32, len(ends.Base))
		silent = 0
	)
	classOf := func(sl []uint8) int32 {
		var key *uint8
		if len(sl) > 0 {
			key = &sl[0]
		}
		c, ok := class[key]
		if !ok {
			c = int32(len(rows))
			class[key] = c
			rows = append(rows, sl)
		}
		return c
	}
	for end, lid := range ends.Base {
		var sl []uint8
		if i, ok := row[lid]; ok {
			sl = f.SLs.Rows[i].SL
		} else if lid != 0 {
			silent++
		}
		src[end] = classOf(sl)
	}
	if silent > 0 {
		note("%d sources have no SLs in the file: they are assumed to use SL 0, like clients that never ask", silent)
	}
	top := int(ends.Top())
	dst := make([]int32, top+1)
	for lid := range dst {
		dst[lid] = int32(lid)
	}
	m := route.NewSLs(src, dst, len(rows), top+1)
	for c, sl := range rows {
		for lid := range min(len(sl), top+1) {
			if sl[lid] != tables.NoSL {
				m.Set(int32(c), int32(lid), sl[lid])
			}
		}
	}
	return m
}

// lanes binds the SL2VL tables to the ports of the graph. It returns nil, unknown, if a table is
// missing that packets pass.
func (f *Files) lanes(g *fabric.Graph, ends *route.Ends, note func(string, ...any)) *route.SL2VL {
	byGUID := map[fabric.GUID]int{}
	byLID := map[fabric.LID]int{}
	for i, n := range f.SL2VL.Nodes {
		if n.GUID != 0 {
			byGUID[n.GUID] = i
		}
		if n.LID != 0 {
			byLID[n.LID] = i
		}
	}
	find := func(end int32) (int, bool) {
		if i, ok := byGUID[g.EndGUID[end]]; ok {
			return i, true
		}
		i, ok := byLID[ends.Base[end]]
		return i, ok && ends.Base[end] != 0
	}
	m := &route.SL2VL{Host: make([]uint16, g.NumHosts), Switch: make([]route.SwitchSL2VL, g.NumSwitches)}
	for _, t := range f.SL2VL.Pool {
		m.Pool = append(m.Pool, route.VLTable(t))
	}
	for end := range int32(g.NumHosts) {
		i, ok := find(end)
		if !ok || len(f.SL2VL.Nodes[i].Rows) == 0 {
			note("%s has no SL2VL table in the file: the lanes are unknown", route.EndName(g, end))
			return nil
		}
		m.Host[end] = f.SL2VL.Nodes[i].Rows[0].Table
	}
	for s := range int32(g.NumSwitches) {
		i, ok := find(g.PortZero(s))
		if ok {
			m.Switch[s], ok = f.switchLanes(g, s, i)
		}
		if !ok {
			note("%s lacks SL2VL tables in the file: the lanes are unknown", fabric.SwitchName(g, s))
			return nil
		}
	}
	return m
}

// switchLanes collects the tables of one switch by input and output port. Unused ports need none.
func (f *Files) switchLanes(g *fabric.Graph, s int32, node int) (route.SwitchSL2VL, bool) {
	n := int(g.SwitchPorts[s]) + 1
	w := route.SwitchSL2VL{By: route.ByInOut, Index: make([]uint16, n*n)}
	have := make([]bool, n*n)
	for _, r := range f.SL2VL.Nodes[node].Rows {
		if int(r.In) < n && int(r.Out) < n {
			w.Index[int(r.In)*n+int(r.Out)] = r.Table
			have[int(r.In)*n+int(r.Out)] = true
		}
	}
	live := func(p int) bool {
		c, host := g.At(s, uint8(p))
		return p > 0 && (c >= 0 || host >= 0)
	}
	for in := range n {
		for out := 1; out < n; out++ {
			if (in == 0 || live(in)) && live(out) && in != out && !have[in*n+out] {
				return w, false
			}
		}
	}
	return w, true
}
