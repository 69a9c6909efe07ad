package watch

import (
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/ledger"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// service watches what honest hosts get, whatever others do.
type service struct {
	x        *scene
	probes   []*probe // at the honest ports
	next     time.Duration
	since    time.Duration // when it began to watch; never: not yet
	faultAt  time.Duration // the last time that something happened to a switch or a cable
	killedAt time.Duration // the last time that a manager was killed
	handing  time.Duration // the last time that a manager handed the subnet over
	excused  time.Duration // until then a peer that must be believed may have the subnet
	trusts   bool          // there is such a peer

	master  *virtual
	reigns  time.Duration // since when that one is the master, with tables in force
	orphan  time.Duration // since when there is none
	queries int           // that were answered
}

// probe is a program at an honest port, which sends packets to others and asks for paths.
type probe struct {
	at    fabric.End
	id    emulator.ClientID
	gid   []byte
	lid   fabric.LID // that it had first
	heard []time.Duration
	inbox []wire.Datagram
	last  mad.Status // of the last answer

	tid      uint64
	to       int           // whose path it asks for
	sent     time.Duration // when it asked last
	answered time.Duration // when it got an answer last
}

// Times of the invariants.
const (
	probeEvery   = 100 * time.Millisecond
	askAgain     = probeEvery
	answerWithin = time.Second
	repairWithin = 5 * time.Second
	orphanWithin = 3 * time.Second
	twoMasters   = 25 * time.Second // after a take-back beside a manager that starts: a wait for the store, and a light sweep
	failover     = 25 * time.Second // from the death of a manager until the other one serves
)

func newService(x *scene) *service {
	w := &service{x: x, since: never, next: 0, killedAt: -never, handing: -never, orphan: never}
	for _, at := range x.honest {
		p := &probe{at: at, gid: gidOf(x.f, at), heard: make([]time.Duration, len(x.honest))}
		id, err := x.sub.Attach(emulator.Client{At: at, Deliver: func(d *wire.Datagram) {
			if d.MAD.Class() == pingClass {
				p.heard[d.MAD.TID()&0xFF] = x.sub.Now()
				return
			}
			var c wire.Datagram
			c.CopyFrom(d)
			p.inbox = append(p.inbox, c)
		}})
		if err != nil {
			x.t.Fatal(err)
		}
		p.id = id
		w.probes = append(w.probes, p)
	}
	return w
}

// pingClass is the class of packets between probes.
const pingClass = 0x09

// begin begins to watch: the subnet is up.
func (w *service) begin() {
	w.since, w.faultAt = w.x.now, w.x.now
	for _, p := range w.probes {
		p.lid, p.answered = w.x.lidOf(p.at), w.x.now
		for i := range p.heard {
			p.heard[i] = w.x.now
		}
	}
}

// judgeTrust notes whether a peer must be believed that it is the master: it has the SM_Key and
// precedes a manager, and no M_Key keeps it out of every port. Until a while after it rests nothing
// is asked of the managers.
func (w *service) judgeTrust() {
	x := w.x
	was := w.trusts
	w.trusts = false
	for _, p := range x.peers {
		f := p.face
		if f == nil || f.key != ownKey || f.state != mad.SMStateMaster || f.guid != 0 || x.keys.Given() && !x.hasLiar() {
			continue
		}
		for i, at := range x.at {
			o := ledger.OtherManager{GUID: p.guid, Priority: f.priority}
			w.trusts = w.trusts || o.Precedes(x.priority[i], x.f.Nodes[at.Node].Ports[1].GUID)
		}
	}
	if was && !w.trusts {
		w.excused = x.now + time.Minute
	}
}

// isExcused reports whether nothing can be asked of the managers now: a peer must be believed, or
// managers that start or take over meet a port that may be the master.
func (w *service) isExcused() bool {
	x := w.x
	if w.trusts || x.now < w.excused {
		return true
	}
	if x.now < w.killedAt+failover {
		for _, p := range x.peers {
			if info, err := x.sub.PortInfo(p.at); err == nil && mad.PortInfoCapabilityMask.Get(info)&mad.CapIsSM != 0 {
				w.killedAt = x.now // as long as it is there
				return true
			}
		}
	}
	return false
}

// step watches for a moment.
func (w *service) step() {
	x := w.x
	if w.since == never || x.now < w.next {
		return
	}
	w.next = x.now + probeEvery
	n, master := masters(x.living())
	for _, v := range x.living() { // while it hands the subnet over it writes nothing, and others do not take it for the master
		if v.manager.election.handing != nil {
			w.handing = x.now
		}
	}
	if n > 1 && x.now > w.handing+twoMasters {
		w.fail("%d masters", n)
	}
	switch {
	case n == 0 && w.orphan == never:
		w.orphan, w.master = x.now, nil
	case n == 1:
		w.orphan = never
	}
	if master != nil && master != w.master {
		w.master, w.reigns = master, x.now
	}
	w.ping()
	w.ask()
	if w.isExcused() {
		w.restart()
		return
	}
	if slack := max(w.orphan+orphanWithin, w.killedAt+failover); n == 0 && x.now > slack {
		w.fail("no master since %v", w.orphan)
	}
	w.judge()
}

// restart has all times of the watch begin now.
func (w *service) restart() {
	now := w.x.now
	w.reigns, w.orphan = now, never
	w.faultAt = max(w.faultAt, now)
	for _, p := range w.probes {
		p.answered = now
	}
}

// patience is how long packets may be lost on a wire where nothing is wrong.
func (w *service) patience() time.Duration {
	if w.x.fair {
		return 3 * probeEvery
	}
	return time.Second
}

// judge holds what was seen against what must be.
func (w *service) judge() {
	x := w.x
	repair := repairWithin
	if !x.fair { // the trap may be lost, and SMPs
		repair += terms.UsualWatch.Interval + 2*time.Second
	}
	if x.now < w.killedAt+failover {
		repair += failover
	}
	for j, to := range w.probes {
		if lid := x.lidOf(to.at); lid != to.lid {
			w.fail("%s had LID %d, and has %d", x.f.NodeName(to.at.Node), to.lid, lid)
		}
		for i, from := range w.probes {
			if last := max(to.heard[i]+w.patience(), w.faultAt+repair); i != j && x.now > last {
				w.fail("packets from %s to %s are lost since %v", x.f.NodeName(from.at.Node), x.f.NodeName(to.at.Node), to.heard[i])
			}
		}
	}
	if w.master == nil {
		return
	}
	at := 0
	for i, p := range w.probes {
		if w.master.at == p.at {
			at = i
		}
	}
	for i, p := range w.probes {
		if i == at {
			continue
		}
		lost := x.now-w.probes[at].heard[i] > 3*probeEvery || x.now-p.heard[at] > 3*probeEvery
		learns := w.knows(p) != w.probes[at].lid && x.now < w.reigns+repair // its port does not name the new master yet
		if lost || learns || x.now < max(w.reigns+3*probeEvery, w.killedAt+failover) {
			p.answered = x.now
		}
		if x.now-p.answered > answerWithin+askAgain {
			w.fail("%s asks for a path since %v, and gets none; what came last: %v", x.f.NodeName(p.at.Node), p.answered, p.last)
		}
	}
}

// knows returns the LID of the manager that a port knows.
func (w *service) knows(p *probe) fabric.LID {
	info, err := w.x.sub.PortInfo(p.at)
	if err != nil {
		w.x.t.Fatal(err)
	}
	return fabric.LID(mad.PortInfoMasterSMLID.Get(info))
}

// ping sends packets from each honest port to each other one.
func (w *service) ping() {
	m := make(mad.Datagram, mad.Size)
	for j, to := range w.probes {
		lid := uint16(w.x.lidOf(to.at))
		for i, from := range w.probes {
			if i == j || lid == 0 {
				continue
			}
			m[0], m[1], m[2], m[3] = 1, pingClass, 1, byte(mad.GetResp)
			mad.HeaderTransactionID.Put(m, uint64(to.id)<<48|uint64(i))
			w.x.sub.Send(from.id, &wire.Datagram{Addr: wire.ToLID(lid, 1), MAD: m})
		}
	}
}

// ask has each probe ask for a path to another one, and takes the answers.
func (w *service) ask() {
	x := w.x
	for i, p := range w.probes {
		for _, d := range p.inbox {
			p.last = d.MAD.Status()
			if d.MAD.Method() != mad.GetResp || d.MAD.Attr() != mad.AttrPathRecord || uint32(d.MAD.TID()) != uint32(p.tid) || d.MAD.Status() == mad.StatusBusy {
				continue
			}
			to := w.probes[p.to]
			if s := d.MAD.Status(); s != mad.StatusOK {
				if !w.isExcused() && x.now > w.faultAt+repairWithin {
					w.fail("%s asks for the path to %s, and gets status %v", x.f.NodeName(p.at.Node), x.f.NodeName(to.at.Node), s)
				}
				continue
			}
			if lid := mad.PathRecordDLID.Get(d.MAD.Data()); lid != uint64(to.lid) {
				w.fail("%s asks for the path to %s, and gets LID %d", x.f.NodeName(p.at.Node), x.f.NodeName(to.at.Node), lid)
			}
			p.answered, p.sent = x.now, -never
			w.queries++
		}
		p.inbox = p.inbox[:0]
		if x.now < p.sent+askAgain {
			continue
		}
		if p.sent == -never {
			p.to = (p.to + 1) % len(w.probes)
		}
		if p.to == i {
			p.to = (p.to + 1) % len(w.probes)
		}
		rec := make([]byte, mad.PathRecord.Size)
		copy(mad.PathRecordSGID.Get(rec), p.gid)
		copy(mad.PathRecordDGID.Get(rec), w.probes[p.to].gid)
		p.tid++
		q := smtest.Request(mad.Get, mad.AttrPathRecord, mad.PathRecord.Mask(mad.PathRecordSGID, mad.PathRecordDGID), rec)
		mad.HeaderTransactionID.Put(q, p.tid)
		p.sent = x.now
		x.sub.Send(p.id, &wire.Datagram{Addr: wire.ToLID(uint16(w.knows(p)), 1), MAD: q})
	}
}

// fail ends the schedule.
func (w *service) fail(format string, args ...any) {
	w.x.t.Helper()
	w.x.t.Fatalf("%v: "+format, append([]any{w.x.now}, args...)...)
}
