package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/cmd/weft/cli"
	"weft/emulator"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/sm/service"
	"weft/sm/service/client"
	"weft/sm/state"
	"weft/sm/terms"
	"weft/wire/mad"
)

var (
	soakTime = flag.Duration("soak-time", 4*time.Second, "how long faults happen in TestSoak")
	soakSeed = flag.Uint64("soak-seed", 1, "what TestSoak draws from")
)

// soaked is a subnet that loses datagrams, to which things happen in real time, and its manager, a
// process of its own.
type soaked struct {
	t       *testing.T
	live    *live.Live
	rng     *rand.Rand
	dir     string
	name    string // of the subnet's sockets
	spare   []fabric.NodeID
	hosts   []*customer
	ever    terms.LIDMap
	running *exec.Cmd
	ask     *client.Client
	runs    []*managed

	faults, kills, orders, quiets, reloads int

	lines  int           // of the log, told again by recordings
	spread time.Duration // the longest time until a packet to the group has come, after all was up again
}

// managed is a run of a manager: the lines that it told, and its recording.
type managed struct {
	record string
	lines  []terms.LogLine
	read   chan struct{} // all is read
	killed bool
}

func newSoaked(t *testing.T) *soaked {
	t.Helper()
	f, err := gen.Parse("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	sub, err := emulator.New(f, emulator.Options{Seed: *soakSeed, Impairment: emulator.Impairment{Loss: 0.01}})
	if err != nil {
		t.Fatal(err)
	}
	l := live.New(sub, cli.Clock())
	t.Cleanup(l.Close)
	x := &soaked{t: t, live: l, rng: rand.New(rand.NewPCG(*soakSeed, 0)), dir: t.TempDir(), name: fmt.Sprintf("weft-soak-%d", os.Getpid()), ever: terms.LIDMap{}}
	server, err := ibsimd.Listen(l, ibsimd.Options{Base: x.name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	if err := os.WriteFile(filepath.Join(x.dir, "secret"), []byte("a secret of more than 16 bytes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Our own host and those of the customers stay, with their leaves: what is at others comes and
	// goes.
	for id := range f.Nodes {
		at := fabric.End{Node: fabric.NodeID(id), Port: 1}
		if f.Nodes[id].Type != fabric.CA || len(x.spare) > 0 && id%5 > 0 || len(x.spare) >= 8 {
			continue
		}
		if x.spare = append(x.spare, at.Node, f.Peer(at).Node); len(x.spare) > 2 {
			x.hosts = append(x.hosts, newCustomer(t, l, at, uint64(len(x.hosts)+1), 100*time.Millisecond, 20*time.Millisecond))
		}
	}
	x.ask = client.Unix(filepath.Join(x.dir, "socket"))
	t.Cleanup(x.ask.Close)
	return x
}

// configure writes the options of the manager.
func (x *soaked) configure() {
	x.t.Helper()
	text := fmt.Sprintf("transport: ibsim:%s\nstate: %s/state\nmkey-secret: %s/secret\nsocket: %s/socket\ninterval: %dms\nrebalance-after: 3s\nquarantine: 5s\njson: true\n",
		x.name, x.dir, x.dir, x.dir, 500+x.rng.IntN(1000))
	path := filepath.Join(x.dir, "sm.yaml")
	if err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path)); err != nil { // whole: it may be read at any time
		x.t.Fatal(err)
	}
}

// start starts the manager.
func (x *soaked) start() {
	x.t.Helper()
	run := &managed{record: filepath.Join(x.dir, fmt.Sprintf("recording-%d", len(x.runs))), read: make(chan struct{})}
	x.configure()
	cmd := exec.Command("weft", "sm", "--config", filepath.Join(x.dir, "sm.yaml"), "--record", run.record)
	out, err := cmd.StdoutPipe()
	if err != nil {
		x.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		x.t.Fatal(err)
	}
	go func() {
		defer close(run.read)
		for dec := json.NewDecoder(bufio.NewReader(out)); ; {
			var line terms.LogLine
			if dec.Decode(&line) != nil {
				return
			}
			run.lines = append(run.lines, line)
		}
	}()
	x.running, x.runs = cmd, append(x.runs, run)
}

// stop ends the manager, and plays its recording: what follows from it is what the manager told.
func (x *soaked) stop(how syscall.Signal) {
	x.t.Helper()
	run := x.runs[len(x.runs)-1]
	run.killed = how == syscall.SIGKILL
	if err := x.running.Process.Signal(how); err != nil {
		x.t.Fatal(err)
	}
	<-run.read
	if err := x.running.Wait(); err != nil && !run.killed {
		x.t.Fatal(err)
	}
}

// line is a line of the log.
type line struct {
	Kind terms.IncidentKind `json:"kind"`
	Text string             `json:"text"`
}

// allWait reports whether a replay tells all these lines only because the recording has ended: they
// would have waited for more of their cause.
func allWait(rest []line) bool {
	return !slices.ContainsFunc(rest, func(l line) bool { return l.Kind != terms.TrapCame && l.Kind != terms.WrongKey })
}

// replay plays the recording of a run. All lines of the Manager are told again, in order; of a run
// that was killed the last ones may be missing in either.
func (x *soaked) replay(run *managed) (lines int) {
	x.t.Helper()
	var complaint bytes.Buffer
	cmd := exec.Command("weft", "sm", "replay", run.record, "--json")
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil && (!run.killed || !strings.Contains(complaint.String(), "ends in the middle") && !strings.Contains(complaint.String(), "no recording")) {
		x.t.Fatalf("%v: %s", err, &complaint)
	}
	var told, again []line
	for i := range run.lines {
		told = append(told, line{run.lines[i].Kind, run.lines[i].Text})
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var l line
		if err := dec.Decode(&l); err != nil {
			x.t.Fatal(err)
		}
		again = append(again, l)
	}
	at := 0
	others := map[terms.IncidentKind]bool{terms.Started: true, terms.Ended: true} // told beside the Manager, as what has changed since the run before
	for _, l := range told {
		switch {
		case at < len(again) && again[at] == l:
			at++
		case run.killed && allWait(again[at:]), others[l.Kind], l.Kind == terms.FabricChanged && strings.HasPrefix(l.Text, "since "):
		default:
			x.t.Fatalf("%v was told, and is not told by the recording, where %v follows", l, again[at:min(at+1, len(again))])
		}
	}
	if at < len(again) && !run.killed { // one that is killed may have recorded what it does not come to tell
		x.t.Fatalf("%v is told by the recording alone", again[at])
	}
	return len(again)
}

// next does something to the subnet or to its manager.
func (x *soaked) next() {
	x.t.Helper()
	switch n := x.rng.IntN(40); n {
	case 0:
		x.kills++
		x.stop(syscall.SIGKILL)
		x.start()
		x.lines += x.replay(x.runs[len(x.runs)-2])
		return
	case 1:
		x.reloads++
		x.configure()
		_ = x.running.Process.Signal(syscall.SIGHUP)
		return
	case 2, 3:
		x.orders++
		spine := fmt.Sprintf("spine %d", x.rng.IntN(4))
		if n == 2 {
			_, _ = x.ask.Drain(x.t.Context(), spine) // refused, or there is no manager, perhaps
		} else {
			_, _ = x.ask.Undrain(x.t.Context(), spine)
		}
		return
	}
	x.faults++
	x.live.Do(func(sub *emulator.Subnet) {
		f := sub.Fabric()
		node, link := fabric.NodeID(x.rng.IntN(len(f.Nodes))), fabric.LinkID(x.rng.IntN(len(f.Links)))
		l := f.Links[link]
		if slices.Contains(x.spare, node) || slices.Contains(x.spare, l.A.Node) && slices.Contains(x.spare, l.B.Node) {
			return
		}
		var err error
		switch pause := time.Duration(1+x.rng.IntN(1000)) * time.Millisecond; x.rng.IntN(7) {
		case 0, 1:
			err = sub.SetLinkDown(link, x.rng.IntN(2) == 0)
		case 2:
			err = sub.Flap(link, pause)
		case 3:
			err = sub.Reboot(node, pause)
		case 4:
			err = sub.SetNodeDown(node, x.rng.IntN(2) == 0)
		case 5:
			err = sub.SetSilent(node, x.rng.IntN(2) == 0)
		case 6:
			err = sub.ImpairLink(link, &emulator.Impairment{Loss: 0.1, Duplicate: 0.1, Late: 0.1, LateBy: 20 * time.Millisecond})
		}
		if err != nil {
			x.t.Error(err)
		}
	})
}

// heal brings back all that is gone.
func (x *soaked) heal() {
	x.live.Do(func(sub *emulator.Subnet) {
		f := sub.Fabric()
		for id := range f.Nodes {
			if sub.SetSilent(fabric.NodeID(id), false) != nil || sub.SetNodeDown(fabric.NodeID(id), false) != nil {
				x.t.Error(f.NodeName(fabric.NodeID(id)))
			}
		}
		for id := range f.Links {
			if sub.SetLinkDown(fabric.LinkID(id), false) != nil || sub.ImpairLink(fabric.LinkID(id), nil) != nil {
				x.t.Error(f.LinkName(fabric.LinkID(id)))
			}
		}
	})
}

// settle has nothing drained any more, and waits until the subnet is up and whole.
func (x *soaked) settle() {
	x.t.Helper()
	switches, hosts, links := 0, 0, 0
	x.live.Do(func(sub *emulator.Subnet) {
		f := sub.Fabric()
		links = len(f.Links)
		for i := range f.Nodes {
			if f.Nodes[i].Type == fabric.Switch {
				switches++
			} else {
				hosts++
			}
		}
	})
	var s *service.Status
	var err error
	for begun := time.Now(); time.Since(begun) < 5*time.Minute; time.Sleep(50 * time.Millisecond) {
		s, err = x.ask.Status(x.t.Context())
		if err == nil && s.Role == terms.Master && s.InForce != nil && s.InForce.State == terms.Up && s.UnderWay == nil && len(s.InForce.Drained) == 0 &&
			s.InForce.Switches == switches && s.InForce.CAs == hosts && s.InForce.Links == links && s.InForce.Proven {
			x.quiets++
			return
		}
		if err == nil {
			for _, name := range s.Drains {
				_, _ = x.ask.Undrain(x.t.Context(), name)
			}
		}
	}
	x.stop(syscall.SIGKILL)
	x.t.Fatalf("the subnet is not up: %v, %+v, %v", err, s, x.runs[len(x.runs)-1].lines)
}

// check compares LIDs and services with those of before, and sends to a group.
func (x *soaked) check() {
	x.t.Helper()
	lids := terms.LIDMap{}
	x.live.Do(func(sub *emulator.Subnet) { lids = lidsGiven(sub) })
	for guid, p := range lids {
		if had, ok := x.ever[guid]; ok && had != p {
			x.t.Fatalf("port %s has LID %d, and had %d", guid, p.Base, had.Base)
		}
		x.ever[guid] = p
	}
	for i, c := range x.hosts {
		has, _, _ := c.snapshot()
		for id := range has {
			x.checkService(i, c, id)
		}
		c.join(x.t)
	}
	for from, c := range x.hosts {
		for to, other := range x.hosts {
			if from == to {
				continue
			}
			after, come := c.reaches(other)
			if x.spread = max(x.spread, after); !come {
				s, err := x.ask.Status(x.t.Context())
				x.stop(syscall.SIGKILL)
				x.t.Fatalf("nothing from host %d to group 0x%X comes to host %d: %v, %+v, %v", from, c.mlid, to, err, s, x.runs[len(x.runs)-1].lines)
			}
		}
	}
}

// checkService asks for a service of a host until it was not changed meanwhile: it is what was
// acknowledged, or what is asked for.
func (x *soaked) checkService(host int, c *customer, id uint64) {
	x.t.Helper()
	rec := make([]byte, mad.ServiceRecord.Size)
	mad.ServiceRecordID.Put(rec, id)
	mad.ServiceRecordGID.Put(rec, c.gid)
	for range 1000 {
		has, open, _ := c.snapshot()
		reply := c.ask(mad.Get, mad.AttrServiceRecord, mad.ServiceRecord.Mask(mad.ServiceRecordID, mad.ServiceRecordGID), rec)
		now, still, _ := c.snapshot()
		asked, is := open[id]
		if again, too := still[id]; reply == nil || now[id] != has[id] || too != is || again != asked {
			continue
		}
		got := ""
		if reply.Status() == mad.StatusOK {
			got = mad.ServiceRecordName.Text(reply.Data())
		}
		if got != has[id] && (!is || got != asked) {
			x.t.Fatalf("host %d: service %x is %q (%v), acknowledged was %q", host, id, got, reply.Status(), has[id])
		}
		return
	}
	x.t.Fatalf("host %d: service %x: no answer", host, id)
}

// stored compares what is stored with what was given and acknowledged, and counts what was
// acknowledged.
func (x *soaked) stored() (acks int) {
	x.t.Helper()
	s, err := state.Read(filepath.Join(x.dir, "state"))
	if err != nil {
		x.t.Fatal(err)
	}
	entries, err := s.Entries()
	if err != nil {
		x.t.Fatal(err)
	}
	if stored := s.LIDs(); !maps.Equal(stored, x.ever) {
		x.t.Errorf("%d LIDs are stored, %d were given", len(stored), len(x.ever))
	}
	if err := s.Close(); err != nil {
		x.t.Fatal(err)
	}
	got := servicesOf(entries)
	for i, c := range x.hosts {
		has, open, n := c.snapshot()
		acks += n
		own := map[uint64]string{}
		for id, name := range got {
			if id>>32 == uint64(i+1) {
				own[id] = name
			}
		}
		if what := lost(has, open, own); what != "" {
			x.t.Error(what)
		}
	}
	return acks
}

// TestSoak: in real time, by real processes, on a wire that loses datagrams, faults, orders, and a
// manager that is killed: whenever all is there again the subnet is up, proven and whole, no LID
// has moved, no service that was acknowledged is gone, and groups reach their members. Afterwards
// what all managers were given, which they recorded, has a new one tell the same.
func TestSoak(t *testing.T) {
	x := newSoaked(t)
	x.start()
	x.settle()
	x.check()
	for end := time.Now().Add(*soakTime); time.Now().Before(end); {
		for range 5 + x.rng.IntN(40) {
			x.next()
			time.Sleep(time.Duration(x.rng.ExpFloat64() * float64([]time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 500 * time.Millisecond}[x.rng.IntN(3)])))
			if time.Now().After(end) {
				break
			}
		}
		x.heal()
		x.settle()
		x.check()
		if t.Failed() {
			return
		}
	}
	x.stop(syscall.SIGTERM)
	acks := x.stored()
	x.lines += x.replay(x.runs[len(x.runs)-1])
	if acks == 0 || x.quiets < 2 || x.lines == 0 {
		t.Errorf("%d changes acknowledged, %d quiet times, %d lines", acks, x.quiets, x.lines)
	}
	t.Logf("%v: %d faults, %d orders, %d kills, %d reloads, %d quiet times, %d changes of services acknowledged, %d lines told again; packets to groups came after %v at the latest", *soakTime, x.faults, x.orders, x.kills, x.reloads, x.quiets, acks, x.lines, x.spread)
}
