package sa

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/wire/mad"
)

// dumbWalk walks the ports of a Subnet from an end port, by the tables, and returns the ports that
// a packet passes; nil where it does not reach the other end port.
func dumbWalk(s *Subnet, src, dst int32, lid fabric.LID) (passed []*Port) {
	at := slices.IndexFunc(s.Ports, func(p Port) bool { return p.End == src })
	if src == dst {
		return []*Port{&s.Ports[at]}
	}
	for range 100 {
		p := &s.Ports[at]
		passed = append(passed, p)
		if p.End == dst {
			return passed
		}
		n := &s.Nodes[p.Node]
		out := p
		if n.Sw >= 0 {
			port := s.Plan.Tables.Port(n.Sw, lid)
			if port == route.NoPort || int(port) > int(n.Num) {
				return nil
			}
			if out = &s.Ports[int(n.First)+int(port)]; port == 0 {
				if out.End != dst {
					return nil
				}
				return append(passed, out)
			}
			passed = append(passed, out)
		} else if len(passed) > 1 {
			return nil
		}
		if out.Peer < 0 {
			return nil
		}
		at = int(out.Peer)
	}
	return nil
}

// dumbLeast returns the least MTU and the least rate in Mbit/s of ports.
func dumbLeast(s *Subnet, passed []*Port) (mtu uint64, mbps int32) {
	mtu, mbps = 99, 1<<30
	for _, p := range passed {
		both := []*Port{p}
		if p.Peer >= 0 {
			both = append(both, &s.Ports[p.Peer])
		}
		for _, x := range both {
			if !x.Known || s.Nodes[x.Node].Sw >= 0 && x.Num == 0 && len(both) > 1 {
				continue
			}
			m := mad.PortInfoNeighborMTU.Get(x.Info[:])
			if x.Num == 0 {
				m = mad.PortInfoMTUCap.Get(x.Info[:])
			}
			mtu = min(mtu, m)
			if r := mad.RateMbps(mad.PortRate(x.Info[:])); r > 0 {
				mbps = min(mbps, r)
			}
		}
	}
	if mtu == 99 {
		mtu = 1
	}
	if mbps == 1<<30 {
		mbps = 2500
	}
	return mtu, mbps
}

// dumbPaths lists all paths from a port to another one, as text.
func dumbPaths(s *Subnet, src, dst int32) map[string]bool {
	paths := map[string]bool{}
	ends := &s.Plan.Ends
	for i := range ends.Count(src) {
		for j := range ends.Count(dst) {
			slid, dlid := ends.Base[src]+fabric.LID(i), ends.Base[dst]+fabric.LID(j)
			passed := dumbWalk(s, src, dst, dlid)
			if passed == nil || !s.Plan.Uses(src, dst, dlid) || !s.Plan.Uses(dst, src, slid) {
				continue
			}
			mtu, mbps := dumbLeast(s, passed)
			sl, reversible := uint8(0), true
			if s.Plan.SL != nil {
				sl = s.Plan.SL.At(src, dlid)
				reversible = !s.Plan.SL.OneWay || sl == s.Plan.SL.At(dst, slid)
			}
			reversible = reversible && dumbWalk(s, dst, src, slid) != nil
			paths[pathText(s.Graph.EndGUID[src], s.Graph.EndGUID[dst], slid, dlid, sl, mtu, mbps, reversible, src == dst)] = true
		}
	}
	return paths
}

func pathText(src, dst fabric.GUID, slid, dlid fabric.LID, sl uint8, mtu uint64, mbps int32, reversible, same bool) string {
	life := 18
	if same {
		life = 0
	}
	return fmt.Sprintf("%v %d -> %v %d SL %d MTU %d rate %d reversible %v life %d", src, slid, dst, dlid, sl, mtu, mbps, reversible, life)
}

// textOf reads a PathRecord.
func textOf(rec []byte) string {
	guid := func(f mad.Bytes) fabric.GUID { return fabric.GUID(binary.BigEndian.Uint64(f.Get(rec)[8:])) }
	for _, f := range []mad.Field{mad.PathRecordMtuSelector, mad.PathRecordRateSelector, mad.PathRecordPacketLifeTimeSelector} {
		if f.Get(rec) != mad.SelectExactly {
			return "a selector that is not exact"
		}
	}
	life := mad.PathRecordPacketLifeTime.Get(rec)
	if life != 0 && life != 18 || mad.PathRecordPKey.Get(rec) != mad.DefaultPKey {
		return "life time or P_Key"
	}
	return pathText(guid(mad.PathRecordSGID), guid(mad.PathRecordDGID), fabric.LID(mad.PathRecordSLID.Get(rec)), fabric.LID(mad.PathRecordDLID.Get(rec)),
		uint8(mad.PathRecordSL.Get(rec)), mad.PathRecordMtu.Get(rec), mad.RateMbps(uint8(mad.PathRecordRate.Get(rec))), mad.PathRecordReversible.Is(rec), life == 0)
}

// TestPaths asks for paths by any of GIDs and LIDs, and compares with a dumb list of all paths.
func TestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.SampledFrom(fabrics).Draw(t, "fabric")
		s := subnetOf(t, f.formula, f.engine, f.lmc, rapid.Uint64Range(0, 5).Draw(t, "seed"))
		s.Plan.Choice = choice(t, s)
		if sls := s.Plan.SL; rapid.Bool().Draw(t, "one way") {
			sls.OneWay = true
			for range 40 {
				sls.Set(rapid.Int32Range(0, int32(sls.NumSrc)-1).Draw(t, "source class"), rapid.Int32Range(0, int32(sls.NumDst)-1).Draw(t, "class"), uint8(rapid.IntRange(0, 2).Draw(t, "level")))
			}
		}
		end := rapid.Int32Range(0, int32(s.Graph.NumEnds)-1)
		for range rapid.IntRange(0, 3).Draw(t, "wrong entries") { // holes, circles, ways to others
			sw := rapid.Int32Range(0, int32(s.Graph.NumSwitches)-1).Draw(t, "switch")
			lid := fabric.LID(rapid.IntRange(1, int(s.Plan.Ends.Top())).Draw(t, "of LID"))
			port := rapid.IntRange(-1, int(s.Graph.SwitchPorts[sw])).Draw(t, "to port")
			s.Plan.Tables.Set(sw, lid, uint8(port)) // -1 is route.NoPort
		}
		src, dst := end.Draw(t, "source"), end.Draw(t, "target")
		rec := make([]byte, 64)
		s.putGID(mad.PathRecordSGID.Get(rec), src)
		s.putGID(mad.PathRecordDGID.Get(rec), dst)
		slid := s.Plan.Ends.Base[src] + fabric.LID(rapid.IntRange(0, s.Plan.Ends.Count(src)-1).Draw(t, "own LID"))
		dlid := s.Plan.Ends.Base[dst] + fabric.LID(rapid.IntRange(0, s.Plan.Ends.Count(dst)-1).Draw(t, "LID"))
		mad.PathRecordSLID.Put(rec, uint64(slid))
		mad.PathRecordDLID.Put(rec, uint64(dlid))
		sl := uint8(rapid.IntRange(0, 2).Draw(t, "SL"))
		mad.PathRecordSL.Put(rec, uint64(sl))
		mad.PathRecordReversible.Put(rec, 1)
		mask := uint64(0)
		for _, bit := range []uint64{pathSGID, pathDGID, pathSLID, pathDLID, pathSL, pathReversible} {
			if rapid.Bool().Draw(t, "component") {
				mask |= bit
			}
		}
		paths := s
		if s.anySL = rapid.Bool().Draw(t, "one lane"); s.anySL && mask&pathSL != 0 { // any SL will do
			plan := *s.Plan
			plan.SL = route.UniformSL(&plan.Ends, sl)
			paths = &Subnet{Graph: s.Graph, Plan: &plan, Nodes: s.Nodes, Ports: s.Ports, index: s.index}
		}
		want := map[string]bool{}
		for a := range int32(s.Graph.NumEnds) {
			for b := range int32(s.Graph.NumEnds) {
				if mask&(pathSGID|pathSLID) != 0 && a != src || mask&(pathDGID|pathDLID) != 0 && b != dst {
					continue
				}
				maps.Copy(want, dumbPaths(paths, a, b))
			}
		}
		var r Responder
		got := recordsOf(t, r.Answer(s, ask(mad.GetTable, mad.AttrPathRecord, mask, rec)))
		seen := map[string]bool{}
		for _, x := range got {
			text := textOf(x)
			if seen[text] || !want[text] {
				t.Fatalf("twice, or no path: %s", text)
			}
			seen[text] = true
		}
		for text := range want {
			var a, b string
			var l, m, level int
			var reversible bool
			if _, err := fmt.Sscanf(text, "%s %d -> %s %d SL %d", &a, &l, &b, &m, &level); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			reversible = !bytes.Contains([]byte(text), []byte("reversible false"))
			excluded := mask&pathSLID != 0 && l != int(slid) || mask&pathDLID != 0 && m != int(dlid) || mask&pathSL != 0 && level != int(sl) ||
				mask&pathReversible != 0 && !reversible
			if excluded == seen[text] {
				t.Fatalf("excluded %v, told %v: %s", excluded, seen[text], text)
			}
		}
		one := r.Answer(s, ask(mad.Get, mad.AttrPathRecord, mask, rec))
		if len(got) == 0 && one.Status() != mad.StatusNoRecords || len(got) > 0 && !seen[textOf(recordsOf(t, one)[0])] {
			t.Fatalf("Get of one of %d paths: %v", len(got), one)
		}
	})
}

// choice draws a rule of choice among LIDs.
func choice(t *rapid.T, s *Subnet) route.Choice {
	by := rapid.SampledFrom([]route.ChoiceBy{route.AnyLID, route.BaseLID, route.HashedLID, route.ListedLIDs}).Draw(t, "choice")
	if by != route.ListedLIDs {
		return route.Choice{By: by}
	}
	var rows []route.ChoiceRow
	for range rapid.IntRange(0, 200).Draw(t, "rows") {
		row := route.ChoiceRow{Source: rapid.Int32Range(0, int32(s.Graph.NumEnds)-1).Draw(t, "from"), Target: rapid.Int32Range(0, int32(s.Graph.NumEnds)-1).Draw(t, "to")}
		row.Offset = uint8(rapid.IntRange(0, s.Plan.Ends.Count(row.Target)-1).Draw(t, "offset"))
		rows = append(rows, row)
	}
	return route.NewChoice(s.Graph.NumEnds, rows)
}

// TestPathComponents: what a query says besides ends and limits.
func TestPathComponents(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "updn", 2, 1)
	rec := make([]byte, 64)
	s.putGID(mad.PathRecordSGID.Get(rec), 0)
	s.putGID(mad.PathRecordDGID.Get(rec), 5)
	both := pathSGID | pathDGID
	var r Responder
	count := func(mask uint64, change func(rec []byte)) int {
		q := slices.Clone(rec)
		change(q)
		return len(recordsOf(t, r.Answer(s, ask(mad.GetTable, mad.AttrPathRecord, mask, q))))
	}
	countLanes := func(count func() int) int { // as with several lanes
		s.anySL = false
		defer func() { s.anySL = true }()
		return count()
	}
	put := func(f mad.Field, v uint64) func([]byte) { return func(b []byte) { f.Put(b, v) } }
	for what, got := range map[string][2]int{
		"all LIDs with all":            {count(both, func([]byte) {}), 16},
		"3 paths":                      {count(both|pathNumbPath, put(mad.PathRecordNumbPath, 3)), 3},
		"0 paths":                      {count(both|pathNumbPath, put(mad.PathRecordNumbPath, 0)), 1},
		"the default P_Key":            {count(both|pathPKey|pathNumbPath, func(b []byte) { mad.PathRecordPKey.Put(b, 0x7FFF); mad.PathRecordNumbPath.Put(b, 1) }), 1},
		"another P_Key":                {count(both|pathPKey, put(mad.PathRecordPKey, 0x8001)), 0},
		"raw traffic":                  {count(both|pathRaw, put(mad.PathRecordRawTraffic, 1)), 0},
		"any SL, with one lane":        {count(both|pathSL, put(mad.PathRecordSL, 7)), 16},
		"an SL that is not the path's": {countLanes(func() int { return count(both|pathSL, put(mad.PathRecordSL, 7)) }), 0},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %d paths, want %d", what, got[0], got[1])
		}
	}
	first := recordsOf(t, r.Answer(s, ask(mad.GetTable, mad.AttrPathRecord, both, rec)))[:4]
	for i, x := range first { // each LID of either port comes once before one comes twice
		if lid := mad.PathRecordDLID.Get(x) - uint64(s.Plan.Ends.Base[5]); lid != uint64(i) {
			t.Errorf("path %d goes to LID %d of its target", i, lid)
		}
	}
	q := slices.Clone(rec)
	mad.PathRecordServiceID.Put(q, 99)
	mad.PathRecordTClass.Put(q, 7)
	mad.PathRecordQoSClass.Put(q, 0x123)
	mad.PathRecordFlowLabel.Put(q, 0xABCDE)
	mad.PathRecordHopLimit.Put(q, 3)
	a := r.Answer(s, ask(mad.Get, mad.AttrPathRecord, both|pathServiceID|pathTClass|pathQoSClass, q))
	d := a.Data()
	if mad.PathRecordServiceID.Get(d) != 99 || mad.PathRecordTClass.Get(d) != 7 || mad.PathRecordQoSClass.Get(d) != 0x123 ||
		mad.PathRecordFlowLabel.Get(d) != 0 || mad.PathRecordHopLimit.Get(d) != 0 || mad.PathRecordSL.Get(d) != uint64(s.Plan.SL.At(0, s.Plan.Ends.Base[5])) {
		t.Errorf("given back: % x", d[:64])
	}
}

// TestUnknownEnds: to a Get, an unknown GID is invalid, and an unknown LID has no records. A table
// has none, as OpenSM answers.
func TestUnknownEnds(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	rec := make([]byte, 64)
	s.putGID(mad.PathRecordSGID.Get(rec), 0)
	s.putGID(mad.PathRecordDGID.Get(rec), 1)
	strange, foreign := slices.Clone(rec), slices.Clone(rec)
	strange[23]++
	foreign[8] = 0xFD
	mad.PathRecordSLID.Put(rec, 0xFFF)
	mad.PathRecordDLID.Put(rec, uint64(s.Plan.Ends.Base[2]))
	for _, c := range []struct {
		what   string
		mask   uint64
		rec    []byte
		status mad.Status
	}{
		{"a GUID that nobody has", pathSGID | pathDGID, strange, mad.StatusInvalidGID},
		{"another subnet", pathSGID | pathDGID, foreign, mad.StatusInvalidGID},
		{"a LID that nobody has", pathSLID | pathDLID, rec, mad.StatusNoRecords},
		{"a LID of another port than the GID", pathDGID | pathDLID, rec, mad.StatusNoRecords},
		{"LID 0", pathSLID, make([]byte, 64), mad.StatusNoRecords},
	} {
		var r Responder
		if a := r.Answer(s, ask(mad.Get, mad.AttrPathRecord, c.mask, c.rec)); a.Status() != c.status {
			t.Errorf("%s: %v", c.what, a)
		}
		if got := recordsOf(t, r.Answer(s, ask(mad.GetTable, mad.AttrPathRecord, c.mask, c.rec))); len(got) > 0 {
			t.Errorf("a table of %s: %d paths", c.what, len(got))
		}
	}
}

// TestMultiPath: paths between several ports are those of the queries for each pair.
func TestMultiPath(t *testing.T) {
	s := subnetOf(t, "torus(3x3,hosts=1)", "dor", 1, 1)
	rec := make([]byte, 200)
	sources, targets := []int32{0, 3}, []int32{5, 10, 0}
	mad.MultiPathRecordSGIDCount.Put(rec, uint64(len(sources)))
	mad.MultiPathRecordDGIDCount.Put(rec, uint64(len(targets)))
	mad.MultiPathRecordNumbPath.Put(rec, 2)
	for i, e := range slices.Concat(sources, targets) {
		s.putGID(rec[24+16*i:], e)
	}
	mask := mad.MultiPathRecord.Mask(mad.MultiPathRecordSGIDCount, mad.MultiPathRecordDGIDCount, mad.MultiPathRecordNumbPath)
	var r Responder
	q := ask(mad.GetMulti, mad.AttrMultiPathRecord, mask, rec)
	a := r.Answer(s, q)
	if a.Method() != mad.GetMultiResp || a.Attr() != mad.AttrPathRecord {
		t.Fatalf("%v", a)
	}
	got := recordsOf(t, slices.Clone(a))
	var want [][]byte
	for _, src := range sources {
		for _, dst := range targets {
			one := make([]byte, 64)
			s.putGID(mad.PathRecordSGID.Get(one), src)
			s.putGID(mad.PathRecordDGID.Get(one), dst)
			mad.PathRecordNumbPath.Put(one, 2)
			want = append(want, recordsOf(t, slices.Clone(r.Answer(s, ask(mad.GetTable, mad.AttrPathRecord, pathSGID|pathDGID|pathNumbPath, one))))...)
		}
	}
	if len(got) != 12 || !slices.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("%d paths, want %d", len(got), len(want))
	}
	mad.MultiPathRecordDGIDCount.Put(q.Data(), 100)
	if a := r.Answer(s, q); a.Status() != mad.StatusRequestInvalid || a.Attr() != mad.AttrPathRecord {
		t.Errorf("GIDs that are not there: %v", a)
	}
}

// TestTrace: the nodes of a trace are those that a packet passes.
func TestTrace(t *testing.T) {
	for _, f := range fabrics {
		s := subnetOf(t, f.formula, f.engine, f.lmc, 2)
		for src := range int32(s.Graph.NumEnds) {
			dst := (src*7 + 3) % int32(s.Graph.NumEnds)
			rec := make([]byte, 64)
			s.putGID(mad.PathRecordSGID.Get(rec), src)
			s.putGID(mad.PathRecordDGID.Get(rec), dst)
			var r Responder
			one := r.Answer(s, ask(mad.Get, mad.AttrPathRecord, pathSGID|pathDGID, rec))
			lid := fabric.LID(mad.PathRecordDLID.Get(one.Data()))
			var want []int32 // nodes
			for _, p := range dumbWalk(s, src, dst, lid) {
				if len(want) == 0 || want[len(want)-1] != p.Node {
					want = append(want, p.Node)
				}
			}
			a := r.Answer(s, ask(mad.GetTrace, mad.AttrPathRecord, pathSGID|pathDGID, rec))
			if a.Attr() != mad.AttrTraceRecord || a.Method() != mad.GetTableResp {
				t.Fatalf("%v", a)
			}
			got := recordsOf(t, a)
			if len(got) != len(want) {
				t.Fatalf("%s: %d nodes from %d to %d, want %d", f.formula, len(got), src, dst, len(want))
			}
			for i, x := range got {
				n := &s.Nodes[want[i]]
				if mad.TraceRecordNodeID.Get(x) != mad.NodeInfoNodeGUID.Get(n.Info[:]) || (mad.TraceRecordEntryPort.Get(x) == 0) != (i == 0) ||
					(mad.TraceRecordExitPort.Get(x) == 0) != (i == len(got)-1) {
					t.Fatalf("%s: step %d from %d to %d: % x", f.formula, i, src, dst, x)
				}
				if i == 0 {
					continue
				}
				before := &s.Nodes[want[i-1]]
				out := &s.Ports[int(before.First)+int(mad.TraceRecordExitPort.Get(got[i-1]))]
				if in := &s.Ports[out.Peer]; in.Node != want[i] || uint64(in.Num) != mad.TraceRecordEntryPort.Get(x) {
					t.Fatalf("%s: step %d from %d to %d enters by another port than the one before leaves by", f.formula, i, src, dst)
				}
			}
		}
	}
}

// TestTooMuch: an answer that would be too long is refused, and memory is not kept.
func TestTooMuch(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	var r Responder
	c := r.open(ask(mad.GetTable, mad.AttrPathRecord, 0, nil), 64)
	c.most = 1000
	for range 100 {
		c.add(make([]byte, 64))
	}
	if a := r.close(ask(mad.GetTable, mad.AttrPathRecord, 0, nil)); a.Status() != mad.StatusNoResources {
		t.Errorf("%v", a)
	}
	r.memory = make([]byte, 0, 10*keptMemory)
	r.Answer(s, ask(mad.GetTable, mad.AttrNodeRecord, 0, nil))
	if cap(r.memory) > keptMemory {
		t.Errorf("%d bytes are kept", cap(r.memory))
	}
}

// TestAllocations: a path costs no memory.
func TestAllocations(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "updn", 2, 1)
	rec := make([]byte, 64)
	s.putGID(mad.PathRecordSGID.Get(rec), 0)
	s.putGID(mad.PathRecordDGID.Get(rec), 5)
	q := ask(mad.Get, mad.AttrPathRecord, pathSGID|pathDGID|pathNumbPath, rec)
	var r Responder
	if n := testing.AllocsPerRun(100, func() { r.Answer(s, q) }); n > 0 {
		t.Errorf("%v allocations a path", n)
	}
}

// TestAnotherHost: a path that the tables lead to another host of the same switch has no record.
func TestAnotherHost(t *testing.T) {
	s := subnetOf(t, "rlft(4,2)", "minhop", 0, 1)
	hosts := s.Graph.HostsOf(s.Graph.EndSwitch[0])
	lid := s.Plan.Ends.Base[hosts[0]]
	s.Plan.Tables.Set(s.Graph.EndSwitch[0], lid, s.Graph.EndPort[hosts[1]])
	rec := make([]byte, 64)
	mad.PathRecordSLID.Put(rec, uint64(s.Plan.Ends.Base[s.Graph.NumHosts-1]))
	mad.PathRecordDLID.Put(rec, uint64(lid))
	var r Responder
	if a := r.Answer(s, ask(mad.Get, mad.AttrPathRecord, pathSLID|pathDLID, rec)); a.Status() != mad.StatusNoRecords {
		t.Errorf("%v", a)
	}
}
