package watch

import (
	"fmt"
	"math/rand/v2"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/wire"
	"weft/wire/mad"
)

// peer is a program at a port of a host that is no good neighbour.
type peer struct {
	sub   *emulator.Subnet
	rng   *rand.Rand
	id    emulator.ClientID
	at    fabric.End
	guid  fabric.GUID // of its port
	gid   []byte
	inbox []wire.Datagram
	face  *face                   // what it answers to SMInfo
	asked []wire.Datagram         // the last requests that it got
	does  func(now time.Duration) // again and again; nil: nothing
	tid   uint64
	deed  string // the kind of what it does; "": nothing
}

// face is what a port answers to questions for its subnet manager; nil: nothing.
type face struct {
	state, priority, key uint64
	guid                 fabric.GUID
	set                  deed          // what it does with requests to change its state
	until                time.Duration // then it freezes
	thaws                time.Duration // and answers again
}

func newPeer(sub *emulator.Subnet, f *fabric.Fabric, at fabric.End, rng *rand.Rand) (*peer, error) {
	p := &peer{sub: sub, rng: rng, at: at, gid: gidOf(f, at)}
	for _, b := range p.gid[8:] {
		p.guid = p.guid<<8 | fabric.GUID(b)
	}
	var err error
	p.id, err = sub.Attach(emulator.Client{At: at, Deliver: func(d *wire.Datagram) {
		if len(p.inbox) < 1000 {
			var c wire.Datagram
			c.CopyFrom(d)
			p.inbox = append(p.inbox, c)
		}
	}})
	return p, err
}

// rest has a peer be quiet, and a subnet manager no more.
func (p *peer) rest() {
	p.face, p.does, p.deed = nil, nil, ""
	p.sub.SetIsSM(p.id, false)
}

// step has a peer do what it does.
func (p *peer) step(now time.Duration) {
	for i := range p.inbox {
		p.hear(now, &p.inbox[i])
	}
	p.inbox = p.inbox[:0]
	if p.does != nil {
		p.does(now)
	}
}

// hear handles a datagram that has come.
func (p *peer) hear(now time.Duration, d *wire.Datagram) {
	method := d.MAD.Method()
	if method.IsResponse() || d.MAD.Attr() != mad.AttrSMInfo {
		return
	}
	var c wire.Datagram
	c.CopyFrom(d)
	p.asked = append(p.asked[max(0, len(p.asked)-7):], c)
	f := p.face
	if f == nil || now >= f.until && now < f.thaws {
		return
	}
	status := mad.StatusOK
	if method == mad.Set {
		switch f.set {
		case carryOut:
		case ignore:
			return
		case refuse:
			status = mad.StatusBadField
		}
	}
	p.answer(d, status)
}

// answer sends its SMInfo back.
func (p *peer) answer(d *wire.Datagram, status mad.Status) {
	if !d.MAD.Answer(status) {
		return
	}
	p.putSMInfo(d.MAD.Data(), p.face)
	d.Addr = d.Addr.Reply()
	p.sub.Send(p.id, d)
}

func (p *peer) putSMInfo(data []byte, f *face) {
	clear(data)
	guid := p.guid
	if f.guid != 0 {
		guid = f.guid
	}
	p.tid++
	mad.SMInfoGUID.Put(data, uint64(guid))
	mad.SMInfoSMKey.Put(data, f.key)
	mad.SMInfoActCount.Put(data, p.tid)
	mad.SMInfoPriority.Put(data, f.priority)
	mad.SMInfoSMState.Put(data, f.state)
}

// toMaster returns the address of the manager that its port knows, as from LID.
func (p *peer) toMaster(from uint16) (to wire.Address, ok bool) {
	info, err := p.sub.PortInfo(p.at)
	if err != nil {
		panic(err)
	}
	to = wire.ToLID(uint16(mad.PortInfoMasterSMLID.Get(info)), 0)
	to.SL, to.SLID = uint8(mad.PortInfoMasterSMSL.Get(info)), from
	if from == 0 {
		to.SLID = uint16(mad.PortInfoLID.Get(info))
	}
	return to, to.DLID != 0 && to.SLID != 0
}

// smp sends the manager an SMP by its LID.
func (p *peer) smp(from uint16, q mad.Request, fill func(data []byte)) {
	p.tid++
	q.TID = p.tid
	to, ok := p.toMaster(from)
	m, err := q.Routed(make([]byte, mad.Size))
	if err != nil || !ok {
		return
	}
	fill(m.Data())
	p.sub.Send(p.id, &wire.Datagram{Addr: to, MAD: m})
}

// forgeSet asks the master to change its state.
func (p *peer) forgeSet(to uint32, f *face) {
	p.smp(0, mad.Request{Method: mad.Set, Attr: mad.AttrSMInfo, Modifier: to}, func(data []byte) { p.putSMInfo(data, f) })
}

// forgeTrap sends a trap with made up contents, as from LID from.
func (p *peer) forgeTrap(number, from uint16, about fabric.LID) {
	p.smp(from, mad.Request{Method: mad.Trap, Attr: mad.AttrNotice}, func(n []byte) {
		for i := range n {
			n[i] = byte(p.rng.Uint32())
		}
		mad.NoticeIsGeneric.Put(n, 1)
		mad.NoticeTrapNumber.Put(n, uint64(number))
		mad.NoticeIssuerLID.Put(n, uint64(from))
		mad.Trap144LID.Put(n, uint64(about)) // all these traps have a LID there
		if number == mad.TrapBadMKey {
			mad.Trap256DRNotice.Put(n, uint64(p.rng.IntN(2)))
		}
	})
}

// forgeAnswer answers a request that it was sent once more, or one that it was not sent at all,
// with other contents.
func (p *peer) forgeAnswer() {
	if len(p.asked) == 0 {
		return
	}
	var d wire.Datagram
	d.CopyFrom(&p.asked[p.rng.IntN(len(p.asked))])
	if !d.MAD.Answer(mad.StatusOK) {
		return
	}
	if p.rng.IntN(2) == 0 {
		mad.HeaderTransactionID.Put(d.MAD, d.MAD.TID()+uint64(p.rng.IntN(9)))
		mad.HeaderAttributeID.Put(d.MAD, uint64([]mad.AttrID{mad.AttrSMInfo, mad.AttrPortInfo, mad.AttrNodeInfo, mad.AttrSwitchInfo, mad.AttrLinearForwardingTable}[p.rng.IntN(5)]))
	}
	for i := range d.MAD.Data() {
		d.MAD.Data()[i] = byte(p.rng.Uint32())
	}
	d.Addr = d.Addr.Reply()
	p.sub.Send(p.id, &d)
}

// sa sends the manager a request to subnet administration.
func (p *peer) sa(m mad.Datagram) {
	p.tid++
	mad.HeaderTransactionID.Put(m, p.tid)
	if to, ok := p.toMaster(0); ok {
		to.DQP, to.SQP, to.QKey = 1, 1, wire.ToLID(1, 1).QKey
		p.sub.Send(p.id, &wire.Datagram{Addr: to, MAD: m})
	}
}

// join asks for its nth group.
func (p *peer) join(n int) {
	rec := make([]byte, mad.MCMemberRecord.RecordSize())
	mgid := smtest.MgidOf(int(p.guid&0xFFF)<<12 | n)
	copy(rec, mgid[:])
	copy(rec[16:], p.gid)
	mad.MCMemberRecordQKey.Put(rec, 1)
	mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
	mad.MCMemberRecordJoinState.Put(rec, mad.JoinFull)
	p.sa(smtest.Request(mad.Set, mad.AttrMCMemberRecord, smtest.MemberMask, rec))
}

// register registers its nth service.
func (p *peer) register(n int) {
	rec := make([]byte, 176)
	mad.ServiceRecordID.Put(rec, uint64(p.guid)<<16|uint64(n))
	mad.ServiceRecordGID.Put(rec, p.gid)
	mad.ServiceRecordLease.Put(rec, 0xFFFFFFFF)
	p.sa(smtest.Request(mad.Set, mad.AttrServiceRecord, mad.ServiceRecord.Mask(mad.ServiceRecordID, mad.ServiceRecordGID), rec))
}

// subscribe subscribes to every trap with its number n.
func (p *peer) subscribe(n int) {
	info := make([]byte, 36)
	mad.InformInfoLIDRangeBegin.Put(info, 1)
	mad.InformInfoLIDRangeEnd.Put(info, uint64(n+1))
	mad.InformInfoIsGeneric.Put(info, 1)
	mad.InformInfoSubscribe.Put(info, 1)
	mad.InformInfoType.Put(info, 0xFFFF)
	mad.InformInfoTrapNumber.Put(info, 0xFFFF)
	mad.InformInfoProducerType.Put(info, 0xFFFFFF)
	mad.InformInfoQPN.Put(info, 1)
	p.sa(smtest.Request(mad.Set, mad.AttrInformInfo, 0, info))
}

// queries asks for all that is known of something; whole: as the first part of a request that never
// ends.
func (p *peer) queries(whole bool) {
	attr := []mad.AttrID{mad.AttrPathRecord, mad.AttrNodeRecord, mad.AttrPortInfoRecord, mad.AttrServiceRecord, mad.AttrMCMemberRecord, mad.AttrLinkRecord}[p.rng.IntN(6)]
	rec, mask := make([]byte, 128), uint64(0)
	if attr == mad.AttrPathRecord {
		mask = mad.PathRecord.Mask(mad.PathRecordSGID, mad.PathRecordNumbPath)
		copy(mad.PathRecordSGID.Get(rec), p.gid)
		mad.PathRecordNumbPath.Put(rec, 1)
	}
	m := smtest.Request(mad.GetTable, attr, mask, rec)
	if !whole {
		m = smtest.Request(mad.GetMulti, mad.AttrMultiPathRecord, p.rng.Uint64(), rec)
		mad.RMPPVersion.Put(m, 1)
		mad.RMPPType.Put(m, uint64(1+p.rng.IntN(4)))
		mad.RMPPFlags.Put(m, uint64(p.rng.IntN(8)))
		mad.RMPPSegmentNumber.Put(m, uint64(p.rng.IntN(3)))
		mad.RMPPPayloadLength.Put(m, uint64(p.rng.IntN(1000)))
	}
	p.sa(m)
}

// deeds are what a peer may begin to do, by kind; each describes what it has drawn.
var deeds = []struct {
	kind  string
	begin func(x *scene, p *peer) string
}{
	{"frozen", func(x *scene, p *peer) string {
		p.sub.SetIsSM(p.id, true)
		return "says IsSM and answers nothing"
	}},
	{"freezes", func(x *scene, p *peer) string {
		f := x.face(p, mad.SMStateDiscovering+uint64(x.rng.IntN(3)), uint64(x.rng.IntN(16)))
		if f.state == mad.SMStateMaster && f.key == ownKey {
			f.priority = 0
		}
		f.until = x.now + x.upTo(4*time.Second)
		f.thaws = f.until + x.upTo(20*time.Second)
		return x.show(p, f)
	}},
	{"lying manager", func(x *scene, p *peer) string {
		return x.show(p, x.face(p, mad.SMStateNotActive+uint64(x.rng.IntN(4)), 15))
	}},
	{"forged state", func(x *scene, p *peer) string {
		to, every := uint32(x.rng.IntN(7)), x.upTo(3*time.Second)
		f := x.face(p, mad.SMStateMaster, 15)
		text := fmt.Sprintf("asks the master to change its state by %d each %v, with SM_Key %d and GUID %s", to, every, f.key, f.guid)
		if x.rng.IntN(2) == 0 {
			text += "; " + x.show(p, f)
		}
		p.does = x.each(every, func() { p.forgeSet(to, f) })
		return text
	}},
	{"forged traps", func(x *scene, p *peer) string {
		numbers := []uint16{128, 129, 130, 131, 144, 145, 256, 257, 258, 259}
		number, every := numbers[x.rng.IntN(len(numbers))], x.upTo(500*time.Millisecond)
		from, about := uint16(0), fabric.LID(1+x.rng.IntN(40))
		if x.rng.IntN(2) == 0 {
			from = uint16(about)
		}
		p.does = x.each(every, func() { p.forgeTrap(number, from, about) })
		return fmt.Sprintf("sends trap %d about LID %d each %v, as from LID %d", number, about, every, from)
	}},
	{"trap storm", func(x *scene, p *peer) string {
		end, number := x.now+time.Second, []uint16{128, 144}[x.rng.IntN(2)]
		p.does = func(now time.Duration) {
			for range 3 {
				if now < end {
					p.forgeTrap(number, 0, fabric.LID(1+x.rng.IntN(40)))
				}
			}
		}
		return fmt.Sprintf("sends 600 of trap %d in a second", number)
	}},
	{"forged answers", func(x *scene, p *peer) string {
		text := x.show(p, x.face(p, mad.SMStateStandby, 0))
		p.does = x.each(10*time.Millisecond, p.forgeAnswer)
		return text + "; it sends answers that nobody asked for"
	}},
	{"flood of queries", func(x *scene, p *peer) string {
		end, whole := x.now+500*time.Millisecond, x.rng.IntN(2) == 0
		p.does = func(now time.Duration) {
			for range 3 {
				if now < end {
					p.queries(whole)
				}
			}
		}
		return fmt.Sprintf("sends 300 queries in half a second, whole: %v", whole)
	}},
	{"groups", func(x *scene, p *peer) string { return x.hold(p, "groups", p.join) }},
	{"services", func(x *scene, p *peer) string { return x.hold(p, "services", p.register) }},
	{"subscriptions", func(x *scene, p *peer) string { return x.hold(p, "subscriptions", p.subscribe) }},
	{"lying agent", func(x *scene, p *peer) string {
		other := x.honest[x.rng.IntN(len(x.honest))]
		kind := lies[x.rng.IntN(len(lies))]
		x.tempers.of[p.at.Node] = liar(kind, p.rng, x.f.Nodes[other.Node].GUID, x.lidOf(other))
		return "its agent lies: " + kind + ", of " + x.f.NodeName(other.Node)
	}},
	{"frozen agent", func(x *scene, p *peer) string {
		x.tempers.of[p.at.Node] = []*temper{frozenAgent, readOnly, refusing}[x.rng.IntN(3)]
		return "its agent does not answer, or takes no Set"
	}},
}

// hold has a peer ask for a number of things, four in each step of 5 ms.
func (x *scene) hold(p *peer, what string, ask func(n int)) string {
	n, most := 0, 1+x.rng.IntN(120)
	p.does = func(time.Duration) {
		for range 4 {
			if n < most {
				ask(n)
				n++
			}
		}
	}
	return fmt.Sprintf("asks for %d %s", most, what)
}

// show has a peer be a subnet manager that answers so.
func (x *scene) show(p *peer, f *face) string {
	p.face = f
	p.sub.SetIsSM(p.id, true)
	text := fmt.Sprintf("says it is a manager in state %d of priority %d with SM_Key %d", f.state, f.priority, f.key)
	if f.guid != 0 {
		text += fmt.Sprintf(" and GUID %s", f.guid)
	}
	if f.thaws > 0 {
		text += fmt.Sprintf(", which answers nothing from %v to %v", f.until, f.thaws)
	}
	return text
}

// ownKey is the SM_Key of all managers of the subnet.
const ownKey = 1

// face draws what a peer says of itself as a manager in a state.
func (x *scene) face(p *peer, state, priority uint64) *face {
	f := &face{state: state, priority: priority, key: []uint64{0, 7, ownKey}[x.rng.IntN(3)], set: deed(x.rng.IntN(3)), until: never}
	if x.rng.IntN(6) == 0 {
		f.guid = x.f.Nodes[x.at[0].Node].Ports[1].GUID // that of a manager
	}
	return f
}

// never is later than all else.
const never = time.Duration(1 << 62)

// each returns what does something again and again.
func (x *scene) each(every time.Duration, do func()) func(now time.Duration) {
	next := x.now
	return func(now time.Duration) {
		if now >= next {
			next = now + every
			do()
		}
	}
}

// upTo draws a time.
func (x *scene) upTo(d time.Duration) time.Duration {
	return time.Duration(1+x.rng.IntN(int(d/time.Millisecond))) * time.Millisecond
}
