package route

import (
	"math/bits"
	"slices"

	"weft/fabric"
)

// NumSLs is the number of service levels.
const NumSLs = 16

// UsualVLs is the number of data VLs of today's hardware, for use when neither a request nor the
// fabric gives one.
const UsualVLs = 8

// DropVL in an SL2VL table discards the packet (IBA volume 1, section 14.2.5.8:
// VL15 is for management and no SL may map to it).
const DropVL uint8 = 15

// SLs give the service level of a packet by the class of its source and the class of its
// destination LID. A class can be everything, a switch, a leaf or a single LID, as the lanes need
// it; the arrays Src and Dst decide.
type SLs struct {
	Src    []int32 // class of a source, by end port
	Dst    []int32 // class of a destination, by LID up to the top LID; -1 for a LID without an owner
	NumSrc int
	NumDst int
	OneWay bool    // each direction of a pair has its SL: an answer is not safe on its request's SL
	Cells  []uint8 // two SLs a byte; row of a destination class after row, each (NumSrc+1)/2 bytes
}

// NewSLs makes a map with every SL 0. Rows of different destination classes share
// no byte, so several goroutines may fill it by destination.
func NewSLs(src, dst []int32, numSrc, numDst int) *SLs {
	return &SLs{Src: src, Dst: dst, NumSrc: numSrc, NumDst: numDst, Cells: make([]uint8, numDst*((numSrc+1)/2))}
}

// UniformSL gives every packet the same SL.
func UniformSL(ends *Ends, sl uint8) *SLs {
	m := NewSLs(make([]int32, len(ends.Base)), make([]int32, int(ends.Top())+1), 1, 1)
	m.Set(0, 0, sl)
	return m
}

// At returns the SL of packets from a source end port to a LID.
func (m *SLs) At(src int32, lid fabric.LID) uint8 { return m.ByClass(m.Src[src], m.Dst[lid]) }

// PathSL returns the SL from an end port to a LID: 0 if SLs are unknown or the end port is
// fabric.Nothing.
func (p *Plan) PathSL(from int32, to fabric.LID) uint8 {
	if p.SL == nil || from < 0 {
		return 0
	}
	return p.SL.At(from, to)
}

// ByClass returns the SL from a source class to a destination class.
func (m *SLs) ByClass(src, dst int32) uint8 {
	b := m.Cells[int(dst)*((m.NumSrc+1)/2)+int(src)/2]
	return b >> (4 * (uint(src) & 1)) & 15
}

// Set changes the SL between two classes.
func (m *SLs) Set(src, dst int32, sl uint8) {
	b := &m.Cells[int(dst)*((m.NumSrc+1)/2)+int(src)/2]
	shift := 4 * (uint(src) & 1)
	*b = *b&^(15<<shift) | sl<<shift
}

// SetRow changes the SLs from all source classes to a destination class.
func (m *SLs) SetRow(dst int32, sls []uint8) {
	width := (m.NumSrc + 1) / 2
	row := m.Cells[int(dst)*width:][:width]
	for i := range m.NumSrc / 2 {
		row[i] = sls[2*i] | sls[2*i+1]<<4
	}
	if m.NumSrc%2 == 1 {
		row[width-1] = sls[m.NumSrc-1]
	}
}

// VLTable is an SL2VL table: the VL of each SL; DropVL discards.
type VLTable [NumSLs]uint8

// SL2VLBy says on which ports a switch's VL depends besides the SL.
type SL2VLBy uint8

// A switch uses one table, one by output port, or one by input and output port.
const (
	ByNothing SL2VLBy = iota
	ByOut
	ByInOut
)

// SwitchSL2VL names the pool's tables that a switch uses.
type SwitchSL2VL struct {
	By    SL2VLBy
	Index []uint16 // one; by output port; or by input*(ports+1)+output. Ports count from 0
}

// SL2VL holds the SL2VL tables of all ports, from a pool. The hardware never sees the input VL: to
// change lanes on the way a packet must carry the lane in its SL.
type SL2VL struct {
	Pool   []VLTable
	Host   []uint16      // table of each host end port, by end port (NumHosts)
	Switch []SwitchSL2VL // by switch
}

// UniformVL makes every port use one table.
func UniformVL(g *fabric.Graph, table VLTable) *SL2VL {
	m := &SL2VL{Pool: []VLTable{table}, Host: make([]uint16, g.NumHosts), Switch: make([]SwitchSL2VL, g.NumSwitches)}
	one := []uint16{0}
	for s := range m.Switch {
		m.Switch[s].Index = one
	}
	return m
}

// Intern returns the pool index of a table, adding it when it is new.
func (m *SL2VL) Intern(t VLTable) uint16 {
	for i := range m.Pool {
		if m.Pool[i] == t {
			return uint16(i)
		}
	}
	m.Pool = append(m.Pool, t)
	return uint16(len(m.Pool) - 1)
}

// Index returns the pool index of the table that switch s uses for packets between two ports; input
// port 0 is the switch itself.
func (m *SL2VL) Index(g *fabric.Graph, s int32, in, out uint8) uint16 {
	sw := &m.Switch[s]
	switch sw.By {
	case ByOut:
		return sw.Index[out]
	case ByInOut:
		return sw.Index[int32(in)*(g.SwitchPorts[s]+1)+int32(out)]
	default:
		return sw.Index[0]
	}
}

// Table returns the table at that index.
func (m *SL2VL) Table(g *fabric.Graph, s int32, in, out uint8) *VLTable {
	return &m.Pool[m.Index(g, s, in, out)]
}

// HostTable returns the table of a host end port, for packets that it sends.
func (m *SL2VL) HostTable(end int32) *VLTable { return &m.Pool[m.Host[end]] }

// FitHosts folds the lanes of a Plan with so many VLs onto links to hosts that have fewer VLs. A
// host consumes all packets, and no other channel waits for it to send. So these links are on no
// cycle, whatever their lanes.
func (m *SL2VL) FitHosts(g *fabric.Graph, lanes int) {
	for s := range int32(g.NumSwitches) {
		by, index, ports := m.Switch[s].By, slices.Clone(m.Switch[s].Index), int(g.SwitchPorts[s])+1
		if by == ByNothing {
			by, index = ByOut, slices.Repeat(index, ports)
		}
		changed := false
		for _, h := range g.AttachedTo(s) {
			out := int(g.EndPort[h])
			vls := g.PortVLs[int(g.PortStart[s])+out]
			if vls == 0 || int(vls) >= lanes {
				continue
			}
			m.Host[h] = m.fold(m.Host[h], vls)
			for i := out; i < len(index); i += ports {
				to := m.fold(index[i], vls)
				changed = changed || to != index[i]
				index[i] = to
			}
		}
		if changed {
			m.Switch[s] = SwitchSL2VL{by, index}
		}
	}
}

// fold returns the pool index of a table with fewer VLs: each lane modulo their number.
func (m *SL2VL) fold(i uint16, vls uint8) uint16 {
	t := m.Pool[i]
	for sl, vl := range t {
		if vl != DropVL {
			t[sl] = vl % vls
		}
	}
	if t == m.Pool[i] {
		return i
	}
	return m.Intern(t)
}

// InUse returns the set of SLs between any classes.
func (m *SLs) InUse() (used uint16) {
	width, whole := (m.NumSrc+1)/2, m.NumSrc/2
	var seen [256]bool
	for dst := range m.NumDst {
		for _, two := range m.Cells[dst*width:][:whole] {
			seen[two] = true
		}
		if whole < width {
			used |= 1 << m.ByClass(int32(m.NumSrc-1), int32(dst))
		}
	}
	for two, yes := range seen {
		if yes {
			used |= 1<<(two&15) | 1<<(two>>4)
		}
	}
	return used
}

// TablesTo lists, by number in the pool, the tables of packets that leave a switch by a port.
func (m *SL2VL) TablesTo(g *fabric.Graph, s int32, port uint8) []uint16 {
	sw := &m.Switch[s]
	switch ports := int(g.SwitchPorts[s]) + 1; sw.By {
	case ByOut:
		return sw.Index[port : port+1]
	case ByInOut:
		list := make([]uint16, 0, ports)
		for in := range ports {
			list = append(list, sw.Index[in*ports+int(port)])
		}
		slices.Sort(list)
		return slices.Compact(list)
	default:
		return sw.Index[:1]
	}
}

// BetweenSwitches lists, by number in the pool, the tables of packets between switches.
func (m *SL2VL) BetweenSwitches(g *fabric.Graph) (list []uint16) {
	seen := make([]bool, len(m.Pool))
	for s := range int32(g.NumSwitches) {
		for _, c := range g.OutOf(s) {
			for _, i := range m.TablesTo(g, s, g.FromPort[c]) {
				if !seen[i] {
					seen[i] = true
					list = append(list, i)
				}
			}
		}
	}
	return list
}

// VLs returns the set of VLs of a set of SLs in some tables of the pool.
func (m *SL2VL) VLs(tables []uint16, sls uint16) (vls uint16) {
	for _, i := range tables {
		for set := sls; set != 0; set &= set - 1 {
			vls |= 1 << m.Pool[i][bits.TrailingZeros16(set)]
		}
	}
	return vls &^ (1 << DropVL)
}
