package paths

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

const (
	mostCandidates = 16   // paths of a pair to select one from
	mostHosts      = 2048 // the uses of their links take about 1 GB
)

var pathSelection = &Algorithm{
	Name:         "path-selection",
	Summary:      "of up to 16 shortest legal up*/down* paths a pair, those on the most loaded link are removed until one is left (which goes first is ours; the paper's letter is option remove=drawn)",
	Paper:        "Nienaber, Yuan, Duan (paper 000), section VI; Yen 1971; Koibuchi, Jouraku, Amano 2005",
	Cost:         "Yen for all pairs of switches with hosts (parallel); then O(16 pairs x hops), one core",
	DeadlockFree: true,
	Options:      []route.Option{detourOption(anyLength), removeOption, orderOption, ruleOption},
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return selectPaths(ctx, in, in.number(detourOption(anyLength)), false)
	},
}

var shortSelection = &Algorithm{
	Name:         "path-selection-short",
	Summary:      "path-selection from candidates that are at most one hop longer than the shortest: lower loads",
	Paper:        "beyond paper 000",
	Cost:         "that of path-selection",
	DeadlockFree: true,
	Options:      []route.Option{detourOption(1), removeOption, orderOption, ruleOption},
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return selectPaths(ctx, in, in.number(detourOption(1)), false)
	},
}

var jointSelection = &Algorithm{
	Name:         "path-selection-joint",
	Summary:      "path-selection by expected traffic, long paths first: equally low loads, and paths to one destination split less and need fewer LIDs",
	Paper:        "beyond paper 000",
	Cost:         "that of path-selection",
	DeadlockFree: true,
	Options:      []route.Option{detourOption(1), orderOption, ruleOption},
	Compute: func(ctx context.Context, in *Input) (*Set, error) {
		return selectPaths(ctx, in, in.number(detourOption(1)), true)
	},
}

// pairTraffic is the traffic of a pair: a multiple of 1 to 16, so that shares add up exactly.
const pairTraffic = 720720

// selection eliminates candidates over the most loaded link until each pair of hosts has one. The
// paper does not define the load, nor which candidate over that link goes. There are three
// variants:
//
//   - path-selection: a load is the number of candidates over the link. Of the pairs of hosts with
//     such a candidate, the one with the most candidates left loses its longest. Of equals the
//     first in order of destination and source goes, with hosts in random order.
//   - option remove=drawn, the letter of the paper: any of the candidates over the link may go; one
//     is drawn. The remaining paths need five times as many LIDs as the paper's, and their maximum
//     load is above srd's.
//   - path-selection-joint: a load is the expected traffic; the candidates left share a pair's
//     traffic. Of the pairs with the most candidates left, the longest candidate goes. Paths stay
//     short, and paths to one destination agree.
//
// Pairs of hosts of the same two switches share their candidates, stored once a pair of switches; a
// pair of hosts has a bit for each. Candidate w of pair p is use p*mostCandidates+w.
type selection struct {
	g          *fabric.Graph
	r          *Rule
	extra      int        // hops by which candidates may be longer than the shortest, or anyLength
	rng        *rand.Rand // draws the order of removal; nil if the pair with the most candidates left loses its longest
	joint      bool
	candidates [][][]int32 // by pair of switches s*NumSwitches+t
	alive      []uint16    // by pair of hosts src*NumHosts+dst: the candidates left
	load       []int64     // by channel, with a pair's traffic undivided
	queue      *heap       // of channels by load, without channels that have nothing to lose
	uses       [][]int32   // by channel: the candidates that may still go, in order
	next       []int32     // by channel: the use to look at next
	waiting    []int32     // by channel: number of uses kept in front of next, for the next lower level
	level      []uint8     // by channel: pairs with this many candidates left are due
}

// selectPaths runs Yen on the switches and then the elimination.
func selectPaths(ctx context.Context, in *Input, extra int, joint bool) (*Set, error) {
	order := hostOrder(in)
	sel, err := newSelection(ctx, in, order, extra, joint)
	if err != nil {
		return nil, err
	}
	if err := sel.eliminate(ctx); err != nil {
		return nil, err
	}
	return sel.pathSet(order)
}

// newSelection returns a selection with all candidates, before the elimination.
func newSelection(ctx context.Context, in *Input, order []int32, extra int, joint bool) (*selection, error) {
	g := in.Graph
	if g.NumHosts > mostHosts {
		return nil, route.Refuse("path-selection", "use shortest-widest",
			"the candidate paths of %d hosts take too much memory (at most %d hosts)", g.NumHosts, mostHosts)
	}
	rule, err := legalRule(ctx, in)
	if err != nil {
		return nil, err
	}
	sel := &selection{
		g: g, r: rule, extra: extra, joint: joint, candidates: make([][][]int32, g.NumSwitches*g.NumSwitches), alive: make([]uint16, g.NumHosts*g.NumHosts),
		load: make([]int64, g.NumChannels), uses: make([][]int32, g.NumChannels),
		next: make([]int32, g.NumChannels), waiting: make([]int32, g.NumChannels), level: make([]uint8, g.NumChannels),
	}
	if !joint && in.word(removeOption) == removeDrawn {
		sel.rng = rand.New(rand.NewPCG(in.Seed, streamRemove))
	}
	if err := sel.findCandidates(ctx, in); err != nil {
		return nil, err
	}
	sel.prepare(order)
	return sel, nil
}

// findCandidates finds the candidates of every pair of switches with hosts.
func (sel *selection) findCandidates(ctx context.Context, in *Input) error {
	g, S := sel.g, sel.g.NumSwitches
	finders := make([]*yen, max(1, in.Workers))
	return par.For(ctx, in.Workers, S, func(w, t int) error {
		if len(g.AttachedTo(int32(t))) == 0 {
			return nil
		}
		if finders[w] == nil {
			finders[w] = newYen(sel.r)
		}
		finders[w].setTarget(int32(t))
		for s := range S {
			if s != t && len(g.AttachedTo(int32(s))) > 0 {
				ways := finders[w].findLoopless(int32(s), mostCandidates)
				for sel.extra != anyLength && len(ways) > 0 && len(ways[len(ways)-1]) > len(ways[0])+sel.extra {
					ways = ways[:len(ways)-1]
				}
				sel.candidates[s*S+t] = ways
			}
		}
		return nil
	})
}

// candidatesOf lists the candidates of a pair of hosts.
func (sel *selection) candidatesOf(p int32) [][]int32 {
	g := sel.g
	n := int32(g.NumHosts)
	return sel.candidates[int(g.EndSwitch[p/n])*g.NumSwitches+int(g.EndSwitch[p%n])]
}

// prepare counts the loads of all candidates and lists the uses of every link.
func (sel *selection) prepare(order []int32) {
	n, longest := int32(sel.g.NumHosts), 0
	count := make([]int, sel.g.NumChannels)
	for p := range n * n {
		ways := sel.candidatesOf(p)
		sel.alive[p] = 1<<len(ways) - 1
		for _, way := range ways {
			longest = max(longest, len(way))
			for _, c := range way {
				sel.load[c] += sel.trafficShare(int64(len(ways)))
				count[c]++
			}
		}
	}
	for c, n := range count {
		sel.uses[c] = make([]int32, 0, n)
		sel.level[c] = mostCandidates
	}
	if !sel.joint {
		sel.listUses(order, func([]int32) bool { return true })
		sel.shuffleUses()
		return
	}
	for ; longest > 0; longest-- {
		sel.listUses(order, func(way []int32) bool { return len(way) == longest })
	}
}

// shuffleUses draws an order for the candidates over each link, whatever their pairs have left.
func (sel *selection) shuffleUses() {
	if sel.rng == nil {
		return
	}
	for c, uses := range sel.uses {
		sel.level[c] = 2
		sel.rng.Shuffle(len(uses), func(i, j int) { uses[i], uses[j] = uses[j], uses[i] })
	}
}

// listUses appends the wanted candidates to the uses of their links.
func (sel *selection) listUses(order []int32, want func(way []int32) bool) {
	n := int32(sel.g.NumHosts)
	for _, dst := range order {
		for _, src := range order {
			p := src*n + dst
			ways := sel.candidatesOf(p)
			for w := len(ways) - 1; w >= 0; w-- {
				if want(ways[w]) {
					for _, c := range ways[w] {
						sel.uses[c] = append(sel.uses[c], p*mostCandidates+int32(w))
					}
				}
			}
		}
	}
}

// trafficShare returns the load of a candidate whose pair has so many left.
func (sel *selection) trafficShare(left int64) int64 {
	if sel.joint {
		return pairTraffic / left
	}
	return pairTraffic
}

// eliminate removes candidates one at a time, over the most loaded link that has any to lose, of
// equals the first.
func (sel *selection) eliminate(ctx context.Context) error {
	sel.queue = newHeap(sel.load)
	for steps := 0; len(sel.queue.list) > 0; steps++ {
		if steps%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !sel.removeNext(sel.queue.top()) {
			sel.queue.pop()
		}
	}
	return nil
}

// removeNext removes a candidate over link c, of a pair with as many candidates left as the link's
// level. Pairs with fewer wait until the level has come down to theirs; none has more. It returns
// false if all pairs over the link have one candidate left, which must stay.
func (sel *selection) removeNext(c int32) bool {
	uses := sel.uses[c]
	for ; sel.level[c] >= 2; sel.level[c]-- {
		for int(sel.next[c]) < len(uses) {
			use := uses[sel.next[c]]
			sel.next[c]++
			p, w := use/mostCandidates, use%mostCandidates
			a := sel.alive[p]
			if a>>w&1 == 0 {
				continue
			}
			if bits.OnesCount16(a) >= int(sel.level[c]) {
				sel.remove(p, w)
				return true
			}
			uses[sel.waiting[c]] = use
			sel.waiting[c]++
		}
		uses = uses[:sel.waiting[c]]
		sel.uses[c], sel.next[c], sel.waiting[c] = uses, 0, 0
	}
	sel.uses[c] = nil
	return false
}

// remove removes candidate w of pair p; the others take over its traffic.
func (sel *selection) remove(p, w int32) {
	left := int64(bits.OnesCount16(sel.alive[p]))
	sel.alive[p] &^= 1 << w
	ways, share := sel.candidatesOf(p), sel.trafficShare(left)
	for _, c := range ways[w] {
		sel.queue.change(c, -share)
	}
	if !sel.joint {
		return
	}
	more := sel.trafficShare(left-1) - share
	for a := sel.alive[p]; a != 0; a &= a - 1 {
		for _, c := range ways[bits.TrailingZeros16(a)] {
			sel.queue.change(c, more)
		}
	}
}

// pathSet returns the remaining paths.
func (sel *selection) pathSet(sources []int32) (*Set, error) {
	g := sel.g
	n := int32(g.NumHosts)
	b := newBuilder(sel.r)
	for dst := range n {
		for _, src := range sources {
			p := src*n + dst
			switch {
			case src == dst:
			case g.EndSwitch[src] == g.EndSwitch[dst]:
				b.Add(src, dst, nil)
			case sel.alive[p] != 0:
				b.Add(src, dst, sel.candidatesOf(p)[bits.TrailingZeros16(sel.alive[p])])
			}
		}
	}
	return b.Build()
}

// heap holds channels with the most loaded one on top, of equals the one with the lowest number. A
// channel whose load fell moves only when it gets to the top; until then it keeps the place of an
// earlier load.
type heap struct {
	load   []int64 // by channel
	placed []int64 // by channel: the load of its place, at least its load
	list   []int32
	at     []int32 // by channel: its place in list, -1 if it is out
}

func newHeap(load []int64) *heap {
	h := &heap{load: load, placed: slices.Clone(load)}
	for c := range int32(len(load)) {
		h.list, h.at = append(h.list, c), append(h.at, c)
	}
	for i := len(h.list)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
	return h
}

// top returns the most loaded channel.
func (h *heap) top() int32 {
	for {
		c := h.list[0]
		if h.placed[c] == h.load[c] {
			return c
		}
		h.placed[c] = h.load[c]
		h.sink(0)
	}
}

// pop takes the top channel out.
func (h *heap) pop() {
	last := len(h.list) - 1
	h.at[h.list[0]] = -1
	if last > 0 {
		h.place(0, h.list[last])
	}
	h.list = h.list[:last]
	h.sink(0)
}

// change changes the load of a channel, which may be out.
func (h *heap) change(c int32, by int64) {
	h.load[c] += by
	if h.load[c] > h.placed[c] {
		h.placed[c] = h.load[c]
		if i := int(h.at[c]); i >= 0 {
			h.rise(i)
		}
	}
}

func (h *heap) before(a, b int32) bool {
	return h.placed[a] > h.placed[b] || h.placed[a] == h.placed[b] && a < b
}

func (h *heap) place(i int, c int32) { h.list[i], h.at[c] = c, int32(i) }

func (h *heap) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.list) {
			return
		}
		if child+1 < len(h.list) && h.before(h.list[child+1], h.list[child]) {
			child++
		}
		a, b := h.list[i], h.list[child]
		if !h.before(b, a) {
			return
		}
		h.place(i, b)
		h.place(child, a)
		i = child
	}
}

func (h *heap) rise(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		a, b := h.list[parent], h.list[i]
		if !h.before(b, a) {
			return
		}
		h.place(parent, b)
		h.place(i, a)
		i = parent
	}
}
