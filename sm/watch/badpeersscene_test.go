package watch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire/mad"
)

// scene is a small subnet with two managers, customers, and peers that are no good neighbours. It
// has a tree of switches and cables to which nothing happens: honest hosts stay joined.
type scene struct {
	*market
	honest []fabric.End // the ports of managers and customers
	spared map[fabric.NodeID]bool
	tree   map[fabric.LinkID]bool
	spare  []fabric.NodeID // switches to which something may happen
	hosts  []fabric.NodeID // hosts of peers
	late   []fabric.NodeID // of them, those that are off at first
	peers  []*peer
	asked  bool            // clients were asked to register again: a manager did not know all
	stored [2]terms.LIDMap // of managers that were killed: they start again with their state
	narrow bool            // a switch has one lane: there may be no trees for groups
	watch  *service
	log    []string
	kinds  map[string]bool // what has happened
}

// sceneTexts are the subnets.
var sceneTexts = []string{"rlft(4,2)", "rlft(4,2)", "rlft(6,2,hosts=12)", "torus(3x3,hosts=1)", "mesh(3x3,hosts=1)", "hyperx(2x3,hosts=2)", "random(switches=6,hosts=2,links=10,seed=%d)"}

func newScene(t testing.TB, seed uint64) *scene {
	rng := rand.New(rand.NewPCG(seed, 5))
	text := sceneTexts[rng.IntN(len(sceneTexts))]
	if strings.Contains(text, "%d") {
		text = fmt.Sprintf(text, seed)
	}
	f := smtest.Formula(t, text)
	x := &scene{spared: map[fabric.NodeID]bool{}, tree: map[fabric.LinkID]bool{}, kinds: map[string]bool{}}
	var hosts []fabric.NodeID
	for id := range f.Nodes {
		if f.Nodes[id].Type == fabric.CA {
			hosts = append(hosts, fabric.NodeID(id))
		}
	}
	rng.Shuffle(len(hosts), func(i, j int) { hosts[i], hosts[j] = hosts[j], hosts[i] })
	x.hosts = hosts[5:min(len(hosts), 8)]
	for _, id := range hosts[:5] {
		x.honest = append(x.honest, fabric.End{Node: id, Port: 1})
		x.spared[id] = true
	}
	x.spareTree(f, rng)
	sizes, small := x.drawSizes(f, rng)
	x.market = newMarketAt(t, f, seed, hosts[:2], hosts[2:5])
	x.market.rng = rng
	for _, c := range x.customers {
		c.alone = x.narrow
	}
	x.keys = []terms.Keys{{}, {}, smtest.SecretKeys, {One: 5, Protect: 3, Lease: 10}}[rng.IntN(4)]
	engine, lmc := []string{"auto", "updn", "dfsssp,updn", "lash,updn"}[rng.IntN(4)], uint8(rng.IntN(6)/4)
	if len(x.late) > 0 {
		lmc = 0
	}
	x.routing = smtest.JobOf(engine, lmc)
	x.priority[1] = uint8(rng.IntN(2))
	x.limits = sa.Limits{Services: 150, ServicesOfPort: 150, Subscriptions: 150, SubscriptionsOfPort: 150, Reports: 400, ReportsOfSubscription: 40}
	x.market.tempers = &tempers{f: f, of: sizes}
	x.say("%s, %s, LMC %d, keys %d, wire fair: %v%s", text, engine, lmc, x.keys.Protect, x.fair, small)
	for _, id := range x.hosts {
		p, err := newPeer(x.sub, f, fabric.End{Node: id, Port: 1}, rng)
		if err != nil {
			t.Fatal(err)
		}
		x.peers = append(x.peers, p)
	}
	x.config = func(i int, c *terms.Config) { c.Stored = maps.Clone(x.stored[i]) }
	x.wrote = func(v *virtual, a *terms.Action) {
		if a.Kind == terms.Note {
			if a.Incident.Kind == terms.Handover || strings.Contains(a.Incident.Text, "takes the subnet back") {
				x.watch.handing = x.now
			}
			x.asked = x.asked || a.Incident.Kind == terms.Reregistration
			x.log = append(x.log, fmt.Sprintf("%v:   manager at %s: %s: %s", v.now, f.NodeName(v.at.Node), a.Incident.Kind, a.Incident.Text))
		}
	}
	for _, id := range x.late {
		if err := x.sub.SetNodeDown(id, true); err != nil {
			t.Fatal(err)
		}
		x.say("%s is off at first", f.NodeName(id))
	}
	x.watch = newService(x)
	x.beside = append(x.beside, func() {
		for _, p := range x.peers {
			p.step(x.now)
		}
		x.watch.step()
	})
	return x
}

// spareTree finds switches and cables that join the honest hosts.
func (x *scene) spareTree(f *fabric.Fabric, rng *rand.Rand) {
	root := f.Peer(x.honest[0]).Node
	from := map[fabric.NodeID]fabric.LinkID{root: fabric.NoLink}
	for queue := []fabric.NodeID{root}; len(queue) > 0; queue = queue[1:] {
		var cables []fabric.LinkID
		for _, l := range f.Cabled(queue[0], nil) {
			cables = append(cables, l)
		}
		rng.Shuffle(len(cables), func(i, j int) { cables[i], cables[j] = cables[j], cables[i] })
		for _, l := range cables {
			for _, e := range []fabric.End{f.Links[l].A, f.Links[l].B} {
				if _, seen := from[e.Node]; !seen && f.IsSwitchLink(l) {
					from[e.Node] = l
					queue = append(queue, e.Node)
				}
			}
		}
	}
	for _, e := range x.honest {
		x.tree[f.Nodes[e.Node].Ports[1].Link] = true
		for at := f.Peer(e).Node; ; {
			x.spared[at] = true
			l := from[at]
			if l == fabric.NoLink {
				break
			}
			x.tree[l] = true
			if at == f.Links[l].A.Node {
				at = f.Links[l].B.Node
			} else {
				at = f.Links[l].A.Node
			}
		}
	}
	for id := range f.Nodes {
		if f.Nodes[id].Type == fabric.Switch && !x.spared[fabric.NodeID(id)] {
			x.spare = append(x.spare, fabric.NodeID(id))
		}
	}
}

// drawSizes makes devices small, other than the spared ones.
func (x *scene) drawSizes(f *fabric.Fabric, rng *rand.Rand) (sizes map[fabric.NodeID]*temper, text string) {
	sizes = map[fabric.NodeID]*temper{}
	for _, id := range slices.Concat(x.hosts, x.spare) {
		if rng.IntN(4) > 0 {
			continue
		}
		s := size{}
		switch rng.IntN(6) {
		case 0:
			if x.late = x.hosts[len(x.hosts)-1:]; id == x.late[0] || f.Nodes[id].Type != fabric.Switch {
				continue
			}
			s.lids = uint64(len(f.Nodes)) // of all but the late host, whose LID is the last one
		case 1:
			s.mlids = []uint64{none, 1, 32}[rng.IntN(3)]
		case 2:
			s.pkeys = 1
		case 3:
			s.mtu = uint64(1 + rng.IntN(4))
		case 4:
			s.lmc = none
		case 5:
			for p := range f.Nodes[id].Ports {
				f.Nodes[id].Ports[p].VLCap = 1
			}
			x.narrow = x.narrow || f.Nodes[id].Type == fabric.Switch
		}
		sizes[id] = smallAgent(s)
		text += fmt.Sprintf("; %s is small: %+v", f.NodeName(id), s)
		x.kinds["small"] = true
	}
	return sizes, text
}

// say notes what happens.
func (x *scene) say(format string, args ...any) {
	at := time.Duration(0)
	if x.market != nil {
		at = x.now
	}
	x.log = append(x.log, fmt.Sprintf("%v: ", at)+fmt.Sprintf(format, args...))
}

// lidOf returns the LID of a port.
func (x *scene) lidOf(e fabric.End) fabric.LID {
	info, err := x.sub.PortInfo(e)
	if err != nil {
		x.t.Fatal(err)
	}
	return fabric.LID(mad.PortInfoLID.Get(info))
}

// next has something happen.
func (x *scene) next() {
	switch n := x.market.rng.IntN(10); {
	case len(x.late) > 0 && x.market.rng.IntN(2) == 0:
		if err := x.sub.SetNodeDown(x.late[0], false); err != nil {
			x.t.Fatal(err)
		}
		x.say("%s is switched on", x.f.NodeName(x.late[0]))
		x.late = x.late[1:]
	case n < 5 && len(x.peers) > 0:
		p := x.peers[x.market.rng.IntN(len(x.peers))]
		x.unmake(p)
		d := deeds[x.market.rng.IntN(len(deeds))]
		x.kinds[d.kind], p.deed = true, d.kind
		x.say("%s: %s: %s", x.f.NodeName(p.at.Node), d.kind, d.begin(x, p))
		x.watch.judgeTrust()
	case n < 6 && len(x.peers) > 0:
		p := x.peers[x.market.rng.IntN(len(x.peers))]
		x.unmake(p)
		x.say("%s rests", x.f.NodeName(p.at.Node))
		x.watch.judgeTrust()
	case n < 7:
		x.restart()
	default:
		x.fault()
	}
}

// unmake ends what a peer does. An agent is mended by a restart of its host: a manager need not
// look again at what has told lies and stops that without a sign.
func (x *scene) unmake(p *peer) {
	if p.deed == "lying agent" {
		if err := x.sub.Reboot(p.at.Node, 100*time.Millisecond); err != nil {
			x.t.Fatal(err)
		}
		x.watch.faultAt = max(x.now+100*time.Millisecond, x.watch.faultAt)
	}
	p.rest()
	delete(x.tempers.of, p.at.Node)
}

// fault has a switch, a cable or a peer's host fail or come back.
func (x *scene) fault() {
	rng := x.market.rng
	link := fabric.LinkID(rng.IntN(len(x.f.Links)))
	for tries := 0; x.tree[link] && tries < 20; tries++ {
		link = fabric.LinkID(rng.IntN(len(x.f.Links)))
	}
	list := slices.Concat(x.spare, x.hosts)
	if x.tree[link] || len(list) == 0 {
		return
	}
	node := list[rng.IntN(len(list))]
	var err error
	pause, down := x.upTo(2*time.Second), rng.IntN(2) == 0
	what, name := "", x.f.NodeName(node)
	switch rng.IntN(7) {
	case 0, 1:
		what, err = fmt.Sprintf("down: %v", down), x.sub.SetLinkDown(link, down)
		name = x.f.LinkName(link)
	case 2:
		what, err = fmt.Sprintf("flaps for %v", pause), x.sub.Flap(link, pause)
		name = x.f.LinkName(link)
	case 3:
		what, err = fmt.Sprintf("restarts after %v", pause), x.sub.Reboot(node, pause)
	case 4:
		what, err = fmt.Sprintf("off: %v", down), x.sub.SetNodeDown(node, down)
	default:
		if len(x.spare) == 0 {
			return
		}
		node = x.spare[rng.IntN(len(x.spare))]
		name, what = x.f.NodeName(node), "its agent is as others"
		delete(x.tempers.of, node)
		if n := rng.IntN(4); n < 3 {
			x.tempers.of[node] = []*temper{frozenAgent, readOnly, refusing}[n]
			what = []string{"its agent answers nothing", "its agent ignores Sets", "its agent refuses Sets"}[n]
			x.kinds[what] = true
		}
	}
	if err != nil {
		x.t.Fatal(err)
	}
	x.say("%s %s", name, what)
	x.watch.faultAt = max(x.now+pause, x.watch.faultAt)
}

// restart ends a manager, or starts it again.
func (x *scene) restart() {
	i := x.market.rng.IntN(2)
	switch v := x.managers[i]; {
	case v == nil:
		x.say("manager %d starts", i)
		x.start(i)
	case x.managers[1-i] != nil: // otherwise nobody would serve
		x.say("manager %d is killed", i)
		x.sub.Detach(v.id)
		x.managers[i], x.stored[i] = nil, maps.Clone(v.manager.next.Stored)
		x.watch.killedAt = x.now
	}
	x.kinds["restart"] = true
}

// heal ends all that is wrong but what devices lack.
func (x *scene) heal(sizes map[fabric.NodeID]*temper) {
	x.say("all is well")
	for _, p := range x.peers {
		x.unmake(p)
	}
	x.tempers.of = sizes
	x.run(200*time.Millisecond, true)
	for id := range x.f.Nodes {
		if err := x.sub.SetNodeDown(fabric.NodeID(id), false); err != nil {
			x.t.Fatal(err)
		}
	}
	for id := range x.f.Links {
		if err := x.sub.SetLinkDown(fabric.LinkID(id), false); err != nil {
			x.t.Fatal(err)
		}
	}
	if err := x.sub.Impair(emulator.Impairment{}); err != nil {
		x.t.Fatal(err)
	}
	x.watch.faultAt = x.now
	x.watch.judgeTrust()
}

// hasLiar reports whether the agent of a peer's host lies.
func (x *scene) hasLiar() bool {
	return slices.ContainsFunc(x.peers, func(p *peer) bool { return p.deed == "lying agent" })
}
