package emulator

import (
	"encoding/binary"
	"slices"

	"weft/fabric"
	"weft/wire/mad"
)

// linearTable gets or sets a block of 64 entries.
func (q *query) linearTable() mad.Status {
	if q.n.sw < 0 {
		return mad.StatusBadAttribute
	}
	sw := &q.switches[q.n.sw]
	first := uint64(q.mod) * mad.LFTBlock
	if first >= mad.SwitchInfoLinearFDBCap.Get(sw.info[:]) {
		return mad.StatusBadField
	}
	if q.set {
		growLFT(sw, int(first)+mad.LFTBlock)
		copy(sw.lft[first:], q.data)
		return mad.StatusOK
	}
	if int(first) < len(sw.lft) {
		return q.fill(sw.lft[first : first+mad.LFTBlock])
	}
	for i := range q.data {
		q.data[i] = 255
	}
	return mad.StatusOK
}

// growLFT makes a table long enough for n entries. Tables are often written from the first block to
// the last, so it allocates more than one block.
func growLFT(sw *swtch, n int) {
	have := len(sw.lft)
	if n <= have {
		return
	}
	sw.lft = slices.Grow(sw.lft, n-have)[:n]
	for i := range sw.lft[have:] {
		sw.lft[have+i] = 255
	}
}

// multicastTable gets or sets the masks of 32 MLIDs for 16 ports.
func (q *query) multicastTable() mad.Status {
	if q.n.sw < 0 {
		return mad.StatusBadAttribute
	}
	sw := &q.switches[q.n.sw]
	positions := int(q.n.numPorts)/16 + 1
	position, block := int(q.mod>>28), int(q.mod&0x1FF)
	if position >= positions || block >= (int(mad.SwitchInfoMulticastFDBCap.Get(sw.info[:]))+mad.MFTBlock-1)/mad.MFTBlock {
		return mad.StatusBadField
	}
	if need := (block + 1) * mad.MFTBlock * positions; q.set && len(sw.mft) < need {
		sw.mft = append(sw.mft, make([]uint16, need-len(sw.mft))...)
	}
	for i := range mad.MFTBlock {
		at := (block*mad.MFTBlock+i)*positions + position
		switch {
		case q.set:
			sw.mft[at] = uint16(mad.MulticastForwardingTablePort.At(q.data, i))
		case at < len(sw.mft):
			mad.MulticastForwardingTablePort.Set(q.data, i, uint64(sw.mft[at]))
		default:
			mad.MulticastForwardingTablePort.Set(q.data, i, 0)
		}
	}
	return mad.StatusOK
}

// pkeyTable gets or sets a block of 32 P_Keys.
func (q *query) pkeyTable() mad.Status {
	num, block := uint8(q.mod>>16), int(q.mod&0xFFFF)
	if q.n.sw < 0 {
		num = 0
	}
	p, ok := q.portNamed(num)
	size := int(mad.NodeInfoPartitionCap.Get(q.n.info[:]))
	if q.n.sw >= 0 && num > 0 {
		size = int(mad.SwitchInfoPartitionEnfCap.Get(q.switches[q.n.sw].info[:]))
	}
	if !ok || block*32 >= size {
		return mad.StatusBadField
	}
	t := q.tablesOf(p, q.set)
	if t == nil {
		q.fill(nil)
		if block == 0 {
			mad.PKeyTablePKey.Set(q.data, 0, 0xFFFF)
		}
		return mad.StatusOK
	}
	for i := range 32 {
		switch at := block*32 + i; {
		case at >= size:
			mad.PKeyTablePKey.Set(q.data, i, 0)
		case q.set:
			t.pkeys[at] = uint16(mad.PKeyTablePKey.At(q.data, i))
		default:
			mad.PKeyTablePKey.Set(q.data, i, uint64(t.pkeys[at]))
		}
	}
	return mad.StatusOK
}

// identityLanes returns the mapping after power-on, in the attribute's form: SL n to VL n, modulo
// the number of data VLs.
func identityLanes(vls uint8) uint64 {
	v := uint64(0)
	for sl := range uint64(16) {
		v = v<<4 | sl%uint64(max(vls, 1))
	}
	return v
}

// laneOf returns the VL of an SL in a mapping.
func laneOf(table uint64, sl uint8) uint8 { return uint8(table>>(60-4*(sl&15))) & 15 }

// switchLanes returns the mapping of a switch between two of its ports.
func (d *devices) switchLanes(n *node, in, out uint8) uint64 {
	sw := &d.switches[n.sw]
	if sw.sl2vl != nil {
		return sw.sl2vl[int(in)*(int(n.numPorts)+1)+int(out)]
	}
	return identityLanes(mad.DataVLs(mad.PortInfoVLCap.Get(d.ports[n.first+int32(out)].info[:])))
}

// switchVL returns the VL on which a switch forwards a packet.
func (d *devices) switchVL(n *node, in, out, sl uint8) uint8 {
	if d.switches[n.sw].sl2vl == nil && sl == 0 {
		return 0
	}
	return laneOf(d.switchLanes(n, in, out), sl)
}

// VL returns the VL on which a switch forwards packets of an SL from one port to another, 15 if it
// discards them.
func (d *devices) VL(switchNode fabric.NodeID, in, out, sl uint8) uint8 {
	return d.switchVL(&d.nodes[switchNode], in, out, sl)
}

// slToVL gets or sets the mapping of a CA port, or of a switch between two ports, or between all of
// them with the corresponding modifiers.
func (q *query) slToVL() mad.Status {
	if q.n.sw < 0 {
		return q.slToVLOfCA()
	}
	in, out := uint8(q.mod>>8), uint8(q.mod)
	if in > q.n.numPorts || out > q.n.numPorts {
		return mad.StatusBadField
	}
	if !q.set {
		q.fill(nil)
		binary.BigEndian.PutUint64(q.data, q.switchLanes(q.n, in, out))
		return mad.StatusOK
	}
	lanes := binary.BigEndian.Uint64(q.data)
	firstIn, lastIn, firstOut, lastOut := in, in, out, out
	if q.mod&mad.SLtoVLAllInputs != 0 {
		firstIn, lastIn = 0, q.n.numPorts
	}
	if q.mod&mad.SLtoVLAllOutputs != 0 {
		firstOut, lastOut = 0, q.n.numPorts
	}
	table, width := q.ownLanes(q.n), int(q.n.numPorts)+1
	for i := int(firstIn); i <= int(lastIn); i++ {
		for o := int(firstOut); o <= int(lastOut); o++ {
			table[i*width+o] = lanes
		}
	}
	return mad.StatusOK
}

// ownLanes returns the mappings of a switch for writing.
func (d *devices) ownLanes(n *node) []uint64 {
	sw, width := &d.switches[n.sw], int(n.numPorts)+1
	if sw.sl2vl == nil {
		table := make([]uint64, width*width)
		for i := range table {
			table[i] = d.switchLanes(n, uint8(i/width), uint8(i%width))
		}
		sw.sl2vl = table
	}
	return sw.sl2vl
}

func (q *query) slToVLOfCA() mad.Status {
	t := q.tablesOf(q.port, q.set)
	if q.set {
		t.sl2vl = binary.BigEndian.Uint64(q.data)
		return mad.StatusOK
	}
	q.fill(nil)
	binary.BigEndian.PutUint64(q.data, q.hostLanes(&q.ports[q.port]))
	return mad.StatusOK
}

// hostLanes returns the mapping of a CA port.
func (d *devices) hostLanes(x *port) uint64 {
	if x.tables != nil {
		return x.tables.sl2vl
	}
	return identityLanes(mad.DataVLs(mad.PortInfoVLCap.Get(x.info[:])))
}

// vlArbitration gets or sets one of the tables. Ports have vlArbCap entries each,
// so the upper blocks do not exist.
func (q *query) vlArbitration() mad.Status {
	block, num := q.mod>>16, uint8(q.mod)
	if q.n.sw < 0 {
		num = 0
	}
	p, ok := q.portNamed(num)
	if !ok || block != mad.VLArbLowLower && block != mad.VLArbHighLower {
		return mad.StatusBadField
	}
	t := q.tablesOf(p, q.set)
	if t == nil {
		fresh := q.equalTurns(p)
		if block != mad.VLArbLowLower {
			return q.fill(nil)
		}
		return q.fill(fresh[:])
	}
	entries := t.vlarb[block-mad.VLArbLowLower][:]
	if q.set {
		copy(entries, q.data[:2*vlArbCap])
		t.arbitrates = true
	}
	return q.fill(entries)
}

// turnWeight is the weight of each VL after power-on.
const turnWeight = 32

// equalTurns returns the arbitration table of low priority after power-on: each data VL has its
// turn.
func (d *devices) equalTurns(p int32) (low [64]byte) {
	for vl := range min(mad.DataVLs(mad.PortInfoVLCap.Get(d.ports[p].info[:])), vlArbCap) {
		mad.VLArbitrationTableVL.Set(low[:], int(vl), uint64(vl))
		mad.VLArbitrationTableWeight.Set(low[:], int(vl), turnWeight)
	}
	return low
}

// hasTurn reports whether a VL has a weight at either priority.
func (t *portTables) hasTurn(vl uint8) bool {
	for _, block := range t.vlarb {
		for i := range vlArbCap {
			if mad.VLArbitrationTableVL.At(block[:], i) == uint64(vl) && mad.VLArbitrationTableWeight.At(block[:], i) > 0 {
				return true
			}
		}
	}
	return false
}

// VLArbitration returns the written VL arbitration tables of an output port, two bytes for each
// entry (VL, weight), and its limit of high priority; none if neither was written since power-on.
func (d *devices) VLArbitration(e fabric.End) (low, high []byte, limit uint8) {
	p, err := d.portAt(e)
	if err != nil || d.ports[p].tables == nil || !d.ports[p].tables.arbitrates {
		return nil, nil, 0
	}
	t := d.ports[p].tables
	limit = uint8(mad.PortInfoVLHighLimit.Get(d.ports[p].info[:]))
	return slices.Clone(t.vlarb[0][:2*vlArbCap]), slices.Clone(t.vlarb[mad.VLArbHighLower-mad.VLArbLowLower][:2*vlArbCap]), limit
}
