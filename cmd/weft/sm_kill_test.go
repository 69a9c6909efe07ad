package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"weft/cmd/weft/cli"
	"weft/emulator"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile/tables"
	"weft/sm/state"
	"weft/sm/terms"
	"weft/wire/mad"
)

var (
	kills    = flag.Int("kills", 30, "how often TestKilled kills a manager")
	killSeed = flag.Uint64("kill-seed", 1, "what TestKilled draws from")
)

// killed is a subnet that outlives its managers, and what must be true of it.
type killed struct {
	t     *testing.T
	live  *live.Live
	name  string // of its sockets
	state string // file of the managers
	own   fabric.NodeID
	rng   *rand.Rand
	ever  terms.LIDMap // all LIDs that ports have had
	host  *customer

	full          time.Duration // a manager needs from its start to the end of its first round
	plan          int64         // version that is stored
	ended, blocks int           // rounds that managers ended, and blocks that they wrote in them
	compared      int           // of them, those with the Plan that was stored before
	withoutState  int           // kills before anything was stored
}

func newKilled(t *testing.T, text string) *killed {
	t.Helper()
	f, err := gen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	sub, err := emulator.New(f, emulator.Options{Seed: *killSeed})
	if err != nil {
		t.Fatal(err)
	}
	at, err := sub.DefaultEnd()
	if err != nil {
		t.Fatal(err)
	}
	l := live.New(sub, cli.Clock())
	t.Cleanup(l.Close)
	k := &killed{
		t: t, live: l, own: at.Node, name: fmt.Sprintf("weft-kill-%d", os.Getpid()), state: filepath.Join(t.TempDir(), "state"),
		rng: rand.New(rand.NewPCG(*killSeed, 0)), ever: terms.LIDMap{}, full: 100 * time.Millisecond,
	}
	server, err := ibsimd.Listen(l, ibsimd.Options{Base: k.name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	last := fabric.NodeID(0)
	for id := range f.Nodes {
		if f.Nodes[id].Type == fabric.CA {
			last = fabric.NodeID(id)
		}
	}
	k.host = newCustomer(t, l, fabric.End{Node: last, Port: 1}, 1, 100*time.Millisecond, time.Millisecond)
	return k
}

// longest is more than a manager needs for its first round anywhere: one that may take so long
// shows what it needs here and now.
const longest = time.Minute

var blocksWritten = regexp.MustCompile(`round-ended: (SUBNET UP|UP IN PART).*, ([0-9]+) blocks of forwarding tables written`)

// manage runs a manager of its own process until the time is over, or until some time after it has
// ended a round, and kills it. One that has the longest time also answers a request of the host
// before that, so that some are answered however slow this machine is.
func (k *killed) manage(most time.Duration) (blocks int, ended bool) {
	k.t.Helper()
	begun := time.Now()
	cmd := exec.Command("weft", "sm", "--transport", "ibsim:"+k.name, "--state", k.state)
	out, err := cmd.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	timer := time.AfterFunc(most, func() { _ = cmd.Process.Kill() })
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := blocksWritten.FindStringSubmatch(lines.Text()); m != nil && !ended {
			ended = true
			if most == longest {
				k.full = time.Since(begun)
				k.host.awaitAnswer(10 * time.Second) // cables may be out on its way
			}
			if blocks, err = strconv.Atoi(m[2]); err != nil {
				k.t.Fatal(err)
			}
			timer.Reset(time.Duration(k.rng.Int64N(int64(max(40*time.Millisecond, k.full/2)))))
		}
	}
	timer.Stop()
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	return blocks, ended
}

// given lists the LIDs that ports have, and the forwarding tables of switches.
func (k *killed) given() (lids terms.LIDMap, tables *tables.LFTs) {
	k.live.Do(func(sub *emulator.Subnet) { lids, tables = lidsGiven(sub), sub.Tables() })
	return lids, tables
}

// lidsGiven lists the LIDs that ports have.
func lidsGiven(sub *emulator.Subnet) terms.LIDMap {
	lids := terms.LIDMap{}
	f := sub.Fabric()
	for i := range f.Nodes {
		for p := range f.Nodes[i].Ports {
			if info, err := sub.PortInfo(fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}); err == nil && (f.Nodes[i].Type == fabric.Switch) == (p == 0) {
				if lid := mad.PortInfoLID.Get(info); lid != 0 {
					lids[f.Nodes[i].Ports[p].GUID] = terms.PortLIDs{Base: fabric.LID(lid), LMC: uint8(mad.PortInfoLMC.Get(info))}
				}
			}
		}
	}
	return lids
}

// check reports a LID that has moved, one that a port has and that is not stored, and a service
// that was acknowledged and is not stored.
func (k *killed) check() {
	k.t.Helper()
	lids, _ := k.given()
	has, open, _ := k.host.snapshot()
	stored := terms.LIDMap{}
	if s, err := state.Read(k.state); err == nil {
		stored = s.LIDs()
		plan, _, err := s.LastPlan()
		if plan != nil {
			k.plan = plan.Version
		}
		entries, failed := s.Entries()
		if err := errors.Join(err, failed, s.Close()); err != nil {
			k.t.Fatal(err)
		}
		if what := lost(has, open, servicesOf(entries)); what != "" {
			k.t.Fatal(what)
		}
	} else if len(lids) > 0 {
		k.t.Fatalf("%d ports have LIDs, and the file cannot be read: %v", len(lids), err)
	}
	if len(stored) == 0 {
		k.withoutState++
	}
	for guid, p := range lids {
		if had, ok := k.ever[guid]; ok && had != p {
			k.t.Fatalf("port %s has LID %d, and had %d", guid, p.Base, had.Base)
		}
		if k.ever[guid] = p; stored[guid] != p {
			k.t.Fatalf("port %s has LID %d, and %d is stored", guid, p.Base, stored[guid].Base)
		}
	}
}

// needed counts the blocks of forwarding tables that had to be written to get from tables to
// others: those that differ, and those above the LinearFDBTop, which nobody reads.
func needed(then, now *tables.LFTs) (n int) {
	old := map[fabric.GUID]*tables.SwitchLFT{}
	for i := range then.Switches {
		old[then.Switches[i].GUID] = &then.Switches[i]
	}
	for i := range now.Switches {
		sw, was := &now.Switches[i], old[now.Switches[i].GUID]
		for first := 0; first < len(sw.Ports); first += mad.LFTBlock {
			differs := was == nil || first >= len(was.Ports) || len(was.Ports) <= 1
			for lid := first; lid < min(first+mad.LFTBlock, len(sw.Ports)) && !differs; lid++ {
				differs = was.Port(fabric.LID(lid)) != sw.Port(fabric.LID(lid))
			}
			if differs {
				n++
			}
		}
	}
	return n
}

// change pulls or plugs a cable between switches, or switches a host off or on.
func (k *killed) change() {
	k.live.Do(func(sub *emulator.Subnet) {
		f := sub.Fabric()
		link, node := fabric.LinkID(k.rng.IntN(len(f.Links))), fabric.NodeID(k.rng.IntN(len(f.Nodes)))
		l := f.Links[link]
		var err error
		switch between := f.Nodes[l.A.Node].Type == fabric.Switch && f.Nodes[l.B.Node].Type == fabric.Switch; {
		case between:
			err = sub.SetLinkDown(link, k.rng.IntN(2) == 0)
		case node != k.own && node != k.host.at.Node && f.Nodes[node].Type == fabric.CA:
			err = sub.SetNodeDown(node, k.rng.IntN(2) == 0)
		}
		if err != nil {
			k.t.Error(err)
		}
	})
}

// restart runs a manager until it is killed at a time, and checks what it has left. Where the Plan
// is the one that was stored before, a block that is right is not written. (From one Plan to
// another tables are written in steps, and a block more than once.)
func (k *killed) restart(most time.Duration) {
	k.t.Helper()
	_, then := k.given()
	plan := k.plan
	blocks, ended := k.manage(most)
	k.check()
	if !ended {
		return
	}
	k.ended++
	k.blocks += blocks
	if plan != k.plan {
		return
	}
	k.compared++
	if _, now := k.given(); blocks > needed(then, now) {
		k.t.Errorf("%d blocks were written, %d had to be", blocks, needed(then, now))
	}
}

// TestKilled: a manager that is killed at any moment, again and again, while hosts and cables come
// and go, has lost nothing: every LID that a port has is stored, none ever moves, services that
// were acknowledged are stored too, and the next manager writes no block of a table that is right.
func TestKilled(t *testing.T) {
	k := newKilled(t, "rlft(8,2)")
	begun := time.Now()
	for range *kills {
		if k.rng.IntN(2) == 0 {
			k.change()
		}
		if k.rng.IntN(5) == 0 {
			k.restart(longest)
		} else {
			k.restart(time.Duration(k.rng.Int64N(int64(k.full))))
		}
		if t.Failed() {
			return
		}
	}
	lids := maps.Clone(k.ever)
	k.restart(longest)
	k.restart(longest) // with the Plan that is stored
	if blocks, ended := k.manage(longest); blocks > 0 || !ended {
		t.Errorf("nothing has changed, and %d blocks were written; the round has ended: %v", blocks, ended)
	}
	k.check()
	for guid, p := range lids {
		if k.ever[guid] != p {
			t.Errorf("port %s has LID %d, and had %d", guid, k.ever[guid].Base, p.Base)
		}
	}
	_, _, acks := k.host.snapshot()
	if len(k.ever) < 30 || k.ended >= *kills || k.compared == 0 || acks == 0 {
		t.Errorf("%d LIDs were given; %d of %d managers have ended a round, %d of them with the Plan before; %d changes of services acknowledged", len(k.ever), k.ended, *kills, k.compared, acks)
	}
	t.Logf("%d kills in %.0f s: %d after a round (%d with the Plan that was stored), %d before anything was stored; %d ports, %d blocks written, %d changes of services acknowledged",
		*kills, time.Since(begun).Seconds(), k.ended, k.compared, k.withoutState, len(k.ever), k.blocks, acks)
}
