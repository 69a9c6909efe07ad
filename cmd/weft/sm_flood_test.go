package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"weft/cmd/weft/cli"
	"weft/emulator"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/wire"
	"weft/wire/mad"
)

// BenchmarkFlood: cables fail and come back, one after the other, every second time while eight
// hosts join and leave groups and register services (changes), or ask for paths too (all), each
// with as much under way as is answered. The manager is a process of its own, on a core of its own
// where taskset is there and the machine has two. It reports the median of the time and of the CPU
// time that the manager takes for the repair of a cable that failed, and how long one more host
// waits for an answer during a repair.
func BenchmarkFlood(b *testing.B) {
	for _, at := range []struct {
		formula string
		groups  int
	}{{"rlft(18,3)", 400}, {"rlft(36,3)", 4000}} {
		b.Run(at.formula+"/changes", func(b *testing.B) { flood(b, at.formula, at.groups, false) })
		b.Run(at.formula+"/all", func(b *testing.B) { flood(b, at.formula, at.groups, true) })
	}
}

// flooded is a subnet with a manager of its own process, and hosts that flood it.
type flooded struct {
	b     *testing.B
	live  *live.Live
	lines chan logLine
	pid   int
	hosts []fabric.NodeID

	on      atomic.Bool // the flood is
	inRound atomic.Bool
	told    [2]atomic.Int64 // answers outside of rounds, and in them
	busy    atomic.Int64
	lost    atomic.Int64

	mu     sync.Mutex
	waited []time.Duration // of queries of one more host during repairs in a flood
}

// logLine is a line of the manager's log, and its CPU time until then.
type logLine struct {
	at   time.Time
	code string
	cpu  time.Duration
}

func flood(b *testing.B, formula string, groups int, paths bool) {
	f, err := gen.Parse(formula)
	if err != nil {
		b.Fatal(err)
	}
	sub, err := emulator.New(f, emulator.Options{})
	if err != nil {
		b.Fatal(err)
	}
	x := &flooded{b: b, live: live.New(sub, cli.Clock()), lines: make(chan logLine, 100)}
	b.Cleanup(x.live.Close)
	var cables []fabric.LinkID // another one each time: no path leads through one that has failed before
	for i, l := range f.Links {
		if f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch {
			cables = append(cables, fabric.LinkID(i))
		}
	}
	for id := range f.Nodes {
		if f.Nodes[id].Type == fabric.CA {
			x.hosts = append(x.hosts, fabric.NodeID(id))
		}
	}
	x.manage()
	for i := range 8 {
		go x.flooder(i, groups, paths)
	}
	go x.asker()
	var took, cpu [2][]time.Duration
	var since time.Time
	floodTime := time.Duration(0)
	for n := 0; b.Loop(); n++ {
		for with, on := range []bool{false, true} {
			since = time.Now()
			x.on.Store(on)
			x.rest()
			cable := cables[(2*n+with)*7%len(cables)]
			t, c := x.round(cable, true)
			took[with], cpu[with] = append(took[with], t), append(cpu[with], c)
			x.rest()
			x.round(cable, false)
			if on {
				floodTime += time.Since(since)
			}
		}
	}
	x.on.Store(false)
	for with, name := range []string{"quiet", "flooded"} {
		b.ReportMetric(middle(took[with]), "ms-repair-"+name)
		b.ReportMetric(middle(cpu[with]), "ms-CPU-"+name)
	}
	b.ReportMetric(middle(took[1])/middle(took[0]), "times")
	rounds := time.Duration(0)
	for _, t := range took[1] {
		rounds += t
	}
	b.ReportMetric(float64(x.told[0].Load())/(floodTime-rounds).Seconds(), "answered/s")
	b.ReportMetric(float64(x.told[1].Load())/rounds.Seconds(), "answered/s-in-repairs")
	b.ReportMetric(float64(x.busy.Load())/floodTime.Seconds(), "busy/s")
	b.ReportMetric(float64(x.lost.Load()), "lost")
	x.mu.Lock()
	defer x.mu.Unlock()
	b.ReportMetric(middle(x.waited), "ms-wait")
	if len(x.waited) > 0 {
		b.ReportMetric(float64(slices.Max(x.waited).Microseconds())/1000, "ms-longest-wait")
	}
	b.Logf("repairs without: %v, CPU %v\nwith: %v, CPU %v", took[0], cpu[0], took[1], cpu[1])
}

// middle returns the median in milliseconds.
func middle(list []time.Duration) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return float64(list[len(list)/2].Microseconds()) / 1000
}

// manage starts the manager, and returns when the subnet is up.
func (x *flooded) manage() {
	name := fmt.Sprintf("weft-flood-%d", os.Getpid())
	server, err := ibsimd.Listen(x.live, ibsimd.Options{Base: name})
	if err != nil {
		x.b.Fatal(err)
	}
	x.b.Cleanup(server.Close)
	// Rounds that begin by themselves would be taken for repairs, and a cable that comes back often
	// would be put in quarantine.
	args := []string{"weft", "sm", "--transport", "ibsim:" + name, "--state", filepath.Join(x.b.TempDir(), "state"), "--engine", "ftree", "--rebalance-after", "0", "--flaps", "1000"}
	if tool, err := exec.LookPath("taskset"); err == nil && runtime.NumCPU() > 1 {
		others := fmt.Sprintf("1-%d", runtime.NumCPU()-1)
		if out, err := exec.Command(tool, "-a", "-p", "-c", others, strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
			x.b.Fatalf("%v: %s", err, out)
		}
		was := runtime.GOMAXPROCS(runtime.NumCPU() - 1)
		x.b.Cleanup(func() { runtime.GOMAXPROCS(was) })
		args = append([]string{tool, "-c", "0"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		x.b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		x.b.Fatal(err)
	}
	x.b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	x.pid = cmd.Process.Pid
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			when, rest, _ := strings.Cut(lines.Text(), " ")
			code, _, _ := strings.Cut(rest, ":")
			at, err := time.Parse(time.RFC3339, when)
			if err != nil || code != "round-begun" && code != "round-ended" {
				continue
			}
			x.inRound.Store(code == "round-begun")
			x.lines <- logLine{at, code, x.cpu()}
		}
	}()
	x.ended()
}

// cpu returns the CPU time of the manager.
func (x *flooded) cpu() time.Duration {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", x.pid))
	sum := time.Duration(0)
	for _, path := range tasks {
		if data, err := os.ReadFile(path); err == nil {
			if fields := strings.Fields(string(data)); len(fields) > 0 {
				ns, _ := strconv.ParseInt(fields[0], 10, 64)
				sum += time.Duration(ns)
			}
		}
	}
	return sum
}

// next returns the next line.
func (x *flooded) next() logLine {
	x.b.Helper()
	select {
	case l := <-x.lines:
		return l
	case <-time.After(2 * time.Minute):
		x.b.Fatal("no round in two minutes")
		return logLine{}
	}
}

// ended waits for the end of a round.
func (x *flooded) ended() {
	for x.next().code != "round-ended" {
	}
}

// rest waits until no round has been under way for two seconds.
func (x *flooded) rest() {
	for {
		select {
		case <-x.lines:
		case <-time.After(2 * time.Second):
			if !x.inRound.Load() {
				return
			}
		}
	}
}

// round breaks or mends a cable, and returns how long the round takes that follows, and the CPU
// time of the manager.
func (x *flooded) round(cable fabric.LinkID, down bool) (took, cpu time.Duration) {
	x.live.Do(func(s *emulator.Subnet) {
		if err := s.SetLinkDown(cable, down); err != nil {
			x.b.Error(err)
		}
	})
	begun := x.next()
	for begun.code != "round-begun" {
		begun = x.next()
	}
	ended := x.next()
	return ended.at.Sub(begun.at), ended.cpu - begun.cpu
}

// floodClient is a host that asks the manager.
type floodClient struct {
	r   *wire.Requester
	to  wire.Address
	gid [16]byte
}

func (x *flooded) client(host int, timeout time.Duration) *floodClient {
	at := fabric.End{Node: x.hosts[host], Port: 1}
	medium, err := x.live.Attach(at)
	if err != nil {
		x.b.Error(err)
		return nil
	}
	port, err := medium.Port(context.Background())
	if err != nil {
		x.b.Error(err)
		return nil
	}
	c := &floodClient{r: wire.New(medium, wire.Options{Config: wire.Config{Window: 64, Timeout: timeout, Retries: 8}}), to: wire.ToLID(port.SMLID, 1)}
	c.to.SLID = port.LID
	binary.BigEndian.PutUint64(c.gid[:], mad.DefaultGIDPrefix)
	binary.BigEndian.PutUint64(c.gid[8:], port.PortGUID)
	x.b.Cleanup(func() { _ = c.r.Close(context.Background()) })
	return c
}

// start starts a request.
func (c *floodClient) start(method mad.Method, attr mad.AttrID, mask uint64, rec []byte, done func(*wire.Result)) {
	q, err := mad.Request{Method: method, Attr: attr}.SA(make([]byte, mad.Size), mask)
	if err != nil {
		panic(err)
	}
	copy(q.Data(), rec)
	c.r.Start(&wire.Request{Addr: c.to, MAD: q, Done: done})
}

// flooder asks as fast as it is answered, with 32 requests under way: of eight, four join and leave
// groups that all of them are in, and four have services, or two of these ask for paths.
func (x *flooded) flooder(which, groups int, paths bool) {
	c := x.client((1+which)*len(x.hosts)/10, time.Second)
	slots := make(chan struct{}, 32)
	for i := 0; x.b.Context().Err() == nil; i++ {
		if !x.on.Load() {
			time.Sleep(time.Millisecond)
			continue
		}
		slots <- struct{}{}
		done := func(res *wire.Result) {
			switch status, is := errors.AsType[*wire.StatusError](res.Err); {
			case is && status.Status == mad.StatusBusy:
				x.busy.Add(1)
			case res.Err == nil || is:
				at := 0
				if x.inRound.Load() {
					at = 1
				}
				x.told[at].Add(1)
			default:
				x.lost.Add(1)
			}
			<-slots
		}
		switch {
		case which < 4:
			rec := make([]byte, mad.MCMemberRecord.RecordSize())
			copy(rec, []byte{0xFF, 0x12, 0xA0, 0x1B})
			binary.BigEndian.PutUint32(rec[12:], uint32(i*(1+which)%groups))
			copy(rec[16:], c.gid[:])
			mad.MCMemberRecordQKey.Put(rec, 1)
			mad.MCMemberRecordPKey.Put(rec, mad.DefaultPKey)
			mad.MCMemberRecordJoinState.Put(rec, mad.JoinFull)
			method := mad.Set
			if i%7 < 3 {
				method = mad.Delete
			}
			mask := mad.MCMemberRecord.Mask(mad.MCMemberRecordMGID, mad.MCMemberRecordPortGID, mad.MCMemberRecordQKey, mad.MCMemberRecordPKey, mad.MCMemberRecordSL,
				mad.MCMemberRecordFlowLabel, mad.MCMemberRecordTClass, mad.MCMemberRecordJoinState)
			c.start(method, mad.AttrMCMemberRecord, mask, rec, done)
		case which < 6 || !paths:
			rec := make([]byte, mad.ServiceRecord.Size)
			mad.ServiceRecordID.Put(rec, uint64(which*1000+i%1000))
			mad.ServiceRecordGID.Put(rec, c.gid[:])
			mad.ServiceRecordLease.Put(rec, 0xFFFFFFFF)
			mad.ServiceRecordName.Put(rec, []byte(fmt.Sprint("value ", i)))
			c.start(mad.Set, mad.AttrServiceRecord, mad.ServiceRecord.Mask(mad.ServiceRecordID, mad.ServiceRecordGID, mad.ServiceRecordName), rec, done)
		default:
			x.askPath(c, i, done)
		}
	}
}

// askPath asks for a path from a host to another.
func (x *flooded) askPath(c *floodClient, i int, done func(*wire.Result)) {
	rec := make([]byte, mad.PathRecord.Size)
	mad.PathRecordSLID.Put(rec, uint64(c.to.SLID))
	mad.PathRecordDLID.Put(rec, uint64(1+i%len(x.hosts)))
	c.start(mad.Get, mad.AttrPathRecord, mad.PathRecord.Mask(mad.PathRecordSLID, mad.PathRecordDLID), rec, done)
}

// asker asks for a path every few milliseconds, one after the other, and notes how long those took
// that were asked for during repairs in a flood.
func (x *flooded) asker() {
	c := x.client(len(x.hosts)-1, time.Second)
	for i := 0; x.b.Context().Err() == nil; i++ {
		time.Sleep(5 * time.Millisecond)
		counts := x.on.Load() && x.inRound.Load()
		since := time.Now()
		ended := make(chan error, 1)
		x.askPath(c, i, func(res *wire.Result) { ended <- res.Err })
		if err := <-ended; err == nil && counts {
			x.mu.Lock()
			x.waited = append(x.waited, time.Since(since))
			x.mu.Unlock()
		}
	}
}
