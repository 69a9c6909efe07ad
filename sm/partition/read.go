package partition

import (
	"bytes"
	"fmt"
	"net/netip"
	"path"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/wire/mad"
)

// Error is a mistake in a partitions file.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// MostBytes bounds the size of a partitions file.
const MostBytes = 16 << 20

// Read parses a partitions file. The result always includes the default partition. Every error is
// an *Error.
func Read(name string, data []byte) (Partitions, error) {
	ps, err := ReadSet(name, data)
	if err == nil && ps.find(DefaultKey) == nil {
		ps = append(Partitions{{Name: "Default", Key: DefaultKey, Members: []Member{{Who: All, As: Limited}}}}, ps...)
	}
	return ps, err
}

// ReadSet parses a set of partitions in the syntax of a file, which need not have the default one.
// Every error is an *Error.
func ReadSet(name string, data []byte) (Partitions, error) {
	r := reader{file: name, line: 1, byKey: map[uint16]int{}, byName: map[string]int{}}
	if len(data) > MostBytes {
		r.fail("more than %d bytes", MostBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // some editors write a byte order mark
	for text := withoutComments(string(data)); r.err == nil && strings.TrimSpace(text) != ""; {
		one, rest, ended := cutOutside(text, ';')
		after := r.line + strings.Count(one, "\n")
		r.skipLines(one, len(one)-len(strings.TrimLeft(one, " \t\r\n")))
		if !ended {
			r.fail("missing semicolon at the end of a partition")
		}
		r.partition(strings.TrimSpace(one))
		r.line, text = after, rest
	}
	r.number()
	if r.err != nil {
		return nil, r.err
	}
	return r.ps, nil
}

// reader parses a partitions file.
type reader struct {
	file string
	line int // current line
	ps   Partitions
	err  error // the first one

	byKey  map[uint16]int // indexes of partitions with an explicit P_Key
	byName map[string]int
}

// fail stores the first error.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Error{r.file, r.line, fmt.Sprintf(format, args...)}
	}
}

// skipLines counts the line ends in the first bytes of a text.
func (r *reader) skipLines(text string, bytes int) { r.line += strings.Count(text[:bytes], "\n") }

// cutOutside cuts a text at the first such character outside quotes. A quote ends with its line.
func cutOutside(text string, at byte) (before, after string, found bool) {
	quoted := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\n':
			quoted = false
		case c == at && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// withoutComments removes the comments from a text and keeps its lines.
func withoutComments(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i], _, _ = cutOutside(line, '#')
	}
	return strings.Join(lines, "\n")
}

// partition parses one partition, and merges it into an earlier one with the same P_Key.
func (r *reader) partition(text string) {
	head, body, found := cutOutside(text, ':')
	if !found {
		r.fail("missing colon between the name of a partition and its members")
	}
	p := Partition{}
	as := r.head(&p, head)
	r.skipLines(head, len(head))
	first := r.line
	for i, line := range strings.Split(body, "\n") {
		r.line = first + i
		r.members(&p, line, as)
	}
	at, joins := r.byKey[p.Key]
	if p.Key == 0 {
		at, joins = r.byName[p.Name]
	}
	if !joins {
		r.add(&p)
		return
	}
	old := &r.ps[at]
	old.IndexZero = old.IndexZero || p.IndexZero
	if p.SL > 0 {
		old.SL = p.SL
	}
	old.Members = append(old.Members, p.Members...)
	old.Groups = append(old.Groups, p.Groups...)
}

// add appends a new partition.
func (r *reader) add(p *Partition) {
	if len(r.ps) >= DefaultKey {
		r.fail("more partitions than there are P_Keys")
	}
	if p.Key != 0 {
		r.byKey[p.Key] = len(r.ps)
	}
	if p.Name != "" {
		r.byName[p.Name] = len(r.ps)
	}
	r.ps = append(r.ps, *p)
}

// head parses the part before the colon, and returns the default membership of members.
func (r *reader) head(p *Partition, head string) Membership {
	as, group := Limited, Group{}
	for i, part := range strings.Split(head, ",") {
		part = strings.TrimSpace(part)
		name, value, given := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch flag := strings.ToLower(name); {
		case i == 0:
			r.name(p, name, value, given)
		case part == "":
		case flag == "indx0" && !given:
			p.IndexZero = true
		case flag == "defmember" && given:
			as = r.membership(value)
		case flag == "ipoib" && !given:
			group.Broadcast = true
		case r.flag(&group, flag, value):
			if flag == "sl" {
				p.SL = group.SL
			}
		default:
			r.fail("unknown partition flag %q: want indx0, defmember=full|limited|both, ipoib, mtu=, rate=, sl=, scope=, Q_Key=, TClass= or FlowLabel=", part)
		}
	}
	if group.Broadcast {
		p.Groups = append(p.Groups, group)
	}
	return as
}

// name parses the name and the P_Key of a partition. A number alone is the P_Key.
func (r *reader) name(p *Partition, name, value string, given bool) {
	if strings.Contains(name, "\n") {
		r.fail("the name of a partition ends with its line: is a comma or a semicolon missing?")
	}
	if !given && name != "" && '0' <= name[0] && name[0] <= '9' {
		name, value, given = "", name, true
	}
	switch p.Name = name; {
	case given:
		p.Key = r.key(value)
	case name == "Default":
		p.Key = DefaultKey
	}
}

// members parses a line of members, or a multicast group.
func (r *reader) members(p *Partition, line string, as Membership) {
	var group *Group
	for rest, more := line, true; more; {
		var part string
		part, rest, more = cutOutside(rest, ',')
		part = strings.TrimSpace(part)
		name, value, given := cutValue(part)
		switch {
		case part == "", part == "NONE":
		case strings.EqualFold(name, "mgid"):
			p.Groups = append(p.Groups, Group{MGID: r.group(value)})
			group = &p.Groups[len(p.Groups)-1]
		case group != nil && r.flag(group, strings.ToLower(name), value):
		case strings.Contains(name, ":"):
			r.fail("%q: a second colon: is the semicolon before it missing?", part)
		default:
			m := r.member(name)
			if m.As = as; given {
				m.As = r.membership(value)
			}
			p.Members = append(p.Members, m)
		}
	}
}

// cutValue splits NAME=VALUE; the name may be in quotes.
func cutValue(part string) (name, value string, given bool) {
	name, value, given = cutOutside(part, '=')
	return strings.TrimSpace(name), strings.TrimSpace(value), given
}

// member parses a member without its membership.
func (r *reader) member(name string) Member {
	if who, ok := whoNames[strings.ToUpper(name)]; ok {
		return Member{Who: who}
	}
	if pattern, ok := strings.CutPrefix(name, `"`); ok {
		pattern, closed := strings.CutSuffix(pattern, `"`)
		if !closed {
			r.fail("%s: missing closing quote", name)
		}
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			r.fail("%s is not a pattern of descriptions: want a text with * for any characters, ? for one and [...] for one of a set", name)
		}
		return Member{Who: Described, Pattern: pattern}
	}
	guid, err := strconv.ParseUint(name, 0, 64)
	if err != nil || guid == 0 {
		r.fail("%q is not a member: want the GUID of a port, ALL, ALL_CAS, ALL_SWITCHES, ALL_ROUTERS, SELF, or a pattern of descriptions in quotes", name)
	}
	return Member{Who: OnePort, GUID: fabric.GUID(guid)}
}

// membership parses full, limited or both, or an abbreviation of one.
func (r *reader) membership(value string) Membership {
	for name, m := range membershipNames {
		if value != "" && strings.HasPrefix(name, strings.ToLower(value)) {
			return m
		}
	}
	r.fail("%q is not a membership: want full, limited or both", value)
	return 0
}

// key parses a P_Key.
func (r *reader) key(value string) uint16 {
	v, err := strconv.ParseUint(value, 0, 16)
	if err != nil || v&^mad.PKeyFull == 0 {
		r.fail("%q is not a P_Key: want a number from 0x0001 to 0x7fff", value)
	}
	return uint16(v) &^ mad.PKeyFull
}

// group parses a multicast address.
func (r *reader) group(value string) [16]byte {
	a, ok := MulticastAddress(value)
	if !ok {
		r.fail("mgid=%s is not a multicast address: want 16 bytes, as in ff12:401b::1", value)
	}
	return a
}

// MulticastAddress parses a multicast address of 16 bytes; false if it is none.
func MulticastAddress(text string) (address [16]byte, ok bool) {
	a, err := netip.ParseAddr(text)
	if err != nil || !a.Is6() || !a.IsMulticast() || a.Zone() != "" {
		return address, false
	}
	return a.As16(), true
}

// number assigns the lowest free P_Keys to partitions without one.
func (r *reader) number() {
	used := map[uint16]bool{0: true}
	for i := range r.ps {
		used[r.ps[i].Key] = true
	}
	next := uint16(1)
	for i := range r.ps {
		if r.ps[i].Key != 0 {
			continue
		}
		for used[next] {
			if next++; next >= DefaultKey {
				r.fail("more partitions than there are P_Keys")
			}
		}
		r.ps[i].Key, used[next] = next, true
	}
}
