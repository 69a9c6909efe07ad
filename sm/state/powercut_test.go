package state

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/internal/peer"
	"weft/internal/racing"
	"weft/sm/terms"
)

var cuts = flag.Int("cuts", 1, "power cuts that TestPowerCut makes after each system call, by turns: nothing unsynced survives, some of it, all")

// workDir is where the workload works; TestMain runs it.
const workDir = "WEFT_STATE_WORKLOAD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(workDir); dir != "" {
		if err := workload(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const (
	starts  = 3  // of the workload
	records = 12 // in each of them
)

// lidsAt are the LIDs of the nth Record of the workload: none before the first; ports come and go
// and change LIDs with others.
func lidsAt(n int) terms.LIDMap {
	m := terms.LIDMap{}
	rng := rand.New(rand.NewPCG(uint64(n), 0))
	order := rng.Perm(60)
	for i := range min(n*5, 40) {
		m[fabric.GUID(0x100+order[i])] = terms.PortLIDs{Base: fabric.LID(8 * (i + 1)), LMC: uint8(n % 4)}
	}
	return m
}

// workload stores Records, events and subnets, and says after each Record that it is stored, in the
// file "acks".
func workload(dir string) error {
	acks, err := os.OpenFile(filepath.Join(dir, "acks"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	plans := []*terms.Record{routed(&testing.T{}, "rlft(4,2)", 0), routed(&testing.T{}, "rlft(8,2)", 0), routed(&testing.T{}, "rlft(8,2)", 1)}
	n := 0
	for range starts {
		s, err := Open(filepath.Join(dir, "state"), Limits{Plans: 2, Events: 30, log: 20 * 4096}) // copied often: that writes into the database itself
		if err != nil {
			return err
		}
		w := NewWriter(s, func(err error) { panic(err) })
		for range records {
			n++
			r := *plans[n%len(plans)]
			r.LIDs = lidsAt(n)
			if err := s.Record(now, &r); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(acks, "%d\n", n); err != nil {
				return err
			}
			w.Event(Event{now.Add(time.Duration(n) * time.Second), terms.Incident{Kind: "stored", Text: strings.Repeat("x", 100*n)}})
		}
		if err := errors.Join(w.Close(), s.Close()); err != nil {
			return err
		}
	}
	return acks.Close()
}

// traced runs the workload, and returns what it did to its directory.
func traced(t *testing.T) []event {
	t.Helper()
	strace := peer.Program(t, "strace")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command(strace, "-f", "-y", "-xx", "-s", "4194304", "-o", trace,
		"-e", "trace=openat,open,creat,write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate,fsync,fdatasync,sync_file_range,unlink,unlinkat,rename,renameat,renameat2,link,linkat",
		os.Args[0])
	cmd.Env = append(os.Environ(), workDir+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "Operation not permitted") && os.Getenv("CI") != "true" {
			t.Skipf("strace may not look at other processes here: %s", out)
		}
		t.Fatalf("%v: %s", err, out)
	}
	events, err := readTrace(trace, dir)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// TestPowerCut: the power is cut after every system call of a manager's store, and of what was not
// synced nothing survives, all, or any sectors. The file can be opened, and has the LIDs of a
// Record that was stored or is the one under way; none that was said to be stored is lost.
func TestPowerCut(t *testing.T) {
	events := traced(t)
	d := &disk{names: map[string]*inode{}}
	rng := rand.New(rand.NewPCG(1, 2))
	dir, acked, opened, recovered, syncs := t.TempDir(), 0, 0, map[int]bool{}, 0
	for i, e := range events {
		if e.name == "acks" {
			if e.call == "append" {
				acked++
			}
			continue
		}
		d.apply(e)
		if strings.HasPrefix(e.call, "sync") {
			syncs++
		}
		if testing.Short() && i%7 > 0 || racing.Small() && i%35 > 0 {
			continue
		}
		for cut := range *cuts {
			share := float64((i + cut) % 3) // 0: nothing, 1: all
			if share > 1 {
				share = rng.Float64()
			}
			if err := store(dir, d.survives(rng, share)); err != nil {
				t.Fatal(err)
			}
			s, err := Open(filepath.Join(dir, "state"), Limits{})
			if err != nil {
				t.Fatalf("call %d (%s %s), %.2f of what was not synced is there: %v", i, e.call, e.name, share, err)
			}
			opened++
			got := s.LIDs()
			switch {
			case maps.Equal(got, lidsAt(acked)):
				recovered[acked] = true
			case maps.Equal(got, lidsAt(acked+1)):
				recovered[acked+1] = true
			default:
				t.Fatalf("call %d (%s %s), %.2f of what was not synced is there: %d LIDs, which are not those of Record %d or %d", i, e.call, e.name, share, len(got), acked, acked+1)
			}
			if p, data, err := s.LastPlan(); err != nil || (p == nil) != (len(got) == 0) || p != nil && len(data) == 0 {
				t.Fatalf("call %d: Plan %v, %v", i, p, err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if acked != starts*records || len(recovered) != acked+1 && !testing.Short() {
		t.Errorf("%d Records were stored, %d different ones found after a cut", acked, len(recovered))
	}
	t.Logf("%d system calls, %d of them syncs; %d power cuts, %d Records", len(events), syncs, opened, acked)
}
