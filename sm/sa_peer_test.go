package sm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/sm/round"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/mad"
	"weft/wire/rmpp"
)

// overIbsim holds the settings by which weft attaches to ibsim.
var overIbsim = rmpp.Config{Retries: wire.NoRetries, Silent: true}

// administer has a manager bring the subnet up behind the first node and stay; end ends it.
func (s *simulator) administer(chain string, lmc uint8) (end func()) {
	s.tb.Helper()
	return s.administerBy(terms.Config{SMKey: 1}, chain, lmc)
}

// administerBy is administer with a Config.
func (s *simulator) administerBy(cfg terms.Config, chain string, lmc uint8) (end func()) {
	s.tb.Helper()
	t, err := ibsim.Dial(context.Background(), ibsim.Options{Base: s.Socket})
	if err != nil {
		s.tb.Fatal(err)
	}
	clock := testClock()
	up, ended := make(chan terms.State, 16), make(chan error, 1)
	r := Runner{
		Config: cfg, Watch: terms.UsualWatch, Routing: smtest.JobOf(chain, lmc), Clock: clock, Wire: wire.Config{Window: 32},
		Round: func(c *round.Result) { up <- c.Report.State },
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, err := r.Run(ctx, rmpp.Over(t, overIbsim, clock))
		ended <- err
	}()
	select {
	case state := <-up:
		if state != terms.Up {
			s.tb.Fatalf("the subnet is %s", state)
		}
	case err := <-ended:
		s.tb.Fatalf("the manager has ended: %v", err)
	case <-time.After(time.Minute):
		s.tb.Fatal("no subnet after a minute")
	}
	return func() {
		cancel()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			s.tb.Errorf("the manager has ended: %v", err)
		}
	}
}

// tree has a single way between any two ports, and links of several rates.
func tree(tb testing.TB) *fabric.Fabric {
	tb.Helper()
	f := fabric.New("tree")
	add := func(typ fabric.NodeType, guid fabric.GUID, ports int, desc string) fabric.NodeID {
		id, err := f.AddNode(typ, guid, ports, desc)
		if err != nil {
			tb.Fatal(err)
		}
		return id
	}
	connect := func(a fabric.NodeID, p uint8, b fabric.NodeID, q uint8, w fabric.Width, s fabric.Speed) {
		if _, err := f.Connect(fabric.End{Node: a, Port: p}, fabric.End{Node: b, Port: q}, w, s); err != nil {
			tb.Fatal(err)
		}
	}
	root := add(fabric.Switch, 0x2000, 8, "root")
	speeds := []fabric.Speed{fabric.EDR, fabric.QDR, fabric.SDR}
	for i, speed := range speeds {
		leaf := add(fabric.Switch, fabric.GUID(0x2001+i), 6, fmt.Sprintf("leaf%d", i))
		connect(root, uint8(i+1), leaf, 6, 4, speed)
		for j := range 2 {
			host := add(fabric.CA, fabric.GUID(0x1000+16*i+2*j), 1, fmt.Sprintf("host%d", 2*i+j))
			connect(leaf, uint8(j+1), host, 1, []fabric.Width{4, 1}[j], fabric.EDR)
		}
	}
	return f
}

// saClient attaches to a host, and asks the manager that its port knows.
func (s *simulator) saClient(node string) *asker {
	s.tb.Helper()
	return s.saClientWith(node, wire.Config{Timeout: 200 * time.Millisecond, Retries: 20})
}

// saClientWith is saClient by a requester that is told how to repeat.
func (s *simulator) saClientWith(node string, cfg wire.Config) *asker {
	s.tb.Helper()
	t, err := ibsim.Dial(context.Background(), ibsim.Options{Base: s.Socket, Node: node})
	if err != nil {
		s.tb.Fatal(err)
	}
	port, err := t.Port(context.Background())
	if err != nil {
		s.tb.Fatal(err)
	}
	a := &asker{t: s.tb, r: wire.New(rmpp.Over(t, overIbsim, testClock()), wire.Options{Config: cfg}), lid: port.SMLID, key: 1}
	s.tb.Cleanup(func() { _ = a.r.Close(context.Background()) })
	return a
}

// answers holds the answers of a manager, by question.
type answers map[string][]byte

// askAll asks for single records: everything that there can be on a small fabric.
func (a *asker) askAll(lids, ports int) answers {
	a.t.Helper()
	all := answers{}
	get := func(what string, attr mad.AttrID, l *mad.Layout, fields ...any) {
		rec := make([]byte, 200)
		mask := uint64(0)
		for i := 0; i < len(fields); i += 2 {
			f := fields[i].(mad.Field)
			f.Put(rec, uint64(fields[i+1].(int)))
			mask |= l.Mask(f)
		}
		m, err := a.ask(mad.Get, attr, mask, rec)
		var status *wire.StatusError
		switch {
		case errors.As(err, &status):
			all[what] = []byte(status.Status.String())
		case err != nil:
			a.t.Fatalf("%s: %v, %+v", what, err, a.r.Counters())
		default:
			all[what] = m.Data()[:l.Size]
		}
	}
	for lid := 1; lid <= lids; lid++ {
		get(fmt.Sprintf("NodeRecord %d", lid), mad.AttrNodeRecord, mad.NodeRecord, mad.NodeRecordLID, lid)
		get(fmt.Sprintf("SwitchInfoRecord %d", lid), mad.AttrSwitchInfoRecord, mad.SwitchInfoRecord, mad.SwitchInfoRecordLID, lid)
		get(fmt.Sprintf("SMInfoRecord %d", lid), mad.AttrSMInfoRecord, mad.SMInfoRecord, mad.SMInfoRecordLID, lid)
		for block := range 4 {
			get(fmt.Sprintf("GuidInfoRecord %d/%d", lid, block), mad.AttrGUIDInfoRecord, mad.GUIDInfoRecord, mad.GUIDInfoRecordLID, lid, mad.GUIDInfoRecordBlock, block)
		}
		get(fmt.Sprintf("LFTRecord %d", lid), mad.AttrLinearForwardingTableRecord, mad.LinearForwardingTableRecord,
			mad.LinearForwardingTableRecordLID, lid, mad.LinearForwardingTableRecordBlock, 0)
		for port := range ports + 1 {
			get(fmt.Sprintf("PortInfoRecord %d/%d", lid, port), mad.AttrPortInfoRecord, mad.PortInfoRecord, mad.PortInfoRecordLID, lid, mad.PortInfoRecordPortNum, port)
			get(fmt.Sprintf("LinkRecord %d/%d", lid, port), mad.AttrLinkRecord, mad.LinkRecord, mad.LinkRecordFromLID, lid, mad.LinkRecordFromPort, port)
		}
		for to := 1; to <= lids; to++ {
			get(fmt.Sprintf("PathRecord %d-%d", lid, to), mad.AttrPathRecord, mad.PathRecord, mad.PathRecordSLID, lid, mad.PathRecordDLID, to)
		}
	}
	return all
}

// free clears what the specification leaves to a manager, or to chance.
func (all answers) free() {
	for what, rec := range all {
		kind, _, _ := strings.Cut(what, " ")
		if len(rec) < 6 {
			continue
		}
		clearFields := func(b []byte, fields ...mad.Field) {
			for _, f := range fields {
				f.Put(b, 0)
			}
		}
		switch {
		case kind == "NodeRecord" && len(rec) == mad.NodeRecord.Size:
			if info := mad.NodeRecordNodeInfo.Get(rec); mad.NodeInfoNodeType.Get(info) == mad.NodeSwitch {
				clearFields(info, mad.NodeInfoLocalPortNum) // by which it was asked
			}
		case kind == "SwitchInfoRecord" && len(rec) == mad.SwitchInfoRecord.Size:
			clearFields(mad.SwitchInfoRecordSwitchInfo.Get(rec), mad.SwitchInfoMulticastFDBTop) // at least the last group's
		case kind == "SMInfoRecord" && len(rec) == mad.SMInfoRecord.Size:
			clearFields(mad.SMInfoRecordSMInfo.Get(rec), mad.SMInfoActCount, mad.SMInfoSMKey)
		case kind == "PortInfoRecord" && len(rec) == mad.PortInfoRecord.Size:
			info := mad.PortInfoRecordPortInfo.Get(rec)
			clearFields(info, mad.PortInfoLocalPortNum)
			clearFields(info, mad.PortInfoEnforceInbound, mad.PortInfoEnforceOutbound) // OpenSM sets them without partitions too, we clear them then
			if state := mad.PortInfoPortState.Get(info); state == mad.PortDown {       // of which OpenSM keeps the states alone
				phys := mad.PortInfoPhysicalState.Get(info)
				clear(info)
				mad.PortInfoPortState.Put(info, state)
				mad.PortInfoPhysicalState.Put(info, phys)
			}
		case kind == "LFTRecord" && len(rec) == mad.LinearForwardingTableRecord.Size:
			mad.LinearForwardingTableRecordTable.Get(rec)[0] = 0 // of no LID
		}
	}
}

// queries lists the queries of saquery for each record served, and words that the output must have.
var queries = []struct {
	words string
	args  []string
}{
	{"SA ClassPortInfo", []string{"CPI"}},
	{"NodeRecord dump", []string{"NR"}},
	{"PortInfoRecord dump", []string{"PIR"}},
	{"LinkRecord dump", []string{"LR"}},
	{"SMInfoRecord dump", []string{"SMIR"}},
	{"SwitchInfoRecord dump", []string{"SWIR"}},
	{"LFT Record dump", []string{"LFTR"}},
	{"GUIDInfo Record dump", []string{"GIR"}},
	{"PathRecord dump", []string{"PR"}},
	{"PKeyTableRecord dump", []string{"--smkey", "1", "PKTR"}},
	{"SA_ERR_REQ_INVALID", []string{"PKTR"}},
	{"NodeRecord dump", []string{"NR", "2"}},
	{"PortInfoRecord dump", []string{"PIR", "2/1"}},
	{"PathRecord dump", []string{"PR", "--src-to-dst", "1:3"}},
	{"PathRecord dump", []string{"PR", "--slid", "1", "--dlid", "4"}},
	{"IsSM", []string{"-s"}},
}

// TestAnswersOfOpenSM: on ibsim and on the emulator, our answers equal OpenSM's on the same fabric,
// field by field, except where the specification leaves a choice. saquery works for all records.
func TestAnswersOfOpenSM(t *testing.T) {
	for medium, serve := range media {
		t.Run(medium, func(t *testing.T) {
			f := tree(t)
			s := serve(t, f)
			end := s.OpenSM("-R", "minhop")
			g := f.Compile()
			host := nodeID(g.EndNodeGUID[g.NumHosts-1])
			a := s.saClient(host)
			theirs := a.askAll(g.NumEnds+1, 8)
			said := s.saqueries(host)
			end()
			defer s.administer("minhop", 0)()
			ours := a.askAll(g.NumEnds+1, 8)
			theirs.free()
			ours.free()
			if len(ours) < 400 {
				t.Fatalf("%d answers", len(ours))
			}
			compareAnswers(t, theirs, ours)
			compareText(t, said, s.saqueries(host))
		})
	}
}

// TestTablesOverIbsim: tables of several segments come whole.
func TestTablesOverIbsim(t *testing.T) {
	f := tree(t)
	s := simulate(t, f)
	defer s.administer("minhop", 0)()
	g := f.Compile()
	a := s.saClient(nodeID(g.EndNodeGUID[g.NumHosts-1]))
	if n := len(a.table(mad.AttrNodeRecord, 0, nil)); n != g.NumEnds {
		t.Errorf("%d NodeRecords of %d end ports", n, g.NumEnds)
	}
	if n := len(a.table(mad.AttrPathRecord, 0, nil)); n != g.NumEnds*g.NumEnds {
		t.Errorf("%d PathRecords of %d end ports", n, g.NumEnds)
	}
}

func compareAnswers(t *testing.T, theirs, ours answers) {
	found, differ := map[string]int{}, 0
	var what []string
	for w := range ours {
		what = append(what, w)
	}
	slices.Sort(what)
	for _, w := range what {
		kind, _, _ := strings.Cut(w, " ")
		if !bytes.Equal(ours[w], theirs[w]) {
			if differ++; differ < 60 {
				t.Errorf("%s:\n theirs %x %q\n ours   %x %q", w, theirs[w], printable(theirs[w]), ours[w], printable(ours[w]))
			}
			continue
		}
		if !bytes.Contains(ours[w], []byte("no records")) {
			found[kind]++
		}
	}
	t.Logf("%d answers, equal: %v", len(ours), found)
	for _, kind := range []string{"NodeRecord", "SwitchInfoRecord", "SMInfoRecord", "GuidInfoRecord", "LFTRecord", "PortInfoRecord", "LinkRecord", "PathRecord"} {
		if found[kind] == 0 {
			t.Errorf("not one %s is equal", kind)
		}
	}
}

// printable is an answer that is a status.
func printable(b []byte) string {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return ""
		}
	}
	return string(b)
}

// saqueries runs saquery for all queries.
func (s *simulator) saqueries(host string) (said []string) {
	s.tb.Helper()
	env := s.Env
	defer func() { s.Env = env }()
	s.Env = append(slices.Clone(env), "SIM_HOST="+host)
	for _, q := range queries {
		out, err := s.TryRun("saquery", q.args...)
		if !regexp.MustCompile(q.words).Match(out) {
			s.tb.Errorf("saquery %v: no %q (%v) in\n%s", q.args, q.words, err, out)
		}
		said = append(said, string(out))
	}
	return said
}

// compareText compares what saquery printed for single records.
func compareText(t *testing.T, theirs, ours []string) {
	t.Helper()
	leave := regexp.MustCompile(`(?m)^ibwarn.*\n|^.*(ActCount|LocalPort:|port_num|MulticastFDBTop).*\n`)
	for i, q := range queries {
		if len(q.args) < 2 {
			continue // a table that ibsim has cut, in any order
		}
		a, b := leave.ReplaceAllString(theirs[i], ""), leave.ReplaceAllString(ours[i], "")
		if a != b && q.args[0] != "--smkey" {
			t.Errorf("saquery %v:\n theirs:\n%s\n ours:\n%s", q.args, a, b)
		}
	}
}

// smp reads an attribute of a node by its LID.
func (a *asker) smp(lid uint16, attr mad.AttrID, modifier uint32) []byte {
	a.t.Helper()
	q, err := mad.Request{Method: mad.Get, Attr: attr, Modifier: modifier}.Routed(make([]byte, mad.Size))
	if err != nil {
		a.t.Fatal(err)
	}
	done := make(chan []byte, 1)
	a.r.Start(&wire.Request{Addr: wire.ToLID(lid, 0), MAD: q, Done: func(res *wire.Result) {
		if res.Err != nil {
			a.t.Error(res.Err)
			done <- make([]byte, 64)
			return
		}
		done <- bytes.Clone(res.Reply.MAD.Data())
	}})
	return <-done
}

// TestLanesAreTold: over ibsim's protocol a client that knows RMPP gets whole tables, with the lane
// tables that the devices hold. saquery reads the part that fits a datagram.
func TestLanesAreTold(t *testing.T) {
	f := smtest.Formula(t, "torus(4x4,hosts=1)")
	s := emulate(t, f)
	defer s.administer("dfsssp", 0)()
	g := f.Compile()
	a := s.saClient(nodeID(g.EndNodeGUID[g.NumHosts-1]))
	if got := len(a.table(mad.AttrNodeRecord, 0, nil)); got != g.NumEnds {
		t.Errorf("%d NodeRecords, want %d", got, g.NumEnds)
	}
	isSwitch := map[uint64]bool{}
	for _, rec := range a.table(mad.AttrSwitchInfoRecord, 0, nil) {
		isSwitch[mad.SwitchInfoRecordLID.Get(rec)] = true
	}
	mappings := a.table(mad.AttrSLtoVLMappingTableRecord, 0, nil)
	for _, rec := range mappings {
		lid, in, out := mad.SLtoVLMappingTableRecordLID.Get(rec), mad.SLtoVLMappingTableRecordInPort.Get(rec), mad.SLtoVLMappingTableRecordOutPort.Get(rec)
		if has := a.smp(uint16(lid), mad.AttrSLtoVLMappingTable, uint32(in<<8|out)); !bytes.Equal(has[:8], rec[8:16]) {
			t.Fatalf("LID %d, port %d to %d: has %x, told %x", lid, in, out, has[:8], rec[8:16])
		}
	}
	turns := a.table(mad.AttrVLArbitrationTableRecord, 0, nil)
	for _, rec := range turns {
		lid, port, block := mad.VLArbitrationTableRecordLID.Get(rec), mad.VLArbitrationTableRecordPort.Get(rec), mad.VLArbitrationTableRecordBlock.Get(rec)
		if has := a.smp(uint16(lid), mad.AttrVLArbitrationTable, mad.VLArbModifier(uint8(block), uint8(port))); !bytes.Equal(has[:64], rec[8:72]) {
			t.Fatalf("LID %d, port %d, block %d: has %x, told %x", lid, port, block, has[:64], rec[8:72])
		}
	}
	switches := len(isSwitch)
	if want := switches*5*5 + g.NumHosts; len(mappings) != want || len(turns) != (switches*5+g.NumHosts)*2 || switches != g.NumSwitches {
		t.Errorf("%d mappings, want %d, %d blocks of arbitration, %d switches", len(mappings), want, len(turns), switches)
	}
	s.Env = append(s.Env, "SIM_HOST="+nodeID(g.EndNodeGUID[0]))
	for _, q := range []struct{ record, words string }{{"SL2VL", "SL2VLTableRecord dump"}, {"VLAR", "VLArbTableRecord dump"}} {
		if out, err := s.TryRun("saquery", q.record); err != nil || !bytes.Contains(out, []byte(q.words)) {
			t.Errorf("saquery %s (%v):\n%s", q.record, err, out)
		}
	}
}
