package sm

import (
	"context"
	"time"

	"weft/fabric"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// A standby must know which port is behind which if ports answer nothing without their M_Keys: see
// terms.Neighbour. It asks the master by SA queries with the SM_Key, which show all nodes and
// links.

// askAgain is the interval at which a standby asks for Neighbours.
const askAgain = 20 * time.Second

// askNeighbours asks the master that our port names for Neighbours. There are none if that is
// nobody, or ourselves, or does not answer.
func (d *run) askNeighbours(ctx context.Context) *terms.Event {
	ev := &terms.Event{Kind: terms.NeighboursTold}
	port, err := d.requester.Transport().Port(ctx)
	if err != nil || port.SMLID == 0 || port.SMLID == port.LID || port.LID == 0 {
		return ev
	}
	to := wire.ToLID(port.SMLID, 1)
	to.SL = port.SMSL
	if nodes := d.askTable(ctx, to, mad.AttrNodeRecord); len(nodes) > 0 {
		ev.Neighbours = neighboursOf(nodes, d.askTable(ctx, to, mad.AttrLinkRecord))
	}
	return ev
}

// askTable returns all records of an attribute, one after the other; nil without an answer.
func (d *run) askTable(ctx context.Context, to wire.Address, attr mad.AttrID) []byte {
	m, err := mad.Request{Method: mad.GetTable, Attr: attr}.SA(make([]byte, mad.Size), 0)
	if err != nil {
		return nil
	}
	mad.SAHeaderSMKey.Put(m, d.SMKey)
	answer, err := d.requester.Ask(ctx, &wire.Request{Addr: to, MAD: m})
	if err != nil || answer.Status() != mad.StatusOK {
		return nil
	}
	return answer.Data()
}

// neighboursOf makes Neighbours from NodeRecords and LinkRecords. Links with an unknown LID are
// left out.
func neighboursOf(nodes, links []byte) (list []terms.Neighbour) {
	type place struct{ node, port fabric.GUID }
	at := map[uint64]place{}
	for size := mad.NodeRecord.RecordSize(); len(nodes) >= size; nodes = nodes[size:] {
		info := mad.NodeRecordNodeInfo.Get(nodes)
		at[mad.NodeRecordLID.Get(nodes)] = place{fabric.GUID(mad.NodeInfoNodeGUID.Get(info)), fabric.GUID(mad.NodeInfoPortGUID.Get(info))}
	}
	for size := mad.LinkRecord.RecordSize(); len(links) >= size; links = links[size:] {
		from, ok := at[mad.LinkRecordFromLID.Get(links)]
		to, found := at[mad.LinkRecordToLID.Get(links)]
		if ok && found {
			list = append(list, terms.Neighbour{Node: from.node, Port: uint8(mad.LinkRecordFromPort.Get(links)), GUID: to.port})
		}
	}
	return list
}
