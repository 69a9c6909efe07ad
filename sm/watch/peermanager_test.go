package watch

import (
	"weft/emulator"
	"weft/fabric"
	"weft/sm/smtest"
	"weft/wire"
	"weft/wire/mad"
)

// peerManager is a program on a host that says it is a subnet manager. It does what a test tells
// it: it answers, lies, is silent, or writes. It never manages the subnet.
type peerManager struct {
	sub *emulator.Subnet
	id  emulator.ClientID
	at  fabric.End
	own fabric.GUID // of its port

	// What it says of itself.
	guid                 fabric.GUID
	priority, state, key uint64

	silent bool               // it answers nothing, as a stopped program
	takes  bool               // it accepts a handover with an acknowledgement
	alter  func(mad.Datagram) // changes an answer before it is sent; nil: nothing
	heard  func(mad.Datagram) // takes the answers of others; nil: nobody does

	inbox   []wire.Datagram
	asked   int    // SMInfo requests that came
	offered int    // HANDOVERs among them
	shown   uint64 // the SM_Key of the last request
	status  []mad.Status
	tid     uint64
}

// newPeerManager attaches a peer manager to port 1 of a host and sets IsSM there. The manager of v
// drives it.
func newPeerManager(t smtest.Fataler, v *virtual, host int, priority, state, key uint64) *peerManager {
	t.Helper()
	f := v.sub.Fabric()
	id := smtest.Find(f, fabric.CA, host)
	p := &peerManager{sub: v.sub, at: fabric.End{Node: id, Port: 1}, own: f.Nodes[id].Ports[1].GUID, guid: f.Nodes[id].Ports[1].GUID, priority: priority, state: state, key: key}
	var err error
	p.id, err = v.sub.Attach(emulator.Client{At: p.at, Deliver: func(d *wire.Datagram) {
		var c wire.Datagram
		c.CopyFrom(d)
		p.inbox = append(p.inbox, c)
	}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	v.sub.SetIsSM(p.id, true)
	v.peers = append(v.peers, p)
	return p
}

// serve answers what has come.
func (p *peerManager) serve() {
	inbox := p.inbox
	p.inbox = nil
	for i := range inbox {
		d := &inbox[i]
		method := d.MAD.Method()
		if method.IsResponse() {
			p.status = append(p.status, d.MAD.Status())
			if p.heard != nil {
				p.heard(d.MAD)
			}
			continue
		}
		if d.MAD.Attr() != mad.AttrSMInfo || method != mad.Get && method != mad.Set {
			continue
		}
		p.asked++
		p.shown = mad.SMInfoSMKey.Get(d.MAD.Data())
		handover := method == mad.Set && d.MAD.Modifier() == mad.SMSetHandover
		if handover {
			p.offered++
		}
		if p.silent {
			continue
		}
		from := d.Addr
		if !d.MAD.Answer(mad.StatusOK) {
			continue
		}
		p.put(d.MAD.Data())
		if p.alter != nil {
			p.alter(d.MAD)
		}
		d.Addr = from.Reply()
		p.sub.Send(p.id, d)
		if handover && p.takes {
			p.set(mad.SMSetAcknowledge)
		}
	}
}

// put writes what the peer says of itself.
func (p *peerManager) put(data []byte) {
	clear(data)
	mad.SMInfoGUID.Put(data, uint64(p.guid))
	mad.SMInfoSMKey.Put(data, p.key)
	mad.SMInfoActCount.Put(data, uint64(p.asked))
	mad.SMInfoPriority.Put(data, p.priority)
	mad.SMInfoSMState.Put(data, p.state)
}

// set sends a Set of SMInfo, such as HANDOVER, to the manager whose LID its port knows as the
// master's.
func (p *peerManager) set(modifier uint32) { p.setAt(p.ownInfo(mad.PortInfoMasterSMLID), modifier) }

// setAt sends a Set of SMInfo to the manager at a LID.
func (p *peerManager) setAt(lid uint64, modifier uint32) {
	m := p.request(mad.Set, mad.AttrSMInfo, modifier)
	p.put(m.Data())
	p.sub.Send(p.id, &wire.Datagram{Addr: wire.ToLID(uint16(lid), 0), MAD: m})
}

// get asks the manager at a LID for its SMInfo.
func (p *peerManager) get(lid uint64) {
	m := p.request(mad.Get, mad.AttrSMInfo, 0)
	p.sub.Send(p.id, &wire.Datagram{Addr: wire.ToLID(uint16(lid), 0), MAD: m})
}

// write sets MasterSMLID of the port at a LID to its own LID, as a manager does that takes the
// subnet. The rest stays as at is now.
func (p *peerManager) write(t smtest.Fataler, at fabric.End, key uint64) {
	t.Helper()
	info, err := p.sub.PortInfo(at)
	if err != nil {
		t.Fatalf("%v", err)
	}
	m := p.request(mad.Set, mad.AttrPortInfo, uint32(at.Port))
	mad.SMPMKey.Put(m, key)
	copy(m.Data(), info)
	mad.PortInfoPortState.Put(m.Data(), 0)
	mad.PortInfoPhysicalState.Put(m.Data(), 0)
	mad.PortInfoMasterSMLID.Put(m.Data(), p.ownInfo(mad.PortInfoLID))
	p.sub.Send(p.id, &wire.Datagram{Addr: wire.ToLID(uint16(mad.PortInfoLID.Get(info)), 0), MAD: m})
}

func (p *peerManager) request(method mad.Method, attr mad.AttrID, modifier uint32) mad.Datagram {
	p.tid++
	m, err := mad.Request{Method: method, Attr: attr, Modifier: modifier, TID: p.tid}.Routed(make([]byte, mad.Size))
	if err != nil {
		panic(err)
	}
	return m
}

// ownInfo reads a field of PortInfo of its own port.
func (p *peerManager) ownInfo(field mad.Field) uint64 {
	info, err := p.sub.PortInfo(p.at)
	if err != nil {
		panic(err)
	}
	return field.Get(info)
}
