package watch

import (
	"errors"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/intersubnet/exchange"
	"weft/planner/between"
	"weft/sm/smtest"
	"weft/wire"
	"weft/wire/mad"
)

// exchanged is a network whose managers know only their own subnets and exchange the rest over the
// wire.
type exchanged struct {
	*joined
	routers  []*exchange.Router
	managers []*exchange.Manager
	own      []*exchange.OwnSubnet
	met      []*intersubnet.Ways
}

func exchangeSubnets(t *testing.T, formula, engines string) *exchanged {
	t.Helper()
	x := &exchanged{joined: &joined{t: t, n: subnetstest.Network(t, formula)}}
	_, one, err := between.Route(t.Context(), x.n, &between.Request{Request: intersubnet.Request{Method: intersubnet.ISFR}, Local: smtest.JobOf(engines, 0)})
	if err != nil {
		t.Fatal(err)
	}
	x.p = one.Plan // of all subnets together: what the managers are to find
	for s := range int32(len(x.n.Subnets)) {
		f, err := x.n.Fabric(s)
		if err != nil {
			t.Fatal(err)
		}
		sub, err := emulator.New(f, emulator.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		x.all.Subnets, x.told = append(x.all.Subnets, sub), append(x.told, nil)
	}
	for r := range x.n.Routers {
		x.addRouter(int32(r))
	}
	for s := range int32(len(x.n.Subnets)) {
		x.manage(s, x.p)
		g := x.told[s].Graph
		own := &exchange.OwnSubnet{Prefix: x.n.Subnets[s].Prefix, Graph: g, Plan: x.told[s].Plan, From: 0}
		x.own, x.managers, x.met = append(x.own, own), append(x.managers, exchange.NewManager()), append(x.met, nil)
	}
	return x
}

func (x *exchanged) addRouter(r int32) {
	ports := x.n.Ports[x.n.Routers[r].First:x.n.Routers[r].End]
	var numbers []uint8
	for i := range ports {
		numbers = append(numbers, ports[i].Number)
	}
	router := exchange.NewRouter(x.n.Routers[r].GUID, numbers)
	x.routers = append(x.routers, router)
	way := func(_ int, source uint16, _ uint8, to mad.GID) (emulator.Onward, bool) {
		port, e, ok := router.Forward(fabric.LID(source), intersubnet.GIDOf(to), func(port int) int { return int(ports[port].Subnet) })
		return emulator.Onward{Port: port, LID: uint16(e.LID), SL: e.SL}, ok
	}
	err := x.all.AddRouter(x.portsOf(r), way, func(in int, from, master uint16, m mad.Datagram) mad.Status {
		return router.Answer(in, fabric.LID(from), fabric.LID(master), m)
	})
	if err != nil {
		x.t.Fatal(err)
	}
}

// round has the manager of a subnet do a round over the wire. It reports whether anything was told.
func (x *exchanged) round(s int32) (news []string, sets int) {
	x.t.Helper()
	sub := x.all.Subnets[s]
	at, err := sub.DefaultEnd()
	if err != nil {
		x.t.Fatal(err)
	}
	var answer *wire.Datagram
	id, err := sub.Attach(emulator.Client{At: at, Deliver: func(d *wire.Datagram) {
		if d.MAD.Class() == mad.ClassRouter { // and no trap
			answer = new(wire.Datagram)
			answer.CopyFrom(d)
		}
	}})
	if err != nil {
		x.t.Fatal(err)
	}
	defer sub.Detach(id)
	met, news, err := x.managers[s].Round(x.own[s], func(to fabric.LID, sl uint8, method mad.Method, attr mad.AttrID, modifier uint32, data []byte) ([]byte, error) {
		m, err := mad.Request{Method: method, Attr: attr, Modifier: modifier, TID: 1}.New(make([]byte, mad.Size), mad.ClassRouter)
		if err != nil {
			return nil, err
		}
		if method == mad.Set {
			sets++
		}
		copy(m.Data(), data)
		a := wire.ToLID(uint16(to), 1)
		a.SL, answer = sl, nil
		sub.Send(id, &wire.Datagram{Addr: a, MAD: m})
		x.all.Advance(sub.Now() + time.Millisecond)
		switch {
		case answer == nil:
			return nil, errors.New("silent")
		case answer.MAD.Status() != mad.StatusOK:
			return nil, errors.New(answer.MAD.Status().String())
		}
		return answer.MAD.Data(), nil
	})
	if err != nil {
		x.t.Fatalf("subnet %d: %v", s, err)
	}
	x.met[s] = met
	return news, sets
}

// settle does rounds until none tells anything, and returns how many that took.
func (x *exchanged) settle() (rounds int) {
	for quiet := false; !quiet && rounds < 20; rounds++ {
		quiet = true
		for s := range int32(len(x.n.Subnets)) {
			_, sets := x.round(s)
			quiet = quiet && sets == 0
		}
	}
	return rounds
}

// TestExchange: managers that know only their own subnets and what they exchanged send packets for
// hosts of other subnets to the same routers as one Plan of all subnets. The routers send them on
// by the same ports to the same LIDs.
func TestExchange(t *testing.T) {
	for _, formula := range []string{
		"subnets(2,rlft(4,2),routers=2)",
		"subnets(3,racks72|without(hosts=60),routers=6,cables=4)",
		"subnets(6,racks72,routers=18,cables=4)",
		"subnets(rlft(12,2),rlft(8,2),routers=4)",
		"subnets(2,rlft(6,3),routers=18)",
	} {
		x := exchangeSubnets(t, formula, "ftree")
		if rounds := x.settle(); rounds > 5 {
			t.Errorf("%s: %d rounds", formula, rounds)
		}
		pairs := x.wantGateways(formula)
		if sends := x.wantForwarding(formula); pairs == 0 || sends == 0 {
			t.Errorf("%s: %d pairs, %d ways through routers: nothing was compared", formula, pairs, sends)
		}
	}
}

// wantGateways compares the gateways for hosts with the Plan's.
func (x *exchanged) wantGateways(formula string) (pairs int) {
	x.t.Helper()
	all := func(fabric.GUID) bool { return true }
	for _, to := range x.p.Hosts() {
		for s := range int32(len(x.n.Subnets)) {
			if s == to.Subnet {
				continue
			}
			want := x.n.Ports[x.p.GatewayPort(s, to)].GUID
			if got, ok := x.met[s].Router(x.n.Subnets[s].Prefix, x.n.GID(to.Subnet, to.End), false, all); !ok || got != want {
				x.t.Fatalf("%s: from subnet %d to %v: %v, want %v; %v", formula, s, to, got, want, x.met[s].Fallbacks)
			}
			pairs++
		}
	}
	return pairs
}

// wantForwarding holds what routers do with packets from each end port against the Plan.
func (x *exchanged) wantForwarding(formula string) (sends int) {
	x.t.Helper()
	for in, at := range x.n.Ports {
		first := x.n.Routers[at.Router].First
		subnetOf := func(port int) int { return int(x.n.Ports[first+int32(port)].Subnet) }
		for _, to := range x.p.Hosts() {
			if to.Subnet == at.Subnet {
				continue
			}
			want := x.p.Forward(int32(in), 1, 0, to)
			port, e, ok := x.routers[at.Router].Forward(1, x.n.GID(to.Subnet, to.End), subnetOf)
			if !ok || first+int32(port) != want.Port || e.LID != want.Destination || e.SL != want.SL {
				x.t.Fatalf("%s: router %d sends for %v by port %d to LID %d, want %+v", formula, at.Router, to, first+int32(port), e.LID, want)
			}
			sends++
		}
	}
	return sends
}

// TestExchangePings: hosts are told paths by what the managers have exchanged, and agents in other
// subnets answer; over another router once one has gone and its managers have seen that. A subnet
// that is no tree is known, and no path leads there.
func TestExchangePings(t *testing.T) {
	x := exchangeSubnets(t, "subnets(2,rlft(4,2),routers=2)", "ftree")
	x.settle()
	x.ask()
	hosts := x.p.Hosts()
	x.wantPings(hosts)
	router := x.n.Ports[x.p.GatewayPort(0, hosts[len(hosts)-1])].Router
	for _, at := range x.portsOf(router) {
		if err := x.all.Subnets[at.Subnet].SetNodeDown(at.At.Node, true); err != nil {
			t.Fatal(err)
		}
	}
	for s := range int32(2) {
		x.manage(s, x.p)
		x.own[s] = &exchange.OwnSubnet{Prefix: x.own[s].Prefix, Graph: x.told[s].Graph, Plan: x.told[s].Plan}
	}
	x.settle()
	x.ask()
	x.wantPings(hosts)

	y := exchangeSubnets(t, "subnets(rlft(4,2),torus(3x3),routers=2)", "ftree,dor")
	y.settle()
	all := func(fabric.GUID) bool { return true }
	for _, to := range y.p.Hosts() {
		_, ok := y.met[1-to.Subnet].Router(y.n.Subnets[1-to.Subnet].Prefix, y.n.GID(to.Subnet, to.End), false, all)
		if want := to.Subnet == 0; ok != want {
			t.Fatalf("to %v: %t", to, ok)
		}
	}
}

// ask has subnet administration ask what the managers have found.
func (x *exchanged) ask() {
	for s := range x.told {
		prefix, met := x.n.Subnets[s].Prefix, x.met[s]
		x.told[s].Router = func(gid mad.GID, _ fabric.GUID, usable func(fabric.GUID) bool) (fabric.GUID, bool) {
			return met.Router(prefix, intersubnet.GIDOf(gid), false, usable)
		}
	}
}

func (x *exchanged) wantPings(hosts []intersubnet.Address) {
	x.t.Helper()
	for _, from := range hosts {
		for _, to := range hosts {
			if from.Subnet == to.Subnet {
				continue
			}
			gid := x.gid(to.Subnet, to.End)
			if d := x.ping(from, gid, 0); d == nil || d.MAD.Status() != mad.StatusOK || d.Addr.GRH.GID != gid {
				x.t.Fatalf("%v to %v: %+v", from, to, d)
			}
		}
	}
}

// TestExchangeRestart: a manager that begins anew goes on from the version of its note that routers
// hold, and tells no more than it must.
func TestExchangeRestart(t *testing.T) {
	x := exchangeSubnets(t, "subnets(4,rlft(4,2),routers=2,shape=chain)", "ftree")
	if rounds := x.settle(); rounds < 2 || rounds > 8 {
		t.Errorf("%d rounds over a chain of 4 subnets", rounds)
	}
	for s := range x.met {
		if got := len(x.met[s].Plan.Net.Subnets); got != 4 {
			t.Errorf("subnet %d knows of %d subnets", s, got)
		}
	}
	x.managers[0] = exchange.NewManager()
	if news, sets := x.round(0); len(news) != 3 || sets == 0 {
		t.Errorf("a manager that begins anew is told %q, and sets %d times", news, sets)
	}
	x.settle()
	if _, sets := x.round(0); sets != 0 {
		t.Errorf("%d Sets when all is told", sets)
	}
}
