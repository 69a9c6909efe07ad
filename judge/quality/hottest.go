package quality

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
)

// Hot is a channel between switches with more paths for its rate than most, and its users.
type Hot struct {
	Ports []fabric.PortName `json:"ports"` // the sending port and the receiving port
	Paths int64             `json:"paths"` // of pairs of hosts, one for each LID
	// Slower says how many times slower the link is than the fastest between switches, at least 1.
	Slower float64 `json:"slower"`
	From   Users   `json:"from"`
	To     Users   `json:"to"`

	names []string // of the switches of Ports, and of From and To if these are one switch each
}

// Users are the switches whose hosts send, or receive, over a channel.
type Users struct {
	Switches int    `json:"switches"` // all of them
	Most     []User `json:"most"`     // the 10 with the most paths
}

// User is a switch whose hosts use a channel.
type User struct {
	Switch fabric.PortName `json:"switch"`
	Paths  int64           `json:"paths"`

	name string
}

// hottestKept and usersKept limit the lists of a Hot.
const (
	hottestKept = 5
	usersKept   = 10
)

// Hottest lists the channels with the most paths for their rate, the hottest first, equal ones in
// order of the Graph. An unknown rate counts as the fastest. loads holds the number of paths
// between hosts by channel. Cost: O(LIDs), and for each LID over a listed channel the switches
// upstream.
func Hottest(g *fabric.Graph, p *route.Plan, loads []int64) []Hot {
	return hottest(newUsers(g, p, p.Ends.ByLID()), loads)
}

func hottest(u *users, loads []int64) []Hot {
	hot, slower := []Hot{}, slowerThanFastest(u.g)
	for _, c := range mostLoaded(loads, slower) {
		hot = append(hot, u.of(c, loads[c], slower[c]))
	}
	return hot
}

// slowerThanFastest returns by channel how many times slower it is than the fastest.
func slowerThanFastest(g *fabric.Graph) []float64 {
	slower, fastest := make([]float64, g.NumChannels), int32(0)
	for _, rate := range g.ChanRate {
		fastest = max(fastest, rate)
	}
	for c, rate := range g.ChanRate {
		slower[c] = 1
		if rate > 0 {
			slower[c] = float64(fastest) / float64(rate)
		}
	}
	return slower
}

// mostLoaded lists the channels with the greatest loads by their rates, without empty ones.
func mostLoaded(loads []int64, slower []float64) (most []int32) {
	heat := func(c int32) float64 { return float64(loads[c]) * slower[c] }
	for c := range int32(len(loads)) {
		if loads[c] == 0 || len(most) == hottestKept && heat(c) <= heat(most[hottestKept-1]) {
			continue
		}
		i, _ := slices.BinarySearchFunc(most, heat(c), func(o int32, h float64) int {
			if heat(o) >= h {
				return -1
			}
			return 1
		})
		most = slices.Insert(most, i, c)
		most = most[:min(len(most), hottestKept)]
	}
	return most
}

// users finds the users of channels.
type users struct {
	g     *fabric.Graph
	p     *route.Plan
	owner []int32 // by LID
	names []string
	from  []int64 // by switch: paths that begin there
	to    []int64 // by switch: paths that end there
	seen  []int32 // by switch: the LID of the last visit
	queue []int32
}

func newUsers(g *fabric.Graph, p *route.Plan, owner []int32) *users {
	n := g.NumSwitches
	return &users{
		g: g, p: p, owner: owner, names: uniqueNames(g),
		from: make([]int64, n), to: make([]int64, n), seen: make([]int32, n),
	}
}

// uniqueNames names every switch by its description, or by its GUID if others share the
// description.
func uniqueNames(g *fabric.Graph) []string {
	times := map[string]int{}
	for _, desc := range g.SwitchDesc {
		times[desc]++
	}
	names := slices.Clone(g.SwitchDesc)
	for s, desc := range names {
		if desc == "" || times[desc] > 1 {
			names[s] = g.SwitchGUID[s].String()
		}
	}
	return names
}

// of returns a channel with its users.
func (u *users) of(c int32, paths int64, slower float64) Hot {
	g := u.g
	s, t := g.From[c], g.To[c]
	clear(u.from)
	clear(u.to)
	clear(u.seen)
	for lid, end := range u.owner {
		if end >= 0 && g.IsHost(end) && u.port(s, fabric.LID(lid)) == g.FromPort[c] && u.delivers(t, end, fabric.LID(lid)) {
			u.upstream(s, end, fabric.LID(lid))
		}
	}
	return Hot{
		Ports: []fabric.PortName{g.SwitchPort(s, g.FromPort[c]), g.SwitchPort(t, g.ToPort[c])}, Paths: paths, Slower: slower,
		From: u.most(u.from), To: u.most(u.to), names: []string{u.names[s], u.names[t]},
	}
}

// port returns the entry of a LID on a switch, NoPort beyond the table's capacity.
func (u *users) port(s int32, lid fabric.LID) uint8 {
	if limit := u.g.SwitchFDBCap[s]; limit > 0 && int32(lid) >= limit {
		return route.NoPort
	}
	return u.p.Tables.Port(s, lid)
}

// delivers reports whether packets to a LID arrive from a switch at the LID's end port.
func (u *users) delivers(s, end int32, lid fabric.LID) bool {
	for range u.g.NumSwitches {
		c, host := u.g.At(s, u.port(s, lid))
		if c < 0 {
			return host == end
		}
		s = u.g.To[c]
	}
	return false
}

// upstream counts the hosts whose packets to a LID pass a switch.
func (u *users) upstream(s, end int32, lid fabric.LID) {
	g, home := u.g, u.g.EndSwitch[end]
	u.queue = append(u.queue[:0], s)
	u.seen[s] = int32(lid)
	for head := 0; head < len(u.queue); head++ {
		at := u.queue[head]
		for _, h := range g.HostsOf(at) {
			if h != end && u.p.Ends.Base[h] != 0 && u.p.Uses(h, end, lid) {
				u.from[at]++
				u.to[home]++
			}
		}
		for _, c := range g.OutOf(at) {
			if v := g.To[c]; u.seen[v] != int32(lid) && u.port(v, lid) == g.ToPort[c] {
				u.seen[v] = int32(lid)
				u.queue = append(u.queue, v)
			}
		}
	}
}

// most lists the switches with the most paths.
func (u *users) most(paths []int64) Users {
	out := Users{Most: []User{}}
	for s, n := range paths {
		if n > 0 {
			out.Switches++
			out.Most = append(out.Most, User{u.g.SwitchPort(int32(s), 0), n, u.names[s]})
		}
	}
	slices.SortStableFunc(out.Most, func(a, b User) int { return cmp.Compare(b.Paths, a.Paths) })
	out.Most = out.Most[:min(len(out.Most), usersKept)]
	return out
}

// String names the channel and its users, as in "leaf 3[19] -> spine 0[4]: from hosts of leaf 3 to
// hosts of 34 switches".
func (h *Hot) String() string {
	a, b := h.Ports[0], h.Ports[1]
	a.Name, b.Name = h.names[0], h.names[1]
	slow := ""
	if h.Slower > 1 {
		slow = fmt.Sprintf(" (%.3g times slower than the fastest)", h.Slower)
	}
	return fmt.Sprintf("%s -> %s%s: from hosts of %s to hosts of %s", a.Short(), b.Short(), slow, h.From.text(), h.To.text())
}

// namedUsers is the largest number of switches that text names.
const namedUsers = 2

func (u *Users) text() string {
	if u.Switches > namedUsers {
		return fmt.Sprintf("%d switches", u.Switches)
	}
	var names []string
	for _, x := range u.Most {
		names = append(names, x.name)
	}
	return strings.Join(names, " and ")
}
