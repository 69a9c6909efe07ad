package watch

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/subnets"
	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/intersubnet/check"
	"weft/planner"
	"weft/planner/between"
	"weft/sm/clients"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// joined is a network of emulated subnets, each with what its manager tells hosts.
type joined struct {
	t    *testing.T
	n    *subnets.Network
	p    *intersubnet.Plan // that routers follow
	all  emulator.Joined
	told []*sa.Subnet
}

// joinSubnets has a manager of each subnet write its part of a Plan and answer by its mapping file;
// the routers follow the Plan.
func joinSubnets(t *testing.T, formula, engines string, method intersubnet.Method, delay time.Duration) *joined {
	t.Helper()
	j := &joined{t: t, n: subnetstest.Network(t, formula)}
	j.p = j.route(engines, method, nil)
	for s := range int32(len(j.n.Subnets)) {
		f, err := j.n.Fabric(s)
		if err != nil {
			t.Fatal(err)
		}
		sub, err := emulator.New(f, emulator.Options{Seed: 1, Impairment: emulator.Impairment{Delay: delay}})
		if err != nil {
			t.Fatal(err)
		}
		j.all.Subnets = append(j.all.Subnets, sub)
		j.told = append(j.told, nil)
		j.manage(s, j.p)
	}
	for r := range j.n.Routers {
		if err := j.all.AddRouter(j.portsOf(int32(r)), j.way(int32(r)), nil); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// route routes the network without some router ports, on as many layers as the judge wants.
func (j *joined) route(engines string, method intersubnet.Method, down []int32) *intersubnet.Plan {
	j.t.Helper()
	layered, one, err := between.Route(context.Background(), j.n, &between.Request{Request: intersubnet.Request{Method: method, Down: down}, Local: smtest.JobOf(engines, 0)})
	if err != nil {
		j.t.Fatal(err)
	}
	r, err := check.Judge(context.Background(), one.Plan, check.Options{})
	if err != nil {
		j.t.Fatal(err)
	}
	if r.OK {
		return one.Plan
	}
	return layered.Plan
}

// manage has a manager bring a subnet up: by the part of the Plan, with the gateways of its mapping
// file.
func (j *joined) manage(s int32, p *intersubnet.Plan) {
	j.t.Helper()
	var text bytes.Buffer
	if err := p.WriteMapping(&text, s); err != nil {
		j.t.Fatal(err)
	}
	m, err := intersubnet.ReadMapping("mapping", text.Bytes())
	if err != nil {
		j.t.Fatal(err)
	}
	cfg := terms.Config{History: terms.History{Last: planner.Keep(p.Local[s], j.n.NamedGraph(s))}, Between: sa.Between{
		Prefix: uint64(j.n.Subnets[s].Prefix), Router: m.Router,
	}}
	at, err := j.all.Subnets[s].DefaultEnd()
	if err != nil {
		j.t.Fatal(err)
	}
	v, err := newVirtualAt(j.all.Subnets[s], at, cfg, smtest.JobOf("updn", 0))
	if err != nil {
		j.t.Fatal(err)
	}
	v.now = j.all.Subnets[s].Now()
	if r := v.run(); r.State != terms.Up {
		j.t.Fatalf("subnet %d is %s", s, r.State)
	}
	j.told[s] = clients.Administered(v.manager.current.Result().Ledger, 0, 1, 0)
	j.all.Subnets[s].Detach(v.id)
}

// at is an end port in the emulated subnet: a node has the number that it has in the fabric of its
// Kind.
func (j *joined) at(s, end int32) fabric.End {
	g := j.n.Graph(s)
	id, ok := j.n.Kinds[j.n.Subnets[s].Kind].Fabric.NodeByGUID(g.EndNodeGUID[end])
	if !ok {
		j.t.Fatalf("no node of end port %d", end)
	}
	return fabric.End{Node: id, Port: g.EndNum[end]}
}

func (j *joined) portsOf(r int32) (list []emulator.RouterPort) {
	for p := j.n.Routers[r].First; p < j.n.Routers[r].End; p++ {
		list = append(list, emulator.RouterPort{Subnet: int(j.n.Ports[p].Subnet), At: j.at(j.n.Ports[p].Subnet, j.n.Ports[p].End)})
	}
	return list
}

// way follows the Plan.
func (j *joined) way(r int32) emulator.Way {
	addresses := map[mad.GID]intersubnet.Address{}
	for s := range int32(len(j.n.Subnets)) {
		for e := range int32(j.n.Graph(s).NumEnds) {
			addresses[j.gid(s, e)] = intersubnet.Address{Subnet: s, End: e}
		}
	}
	first := j.n.Routers[r].First
	return func(in int, source uint16, sl uint8, to mad.GID) (emulator.Onward, bool) {
		target, ok := addresses[to]
		if !ok {
			return emulator.Onward{}, false
		}
		send := j.p.Forward(first+int32(in), fabric.LID(source), sl, target)
		return emulator.Onward{Port: int(send.Port - first), LID: uint16(send.Destination), SL: send.SL}, send.Port >= 0
	}
}

func (j *joined) gid(s, e int32) mad.GID {
	g := j.n.GID(s, e)
	return mad.MakeGID(uint64(g.Prefix), uint64(g.GUID))
}

// pathTo asks the manager of a host's subnet for a path, and returns the record, nil for none.
func (j *joined) pathTo(from intersubnet.Address, to mad.GID) []byte {
	j.t.Helper()
	q, err := mad.Request{Method: mad.Get, Attr: mad.AttrPathRecord}.SA(make([]byte, mad.Size), mad.PathRecord.Mask(mad.PathRecordDGID, mad.PathRecordSGID))
	if err != nil {
		j.t.Fatal(err)
	}
	source := j.gid(from.Subnet, from.End)
	copy(q.Data()[8:], to[:])
	copy(q.Data()[24:], source[:])
	answer := new(sa.Responder).Answer(j.told[from.Subnet], q)
	if answer.Status() != mad.StatusOK {
		return nil
	}
	return answer.Data()[:64]
}

// ping asks the performance agent of a port by the path that the manager tells, and returns the
// answer; nil where none comes. hops replaces the hop limit of the path unless it is 0.
func (j *joined) ping(from intersubnet.Address, to mad.GID, hops uint8) *wire.Datagram {
	j.t.Helper()
	rec := j.pathTo(from, to)
	if rec == nil {
		return nil
	}
	if hops == 0 {
		hops = uint8(mad.PathRecordHopLimit.Get(rec))
	}
	var answer *wire.Datagram
	sub := j.all.Subnets[from.Subnet]
	id, err := sub.Attach(emulator.Client{At: j.at(from.Subnet, from.End), Deliver: func(d *wire.Datagram) {
		answer = new(wire.Datagram)
		answer.CopyFrom(d)
	}})
	if err != nil {
		j.t.Fatal(err)
	}
	defer sub.Detach(id)
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrPortCounters, TID: 0x77}.New(make([]byte, mad.Size), mad.ClassPerf)
	if err != nil {
		j.t.Fatal(err)
	}
	mad.PortCountersPortSelect.Put(m.Data(), 1)
	a := wire.ToLID(uint16(mad.PathRecordDLID.Get(rec)), 1)
	a.SL = uint8(mad.PathRecordSL.Get(rec))
	a.GRH = wire.GRH{Present: true, HopLimit: hops, GID: to}
	sub.Send(id, &wire.Datagram{Addr: a, MAD: m})
	j.all.Advance(sub.Now() + time.Millisecond)
	return answer
}

// TestPingBetweenSubnets: a host asks its manager for a path to a GID of another subnet, is told
// the LID of a router, and gets an answer from the agent there: over transit subnets, on layers,
// with routers that have several ports in a subnet. Every host reaches every other.
func TestPingBetweenSubnets(t *testing.T) {
	for _, c := range []struct {
		formula, engines string
		method           intersubnet.Method
		delay            time.Duration // of each link
	}{
		{"subnets(2,rlft(4,2),routers=2)", "ftree", intersubnet.ISFR, 0},
		{"subnets(3,torus(3x3),shape=chain,routers=2)", "dor", intersubnet.Nearest, 3 * time.Microsecond},
		{"subnets(2,racks72|without(hosts=60),routers=6,cables=4)", "updn", intersubnet.ISSR, 0},
	} {
		j := joinSubnets(t, c.formula, c.engines, c.method, c.delay)
		hosts := j.p.Hosts()
		pings := 0
		for _, from := range hosts {
			for _, to := range hosts {
				if from.Subnet == to.Subnet {
					continue
				}
				gid := j.gid(to.Subnet, to.End)
				rec := j.pathTo(from, gid)
				if rec == nil {
					t.Fatalf("%s: %v is told no path to %v", c.formula, from, to)
				}
				if lid := fabric.LID(mad.PathRecordDLID.Get(rec)); lid != j.p.DLID(from, to) || !bytes.Equal(rec[8:24], gid[:]) || mad.PathRecordHopLimit.Get(rec) < 2 {
					t.Fatalf("%s: %v to %v: LID %d, the Plan has %d: %x", c.formula, from, to, lid, j.p.DLID(from, to), rec)
				}
				d := j.ping(from, gid, 0)
				if d == nil || d.MAD.Method() != mad.GetResp || d.MAD.Status() != mad.StatusOK || d.Addr.GRH.GID != gid || d.MAD.TID()&0xFFFF != 0x77 {
					t.Fatalf("%s: %v to %v: %+v", c.formula, from, to, d)
				}
				if d.Addr.SLID != uint16(j.p.DLID(from, to)) && c.method != intersubnet.Nearest && c.method != intersubnet.ISSR {
					t.Fatalf("%s: the answer of %v comes over LID %d, asked for over %d", c.formula, to, d.Addr.SLID, j.p.DLID(from, to))
				}
				pings++
			}
		}
		if pings < 32 {
			t.Fatalf("%s: %d pings", c.formula, pings)
		}
	}
}

// TestNoWayBetweenSubnets: a hop limit that is too low, GIDs that nobody has, and a subnet without
// routers.
func TestNoWayBetweenSubnets(t *testing.T) {
	j := joinSubnets(t, "subnets(3,torus(3x3),shape=chain,routers=1)", "dor", intersubnet.ISSR, 0)
	hosts := j.p.Hosts()
	from, to := hosts[0], hosts[len(hosts)-1] // over two routers
	gid := j.gid(to.Subnet, to.End)
	for hops, want := range map[uint8]bool{1: false, 2: false, 3: true} {
		if got := j.ping(from, gid, hops) != nil; got != want {
			t.Errorf("hop limit %d: answered %t", hops, got)
		}
	}
	unknown := gid
	binary.BigEndian.PutUint64(unknown[8:], 0xDEAD)
	if d := j.ping(from, unknown, 0); d != nil { // the default gateway is told, and its router knows none
		t.Errorf("a GID that nobody has answers: %v", d)
	}
	lost := uint64(0)
	for _, s := range j.all.Subnets {
		lost += s.Stats().Lost[emulator.LostRouter]
	}
	if lost != 3 {
		t.Errorf("routers lost %d datagrams, want 3", lost)
	}
}

// TestBackupRouter: when a router is off, a manager that has seen it tells the backup of the
// mapping file, and pings go that way.
func TestBackupRouter(t *testing.T) {
	j := joinSubnets(t, "subnets(2,rlft(4,2),routers=2)", "ftree", intersubnet.ISFR, 0)
	hosts := j.p.Hosts()
	from, to := hosts[0], hosts[len(hosts)-1]
	gid := j.gid(to.Subnet, to.End)
	gateway := j.p.GatewayPort(from.Subnet, to)
	router := j.n.Ports[gateway].Router
	var down []int32
	for i, at := range j.portsOf(router) {
		if err := j.all.Subnets[at.Subnet].SetNodeDown(at.At.Node, true); err != nil {
			t.Fatal(err)
		}
		down = append(down, j.n.Routers[router].First+int32(i))
	}
	if d := j.ping(from, gid, 0); d != nil {
		t.Fatal("a router that is off answers")
	}
	before := j.p
	j.p = j.route("ftree", intersubnet.ISFR, down) // routers are told; managers have the mapping file of before
	for s := range int32(len(j.n.Subnets)) {
		j.manage(s, before)
	}
	rec := j.pathTo(from, gid)
	if rec == nil || fabric.LID(mad.PathRecordDLID.Get(rec)) == before.DLID(from, to) {
		t.Fatalf("no backup: %x", rec)
	}
	if d := j.ping(from, gid, 0); d == nil {
		t.Fatal("no answer by the backup")
	}
}
