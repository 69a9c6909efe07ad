package opensm

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"weft/fabric"
	"weft/sm/partition"
	"weft/wire/mad"
)

// partitionReader reads a partitions file as OpenSM 3.3.23 does. Unlike weft sm, OpenSM adds all
// ports to the default partition as limited members first, ignores unknown flags, takes abbreviated
// words, and needs no semicolon at the end. At the first line that it cannot read it drops the
// whole file.
type partitionReader struct {
	file      string
	qos, both bool // options qos and allow_both_pkeys
	line      int
	ps        partition.Partitions
	last      uint16 // P_Key that was last assigned to a partition without one
	remarks   []Note
	err       error
}

// openHead is a partition whose semicolon has not come yet.
type openHead struct {
	at     int // index of the partition
	as     partition.Membership
	group  partition.Group // its flags
	scopes []uint8
	ipoib  bool
	indx0  bool
}

// readPartitions returns the partitions that OpenSM has with a file, and notes on the parts that it
// ignores. On an error OpenSM has only the default partition, with all ports as full members.
func readPartitions(f *File, qos, both bool) (partition.Partitions, []Note, error) {
	all := partition.Member{Who: partition.All, As: partition.Limited}
	r := &partitionReader{file: f.Name, qos: qos, both: both, ps: partition.Partitions{{Name: "Default", Key: partition.DefaultKey, Members: []partition.Member{all}}}}
	if len(f.Data) > partition.MostBytes {
		return nil, nil, wrong(f.Name, 1, "more than %d bytes", partition.MostBytes)
	}
	var head *openHead
	some := false
	for n, text := range pieces(string(f.Data), 4094) {
		r.line = n
		text, _, _ = strings.Cut(text, "#")
		for ended := true; ended && r.err == nil; {
			var one string
			one, text, ended = strings.Cut(text, ";")
			if strings.Trim(one, " \t\n") == "" && !ended {
				break
			}
			some = true
			if head == nil {
				head, one = r.head(one)
			}
			r.members(head, one)
			if ended {
				head = nil
			}
		}
	}
	if !some && r.err == nil {
		r.fail("the file has no partitions")
	}
	return r.ps, r.remarks, r.err
}

// fail stores the first error.
func (r *partitionReader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = wrong(r.file, r.line, format, args...)
	}
}

// ignore notes something that OpenSM ignores.
func (r *partitionReader) ignore(name, value string) {
	if value != "" {
		name += "=" + value
	}
	r.remarks = append(r.remarks, Note{File: r.file, Line: r.line, Option: "partition_config_file", Value: clip(name), Fate: Wrong, Text: "OpenSM ignores it, or cannot use it: mtu, rate and scope are codes"})
}

// token splits NAME=VALUE.
func token(part string) (name, value string, given bool) {
	name, value, given = strings.Cut(part, "=")
	return strings.Trim(name, " \t\n"), strings.Trim(value, " \t\n"), given
}

// head reads the part before the colon, and creates the partition. It returns the rest.
func (r *partitionReader) head(text string) (h *openHead, rest string) {
	h = &openHead{as: partition.Limited}
	text, rest, found := strings.Cut(text, ":")
	if !found {
		r.fail("no colon after the name of a partition and its flags, which must be on one line")
		return h, ""
	}
	parts := strings.Split(text, ",")
	for _, part := range parts[1:] {
		name, value, given := token(part)
		switch {
		case r.flag(&h.group, &h.scopes, name, value, given):
		case strings.HasPrefix("ipoib", name):
			h.ipoib = true
		case strings.HasPrefix("defmember", name):
			if as, ok := membershipOf(value); ok && given {
				h.as = as
			} else {
				r.ignore(name, value)
			}
		case name == "indx0":
			h.indx0 = true
		default:
			r.ignore(name, value)
		}
	}
	name, id, given := token(parts[0])
	if !given && name != "" && '0' <= name[0] && name[0] <= '9' {
		name, id, given = "", name, true
	}
	key, whole := leading(id)
	if given && !whole {
		r.fail("%q is not a P_Key", clip(id))
		return h, ""
	}
	if !r.qos {
		h.group.SL = 0
	}
	h.at = r.create(name, uint16(key)&^mad.PKeyFull)
	p := &r.ps[h.at]
	p.SL, p.IndexZero = h.group.SL, p.IndexZero || h.indx0
	if h.ipoib {
		r.groups(p, h.group, h.scopes, true)
	}
	return h, rest
}

// create returns the index of a partition, which it adds if there is none. Without a P_Key the name
// decides.
func (r *partitionReader) create(name string, key uint16) int {
	has := func(key uint16) int {
		return slices.IndexFunc(r.ps, func(p partition.Partition) bool { return p.Key == key })
	}
	if key == 0 {
		if at := slices.IndexFunc(r.ps, func(p partition.Partition) bool { return p.Name == name && name != "" }); at >= 0 {
			return at
		}
		for r.last++; has(r.last) >= 0; r.last++ {
		}
		key = r.last
	}
	if key > partition.DefaultKey {
		r.fail("more partitions than there are P_Keys")
		return 0
	}
	if at := has(key); at >= 0 {
		return at
	}
	r.ps = append(r.ps, partition.Partition{Name: name, Key: key})
	return len(r.ps) - 1
}

// groups adds a multicast group, once for each scope.
func (r *partitionReader) groups(p *partition.Partition, g partition.Group, scopes []uint8, broadcast bool) {
	g.Broadcast = broadcast
	if len(scopes) == 0 {
		scopes = []uint8{0}
	}
	for _, g.Scope = range scopes {
		p.Groups = append(p.Groups, g)
	}
}

// flag reads a flag of a multicast group by its name, which may be abbreviated; false if no flag
// has it.
func (r *partitionReader) flag(g *partition.Group, scopes *[]uint8, name, value string, given bool) bool {
	n, whole := leading(value)
	ok := given
	switch {
	case strings.HasPrefix("mtu", name):
		if ok = n > 0 && n <= 5; ok {
			g.MTU = uint8(n)
		}
	case strings.HasPrefix("rate", name):
		if ok = n < 256 && mad.RateMbps(uint8(n)) > 0; ok {
			g.Rate = uint8(n)
		}
	case strings.HasPrefix("scope", name):
		if ok = n > 0 && n <= 15; ok && !slices.Contains(*scopes, uint8(n)) {
			*scopes = append(*scopes, uint8(n))
		}
	case strings.HasPrefix("Q_Key", name):
		g.QKey = uint32(n)
	case strings.HasPrefix("TClass", name):
		g.TClass = uint8(n)
	case strings.HasPrefix("sl", name):
		if ok = whole && n <= 15; ok {
			g.SL = uint8(n)
		}
	case strings.HasPrefix("FlowLabel", name):
		if ok = whole && n < 1<<20; ok {
			g.FlowLabel = uint32(n)
		}
	default:
		return false
	}
	if !ok {
		r.ignore(name, value)
	}
	return true
}

// members reads the members on a line, or a multicast group.
func (r *partitionReader) members(h *openHead, text string) {
	if r.err != nil {
		return
	}
	parts := strings.Split(text, ",")
	for i, part := range parts {
		name, value, given := token(part)
		if name == "mgid" {
			r.multicast(h, value, parts[i+1:])
			return
		}
		if strings.HasPrefix("NONE", name) { // also the empty one
			continue
		}
		m := partition.Member{As: h.as}
		if given {
			m.As, _ = membershipOf(value)
		}
		if m.As == partition.Both && !r.both {
			m.As = partition.Full
		}
		switch {
		case strings.HasPrefix("ALL", name):
			m.Who = partition.All
		case strings.HasPrefix("ALL_CAS", name):
			m.Who = partition.AllCAs
		case strings.HasPrefix("ALL_SWITCHES", name):
			m.Who = partition.AllSwitches
		case strings.HasPrefix("ALL_ROUTERS", name):
			m.Who = partition.AllRouters
		case strings.HasPrefix("SELF", name):
			m.Who = partition.Self
		default:
			guid, err := number(name)
			if err != nil || guid == 0 {
				r.fail("%q is not the GUID of a port", clip(name))
				return
			}
			m.GUID = fabric.GUID(guid)
		}
		if _, known := membershipOf(value); !known {
			r.ignore(name, value)
		}
		r.ps[h.at].Members = append(r.ps[h.at].Members, m)
	}
}

// multicast reads a multicast group, which inherits the flags of its partition.
func (r *partitionReader) multicast(h *openHead, address string, flags []string) {
	mgid, ok := partition.MulticastAddress(address)
	if !ok {
		r.ignore("mgid", address)
		return
	}
	g, scopes := h.group, slices.Clone(h.scopes)
	g.MGID, g.TClass = mgid, 0
	for _, part := range flags {
		if name, value, given := token(part); !r.flag(&g, &scopes, name, value, given) {
			r.ignore(name, value)
		}
	}
	ip := mgid[2] == 0x40 || mgid[2] == 0x60
	const usualMTU, usualRate = 4, 3
	if ip && mgid[3] == 0x1b && (cmp.Or(g.MTU, usualMTU) != cmp.Or(h.group.MTU, usualMTU) || cmp.Or(g.Rate, usualRate) != cmp.Or(h.group.Rate, usualRate)) {
		r.ignore("mgid", address) // an IP group with another MTU or rate than its partition
		return
	}
	r.groups(&r.ps[h.at], g, scopes, false)
}

// membershipOf reads a membership, which may be abbreviated; false if it is none. OpenSM takes any
// other word as limited.
func membershipOf(text string) (partition.Membership, bool) {
	switch {
	case strings.HasPrefix("full", text):
		return partition.Full, true
	case strings.HasPrefix("both", text):
		return partition.Both, true
	default:
		return partition.Limited, strings.HasPrefix("limited", text)
	}
}

// samePartitions reports whether two lists give all ports the same P_Keys and create the same
// groups, whatever their names and order.
func samePartitions(a, b partition.Partitions) bool {
	return bytes.Equal(essence(a), essence(b))
}

// essence writes partitions in the order of their P_Keys, without names and without members that a
// later ALL overrides.
func essence(ps partition.Partitions) []byte {
	ps = slices.Clone(ps)
	slices.SortFunc(ps, func(a, b partition.Partition) int { return int(a.Key) - int(b.Key) })
	for i := range ps {
		ps[i].Name = ""
		for at, m := range slices.Backward(ps[i].Members) {
			if m.Who == partition.All {
				ps[i].Members = ps[i].Members[at:]
				break
			}
		}
	}
	text, _, _ := Partitions(ps, nil)
	return text
}
