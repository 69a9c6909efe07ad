package partition

import (
	"fmt"
	"net/netip"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"weft/fabric"
	"weft/wire/mad"
)

// Membership is full, limited or both. Two limited members cannot talk to each other.
type Membership uint8

// The memberships. A port with Both has two P_Keys for the partition.
const (
	Limited Membership = 1 << iota
	Full
	Both = Limited | Full
)

var membershipNames = map[string]Membership{"limited": Limited, "full": Full, "both": Both}

// Partitions lists the partitions of a subnet, in the order of the file, each P_Key once.
type Partitions []Partition

// Partition is a set of ports that share a P_Key.
type Partition struct {
	Name      string
	Key       uint16 // without the membership bit
	IndexZero bool   // the P_Key is at index 0 of P_Key tables
	SL        uint8  // selects the level of service of its paths; 0 if not given
	Members   []Member
	Groups    []Group
	Owner     Owner `json:",omitempty"`
}

// Member selects ports, and gives their membership in a partition.
type Member struct {
	Who     Who         `json:",omitempty"`
	GUID    fabric.GUID `json:",omitempty"` // of a port, for OnePort
	Pattern string      `json:",omitempty"` // of node descriptions, in the syntax of path.Match, for Described
	As      Membership
}

// Who says which ports a Member selects.
type Who uint8

// The kinds of members.
const (
	OnePort Who = iota
	Described
	All
	AllCAs
	AllSwitches
	AllRouters
	Self // the port of the subnet manager
)

var whoNames = map[string]Who{"ALL": All, "ALL_CAS": AllCAs, "ALL_SWITCHES": AllSwitches, "ALL_ROUTERS": AllRouters, "SELF": Self}

// Group is a multicast group that the partition creates.
type Group struct {
	Broadcast bool     // the IPoIB broadcast group of the partition; MGID is empty
	MGID      [16]byte // as in the file
	MTU, Rate uint8    // codes; 0 if not given
	SL, Scope uint8
	QKey      uint32 // 0 if not given
	TClass    uint8
	FlowLabel uint32
}

// Port is an end port, a possible member.
type Port struct {
	GUID    fabric.GUID
	Type    fabric.NodeType
	Desc    string // of its node
	Manager bool   // the subnet manager runs here
}

// Everyone returns the default partition alone, with all ports as full members and its broadcast
// group.
func Everyone() Partitions {
	return Partitions{{Name: "Default", Key: DefaultKey, Members: []Member{{Who: All, As: Full}}, Groups: []Group{{Broadcast: true}}, Owner: Nobody}}
}

// DefaultKey is the P_Key of the default partition, without the membership bit.
const DefaultKey = mad.DefaultPKey &^ mad.PKeyFull

// names reports whether a Member selects a port.
func (m *Member) names(p *Port) bool {
	switch m.Who {
	case OnePort:
		return m.GUID == p.GUID
	case Described:
		ok, err := path.Match(m.Pattern, p.Desc)
		return ok && err == nil
	case All:
		return true
	case AllCAs:
		return p.Type == fabric.CA
	case AllSwitches:
		return p.Type == fabric.Switch
	case AllRouters:
		return p.Type == fabric.Router
	default:
		return p.Manager
	}
}

// Share returns a P_Key of port a for talking to port b, in the partition asked for (0 for any);
// false if they share none. Two limited members of a partition cannot talk.
func Share(a, b []uint16, asked uint16) (key uint16, ok bool) {
	for _, k := range a {
		if asked != 0 && (k^asked)&^mad.PKeyFull != 0 {
			continue
		}
		for _, l := range b {
			if (k^l)&^mad.PKeyFull == 0 && (k|l)&mad.PKeyFull != 0 {
				return k, true
			}
		}
	}
	return 0, false
}

// Place assigns the wanted P_Keys to the entries of a P_Key table, where 0 means free, and reports
// whether all fit. A P_Key already in the table keeps its index. A new one takes the index of the
// other membership of its partition, or else the first free one. Place removes P_Keys that are not
// wanted. If first is set, want[0] goes to index 0.
func Place(table, want []uint16, first bool) (placed []uint16, ok bool) {
	placed = make([]uint16, len(table))
	stands := make([]bool, len(want))
	for _, same := range [...]uint16{0xFFFF, ^uint16(mad.PKeyFull)} {
		for w, key := range want {
			for i, has := range table {
				if !stands[w] && placed[i] == 0 && has&^mad.PKeyFull != 0 && (has^key)&same == 0 {
					placed[i], stands[w] = key, true
				}
			}
		}
	}
	ok = true
	for w, key := range want {
		if stands[w] {
			continue
		}
		free := slices.Index(placed, 0)
		if free < 0 {
			ok = false
			continue
		}
		placed[free] = key
	}
	if first && len(want) > 0 && len(placed) > 0 {
		if at := slices.Index(placed, want[0]); at >= 0 {
			placed[0], placed[at] = placed[at], placed[0]
		} else {
			placed[0] = want[0]
		}
	}
	return placed, ok
}

// String formats a Member as in the file.
func (m *Member) String() string {
	var who, as string
	for name, membership := range membershipNames {
		if membership == m.As {
			as = name
		}
	}
	for name, w := range whoNames {
		if w == m.Who {
			who = name
		}
	}
	switch m.Who {
	case OnePort:
		who = fmt.Sprintf("0x%016x", uint64(m.GUID))
	case Described:
		if who = `"` + m.Pattern + `"`; strings.ContainsFunc(who, func(r rune) bool { return !unicode.IsPrint(r) }) {
			who = strconv.Quote(m.Pattern) // it must not reach a terminal
		}
	default: // a word
	}
	return who + "=" + as
}

// String formats a Group as in the file.
func (g *Group) String() string {
	var b strings.Builder
	if b.WriteString("ipoib"); !g.Broadcast {
		b.Reset()
		fmt.Fprintf(&b, "mgid=%s", netip.AddrFrom16(g.MGID))
	}
	if g.MTU > 0 {
		fmt.Fprintf(&b, ",mtu=%d", 128<<g.MTU)
	}
	if g.Rate > 0 {
		fmt.Fprintf(&b, ",rate=%gG", float64(mad.RateMbps(g.Rate))/1000)
	}
	for _, f := range [...]struct {
		name  string
		value uint32
	}{{"sl", uint32(g.SL)}, {"scope", uint32(g.Scope)}, {"TClass", uint32(g.TClass)}, {"FlowLabel", g.FlowLabel}} {
		if f.value > 0 {
			fmt.Fprintf(&b, ",%s=%d", f.name, f.value)
		}
	}
	if g.QKey > 0 {
		fmt.Fprintf(&b, ",Q_Key=%#x", g.QKey)
	}
	return b.String()
}
