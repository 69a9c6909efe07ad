package umadfs

import (
	"cmp"
	"slices"
	"time"

	"weft/wire"
	"weft/wire/mad"
	"weft/wire/rmpp"
	"weft/wire/umad"
)

// ackTimeout is the longest time that the kernel waits for an acknowledgement, and the time if the
// program gives none.
const ackTimeout = 2 * time.Second

// cuts reports whether a datagram of an agent is a whole message, which is sent in segments. Of the
// RMPP header, programs need to set this flag alone.
func (a *agent) cuts(m mad.Datagram) bool {
	return a.messages != nil && m.Class().HasRMPP() && mad.RMPPFlags.Get(m)&mad.RMPPActive != 0
}

// cut sends a message in segments.
func (v *device) cut(now time.Duration, a *agent, h *umad.Header, d *wire.Datagram) {
	p := rmpp.Patience{Timeout: time.Duration(h.TimeoutMS) * time.Millisecond, Retries: int(min(h.Retries, 1000))}
	if p.Timeout == 0 || p.Timeout > ackTimeout {
		p.Timeout = ackTimeout
	}
	a.perform(a.messages.SendWithin(now, d, p, nil), 0)
}

// joining returns the agent whose messages a datagram from the subnet belongs to: as a segment, or
// as the answer to one. nil: it is no part of a message, or the program does RMPP by itself.
func (v *device) joining(m mad.Datagram) *agent {
	if !wire.RMPPActive(m) || len(m) > mad.Size { // a longer one is whole
		return nil
	}
	a := v.owners[claimOf(m)]
	if k := keyOf(m); m.Method().IsResponse() {
		a = v.agents[uint16(k.tid>>32)]
		if a != nil && a.Class != k.class {
			return nil
		}
	}
	if a == nil || a.messages == nil {
		return nil
	}
	return a
}

// join takes a part of a message from the subnet.
func (a *agent) join(now time.Duration, d *wire.Datagram, pathBits uint8) {
	a.perform(a.messages.Arrived(now, d, nil), pathBits)
}

// perform carries out the actions of an agent's messages.
func (a *agent) perform(actions []rmpp.Action, pathBits uint8) {
	v := a.file.dev
	for i := range actions {
		switch d := &actions[i].Datagram; actions[i].Kind {
		case rmpp.Send:
			var copied wire.Datagram
			copied.CopyFrom(d)
			v.sending = append(v.sending, copied)
		case rmpp.Deliver:
			v.pass(d, pathBits)
		case rmpp.TimedOut:
			a.timedOut(d)
		}
	}
}

// timedOut returns a message that was not acknowledged to its program.
func (a *agent) timedOut(d *wire.Datagram) {
	v, k := a.file.dev, keyOf(d.MAD)
	h := umad.Header{
		Agent: a.id, QPN: d.Addr.DQP, QKey: d.Addr.QKey, LID: d.Addr.DLID, SL: d.Addr.SL,
		PKeyIndex: d.Addr.PKeyIndex, GRH: d.Addr.GRH,
	}
	if !d.MAD.Method().IsResponse() {
		r := v.waiting[k]
		if r == nil { // it was returned already, or its program does not wait
			return
		}
		delete(v.waiting, k)
		h = r.header
	}
	a.giveUp(h, d.MAD)
}

// messagesDue returns the time when messages under way are due.
func (v *device) messagesDue() time.Duration {
	next := never
	for _, a := range v.agents {
		if a.messages == nil {
			continue
		}
		if due, ok := a.messages.Deadline(); ok {
			next = min(next, due)
		}
	}
	return next
}

// expireMessages repeats segments that were not acknowledged, and gives up messages.
func (v *device) expireMessages(now time.Duration) {
	if now < v.messagesDue() {
		return
	}
	var list []*agent
	for _, a := range v.agents {
		if a.messages != nil {
			list = append(list, a)
		}
	}
	slices.SortFunc(list, func(a, b *agent) int { return cmp.Compare(a.number, b.number) })
	for _, a := range list {
		a.perform(a.messages.Tick(now, nil), 0)
	}
}
