package flow

import (
	"cmp"
	"math"
	"slices"
)

// demands lists kinds of traffic that want shares of links. One unit of the rate of
// demand i takes amount[k] of link[k] for k in start[i]:start[i+1].
type demands struct {
	asked  []float64 // rate, by demand
	start  []int32
	link   []int32
	amount []float64
}

func newDemands() *demands { return &demands{start: []int32{0}} }

// addLink adds a link to the demand that end completes.
func (d *demands) addLink(link int32, amount float64) {
	d.link = append(d.link, link)
	d.amount = append(d.amount, amount)
}

func (d *demands) end(asked float64) {
	d.asked = append(d.asked, asked)
	d.start = append(d.start, int32(len(d.link)))
}

// demandRounding is the share by which two links may differ and count as full at once.
const demandRounding = 1 + 1e-9

// fair computes the max-min fair rates on links of capacity 1, by progressive filling: all
// rates grow alike until a link is full or a demand has what it asks for.
func (d *demands) fair(links int) []float64 {
	users := d.byLink(links)
	rate := make([]float64, len(d.asked))
	frozen := make([]bool, len(d.asked))
	room := make([]float64, links)  // what frozen demands leave
	slope := make([]float64, links) // what the others take together, a unit of rate
	alive := make([]int32, links)   // how many these are
	var active []int32
	for l := range links {
		room[l] = 1
		for _, k := range users.of(l) {
			slope[l] += d.amount[k.at]
			alive[l]++
		}
		if alive[l] > 0 {
			active = append(active, int32(l))
		}
	}
	freeze := func(i int32, at float64) {
		if frozen[i] {
			return
		}
		frozen[i], rate[i] = true, at
		for k := d.start[i]; k < d.start[i+1]; k++ {
			l := d.link[k]
			room[l] -= at * d.amount[k]
			slope[l] -= d.amount[k]
			alive[l]--
		}
	}
	bySize := make([]int32, len(d.asked))
	for i := range bySize {
		bySize[i] = int32(i)
	}
	slices.SortStableFunc(bySize, func(a, b int32) int { return cmp.Compare(d.asked[a], d.asked[b]) })
	for {
		for len(bySize) > 0 && frozen[bySize[0]] {
			bySize = bySize[1:]
		}
		if len(bySize) == 0 {
			return rate
		}
		active = slices.DeleteFunc(active, func(l int32) bool { return alive[l] == 0 })
		full := math.Inf(1)
		for _, l := range active {
			full = min(full, max(0, room[l])/slope[l])
		}
		if asked := d.asked[bySize[0]]; asked <= full*demandRounding {
			for _, i := range bySize {
				if d.asked[i] > asked {
					break
				}
				freeze(i, asked)
			}
			continue
		}
		for _, l := range active {
			if alive[l] > 0 && room[l] <= full*demandRounding*slope[l] {
				for _, u := range users.of(int(l)) {
					freeze(u.demand, full)
				}
			}
		}
	}
}

// user is a demand that uses a link, and where its amount stands.
type user struct{ demand, at int32 }

type users struct {
	start []int32
	all   []user
}

func (u *users) of(link int) []user { return u.all[u.start[link]:u.start[link+1]] }

func (d *demands) byLink(links int) *users {
	u := &users{start: make([]int32, links+1), all: make([]user, len(d.link))}
	for _, l := range d.link {
		u.start[l+1]++
	}
	for l := range links {
		u.start[l+1] += u.start[l]
	}
	next := slices.Clone(u.start)
	for i := range d.asked {
		for k := d.start[i]; k < d.start[i+1]; k++ {
			l := d.link[k]
			u.all[next[l]] = user{int32(i), k}
			next[l]++
		}
	}
	return u
}
