package watch

import (
	"time"

	"weft/fabric"
	"weft/internal/repeat"
	"weft/sm/ledger"
	"weft/sm/terms"
	"weft/wire/mad"
)

// others remembers how other managers have behaved, by the GUID of their ports, until a person
// changes something.
type others struct {
	by map[fabric.GUID]*behaviour
	// isIdleSince is the time since which another manager has the subnet while our own port still
	// names us as the master: it has written nothing yet. Never: there is none.
	isIdleSince time.Duration
	lost        fabric.GUID   // our master that has fallen silent; 0: none
	lostSince   time.Duration // since when
}

// behaviour holds past deeds of a manager.
type behaviour struct {
	idle  string       // why it is idle; "" if it is not
	offer repeat.Delay // of the next offer of the subnet to it
	round repeat.Delay // of the next round that its requests begin
}

// Times for managers that break their word.
const (
	idleAfter  = time.Minute      // a master writes to all ports within this time
	silentFor  = 40 * time.Second // a silent master has lost the subnet; OpenSM waits as long
	firstPause = time.Minute      // until the next offer, or the next request that counts
	mostPause  = time.Hour        // that time, doubled each time, at most
)

func newOthers() others {
	return others{by: map[fabric.GUID]*behaviour{}, isIdleSince: terms.Never}
}

// of returns the behaviour of a manager.
func (o *others) of(guid fabric.GUID) *behaviour {
	if o.by[guid] == nil {
		o.by[guid] = &behaviour{}
	}
	return o.by[guid]
}

// postpone puts off the next offer to a manager, longer each time. It returns for how long.
func (o *others) postpone(now time.Duration, guid fabric.GUID) time.Duration {
	return o.of(guid).offer.Grow(now, firstPause, mostPause)
}

// mayBeOffered reports whether a manager may be offered the subnet now.
func (o *others) mayBeOffered(now time.Duration, guid fabric.GUID) bool {
	return o.by[guid] == nil || now >= o.by[guid].offer.Until
}

// find notes that a manager is idle, with the reason. It stays so until it writes to our ports.
func (o *others) find(now time.Duration, guid fabric.GUID, why string) {
	o.postpone(now, guid)
	o.of(guid).idle = why
	o.isIdleSince, o.lost = terms.Never, 0
}

// idle lists the idle managers with the reasons.
func (o *others) idle() map[fabric.GUID]string {
	list := map[fabric.GUID]string{}
	for guid, b := range o.by {
		if b.idle != "" {
			list[guid] = b.idle
		}
	}
	return list
}

// wrote notes that another manager has written to our own port, our master if there is one.
func (o *others) wrote(master *ledger.OtherManager) {
	o.isIdleSince = terms.Never
	if master != nil {
		delete(o.by, master.GUID)
	}
}

// admits reports whether a request of a manager may begin a round now. Each makes the next one wait
// longer.
func (o *others) admits(now time.Duration, guid fabric.GUID) bool {
	b := o.of(guid)
	if now < b.round.Until {
		return false
	}
	b.round.Grow(now, firstPause, mostPause)
	return true
}

// lose notes that our master does not answer.
func (o *others) lose(now time.Duration, guid fabric.GUID) {
	if o.lost != guid {
		o.lost, o.lostSince = guid, now
	}
}

// namesItself reports whether the port of a PortInfo has its own LID as MasterSMLID. Our own port
// has so while no other manager has written to it since we were the master.
func namesItself(info []byte) bool {
	lid := mad.PortInfoLID.Get(info)
	return lid != 0 && lid == mad.PortInfoMasterSMLID.Get(info)
}

// judgeLeft handles a round that left the subnet to another manager. If that one does nothing for
// too long it is found idle, and the next round begins at once: judgeLeft returns true.
func (o *others) judgeLeft(m *Manager, now time.Duration) bool {
	r, l := m.result, m.result.Ledger
	if len(l.Nodes) == 0 {
		return false
	}
	if !namesItself(l.Info[l.OwnPort()][:]) {
		o.wrote(r.Master)
	} else if o.isIdleSince == terms.Never {
		o.isIdleSince = now
	}
	if r.Master != nil {
		o.lost = 0
	}
	why := ""
	switch {
	case o.isIdleSince != terms.Never && now-o.isIdleSince >= idleAfter:
		why = "has written to no port of ours for " + idleAfter.String()
	case r.Master == nil && o.lost != 0 && now-o.lostSince >= silentFor:
		why = "was the master and has been silent for " + silentFor.String()
	default:
		return false
	}
	guids := l.Mute
	if r.Master != nil {
		guids = []fabric.GUID{r.Master.GUID}
	}
	for _, guid := range guids {
		o.find(now, guid, why)
		m.tell(terms.Disbelieved, "the subnet manager at %s %s: it is not waited for any longer", managerName(l, guid), why)
	}
	return len(guids) > 0
}

// managerName names the port of a manager.
func managerName(l *ledger.Ledger, guid fabric.GUID) string {
	for slot, is := range l.GUID {
		if is == guid {
			return l.PortName(int32(slot))
		}
	}
	return guid.String()
}
