package watch

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/emulator"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/subnets/subnetstest"
	"weft/internal/draws"
	"weft/internal/share"
	"weft/route/engine"
	"weft/sm/clients"
	"weft/sm/ledger"
	"weft/sm/recording"
	"weft/sm/sa"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// castBed is a subnet with a manager, groups, and a program at each host that counts what comes.
type castBed struct {
	t       smtest.Fataler
	mlids   uint64 // MulticastFDBCap of every switch; 0: as emulated
	f       *fabric.Fabric
	v       *virtual
	m       *clients.Members
	r       sa.Responder
	subnet  *sa.Subnet
	of      *ledger.Ledger
	hosts   []fabric.End
	clients []emulator.ClientID
	got     []int
	holds   map[switchBlock][64]byte
}

func newCastBed(t smtest.Fataler, f *fabric.Fabric, engine string, lmc uint8, mlids uint64) *castBed {
	return newCastBedOn(t, f, emulator.Options{Seed: 1}, engine, lmc, mlids)
}

func newCastBedOn(t smtest.Fataler, f *fabric.Fabric, opt emulator.Options, engine string, lmc uint8, mlids uint64) *castBed {
	v, err := newVirtual(f, opt, terms.Config{}, smtest.JobOf(engine, lmc))
	if err != nil {
		t.Fatalf("%v", err)
	}
	b := &castBed{t: t, mlids: mlids, f: f, v: v, m: clients.NewMembers(share.Rule{}), holds: map[switchBlock][64]byte{}}
	watch := terms.UsualWatch
	watch.Interval, watch.Retry = 100*time.Millisecond, 300*time.Millisecond
	v.manager = NewManager(terms.Config{}, watch)
	v.members = func() ([]sa.Members, bool) { return b.m.Membership(0) }
	v.onEvent = func() {
		b.follow()
		if b.v.manager.groups.step > groupsRead {
			b.once(0)
		}
	}
	v.onAction, v.alter = b.takenFirst, b.answered
	for id := range f.Nodes {
		n := &f.Nodes[id]
		for port := 1; port < len(n.Ports) && n.Type != fabric.Switch; port++ { // also those of routers
			if n.Ports[port].Link != fabric.NoLink {
				b.hosts = append(b.hosts, fabric.End{Node: fabric.NodeID(id), Port: uint8(port)})
			}
		}
	}
	b.got = make([]int, len(b.hosts))
	for h, at := range b.hosts {
		client, err := v.sub.Attach(emulator.Client{At: at, Deliver: func(d *wire.Datagram) {
			if d.Addr.DLID >= uint16(fabric.FirstMLID) {
				b.got[h]++
			}
		}})
		if err != nil {
			t.Fatalf("%v", err)
		}
		b.clients = append(b.clients, client)
	}
	v.step(&terms.Event{Kind: terms.Start})
	b.settle()
	return b
}

// follow gives subnet administration the round in force, as the Runner does.
func (b *castBed) follow() {
	if m := b.v.manager; m.inForce != nil && m.inForce != b.of {
		b.of = m.inForce
		b.subnet = clients.Administered(b.of, 0, 0, 0)
		b.m.Follow(b.subnet, clients.StandingGroups(nil))
	}
}

// settle lets time pass until all is written.
func (b *castBed) settle() {
	for range 3 {
		b.v.runUntil(b.v.now + time.Second)
		b.follow()
		select {
		case <-b.m.Changed:
			b.v.step(&terms.Event{Kind: terms.MembersChanged})
		default:
		}
	}
	b.v.runUntil(b.v.now + 2*time.Second)
}

// ask sends a request for a host about a group.
func (b *castBed) ask(method mad.Method, host int, mgid [16]byte, state uint64) mad.Status {
	m, err := mad.Request{Method: method, Attr: mad.AttrMCMemberRecord}.SA(make([]byte, mad.Size), smtest.MemberMask)
	if err != nil {
		b.t.Fatalf("%v", err)
	}
	rec := m.Data()
	copy(rec, mgid[:])
	binary.BigEndian.PutUint64(rec[16:], mad.DefaultGIDPrefix)
	binary.BigEndian.PutUint64(rec[24:], uint64(b.f.Nodes[b.hosts[host].Node].Ports[b.hosts[host].Port].GUID))
	mad.MCMemberRecordQKey.Put(rec, 1)
	mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
	mad.MCMemberRecordJoinState.Put(rec, state)
	if pool := b.subnet.Plan.Multicast; pool != nil {
		mad.MCMemberRecordSL.Put(rec, uint64(pool.SL))
	}
	info, err := b.v.sub.PortInfo(b.hosts[host])
	if err != nil {
		b.t.Fatalf("%v", err)
	}
	from := wire.ToLID(1, 1)
	from.SLID = uint16(mad.PortInfoLID.Get(info))
	a := b.m.Answer(&b.r, b.subnet, &wire.Datagram{Addr: from, MAD: m})
	select {
	case <-b.m.Changed:
		b.v.step(&terms.Event{Kind: terms.MembersChanged})
	default:
	}
	return a.Status()
}

// send sends a datagram from a host to a group.
func (b *castBed) send(host int, mlid fabric.LID, sl uint8) {
	clear(b.got)
	m := mad.Datagram(make([]byte, wire.Size))
	m[0], m[1], m[2], m[3] = 1, 0x09, 1, byte(mad.Send)
	d := &wire.Datagram{Addr: wire.ToLID(uint16(mlid), 1), MAD: m}
	d.Addr.SL = sl
	b.v.sub.Send(b.clients[host], d)
}

// loops returns the number of datagrams that went in circles.
func (b *castBed) loops() uint64 {
	stats := b.v.sub.Stats()
	return stats.Losses()["routing loop"]
}

// hostOf finds a member among the hosts.
func (b *castBed) hostOf(m *sa.Member) int {
	guid := fabric.GUID(binary.BigEndian.Uint64(m.GID[8:]))
	return slices.IndexFunc(b.hosts, func(e fabric.End) bool { return b.f.Nodes[e.Node].Ports[e.Port].GUID == guid })
}

// check sends from each member of each group: each receiver of this or another group with the MLID,
// but the sender, gets it once, and nobody else.
func (b *castBed) check() (sent int) {
	receives := map[fabric.LID]map[int]bool{}
	b.m.Groups.All(func(g *sa.Group) {
		if receives[g.MLID] == nil {
			receives[g.MLID] = map[int]bool{}
		}
		for i := range g.Members {
			if g.Members[i].State&(mad.JoinFull|mad.JoinNon) != 0 {
				receives[g.MLID][b.hostOf(&g.Members[i])] = true
			}
		}
	})
	b.m.Groups.All(func(g *sa.Group) {
		for i := range g.Members {
			from := b.hostOf(&g.Members[i])
			b.send(from, g.MLID, g.SL)
			sent++
			for h, n := range b.got {
				want := 0
				if h != from && receives[g.MLID][h] {
					want = 1
				}
				if n != want {
					b.t.Fatalf("%v of group 0x%X: host %d gets %d copies from %d, want %d; members %+v, %v", b.v.now, g.MLID, h, n, from, want, g.Members, b.v.entries[max(0, len(b.v.entries)-5):])
				}
			}
		}
	})
	return sent
}

// takenFirst makes sure that a port is given to a switch only when no switch has one any more that
// it is to lose: then a Set takes none away from what the switch has answered last.
func (b *castBed) takenFirst(a *terms.Action) {
	if a.Kind != terms.Send || a.Method != mad.Set || a.Attr != mad.AttrMulticastForwardingTable || b.v.manager.groups.step != groupsAdd {
		return
	}
	has := b.holds[b.tableBlock(a.Tag)]
	for i := range mad.MFTBlock {
		was, now := mad.MulticastForwardingTablePort.At(has[:], i), mad.MulticastForwardingTablePort.At(a.Data, i)
		if was&^now != 0 {
			b.t.Fatalf("block 0x%x of the switch at %v loses ports 0x%x while others are given some", a.Modifier, a.Path, was&^now)
		}
	}
}

// tableBlock is the block that a tag of this step names.
func (b *castBed) tableBlock(tag uint64) switchBlock {
	block := &b.v.manager.groups.list[uint32(tag)]
	return switchBlock{b.v.manager.inForce.Nodes[block.id].GUID, block.block, block.position}
}

// smallTables has the SwitchInfo in an answer say that the multicast table has so many MLIDs.
func smallTables(ev *terms.Event, mlids uint64) {
	if k, _, _ := ledger.SplitTag(ev.Tag); ev.Kind == terms.Answer && int(k) < len(ledger.Kinds) && ledger.Kinds[k].Attr == mad.AttrSwitchInfo {
		mad.SwitchInfoMulticastFDBCap.Put(ev.Data[:], mlids)
	}
}

// answered keeps what switches say that they hold, and sets the size of their multicast tables.
func (b *castBed) answered(ev *terms.Event) {
	gs := &b.v.manager.groups
	if b.mlids > 0 {
		smallTables(ev, b.mlids)
	}
	if ev.Kind != terms.Answer || ev.Tag>>56 != terms.GroupTag || ev.Outcome != terms.Answered || uint32(ev.Tag>>32)&0xFFFFFF != gs.number&0xFFFFFF || int(uint32(ev.Tag)) >= len(gs.list) {
		return
	}
	b.holds[b.tableBlock(ev.Tag)] = ev.Data
}

// once sends from a host to all groups: whatever the switches hold, nobody gets two copies.
func (b *castBed) once(host int) {
	b.m.Groups.All(func(g *sa.Group) {
		b.send(host, g.MLID, g.SL)
		for h, n := range b.got {
			if n > 1 {
				b.t.Fatalf("host %d gets %d copies while tables are written", h, n)
			}
		}
	})
}

// TestGroupsThroughFaults: while hosts and routers join and leave, cables fail and come back and
// switches restart or do not answer, no packet reaches a port twice or goes in circles; and
// whenever all is quiet, each member gets each packet once and nobody else does.
func TestGroupsThroughFaults(whole *testing.T) {
	sent, t := 0, whole
	draws.Check(t, func(t *rapid.T) {
		formula := rapid.SampledFrom([][2]string{{"rlft(4,2)", "updn"}, {"torus(3x3,hosts=1)", "dfsssp"}, {"random(switches=8,hosts=12,links=14,seed=1)", "lash"}, {"mesh(3x3,hosts=1)", "nue"}}).Draw(t, "fabric")
		f, err := gen.Parse(formula[0])
		if err != nil {
			t.Fatal(err)
		}
		if rapid.IntRange(0, 4).Draw(t, "routers") == 0 {
			formula[1] = "updn"
			if f, err = subnetstest.Network(whole, "subnets(2,rlft(4,2),routers=2,cables=2)").Fabric(0); err != nil {
				t.Fatal(err)
			}
		}
		b := newCastBed(t, f, formula[1], rapid.SampledFrom([]uint8{0, 0, 2}).Draw(t, "LMC"), rapid.SampledFrom([]uint64{0, 2, 3}).Draw(t, "MLIDs"))
		if b.subnet == nil || b.subnet.Plan.Multicast == nil {
			t.Fatalf("no trees: %v", b.v.entries)
		}
		var cables []fabric.LinkID
		for id, l := range f.Links {
			if f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
				cables = append(cables, fabric.LinkID(id))
			}
		}
		down, silent := map[fabric.LinkID]bool{}, map[fabric.NodeID]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for range rapid.IntRange(1, 8).Draw(t, "steps") {
				host, mgid := rapid.IntRange(0, len(b.hosts)-1).Draw(t, "host"), smtest.MgidOf(rapid.IntRange(0, 3).Draw(t, "group"))
				switch rapid.IntRange(0, 8).Draw(t, "what") {
				case 0:
					b.ask(mad.Delete, host, mgid, mad.JoinFull)
				case 1:
					b.ask(mad.Set, host, mgid, mad.JoinSendOnlyNon)
				case 2:
					id := rapid.SampledFrom(cables).Draw(t, "cable")
					down[id] = !down[id]
					if err := b.v.sub.SetLinkDown(id, down[id]); err != nil {
						t.Fatal(err)
					}
				case 3:
					l := f.Links[rapid.SampledFrom(cables).Draw(t, "beside")]
					if err := b.v.sub.Reboot(l.A.Node, time.Millisecond); err != nil {
						t.Fatal(err)
					}
				case 4:
					mute := f.Links[rapid.SampledFrom(cables).Draw(t, "of")].B.Node
					silent[mute] = !silent[mute]
					if err := b.v.sub.SetSilent(mute, silent[mute]); err != nil {
						t.Fatal(err)
					}
				default:
					b.ask(mad.Set, host, mgid, mad.JoinFull)
				}
				if rapid.Bool().Draw(t, "wait") {
					b.v.runUntil(b.v.now + time.Duration(rapid.IntRange(0, 60).Draw(t, "ms"))*time.Millisecond)
				}
				b.once(host)
			}
			for id := range silent {
				if err := b.v.sub.SetSilent(id, false); err != nil {
					t.Fatal(err)
				}
			}
			clear(silent)
			b.settle()
			sent += b.check()
		}
		if n := b.loops(); n > 0 {
			t.Fatalf("%d datagrams went in circles", n)
		}
	}, func() string {
		if sent == 0 {
			return "nothing was sent"
		}
		return ""
	})
}

// TestReplayOfGroups: a file holds the members that the manager was told, and the same tables are
// written from it.
func TestReplayOfGroups(t *testing.T) {
	f, err := gen.Parse("torus(3x3,hosts=1)")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newVirtual(f, emulator.Options{Seed: 1}, terms.Config{}, smtest.JobOf("dfsssp", 0))
	if err != nil {
		t.Fatal(err)
	}
	watch := terms.UsualWatch
	v.manager = NewManager(terms.Config{}, watch)
	var file bytes.Buffer
	v.recorder = recording.NewRecorder(&file, &terms.Config{}, &watch, &v.routing)
	v.members = func() ([]sa.Members, bool) {
		g := v.manager.inForce.Graph
		return []sa.Members{{MLID: fabric.FirstMLID + 1, Receivers: []fabric.GUID{g.EndGUID[0], g.EndGUID[4]}, Senders: []fabric.GUID{g.EndGUID[8]}}}, true
	}
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(2 * time.Second)
	v.step(&terms.Event{Kind: terms.MembersChanged})
	v.runUntil(4 * time.Second)
	if err := v.recorder.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := recording.NewRecording(&file, engine.Parse)
	if err != nil {
		t.Fatal(err)
	}
	written := 0
	err = playerOf(r).Play(t.Context(), r, func(_ time.Duration, _ *terms.Event, actions []terms.Action) {
		for i := range actions {
			if a := &actions[i]; a.Kind == terms.Send && a.Method == mad.Set && a.Attr == mad.AttrMulticastForwardingTable {
				written++
			}
		}
	})
	if err != nil || written < 3 {
		t.Errorf("%d blocks are written in the replay: %v", written, err)
	}
}
