package watch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/fabric"
	"weft/sm/partition"
	"weft/sm/recording"
	"weft/sm/smtest"
	"weft/sm/terms"
	"weft/sm/watch/succession"
)

// write has a program write partitions, and returns the decision.
func (v *virtual) write(w *partition.Write) (decided terms.Action) {
	then := v.onAction
	v.onAction = func(a *terms.Action) {
		if a.Kind == terms.Decided && a.Tag == 78 {
			decided = *a
		}
		if then != nil {
			then(a)
		}
	}
	v.step(&terms.Event{Kind: terms.WritePartitions, Tag: 78, Write: w})
	v.onAction = then
	return decided
}

// adding is a Write that adds a port to a partition, which it makes if need be.
func adding(key uint16, guid fabric.GUID) *partition.Write {
	return &partition.Write{
		By: "token k8s", Deed: partition.Add, Create: true, In: true, Out: true,
		Of: partition.Partitions{{Key: key, Members: []partition.Member{{GUID: guid, As: partition.Full}}}},
	}
}

// TestWrittenAtOnce: a write is on the ports a moment later, with enforcement, and the log names
// the token. What changes nothing begins no round. A deletion of all returns ports to the default
// partition.
func TestWrittenAtOnce(t *testing.T) {
	v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{Elect: true})
	v.runUntil(v.now + 5*time.Second)
	f := v.sub.Fabric()
	guid := f.Nodes[slices.IndexFunc(f.Nodes, func(n fabric.Node) bool { return n.Desc == "host 3" })].Ports[1].GUID
	if d := v.write(adding(0x10, guid)); d.Err != nil || d.Wrote.Version.Number != 1 || d.Wrote.Done.Added != 1 {
		t.Fatalf("%+v", d)
	}
	v.runUntil(v.now + 100*time.Millisecond)
	v.verifyPartitions(t, v.manager.cfg.Partitions, anyRoom)
	if p := v.manager.cfg.Partitions; !p.In || !p.Out || len(p.Partitions) != 2 {
		t.Errorf("%+v", p)
	}
	if told := v.texts(0, terms.PartitionsWritten); len(told) != 1 || !strings.Contains(told[0], "0x0010 by token k8s: 1 member joined") {
		t.Errorf("%q", told)
	}
	rounds := v.told(terms.RoundBegun)
	if d := v.write(adding(0x10, guid)); d.Err != nil || d.Wrote.Version.Number != 1 {
		t.Errorf("%+v", d)
	}
	if v.runUntil(v.now + time.Second); v.told(terms.RoundBegun) > rounds || v.told(terms.PartitionsWritten) != 1 {
		t.Error("a write that changes nothing begins a round")
	}
	if d := v.write(&partition.Write{Deed: partition.Delete, Of: partition.Partitions{{Key: 0x10}}}); d.Err != nil || d.Wrote.Version.Number != 2 {
		t.Errorf("%+v", d)
	}
	v.runUntil(v.now + time.Second)
	if p := v.manager.cfg.Partitions; p.Listed() != nil {
		t.Errorf("%+v", p)
	}
	v.verifyPartitions(t, &terms.Partitioning{Partitions: partition.Everyone()}, anyRoom)
}

// TestTwoWriters: of two programs that have read the same version one wins, and the other is told.
// Nothing of the refused write is in force, and the log has it with the token.
func TestTwoWriters(t *testing.T) {
	v := staying(t, "rlft(6,2)", emulator.Options{}, terms.Config{Elect: true})
	v.runUntil(v.now + 5*time.Second)
	first, second := adding(0x10, 5), adding(0x10, 6)
	first.Version, second.Version, second.By = "0", "0", "token slurm"
	if d := v.write(first); d.Err != nil {
		t.Fatal(d.Err)
	}
	d := v.write(second)
	if refused, ok := errors.AsType[*partition.Refusal](d.Err); !ok || refused.Why != partition.Outdated || d.Wrote != nil {
		t.Errorf("%+v", d)
	}
	if owned := v.manager.cfg.Partitions.Owned(); len(owned.List) != 1 || len(owned.List[0].Members) != 1 || owned.List[0].Members[0].GUID != 5 {
		t.Errorf("%+v", owned)
	}
	if told := v.texts(0, terms.WriteRefused); len(told) != 1 || !strings.Contains(told[0], "by token slurm: refused: version 0 is not the present one, 1-") {
		t.Errorf("%q", told)
	}
}

// writer is a program that changes partitions, one change after the other, at the master.
type writer struct {
	*market
	hosts      []fabric.GUID
	number     int             // of the next change
	model      map[string]bool // members by P_Key and GUID, as acknowledged
	open       map[string]bool // of the change that nobody has acknowledged
	done       bool            // the last change is acknowledged
	remembered map[*virtual]*terms.Wrote
}

// change makes the next change at a manager, and waits until it is acknowledged, or the manager is
// not the master any more. It reports whether the change is acknowledged.
func (w *writer) change(master *virtual) bool {
	guid, key := w.hosts[w.number*7%len(w.hosts)], uint16(1+w.number%3)
	name := fmt.Sprintf("%d %s", key, guid)
	q := adding(key, guid)
	q.Force = true // a manager's own port is among them
	if w.model[name] {
		q.Deed = partition.Remove
	}
	w.done, w.open = false, map[string]bool{name: true}
	if d := master.write(q); d.Err != nil {
		return false
	}
	for end := w.now + 5*time.Second; !w.done && w.now < end && master.manager.Role() == terms.Master; {
		w.run(5*time.Millisecond, false)
	}
	if !w.done {
		return false
	}
	w.number++
	w.model[name] = q.Deed == partition.Add
	clear(w.open)
	return true
}

// check demands that a manager has all that was acknowledged, and nothing else. What was open is
// known from now on.
func (w *writer) check(v *virtual) {
	w.t.Helper()
	has := membersOf(v)
	for name, want := range w.model {
		if has[name] != want && !w.open[name] {
			w.t.Fatalf("change %d: member %s: %t, want %t", w.number, name, has[name], want)
		}
	}
	for name := range has {
		if !w.model[name] && !w.open[name] {
			w.t.Fatalf("change %d: member %s: nobody added it", w.number, name)
		}
	}
	for name := range w.open {
		w.model[name] = has[name]
	}
	clear(w.open)
}

// master waits for the master.
func (w *writer) master() *virtual {
	w.t.Helper()
	for range 10_000 {
		for _, v := range w.living() {
			if v.manager.Role() == terms.Master && v.manager.inForce != nil {
				return v
			}
		}
		w.run(5*time.Millisecond, false)
	}
	w.t.Fatal(journals(w.living()))
	return nil
}

// TestWritesOutliveTakeovers: programs change partitions 1,000 times. The master dies in the
// middle, right after it was asked for a change, and later it comes back, and gets the subnet. No
// acknowledged change is lost: each next master has all, and so have the ports. The standby has
// each change when it is acknowledged. Files of the two do not differ by that.
func TestWritesOutliveTakeovers(t *testing.T) {
	const changes = 1000
	m, first, standby := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
	w := &writer{market: m, model: map[string]bool{}, remembered: map[*virtual]*terms.Wrote{}}
	m.decided = func(tag uint64) { w.done = w.done || tag == 78 }
	m.wrote = func(v *virtual, a *terms.Action) {
		if a.Kind == terms.Decided && a.Wrote != nil {
			w.remembered[v] = a.Wrote
		}
	}
	for i := range m.f.Nodes {
		if n := &m.f.Nodes[i]; n.Type == fabric.CA {
			w.hosts = append(w.hosts, n.Ports[1].GUID)
		}
	}
	at := first
	for tries := 0; w.number < changes; tries++ {
		if tries > 2*changes {
			t.Fatal("too many changes fail")
		}
		if w.number == changes/2 && at == first { // before anybody is told
			at.write(adding(9, 9))
			w.open = map[string]bool{fmt.Sprintf("9 %s", fabric.GUID(9)): true}
			m.sub.Detach(first.id)
			m.managers[0] = nil
		} else if w.number == changes*3/4 && m.managers[0] == nil {
			m.priority[0] = m.priority[1] + 1
			m.start(0)
		}
		if now := w.master(); now != at {
			at = now
			w.check(at)
		}
		if !w.change(at) {
			w.run(5*time.Millisecond, false)
			w.check(w.master())
			continue
		}
		if other := w.remembered[standby]; at == first && (other == nil || other.Version != at.manager.cfg.Partitions.Version) {
			t.Fatalf("change %d: the standby remembers %+v", w.number, other)
		}
	}
	m.run(3*time.Second, false)
	w.check(w.master())
	if at = w.master(); at != m.managers[0] || at == first {
		t.Errorf("the first manager does not get the subnet back %s", journals(m.living()))
	}
	at.verifyPartitions(t, at.manager.cfg.Partitions, anyRoom)
	for _, v := range m.living() {
		if told := v.texts(0, terms.OtherRules); len(told) > 0 {
			t.Errorf("%q %s", told, journals(m.living()))
		}
	}
	if got := at.manager.cfg.Partitions.Version.Number; got < changes || got > changes+10 {
		t.Errorf("version %d after %d changes", got, changes)
	}
}

// membersOf returns the members that a manager has, by P_Key and GUID.
func membersOf(v *virtual) map[string]bool {
	has := map[string]bool{}
	for _, p := range v.manager.cfg.Partitions.Owned().List {
		for _, m := range p.Members {
			has[fmt.Sprintf("%d %s", p.Key, m.GUID)] = true
		}
	}
	return has
}

// TestWrittenAndFile: partitions of programs stand beside a file's, through reloads and takeovers.
// A P_Key that both have is the file's, and the log says so. When it leaves the file, the program's
// partition is in force again.
func TestWrittenAndFile(t *testing.T) {
	const one, both = `Default=0x7fff: ALL=full; a=5: "host 1*"=full;`, `Default=0x7fff: ALL=full; a=5: "host 1*"=full; b=0x10: "host 2"=full;`
	file := smtest.Partitioning(t, one, true, false)
	m, master, _ := pair(t, "rlft(6,2)", func(_ int, c *terms.Config) { c.Partitions = file })
	if d := master.write(adding(5, 7)); d.Err == nil || !strings.Contains(d.Err.Error(), "belongs to the file") {
		t.Fatalf("%+v", d)
	}
	guid := m.f.Nodes[slices.IndexFunc(m.f.Nodes, func(n fabric.Node) bool { return n.Desc == "host 3" })].Ports[1].GUID
	if d := master.write(adding(0x10, guid)); d.Err != nil {
		t.Fatal(d.Err)
	}
	m.run(2*time.Second, false)
	v := m.kill(master)
	if told := v.texts(0, terms.OtherRules); len(told) > 0 {
		t.Errorf("%q", told)
	}
	want := v.manager.cfg.Partitions
	if !want.In || want.Out || len(want.Partitions) != 3 {
		t.Fatalf("%+v", want)
	}
	v.verifyPartitions(t, want, anyRoom)
	m.reload(v, func(c *terms.Config) { c.Partitions = smtest.Partitioning(t, both, true, false) })
	if p := v.manager.cfg.Partitions; len(p.Hidden) != 1 || len(p.Partitions) != 3 || p.Version != want.Version || v.told(terms.PartitionHidden) != 1 {
		t.Fatalf("%+v", p)
	}
	v.verifyPartitions(t, smtest.Partitioning(t, both, true, false), anyRoom)
	m.reload(v, func(c *terms.Config) { c.Partitions = file })
	if p := v.manager.cfg.Partitions; !reflect.DeepEqual(p, want) {
		t.Fatalf("%+v, want %+v", p, want)
	}
	m.reload(v, func(c *terms.Config) { c.Partitions = nil })
	if p := v.manager.cfg.Partitions; len(p.Partitions) != 2 || p.Partitions[0].Owner != partition.Nobody || p.In {
		t.Fatalf("%+v", p)
	}
	v.verifyPartitions(t, v.manager.cfg.Partitions, anyRoom)
}

// TestWritesAreRefusedByStandbys: only the master takes writes; a manager without a subnet does
// not.
func TestWritesAreRefusedByStandbys(t *testing.T) {
	_, _, standby := pair(t, "rlft(6,2)", func(int, *terms.Config) {})
	if d := standby.write(adding(5, 7)); d.Err == nil || d.Wrote != nil || standby.manager.cfg.Partitions != nil {
		t.Errorf("%+v", d)
	}
}

// TestWritesReplay: a recording of writes replays.
func TestWritesReplay(t *testing.T) {
	var b bytes.Buffer
	_, all := managers(t, "rlft(4,2)", emulator.Options{}, 1, 0)
	v := all[0]
	v.recorder = recording.NewRecorder(&b, &v.manager.cfg, &v.manager.watch, &v.routing)
	v.step(&terms.Event{Kind: terms.Start})
	v.runUntil(v.now + 3*time.Second)
	for _, key := range []uint16{5, 6, 5} {
		v.write(adding(key, 7))
		v.runUntil(v.now + 200*time.Millisecond)
	}
	if err := v.recorder.Close(); err != nil {
		t.Fatal(err)
	}
	var last *terms.Wrote
	for _, d := range replayed(t, &b) {
		if d.action.Wrote != nil {
			last = d.action.Wrote
		}
	}
	if last == nil || !reflect.DeepEqual(last.Owned, v.manager.cfg.Partitions.Owned()) || last.Version.Number != 2 {
		t.Errorf("%+v, want %+v", last, v.manager.cfg.Partitions.Owned())
	}
}

// TestOlderMaster: a manager that has newer partitions of programs than its master, which was alone
// with an older copy, says that they are lost.
func TestOlderMaster(t *testing.T) {
	of := func(number uint64) *terms.Partitioning {
		var none *terms.Partitioning
		return none.With(partition.Owned{Version: partition.Version{Number: number, Sum: uint32(number)}, List: partition.Partitions{{Key: 5, Owner: partition.Programs}}}, terms.Enforcement{})
	}
	for _, c := range []struct {
		master, standby uint64
		want            int
	}{{3, 7, 1}, {7, 3, 0}, {7, 7, 0}} {
		_, _, standby := pair(t, "rlft(6,2)", func(i int, cfg *terms.Config) { cfg.Partitions = of([...]uint64{c.master, c.standby}[i]) })
		if told := standby.texts(0, terms.OtherRules); len(told) != c.want || c.want > 0 && !strings.Contains(told[0], "has the partitions of programs of version 3-00000003, this manager had 7-00000007") {
			t.Errorf("version %d of the master, %d here: %q", c.master, c.standby, told)
		}
	}
}

// TestOlderBetween: an older weft was the master between two newer managers. It keeps partitions
// and forgets who owns them and of which version they are. The next manager, which had known it,
// gives programs theirs back, and says so once; what a file names stays the file's.
func TestOlderBetween(t *testing.T) {
	for _, file := range []partition.Partitions{nil, {{Key: 9, Name: "of the file"}}} {
		_, master, standby := pair(t, "rlft(6,2)", func(_ int, cfg *terms.Config) {
			if file != nil {
				cfg.Partitions = &terms.Partitioning{Partitions: file, In: true}
			}
		})
		master.write(adding(5, 7))
		newer := master.manager.cfg.Partitions
		tell := func(rules succession.Rules) {
			data, err := json.Marshal(rules)
			if err != nil {
				t.Fatal(err)
			}
			standby.step(&terms.Event{Kind: terms.Told, News: &terms.News{Rules: data}})
		}
		tell(master.manager.rules())
		// What an older weft makes of it.
		rules := master.manager.rules()
		rules.Owns, rules.Partitions = false, &terms.Partitioning{In: newer.In, Out: newer.Out}
		for _, p := range newer.Partitions {
			p.Owner = partition.TheFile
			rules.Partitions.Partitions = append(rules.Partitions.Partitions, p)
		}
		for range 2 {
			tell(rules)
		}
		if got := standby.manager.learned.rules.Partitions; !succession.IsSame(got, newer) {
			t.Errorf("after an older master: %+v, want %+v", got, newer)
		}
		older := slices.DeleteFunc(standby.texts(0, terms.OtherRules), func(s string) bool { return !strings.Contains(s, "is an older weft") })
		if len(older) != 1 || !strings.Contains(older[0], newer.Version.String()) {
			t.Errorf("told %q, want version %s", older, newer.Version)
		}
	}
}
