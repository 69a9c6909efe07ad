package partition

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Write is the request of a program to change partitions.
type Write struct {
	By      string // the name of the program's token
	Deed    Deed
	Of      Partitions // of Reconcile all that programs own afterwards, else one
	Create  bool       // of Add and Remove: the partition need not be there
	Version string     // must be that of the partitions of programs; "": any
	Force   bool
	In, Out bool // how switches enforce partitions where no file says so
}

// Deed is the kind of a Write.
type Deed uint8

// The deeds. Each may be repeated: the repetition changes nothing.
const (
	Reconcile Deed = iota // the partitions of programs become these
	Put                   // a partition becomes this one
	Delete                // a partition goes
	Add                   // a partition gets these members
	Remove                // a partition loses these members
)

// Limits of the partitions of programs. Each port is compared with each member that names none by
// its GUID.
const (
	MostMembers  = 1 << 17
	mostPatterns = 1000
	mostName     = 64
	mostText     = 512  // of a member or a flag: patterns are compared with all descriptions in each round
	mostGroups   = 1000 // multicast groups: each may take an entry of every switch's multicast table
)

// Refusal is the error of a Write that changes nothing.
type Refusal struct {
	Why  Reason
	Text string
}

// Error returns the text.
func (r *Refusal) Error() string { return r.Text }

// Reason says why a Write is refused.
type Reason uint8

// The reasons.
const (
	Invalid    Reason = iota // no manager would take it
	Outdated                 // another write came first
	NotOwned                 // the partition belongs to the file
	Missing                  // there is no such partition
	NeedsForce               // it would take away much
)

func refuse(why Reason, format string, args ...any) error {
	return &Refusal{why, fmt.Sprintf(format, args...)}
}

// Done counts the changes of a Write.
type Done struct {
	Partitions, Added, Removed, Changed int // partitions that differ; members, by selector
	Version                             Version
}

// String describes the requested change.
func (w *Write) String() string {
	words := [...]string{"reconciliation of all", "setting of", "deletion of", "addition to", "removal from"}
	if len(w.Of) != 1 || w.Deed == Reconcile || int(w.Deed) >= len(words) {
		return words[Reconcile] + " partitions of programs"
	}
	return fmt.Sprintf("%s partition 0x%04x", words[w.Deed], w.Of[0].Key)
}

// String counts the members that joined, left or changed membership, and names the version.
func (d *Done) String() string {
	var list []string
	for _, c := range [...]struct {
		n    int
		what string
	}{{d.Added, " joined"}, {d.Removed, " left"}, {d.Changed, " changed membership"}} {
		switch {
		case c.n == 1:
			list = append(list, "1 member"+c.what)
		case c.n > 1:
			list = append(list, fmt.Sprint(c.n, " members", c.what))
		}
	}
	if len(list) == 0 {
		list = append(list, "no member differs")
	}
	return strings.Join(list, ", ") + "; version " + d.Version.String()
}

// Apply carries out a Write on the partitions of programs; file holds the partitions of the file,
// nil for none. manager is the port of the manager. Without a change the Version stays.
func (o *Owned) Apply(w *Write, file Partitions, manager *Port) (Owned, Done, error) {
	if w.Version != "" && w.Version != o.Version.String() {
		return *o, Done{}, refuse(Outdated, "version %.40s is not the present one, %s: another write came first; read the partitions again", w.Version, o.Version)
	}
	given, err := valid(w.Of)
	if err == nil {
		err = o.mayWrite(w, given, file)
	}
	if err != nil {
		return *o, Done{}, err
	}
	list, err := o.after(w, given, file)
	if err == nil {
		err = fits(list, file)
	}
	if err != nil {
		return *o, Done{}, err
	}
	done := compare(o.List, list)
	if done.Version = o.Version; done.Partitions == 0 {
		return *o, done, nil
	}
	if why := o.takesAway(w, list, file, &done, manager); why != "" && !w.Force {
		return *o, Done{}, refuse(NeedsForce, "it %s: add force if that is meant", why)
	}
	next := o.next(list)
	done.Version = next.Version
	return next, done, nil
}

// valid checks partitions of a program, and returns them in order.
func valid(list Partitions) (Partitions, error) {
	out := Sorted(list)
	for i := range out {
		p := &out[i]
		switch {
		case p.Key == 0 || p.Key > DefaultKey:
			return nil, refuse(Invalid, "0x%04x is not a P_Key: want 0x0001 to 0x7fff", p.Key)
		case i > 0 && out[i-1].Key == p.Key:
			return nil, refuse(Invalid, "partition 0x%04x is given twice", p.Key)
		case !isName(p.Name):
			return nil, refuse(Invalid, "partition 0x%04x: %.70q is not a name: want at most %d letters, digits and . _ - +, and a letter first", p.Key, p.Name, mostName)
		}
		p.Owner, p.Members = Programs, ordered(p.Members)
		if len(p.Groups) == 0 {
			p.Groups = nil
		}
	}
	return out, nil
}

// isName reports whether a text may name a partition, in a file too; "" for none.
func isName(text string) bool {
	for i, r := range text {
		if !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r) && !strings.ContainsRune("._-+", r)) {
			return false
		}
	}
	return len(text) <= mostName
}

// mayWrite refuses to touch partitions of the file. One that the file hides may be deleted.
func (o *Owned) mayWrite(w *Write, given, file Partitions) error {
	keys, names := file.byKey(), map[string]bool{}
	for i := range file {
		names[file[i].Name] = true
	}
	for i := range given {
		if p := keys[given[i].Key]; p != nil && (w.Deed != Delete || o.List.find(p.Key) == nil) {
			return refuse(NotOwned, "partition 0x%04x belongs to the file (option partitions): change it there, and reload", p.Key)
		}
		if name := given[i].Name; name != "" && names[name] {
			return refuse(NotOwned, "a partition of the file (option partitions) has the name %s", name)
		}
	}
	return nil
}

// after returns the partitions of programs after a Write.
func (o *Owned) after(w *Write, given, file Partitions) (Partitions, error) {
	if w.Deed == Reconcile {
		_, hidden := Join(file, o.List) // nobody can write these: they stay
		return Sorted(given, hidden), nil
	}
	if len(given) != 1 {
		return nil, refuse(Invalid, "want one partition")
	}
	p := given[0]
	was := o.List.find(p.Key)
	if was == nil && p.Key == DefaultKey && w.Deed != Delete { // it is there without a program
		everyone := Everyone()[0]
		everyone.Owner, was = Programs, &everyone
	}
	switch missing := was == nil && (w.Deed == Remove || w.Deed == Add); {
	case missing && !w.Create:
		return nil, refuse(Missing, "there is no partition 0x%04x of programs", p.Key)
	case missing && w.Deed == Remove:
		return o.List, nil
	}
	rest := slices.DeleteFunc(slices.Clone(o.List), func(q Partition) bool { return q.Key == p.Key })
	switch {
	case w.Deed == Delete:
		return rest, nil
	case w.Deed == Add && was != nil:
		members := ordered(append(slices.Clone(was.Members), p.Members...))
		p = *was
		p.Members = members
	case w.Deed == Remove:
		gone := p.Members
		p = *was
		p.Members = ordered(slices.DeleteFunc(slices.Clone(was.Members), func(m Member) bool {
			_, found := slices.BinarySearchFunc(gone, m, compareMembers)
			return found
		}))
		if len(p.Members) == len(was.Members) { // all is so already, also of what no program owns
			return o.List, nil
		}
	}
	return Sorted(rest, Partitions{p}), nil
}

// Sorted returns partitions by P_Key.
func Sorted(lists ...Partitions) Partitions {
	list := slices.Concat(lists...)
	slices.SortFunc(list, func(a, b Partition) int { return cmp.Compare(a.Key, b.Key) })
	return list
}

// fits checks the partitions of programs together.
func fits(list, file Partitions) error {
	names, patterns, groups := map[string]uint16{}, 0, 0
	for i := range list {
		p := &list[i]
		if other, taken := names[p.Name]; taken && p.Name != "" {
			return refuse(Invalid, "partitions 0x%04x and 0x%04x have the same name, %s", other, p.Key, p.Name)
		}
		names[p.Name] = p.Key
		groups += len(p.Groups)
		for j := range p.Members {
			if p.Members[j].Who != OnePort {
				patterns++
			}
		}
	}
	switch n := list.members(); {
	case n > MostMembers:
		return refuse(Invalid, "%d members: want at most %d in all partitions of programs", n, MostMembers)
	case patterns > mostPatterns:
		return refuse(Invalid, "%d members are words and patterns: want at most %d, and port GUIDs for others", patterns, mostPatterns)
	case groups > mostGroups:
		return refuse(Invalid, "%d multicast groups: want at most %d in all partitions of programs", groups, mostGroups)
	case len(list)+len(file) >= DefaultKey:
		return refuse(Invalid, "more partitions than there are P_Keys")
	}
	return nil
}

// compare counts how partitions differ.
func compare(was, now Partitions) (d Done) {
	had, has := was.byKey(), now.byKey()
	for i := range was {
		if has[was[i].Key] == nil {
			d.Partitions++
			d.Removed += len(was[i].Members)
		}
	}
	for i := range now {
		old := had[now[i].Key]
		if old == nil {
			d.Partitions++
			d.Added += len(now[i].Members)
			continue
		}
		if !reflect.DeepEqual(*old, now[i]) {
			d.Partitions++
			d.compareMembers(old.Members, now[i].Members)
		}
	}
	return d
}

// compareMembers counts how two ordered lists of members differ.
func (d *Done) compareMembers(was, now []Member) {
	for len(was) > 0 || len(now) > 0 {
		switch {
		case len(now) == 0 || len(was) > 0 && compareMembers(was[0], now[0]) < 0:
			d.Removed++
			was = was[1:]
		case len(was) == 0 || compareMembers(was[0], now[0]) > 0:
			d.Added++
			now = now[1:]
		default:
			if was[0].As != now[0].As {
				d.Changed++
			}
			was, now = was[1:], now[1:]
		}
	}
}

// takesAway lists, for people, the losses of a Write that need force; "" if there are none. Only a
// Write that replaces a whole set may drop many members by mistake.
func (o *Owned) takesAway(w *Write, list, file Partitions, done *Done, manager *Port) string {
	var why []string
	whole := w.Deed == Reconcile || w.Deed == Put
	stay := list.byKey()
	for i := range o.List {
		p := &o.List[i]
		q := stay[p.Key]
		if whole && len(p.Members) > 0 && (q == nil || len(q.Members) == 0) {
			why = append(why, fmt.Sprintf("empties partition 0x%04x of %d members", p.Key, len(p.Members)))
		}
	}
	before, _ := Join(file, o.List)
	after, _ := Join(file, list)
	then := after.byKey()
	if o.List.find(DefaultKey) != nil && list.find(DefaultKey) == nil {
		why = append(why, "removes the default partition, so that all ports are full members of it")
	}
	if p := before.find(DefaultKey); p.ofAll()&^then[DefaultKey].ofAll() != 0 {
		why = append(why, "takes ports out of the default partition, or makes them limited members")
	}
	for i := range before {
		p := &before[i]
		if p.Key == DefaultKey { // it is always a member of this one
			continue
		}
		now := Membership(0)
		if q := then[p.Key]; q != nil {
			now = q.membershipOf(manager)
		}
		if p.membershipOf(manager)&^now != 0 {
			why = append(why, fmt.Sprintf("takes membership in partition 0x%04x from the manager's own port", p.Key))
		}
	}
	if total := o.List.members(); whole && done.Removed*10 > total {
		why = append(why, fmt.Sprintf("drops %d of all %d members", done.Removed, total))
	}
	const most = 5
	if len(why) > most {
		why = append(why[:most], fmt.Sprintf("does %d more things of the kind", len(why)-most))
	}
	return strings.Join(why, ", ")
}

// ofAll returns the membership that a partition gives to ALL, 0 if none.
func (p *Partition) ofAll() (as Membership) {
	if p == nil {
		return 0
	}
	for i := range p.Members {
		if p.Members[i].Who == All {
			as = p.Members[i].As
		}
	}
	return as
}

// ParseFlags parses the flags of a partition, each as in a file: indx0, sl=3, and groups with their
// own flags, as in ipoib,mtu=4096 and mgid=ff12::1,sl=1.
func ParseFlags(p *Partition, flags []string) error {
	r := reader{}
	for _, text := range flags {
		if len(text) > mostText {
			return tooLong(text)
		}
		first, rest, more := strings.Cut(text, ",")
		name, value, given := cutValue(first)
		var g Group
		switch name = strings.ToLower(name); {
		case name == "indx0" && !given && !more:
			p.IndexZero = true
			continue
		case name == "sl" && given && !more:
			p.SL = uint8(r.value("sl", value, 15))
			continue
		case name == "ipoib" && !given:
			g.Broadcast = true
		case name == "mgid" && given:
			g.MGID = r.group(value)
		default:
			r.fail("%.80q is not a flag of a partition: want indx0, sl=N, ipoib or mgid=ADDRESS, the latter two with flags of their group after a comma", text)
		}
		for more {
			first, rest, more = strings.Cut(rest, ",")
			name, value, given := cutValue(first)
			if !given || !r.flag(&g, strings.ToLower(name), value) {
				r.fail("%.80q is not a flag of a group: want mtu=, rate=, sl=, scope=, Q_Key=, TClass= or FlowLabel=", first)
			}
		}
		p.Groups = append(p.Groups, g)
	}
	return r.invalid()
}

func tooLong(text string) error {
	return refuse(Invalid, "%.40q...: %d bytes: want at most %d", text, len(text), mostText)
}

// Flags formats the flags of a partition as ParseFlags takes them.
func (p *Partition) Flags() []string {
	list := []string{}
	if p.IndexZero {
		list = append(list, "indx0")
	}
	if p.SL > 0 {
		list = append(list, fmt.Sprintf("sl=%d", p.SL))
	}
	for i := range p.Groups {
		list = append(list, p.Groups[i].String())
	}
	return list
}

// invalid returns the first error without a place in a file.
func (r *reader) invalid() error {
	if wrong, ok := errors.AsType[*Error](r.err); ok {
		return refuse(Invalid, "%s", wrong.Text)
	}
	return nil
}

// ParseMember parses a member as in a file, with its membership: 0x0002c90300001234=full.
func ParseMember(text string) (Member, error) {
	if len(text) > mostText {
		return Member{}, tooLong(text)
	}
	r := reader{}
	name, value, given := cutValue(strings.TrimSpace(text))
	m := r.member(name)
	if m.As = Full; given {
		m.As = r.membership(value)
	} else {
		r.fail("%.80q: want a membership too: %.80s=full, =limited or =both", text, text)
	}
	return m, r.invalid()
}
