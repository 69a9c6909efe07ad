package watch

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/internal/racing"
	"weft/sm/sa"
	"weft/sm/terms"
)

var (
	peerSlice    = flag.Int("peer-slice", 1, "the slice of schedules that TestBadPeers plays, of 40")
	peerSeed     = flag.Uint64("peer-seed", 0, "the only seed that it plays instead")
	peerFailures = flag.Int("peer-failures", 1, "how many schedules may fail before it ends")
	peerTrace    = flag.Int("peer-trace", 60, "lines that it prints of a schedule that fails")
)

// sliceOfPeers is the number of schedules of a slice. Slice 1 has seeds 1 to 500, slice 40 the last
// of 20,000.
const sliceOfPeers = 500

// TestBadPeers plays schedules in which ports of the subnet are frozen, lie, are greedy, or have
// little room, among faults of cables, switches, the wire and the managers themselves (deeds, lies,
// size). Whatever one port says or does not say, and however many there are:
//
//   - there is one master, except for a while after a kill or during a handover;
//   - no LID of an honest host moves;
//   - packets between honest hosts arrive, five seconds after any fault at the latest; on a wire
//     that loses datagrams it may be the light sweep that sees the fault;
//   - while that is so, an honest host gets the path that it asks for within a second;
//   - honest hosts may join groups, register and subscribe, and nothing acknowledged is lost.
//
// Not so while a peer must be believed: it has the SM_Key, precedes the managers, and M_Keys do not
// lock it out; or while managers that start meet a port that may be the master. When all is well
// again the subnet is up and proven, as far as devices have room: switches hold the Plan, and
// packets to groups reach their members.
//
// testdata/badpeers.seeds lists seeds of any slice that have found a fault; they are played too.
// One seed alone: -peer-seed N; with -record DIR what its managers were given is written for weft
// sm replay.
func TestBadPeers(t *testing.T) {
	racing.SkipLong(t)
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a third of the time otherwise
	kinds, queries, failed := map[string]int{}, 0, 0
	for _, seed := range seedsOfPeers(t) {
		x, text := playSeed(t, seed)
		if text != "" {
			t.Error(text)
			if failed++; failed >= *peerFailures {
				return
			}
		}
		if x != nil {
			queries += x.watch.queries
			for k := range x.kinds {
				kinds[k]++
			}
		}
	}
	t.Logf("%d paths told; schedules by kind: %v", queries, kinds)
	if *peerSeed > 0 || testing.Short() {
		return
	}
	for _, d := range deeds {
		if kinds[d.kind] < sliceOfPeers/20 {
			t.Errorf("%d schedules have %q", kinds[d.kind], d.kind)
		}
	}
}

// seedsOfPeers returns the seeds to play.
func seedsOfPeers(t *testing.T) (seeds []uint64) {
	if *peerSeed > 0 {
		return []uint64{*peerSeed}
	}
	text, err := os.ReadFile("testdata/badpeers.seeds")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
			seed, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, seed)
		}
	}
	n := uint64(sliceOfPeers)
	if testing.Short() {
		n /= 10
	}
	for i := range n {
		seeds = append(seeds, uint64(*peerSlice-1)*sliceOfPeers+i+1)
	}
	return seeds
}

// caught is a testing.TB whose Fatalf ends a schedule, not the test.
type caught struct{ testing.TB }

type failure string

func (caught) Fatalf(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }
func (caught) Fatal(args ...any)                 { panic(failure(fmt.Sprint(args...))) }

// playSeed plays the schedule of a seed, and returns what is wrong.
func playSeed(t *testing.T, seed uint64) (x *scene, text string) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		what, is := r.(failure)
		if !is {
			what = failure(fmt.Sprintf("%v\n%s", r, debug.Stack()))
		}
		first, rest, _ := strings.Cut(string(what), "\n")
		text = fmt.Sprintf("seed %d: %s", seed, first)
		if x != nil {
			text += fmt.Sprintf(" [%s]", strings.Join(x.doing(), ", "))
		}
		if x != nil {
			text += "\n" + strings.Join(x.log[max(0, len(x.log)-*peerTrace):], "\n")
		}
		if x != nil {
			for i, v := range x.living() {
				text += fmt.Sprintf("\nmanager %d: state %d, role %v, in a round: %v, phase %s, %d SMPs under way", i, v.manager.state(), v.manager.Role(), v.manager.inRound, v.manager.current.Phase(), v.pending)
			}
		}
		if len(rest) < 3000 {
			text += "\n" + rest
		}
	}()
	x = newScene(caught{t}, seed)
	x.play()
	return x, ""
}

// play plays it all.
func (x *scene) play() {
	sizes := maps.Clone(x.tempers.of)
	rng := x.market.rng
	x.start(0)
	x.run(3*time.Second, false)
	x.start(1)
	x.run(time.Duration(2000+rng.IntN(12000))*time.Millisecond, true)
	for wait := 0; ; wait++ {
		n, v := masters(x.living())
		if n == 1 && v.manager.inForce != nil && !v.manager.inRound && v.manager.election.handing == nil {
			break
		}
		if x.run(100*time.Millisecond, false); wait == 200 {
			x.t.Fatalf("it does not come up: %d masters", n)
		}
	}
	x.watch.begin()
	for range 3 + rng.IntN(8) {
		x.next()
		x.run(x.upTo([]time.Duration{200 * time.Millisecond, 2 * time.Second, 8 * time.Second}[rng.IntN(3)]), true)
	}
	x.heal(sizes)
	for i, v := range x.managers {
		if v == nil {
			x.start(i)
		}
	}
	x.run(5*time.Second, true)
	x.settles(len(sizes) > 0)
}

// settles lets time pass until the subnet is up, and looks at it.
func (x *scene) settles(small bool) {
	var v *virtual
	for wait := 0; ; wait++ {
		n := 0
		if n, v = masters(x.living()); n == 1 && v.manager.isDone(small) && x.now >= x.watch.excused && x.now > x.watch.killedAt+failover {
			break
		}
		if x.run(500*time.Millisecond, false); wait > 1500 {
			state := terms.State("no master")
			if v != nil {
				state = v.manager.Result().Report.State
			}
			x.t.Fatalf("%v: after all was well: %d masters, %s", x.now, n, state)
		}
	}
	x.rest()
	if !x.fair { // blocks that were written more than once are read again
		x.run(25*time.Second, false)
	}
	n, v := masters(x.living())
	if n != 1 {
		x.t.Fatalf("%v: %d masters at the end", x.now, n)
	}
	if v.manager.Result().Report.State == terms.Up {
		v.verify(x.t)
	}
	if !x.asked {
		x.compare(slices.DeleteFunc(v.keeper.entries(), x.isOfPeer), "at the end")
	}
	if x.watch.since != never {
		x.watch.judge()
	}
	x.cast(v, "at the end")
}

// isOfPeer reports whether a peer registered something.
func (x *scene) isOfPeer(e sa.Entry) bool {
	return slices.ContainsFunc(x.peers, func(p *peer) bool {
		return strings.Contains(e.Key, string(p.gid)) || strings.Contains(string(e.Value), string(p.gid)) && e.Kind != sa.GroupMembers
	})
}

// isDone reports whether a master has handled everything that happened; small: as far as devices
// have room.
func (m *Manager) isDone(small bool) bool {
	again := m.again
	if small {
		m.again = terms.Never
	}
	done := m.isSettled() && (m.Result().Report.State == terms.Up || small && m.Result().Report.State == terms.UpInPart)
	m.again = again
	return done
}

// doing lists what peers do.
func (x *scene) doing() (list []string) {
	for _, p := range x.peers {
		if p.deed != "" {
			list = append(list, p.deed)
		}
	}
	for _, id := range x.spare {
		if x.tempers.of[id] != nil {
			list = append(list, "switch agent")
		}
	}
	return list
}
