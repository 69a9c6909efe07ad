package rails

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
)

// place is the place of a port in its server.
type place struct {
	sign   Sign
	device string // as in the description
	family string // of the device, "" if its number alone tells it apart
	number int32  // of the adapter, from 0
	port   uint8
}

// spot is a place as a key.
type spot struct {
	sign   Sign
	family string
	number int32
	port   uint8
}

// view says which part of a place decides.
type view int

// The views. Both ports of an adapter can be on one rail, or both on the planes of their numbers.
const (
	whole view = iota
	adapterOnly
	portOnly
)

func (v view) of(p place) spot {
	s := spot{p.sign, p.family, p.number, p.port}
	switch v {
	case adapterOnly:
		s.port = 0
	case portOnly:
		s.family, s.number = "", 0
	}
	return s
}

func compareSpots(a, b spot) int {
	return cmp.Or(strings.Compare(string(a.sign), string(b.sign)), strings.Compare(a.family, b.family), cmp.Compare(a.number, b.number), cmp.Compare(a.port, b.port))
}

// kind is a kind of server: all have the same places.
type kind struct {
	sign    Sign
	key     string
	servers []int32
	ports   int

	view  view
	rails map[spot]int32 // if places decide: the rail of each
}

// rail returns the rail of a place, or None.
func (k *kind) rail(p place) int32 {
	if r, ok := k.rails[k.view.of(p)]; ok {
		return r
	}
	return None
}

// text describes a place.
func (k *kind) text(p place) string {
	adapter := p.device
	if p.sign == ByGUID {
		adapter = fmt.Sprintf("adapter %d", p.number+1)
	}
	switch {
	case p.sign == ByPort || k.view == portOnly:
		return fmt.Sprintf("port %d", p.port)
	case k.view == whole && p.port > 1:
		return fmt.Sprintf("%s port %d", adapter, p.port)
	}
	return adapter
}

// The devices whose number alone tells them apart. OFED's scripts count from one ("HCA-1"), drivers
// from zero ("mlx5_0").
var (
	fromOne  = regexp.MustCompile(`(?i)^(?:hca|hfi)-?(\d+)$`)
	fromZero = regexp.MustCompile(`(?i)^(?:mlx\d+|mthca|hfi1|qib|ipath)_(?:ib|bond_)?(\d+)$`)
)

// deviceNumber returns the number of a device from 0, or its name as the family.
func deviceNumber(device string) (family string, number int32) {
	if m := fromOne.FindStringSubmatch(device); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n < 1<<16 {
			return "", int32(n - 1)
		}
	}
	if m := fromZero.FindStringSubmatch(device); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n < 1<<16 {
			return "", int32(n)
		}
	}
	return strings.ToLower(device), 0
}

// makeKinds finds the place of each port, and sorts the servers by their places, the kind with the
// most ports first.
func (f *find) makeKinds() {
	byKey := map[string]*kind{}
	for server, ends := range f.ends {
		if len(ends) < 2 {
			continue
		}
		f.places(ends)
		spots := make([]spot, len(ends))
		for i, e := range ends {
			spots[i] = whole.of(f.place[e])
		}
		slices.SortFunc(spots, compareSpots)
		var key strings.Builder
		for _, s := range spots {
			fmt.Fprintf(&key, "%s %d %d,", s.family, s.number, s.port)
		}
		sign := spots[0].sign
		id := string(sign) + ": " + key.String()
		k := byKey[id]
		if k == nil {
			k = &kind{sign: sign, key: id}
			byKey[id] = k
			f.kinds = append(f.kinds, k)
		}
		k.servers = append(k.servers, int32(server))
		k.ports += len(ends)
	}
	slices.SortFunc(f.kinds, func(a, b *kind) int { return cmp.Or(cmp.Compare(b.ports, a.ports), strings.Compare(a.key, b.key)) })
}

// places sets the places of the host ports of a server.
func (f *find) places(ends []int32) {
	g := f.g
	nodes := 1
	for i, e := range ends[1:] {
		if g.EndNode[e] != g.EndNode[ends[i]] {
			nodes++
		}
	}
	sign := ByPort
	if nodes > 1 {
		sign = ByAdapter
	}
	met := map[spot]bool{}
	for pass := range 3 {
		clear(met)
		for _, e := range ends {
			p := place{sign: sign, port: g.EndNum[e]}
			switch _, device := fabric.HostAndDevice(g.EndDesc[e]); {
			case sign != ByAdapter:
			case device == "":
				sign = ByGUID
			default:
				p.device = device
				if p.family, p.number = deviceNumber(device); pass > 0 { // numbers of two families are the same
					p.family = strings.ToLower(device)
				}
			}
			f.place[e] = p
			met[whole.of(p)] = true
		}
		if sign == ByGUID || len(met) == len(ends) {
			break
		}
		if pass == 1 {
			sign = ByGUID
		}
	}
	if sign == ByGUID {
		number := int32(-1)
		for i, e := range ends { // by node GUID, as Ends lists them
			if i == 0 || g.EndNode[e] != g.EndNode[ends[i-1]] {
				number++
			}
			f.place[e] = place{sign: ByGUID, number: number, port: g.EndNum[e]}
		}
	}
}

// most reports whether part is at least three quarters of all: a few cables may be swapped.
func most(part, all int) bool { return 4*part >= 3*all && part > 0 }

// decide lets the places of a kind decide, if they agree with the leaves.
func (f *find) decide(k *kind) {
	k.servers = slices.DeleteFunc(k.servers, func(server int32) bool { return f.fold(server) })
	if len(k.servers) < 2 {
		return
	}
	var classes []class
	for v := whole; v <= portOnly; v++ {
		if classes = f.classes(k, v); len(classes) >= 2 {
			k.view = v
			break
		}
	}
	if len(classes) < 2 || !f.forRails(classes) {
		return
	}
	f.joinClasses(k, classes)
	for _, server := range k.servers {
		f.kindOf[server] = k
	}
	for _, c := range classes {
		if _, held := f.holders[c.spot]; !held {
			f.holders[c.spot] = k
		}
	}
}

// fold gives a server to a kind with its places and more, if most of its ports are on the rails of
// that kind: some of its ports failed.
func (f *find) fold(server int32) bool {
	ends := f.ends[server]
	for v := whole; v <= portOnly; v++ {
		k := f.holders[v.of(f.place[ends[0]])]
		if k == nil {
			k = f.holders[v.of(f.place[ends[len(ends)-1]])]
		}
		if k == nil || k.view != v {
			continue
		}
		match := 0
		for _, e := range ends {
			r := k.rail(f.place[e])
			if r == None {
				match = 0
				break
			}
			if r == f.rail[f.g.EndSwitch[e]] {
				match++
			}
		}
		if 2*match >= len(ends) {
			f.kindOf[server] = k
			return true
		}
	}
	return false
}

// class is a place of a kind, and the leaves whose ports of this kind nearly all have it.
type class struct {
	spot   spot
	leaves []int32
	ports  []int32 // on each leaf
}

// classes finds the places that have leaves of their own.
func (f *find) classes(k *kind, v view) []class {
	type at struct {
		leaf int32
		spot spot
	}
	var all []at
	total := map[spot]int{}
	for _, server := range k.servers {
		for _, e := range f.ends[server] {
			s := v.of(f.place[e])
			all = append(all, at{f.g.EndSwitch[e], s})
			total[s]++
		}
	}
	if len(total) < 2 {
		return nil
	}
	slices.SortFunc(all, func(a, b at) int { return cmp.Or(cmp.Compare(a.leaf, b.leaf), compareSpots(a.spot, b.spot)) })
	own, shared := map[spot]*class{}, 0
	count := map[spot]int{}
	for i := 0; i < len(all); {
		j, best, most1 := i, all[i].spot, 0
		for j < len(all) && all[j].leaf == all[i].leaf {
			run := j
			for run < len(all) && all[run] == all[j] {
				run++
			}
			if run-j > most1 {
				best, most1 = all[j].spot, run-j
			}
			j = run
		}
		if most(most1, j-i) {
			if own[best] == nil {
				own[best] = &class{spot: best}
			}
			c := own[best]
			c.leaves, c.ports = append(c.leaves, all[i].leaf), append(c.ports, int32(most1))
			count[best] += most1
			if most1 > 1 {
				shared += most1
			}
		}
		i = j
	}
	if 2*shared < len(all) { // most leaves have one port: any place would agree
		return nil
	}
	var out []class
	for _, s := range slices.SortedFunc(maps.Keys(own), compareSpots) {
		if most(count[s], total[s]) {
			out = append(out, *own[s])
		}
	}
	return out
}

// forRails reports whether the leaves of a kind are mostly for servers of several ports.
func (f *find) forRails(classes []class) bool {
	multi, hosts := 0, 0
	for i := range classes {
		for _, leaf := range classes[i].leaves {
			multi += int(f.multi[leaf])
			hosts += int(f.g.HostCount(leaf))
		}
	}
	return 2*multi >= hosts
}

// joinClasses gives each place of a kind a rail: that of leaves which have one, or that of the same
// place in a similar kind, or of the spines and the plane of its leaves, or a new one.
func (f *find) joinClasses(k *kind, classes []class) {
	k.rails = map[spot]int32{}
	var open []*class
	for i := range classes {
		c := &classes[i]
		votes := map[int32]int{}
		for j, leaf := range c.leaves {
			if r := f.rail[leaf]; r != None {
				votes[r] += int(c.ports[j])
			}
		}
		if r := winner(votes); r != None {
			k.rails[c.spot] = r
		} else {
			open = append(open, c)
		}
	}
	similar := f.similar(classes)
	var left []*class
	used := map[int32]bool{}
	for _, r := range k.rails {
		used[r] = true
	}
	for _, c := range open {
		r := None
		if similar != nil {
			if w, ok := similar.rails[c.spot]; ok && !used[w] {
				r = w
			}
		}
		if r == None {
			if w := f.only.vote(c.leaves); !used[w] {
				r = w
			}
		}
		if r == None {
			left = append(left, c)
			continue
		}
		k.rails[c.spot], used[r] = r, true
	}
	for _, c := range left {
		if r := f.sameOrder(left, c, used); r != None {
			k.rails[c.spot] = r
			continue
		}
		k.rails[c.spot] = int32(f.rails)
		f.rails++
	}
	for i := range classes {
		for _, leaf := range classes[i].leaves {
			f.set(leaf, k.rails[classes[i].spot])
		}
	}
}

// similar returns a kind that has at least half of its places in common with these.
func (f *find) similar(classes []class) *kind {
	for i := range classes {
		k := f.holders[classes[i].spot]
		if k == nil {
			continue
		}
		common := 0
		for j := range classes {
			if _, ok := k.rails[classes[j].spot]; ok {
				common++
			}
		}
		if 2*common >= max(len(classes), len(k.rails)) {
			return k
		}
		return nil
	}
	return nil
}

// sameOrder returns a rail for a place of a kind whose places all have other names than before: if
// their plane has as many rails as the kind has places, the first is the first.
func (f *find) sameOrder(left []*class, c *class, used map[int32]bool) int32 {
	if len(used) > 0 {
		return None
	}
	there := f.inPlane[f.planes[c.leaves[0]]]
	if len(there) != len(left) {
		return None
	}
	return there[slices.Index(left, c)]
}

// set gives a leaf a rail, unless it has one.
func (f *find) set(leaf, rail int32) {
	if f.rail[leaf] == None {
		f.rail[leaf] = rail
		f.only.add(leaf, rail)
		if p := f.planes[leaf]; p != None {
			if i, met := slices.BinarySearch(f.inPlane[p], rail); !met {
				f.inPlane[p] = slices.Insert(f.inPlane[p], i, rail)
			}
		}
	}
}

// winner returns the rail with the most votes, the lowest of several, None without votes.
func winner(votes map[int32]int) int32 {
	best := None
	for _, r := range slices.Sorted(maps.Keys(votes)) {
		if best == None || votes[r] > votes[best] {
			best = r
		}
	}
	return best
}
