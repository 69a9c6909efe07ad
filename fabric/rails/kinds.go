package rails

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// kind is a kind of server: all have the same places.
type kind struct {
	sign    Sign
	key     string // sign and places
	servers []int32
	ports   int // of all servers

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

// text describes a place as far as it decides.
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
	f.mergeKinds()
}

// mergeKinds joins rare kinds to a frequent one with which they have most places in common: the
// other ports failed.
func (f *find) mergeKinds() {
	first := map[spot]*kind{}
	size := map[*kind]int{}
	f.kinds = slices.DeleteFunc(f.kinds, func(k *kind) bool {
		var spots []spot
		common := map[*kind]int{}
		var best *kind
		for _, e := range f.ends[k.servers[0]] {
			s := whole.of(f.place[e])
			spots = append(spots, s)
			if other := first[s]; other != nil {
				if common[other]++; best == nil || common[other] > common[best] {
					best = other
				}
			}
		}
		if best != nil && 2*common[best] > max(len(spots), size[best]) && len(k.servers) <= max(1, len(best.servers)/2) {
			for _, server := range k.servers {
				f.guest[server] = true
			}
			best.servers = append(best.servers, k.servers...)
			return true
		}
		size[k] = len(spots)
		for _, s := range spots {
			if first[s] == nil {
				first[s] = k
			}
		}
		return false
	})
}

// most reports whether part is at least three quarters of all: a few cables may be swapped.
func most(part, all int) bool { return 4*part >= 3*all && part > 0 }

// chooseView sets the first view that gives nearly all places of a kind their own leaves. It
// returns these places; nil if there is no such view.
func (f *find) chooseView(k *kind) []class {
	for k.view = whole; k.view <= portOnly; k.view++ {
		if classes := f.classes(k, k.view); len(classes) >= 2 {
			return classes
		}
	}
	return nil
}

// findDoubts counts the kinds whose places contradict the leaves. Where there are any, the places
// of a few servers may agree by chance.
func (f *find) findDoubts() {
	for _, k := range f.kinds {
		if len(k.servers) > 1 && f.chooseView(k) == nil {
			f.doubts[k.sign]++
		}
	}
}

// chance reports whether the places of a kind may agree with the leaves by chance. Each server
// after the first has its ports in one of (places)! orders.
func (f *find) chance(k *kind, places int) bool {
	if f.doubts[k.sign] == 0 {
		return false
	}
	orders, tries := 1.0, float64(100*len(f.kinds))
	for range len(k.servers) - 1 {
		for i := range places {
			orders *= float64(i + 1)
		}
		if orders > tries {
			return false
		}
	}
	return true
}

// decide gives the leaves of a kind rails by its places, if the places agree with the leaves.
func (f *find) decide(k *kind) {
	k.servers = slices.DeleteFunc(k.servers, f.joinHolder)
	if len(k.servers) < 2 {
		return
	}
	classes := f.chooseView(k)
	if len(classes) < 2 || !f.forRails(classes) || f.chance(k, len(classes)) {
		return
	}
	if !f.joinClasses(k, classes) {
		return
	}
	for _, server := range k.servers {
		if !f.guest[server] || f.matches(k, server) {
			f.kindOf[server] = k
		}
	}
	for _, c := range classes {
		if _, held := f.holders[c.spot]; !held {
			f.holders[c.spot] = k
		}
	}
}

// joinHolder counts a server, some of whose ports failed, with a decided kind that has all of its
// places, if at least half of its ports are on the rails of that kind. It reports whether it did.
func (f *find) joinHolder(server int32) bool {
	ends := f.ends[server]
	for v := whole; v <= portOnly; v++ {
		k := f.holders[v.of(f.place[ends[0]])]
		if k == nil {
			k = f.holders[v.of(f.place[ends[len(ends)-1]])]
		}
		if k == nil || k.view != v {
			continue
		}
		if f.matches(k, server) {
			f.kindOf[server] = k
			return true
		}
	}
	return false
}

// matches reports whether a kind has all places of a server, and at least half of its ports are on
// the rails of that kind.
func (f *find) matches(k *kind, server int32) bool {
	match := 0
	for _, e := range f.ends[server] {
		switch r := k.rail(f.place[e]); {
		case r == None && !f.guest[server]:
			return false
		case r != None && r == f.rail[f.g.EndSwitch[e]]:
			match++
		}
	}
	return 2*match >= len(f.ends[server])
}
