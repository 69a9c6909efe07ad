package sm

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/internal/share"
	"weft/sm/clients"
	"weft/sm/round"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/wire"
	"weft/wire/loop"
	"weft/wire/mad"
	"weft/wire/wiretest"
)

// asker is a client of subnet administration.
type asker struct {
	t   testing.TB
	r   *wire.Requester
	lid uint16 // of the SA
	key uint64
}

func newAsker(t testing.TB, medium wire.Transport, lid uint16) *asker {
	a := &asker{t: t, r: wire.New(medium, wire.Options{Config: wire.Config{Timeout: 200 * time.Millisecond, Retries: 20}}), lid: lid}
	t.Cleanup(func() { _ = a.r.Close(context.Background()) })
	return a
}

// ask returns a copy of the answer, and the status as an error.
func (a *asker) ask(method mad.Method, attr mad.AttrID, mask uint64, rec []byte) (mad.Datagram, error) {
	a.t.Helper()
	q, err := mad.Request{Method: method, Attr: attr, Key: a.key}.SA(make([]byte, mad.Size), mask)
	if err != nil {
		a.t.Fatal(err)
	}
	copy(q.Data(), rec)
	if method == mad.GetMulti {
		q.PutSegment(1, len(q)-mad.SAHeader.Size)
	}
	type end struct {
		m   mad.Datagram
		err error
	}
	done := make(chan end, 1)
	a.r.Start(&wire.Request{Addr: wire.ToLID(a.lid, 1), MAD: q, Done: func(res *wire.Result) {
		e := end{err: res.Err}
		if res.Reply != nil {
			e.m = bytes.Clone(res.Reply.MAD)
		}
		done <- e
	}})
	e := <-done
	return e.m, e.err
}

// table returns the records of a GetTable.
func (a *asker) table(attr mad.AttrID, mask uint64, rec []byte) (records [][]byte) {
	a.t.Helper()
	m, err := a.ask(mad.GetTable, attr, mask, rec)
	if err != nil {
		a.t.Fatal(err)
	}
	size, n := m.Records()
	for i := range n {
		records = append(records, m.Data()[i*size:][:size])
	}
	return records
}

// managed is an emulated subnet in real time, with a manager that stays.
type managed struct {
	t     testing.TB
	f     *fabric.Fabric
	l     *live.Live
	asked chan *terms.Event
	round chan ended
	shown atomic.Pointer[watch.Snapshot]
}

// ended is the end of a round: when, and the subnet that it has found.
type ended struct {
	at     time.Time
	report *terms.Report
	found  *fabric.Fabric
}

// inRealTime runs an emulated subnet in real time, and attaches to the port of its first CA.
func inRealTime(tb testing.TB, sub *emulator.Subnet, clock func() time.Duration) (*live.Live, wire.Transport) {
	tb.Helper()
	at, err := sub.DefaultEnd()
	if err != nil {
		tb.Fatal(err)
	}
	l := live.New(sub, clock)
	medium, err := l.Attach(at)
	if err != nil {
		tb.Fatal(err)
	}
	return l, medium
}

// manage has a manager bring a fabric up, and stay until the test ends.
func manage(t testing.TB, f *fabric.Fabric, chain string, lmc uint8) *managed {
	t.Helper()
	return manageBy(t, f, chain, lmc, terms.UsualWatch)
}

// manageBy is manage with other times between looks at the subnet.
func manageBy(t testing.TB, f *fabric.Fabric, chain string, lmc uint8, looks terms.Watch) *managed {
	t.Helper()
	return manageAs(t, f, chain, lmc, looks, func(*Runner) {})
}

// manageAs is manageBy with other settings.
func manageAs(t testing.TB, f *fabric.Fabric, chain string, lmc uint8, looks terms.Watch, set func(*Runner)) *managed {
	t.Helper()
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l, medium := inRealTime(t, sub, testClock())
	m := &managed{t: t, f: f, l: l, asked: make(chan *terms.Event, 1), round: make(chan ended, 100)}
	r := Runner{
		Config: terms.Config{SMKey: 1}, Watch: looks, Routing: smtest.JobOf(chain, lmc), Clock: testClock(), Wire: wire.Config{Window: 32}, Asked: m.asked,
		Round: func(c *round.Result) { m.round <- ended{time.Now(), c.Report, c.Ledger.Fabric} }, Show: func(s *watch.Snapshot) { m.shown.Store(s) },
	}
	set(&r)
	ctx, cancel := context.WithCancel(context.Background())
	gone := make(chan error, 1)
	go func() {
		_, err := r.Run(ctx, medium)
		gone <- err
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) && err != nil {
			t.Error(err)
		}
		m.l.Close()
	})
	m.wantUp()
	return m
}

// wantUp waits for the end of a round that brings the subnet up.
func (m *managed) wantUp() {
	m.t.Helper()
	if r := m.wantEnd(); r.report.State != terms.Up {
		m.t.Fatalf("the subnet is %s: %v", r.report.State, r.report.Incidents)
	}
}

// wantEnd waits for the end of a round.
func (m *managed) wantEnd() (r ended) {
	m.t.Helper()
	select {
	case r = <-m.round:
	case <-time.After(2 * time.Minute):
		m.t.Fatal("no round has ended in two minutes")
	}
	return r
}

// client attaches to a host, by its number.
func (m *managed) client(host int) *asker {
	m.t.Helper()
	medium := m.attach(host)
	port, err := medium.Port(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	return newAsker(m.t, medium, port.SMLID)
}

// attach returns the medium of a host, by its number.
func (m *managed) attach(host int) wire.Transport {
	m.t.Helper()
	n := 0
	for i := range m.f.Nodes {
		if m.f.Nodes[i].Type == fabric.Switch {
			continue
		}
		if n++; n > host {
			medium, err := m.l.Attach(fabric.End{Node: fabric.NodeID(i), Port: 1})
			if err != nil {
				m.t.Fatal(err)
			}
			return medium
		}
	}
	m.t.Fatalf("no host %d", host)
	return nil
}

// TestAdministration: what hosts are told is what the devices say.
func TestAdministration(t *testing.T) {
	wiretest.NoLeaks(t)
	for _, c := range []struct {
		formula, chain string
		lmc            uint8
	}{{"rlft(4,2)", "updn", 0}, {"torus(3x3,hosts=1)", "dor", 1}} {
		m := manage(t, smtest.Formula(t, c.formula), c.chain, c.lmc)
		a := m.client(3)
		a.key = 1
		ports, blocks, keys := 0, 0, 0
		for _, rec := range a.table(mad.AttrPortInfoRecord, 0, nil) {
			info := mad.PortInfoRecordPortInfo.Get(rec)
			e := m.endOf(mad.PortInfoRecordLID.Get(rec), uint8(mad.PortInfoRecordPortNum.Get(rec)))
			m.l.Do(func(s *emulator.Subnet) {
				want, err := s.PortInfo(e)
				for _, by := range [][]byte{want, info} { // of a switch: by which port it was asked
					mad.PortInfoLocalPortNum.Put(by, 0)
				}
				if err != nil || !bytes.Equal(want, info[:64]) {
					t.Fatalf("%s: PortInfo of %s[%d] (%v)\n has %x\ntold %x", c.formula, m.f.NodeName(e.Node), e.Port, err, want, info[:64])
				}
			})
			ports++
		}
		var tables map[fabric.GUID]func(lid fabric.LID) uint8
		m.l.Do(func(s *emulator.Subnet) {
			tables = map[fabric.GUID]func(lid fabric.LID) uint8{}
			all := s.Tables()
			for i := range all.Switches {
				tables[all.Switches[i].GUID] = all.Switches[i].Port
			}
		})
		for _, rec := range a.table(mad.AttrLinearForwardingTableRecord, 0, nil) {
			node := m.f.Nodes[m.endOf(mad.LinearForwardingTableRecordLID.Get(rec), 0).Node].GUID
			first := fabric.LID(64 * mad.LinearForwardingTableRecordBlock.Get(rec))
			for i, port := range mad.LinearForwardingTableRecordTable.Get(rec)[:64] {
				if lid := first + fabric.LID(i); lid > 0 && tables[node](lid) != port && port != 255 {
					t.Fatalf("%s: switch %s has port %d for LID %d, %d is told", c.formula, node, tables[node](lid), lid, port)
				}
			}
			blocks++
		}
		for _, rec := range a.table(mad.AttrPKeyTableRecord, 0, nil) {
			e := m.endOf(mad.PKeyTableRecordLID.Get(rec), uint8(mad.PKeyTableRecordPort.Get(rec)))
			m.l.Do(func(s *emulator.Subnet) {
				want, err := s.PKeys(e)
				told := uint16(mad.PKeyTablePKey.At(mad.PKeyTableRecordTable.Get(rec), 0))
				if err != nil || len(want) == 0 || want[0] != told {
					t.Fatalf("P_Key %#x, told %#x (%v)", want, told, err)
				}
			})
			keys++
		}
		g := m.f.Compile()
		if hosts := g.NumHosts; ports < 2*hosts || blocks < g.NumSwitches || keys != g.NumEnds {
			t.Errorf("%s: %d ports, %d blocks, %d P_Key tables", c.formula, ports, blocks, keys)
		}
		if got := len(a.table(mad.AttrNodeRecord, 0, nil)); got != g.NumEnds {
			t.Errorf("%s: %d NodeRecords, want %d", c.formula, got, g.NumEnds)
		}
		if got := len(a.table(mad.AttrLinkRecord, 0, nil)); got != 2*len(m.f.Links) {
			t.Errorf("%s: %d LinkRecords, want %d", c.formula, got, 2*len(m.f.Links))
		}
		if got := len(a.table(mad.AttrPathRecord, 0, nil)); got != g.NumEnds*g.NumEnds<<(2*c.lmc)-countPortZero(g, c.lmc) {
			t.Errorf("%s: %d paths", c.formula, got)
		}
	}
}

// countPortZero counts the paths that there would be if port 0 of switches had as many LIDs as a
// host: they have one.
func countPortZero(g *fabric.Graph, lmc uint8) int {
	n, hosts, switches := 1<<lmc, g.NumEnds-g.NumSwitches, g.NumSwitches
	return (hosts+switches)*(hosts+switches)*n*n - (hosts*n+switches)*(hosts*n+switches)
}

// endOf finds a port by LID, 0 of a CA being that of the LID.
func (m *managed) endOf(lid uint64, port uint8) (e fabric.End) {
	m.t.Helper()
	m.l.Do(func(s *emulator.Subnet) {
		for i := range m.f.Nodes {
			for p := range m.f.Nodes[i].Ports {
				at := fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}
				isSwitch := m.f.Nodes[i].Type == fabric.Switch
				info, err := s.PortInfo(at)
				if err == nil && mad.PortInfoLID.Get(info) == lid && isSwitch == (p == 0) {
					if isSwitch {
						at.Port = port
					}
					e = at
				}
			}
		}
	})
	return e
}

// TestAnsweredThroughout: while cables come and go and all is routed again, every query is
// answered, by a path that the Plan in force had.
func TestAnsweredThroughout(t *testing.T) {
	m := manage(t, smtest.Formula(t, "rlft(8,2)"), "updn", 0)
	a := m.client(5)
	g := m.f.Compile()
	var stop atomic.Bool
	type outcome struct {
		n   int
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		rec := make([]byte, 64)
		for mad.PathRecordSLID.Put(rec, 6); !stop.Load() && o.err == nil; o.n++ {
			mad.PathRecordDLID.Put(rec, uint64(1+o.n%g.NumHosts))
			_, o.err = a.ask(mad.Get, mad.AttrPathRecord, mad.PathRecord.Mask(mad.PathRecordSLID, mad.PathRecordDLID), rec)
		}
		done <- o
	}()
	cable := fabric.LinkID(-1) // between switches
	for i, l := range m.f.Links {
		if m.f.Nodes[l.A.Node].Type == fabric.Switch && m.f.Nodes[l.B.Node].Type == fabric.Switch {
			cable = fabric.LinkID(i)
		}
	}
	for _, down := range []bool{true, false} {
		m.l.Do(func(s *emulator.Subnet) {
			if err := s.SetLinkDown(cable, down); err != nil {
				t.Error(err)
			}
		})
		m.wantUp()
	}
	m.asked <- &terms.Event{Kind: terms.Rebalance}
	m.wantUp()
	stop.Store(true)
	o := <-done
	if o.err != nil || o.n == 0 {
		t.Errorf("%d queries, the last one: %v", o.n, o.err)
	}
	t.Logf("%d queries answered", o.n)
}

// TestFlood: more queries than can be answered take bounded memory. The surplus is answered busy,
// and a manager that is not the master answers nothing.
func TestFlood(t *testing.T) {
	var got []wire.Datagram
	medium := loop.New(func(d *wire.Datagram, _ func(*wire.Datagram)) {
		var c wire.Datagram
		c.CopyFrom(d)
		got = append(got, c)
	}, loop.Options{})
	q, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeRecord}.SA(make([]byte, mad.Size), 0)
	if err != nil {
		t.Fatal(err)
	}
	a := clients.NewAdministration(medium, testClock(), share.Rule{}, nil)
	d := wire.Datagram{Addr: wire.Address{DLID: 1, SLID: 7, DQP: 1, SQP: 1}, MAD: q}
	sent := 0
	for ; len(got) == 0 && sent < 1<<20; sent++ {
		a.Ask(&d)
	}
	if len(got) != 1 || got[0].MAD.Status() != mad.StatusBusy || got[0].Addr.DLID != 7 || sent > 1<<17 {
		t.Errorf("of %d queries that nobody answers %d were answered", sent, len(got))
	}
	a.Serving.Store(&clients.Serving{})
	for range 100 {
		a.Ask(&d)
	}
	if len(got) != 1 {
		t.Errorf("a manager that is not the master has answered %d queries", len(got)-1)
	}
	if list, unheeded := a.Counts.Now(); unheeded != 100 || len(list) != 1 || list[0] != (terms.QueryCount{Attribute: "NodeRecord", Answered: 0, Refused: 0, Busy: 1}) {
		t.Errorf("counted: %v, %d unheeded", list, unheeded)
	}
}

// TestQueryCounts: queries are counted by attribute and outcome, in few rows whatever is asked for;
// one that is longer than any can be is not kept.
func TestQueryCounts(t *testing.T) {
	m := manage(t, smtest.Formula(t, "rlft(4,2)"), "updn", 0)
	a := m.client(5)
	rec := make([]byte, 200)
	for range 3 {
		a.table(mad.AttrNodeRecord, 0, nil)
	}
	var refusals int
	for _, c := range []struct {
		method mad.Method
		attr   mad.AttrID
		mask   uint64
	}{
		{mad.Get, mad.AttrNodeRecord, 0},
		{mad.Set, mad.AttrNodeRecord, 0},
		{mad.Get, mad.AttrNodeRecord, mad.NodeRecord.Mask(mad.NodeRecordLID)},
		{mad.Get, 0x7777, 0},
		{mad.GetTable, 0x8888, 0},
		{mad.Get, mad.AttrPKeyTableRecord, 0},
	} {
		var status *wire.StatusError
		if _, err := a.ask(c.method, c.attr, c.mask, rec); errors.As(err, &status) {
			refusals++
		}
	}
	if refusals != 6 {
		t.Fatalf("%d of 6 are answered by a status", refusals)
	}
	m.asked <- &terms.Event{Kind: terms.Resweep}
	m.wantUp()
	want := []terms.QueryCount{{Attribute: "NodeRecord", Answered: 4, Refused: 2, Busy: 0}, {Attribute: "P_KeyTableRecord", Answered: 0, Refused: 1, Busy: 0}, {Attribute: "other", Answered: 0, Refused: 2, Busy: 0}}
	got := slices.Clone(m.shown.Load().Queries)
	for i := range got {
		got[i].Busy = 0 // a query that comes before the first Subnet is told is told to ask again, and does
	}
	if !slices.Equal(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
	b := clients.NewAdministration(nil, testClock(), share.Rule{}, nil)
	b.Ask(&wire.Datagram{MAD: make(mad.Datagram, clients.MostQuery+1)})
	b.Ask(&wire.Datagram{MAD: make(mad.Datagram, clients.MostQuery)})
	if _, unheeded := b.Counts.Now(); unheeded != 1 {
		t.Errorf("%d queries are too long", unheeded)
	}
}

// BenchmarkAnswered asks for paths on the emulated fabric of 11,664 hosts, from one of them, while
// all of it is routed again and again: from the client's requester through the emulator and the
// manager's queue, and back.
func BenchmarkAnswered(b *testing.B) {
	m := manage(b, smtest.Formula(b, "rlft(36,3)"), "ftree", 0)
	a := m.client(5)
	g := m.f.Compile()
	stop, stopped := make(chan struct{}), make(chan int)
	go func() {
		rounds := 0
		for {
			select {
			case m.asked <- &terms.Event{Kind: terms.Rebalance}:
				m.wantUp()
				rounds++
			case <-stop:
				stopped <- rounds
				return
			}
		}
	}()
	rec := make([]byte, mad.Size)
	q, err := mad.Request{Method: mad.Get, Attr: mad.AttrPathRecord}.SA(rec, mad.PathRecord.Mask(mad.PathRecordSLID, mad.PathRecordDLID))
	if err != nil {
		b.Fatal(err)
	}
	mad.PathRecordSLID.Put(q.Data(), 6)
	done := make(chan error, 64)
	before := a.r.Counters()
	b.ResetTimer()
	for sent, ended := 0, 0; ended < b.N; {
		for ; sent < b.N && sent-ended < cap(done); sent++ {
			mad.PathRecordDLID.Put(q.Data(), uint64(1+sent%g.NumHosts))
			a.r.Start(&wire.Request{Addr: wire.ToLID(a.lid, 1), MAD: q, Done: func(res *wire.Result) { done <- res.Err }})
		}
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		ended++
	}
	b.StopTimer()
	close(stop)
	c := a.r.Counters()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "queries/s")
	b.ReportMetric(float64(c.Retried-before.Retried), "repeated")
	b.ReportMetric(float64(c.TimedOut-before.TimedOut), "timeouts")
	b.ReportMetric(float64(<-stopped), "rounds")
}
