package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/peer"
	"weft/sm/terms"
)

// command runs weft to its end.
func command(t *testing.T, args ...string) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("weft", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("weft %v: %v\n%s%s", args, err, out, stderr.Bytes())
	}
	return out
}

// opensm brings a subnet up by an OpenSM that keeps what it stores in a directory, with a
// configuration.
func (k *killed) opensm(dir, config string) {
	k.t.Helper()
	s := peer.Attached(k.t, dir, k.name)
	s.Env = append(s.Env, "LD_PRELOAD="+peer.Preload(k.t))
	log := filepath.Join(dir, "osm.log")
	s.Run("opensm", "-o", "-e", "-f", log, "-F", config)
	if text, err := os.ReadFile(log); err != nil || !bytes.Contains(text, []byte("SUBNET UP")) {
		k.t.Fatalf("OpenSM has not said SUBNET UP (%v):\n%s", err, text)
	}
}

// write writes a file and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// scattered are LIDs with gaps for all ports of a fabric, and for one that is not there.
func scattered(f *fabric.Fabric) terms.LIDMap {
	m := terms.LIDMap{0xabcdef: {Base: 8000, LMC: 1}}
	next := fabric.LID(6000)
	for i := range f.Nodes {
		n := &f.Nodes[i]
		for p := range n.Ports {
			switch {
			case n.Type == fabric.Switch && p == 0:
				m[n.Ports[0].GUID] = terms.PortLIDs{Base: next + 5}
			case n.Type != fabric.Switch && p > 0:
				m[n.Ports[p].GUID] = terms.PortLIDs{Base: next, LMC: 1}
			}
		}
		next -= 14
	}
	return m
}

// guid2lid writes LIDs as OpenSM does.
func guid2lid(m terms.LIDMap) string {
	var b bytes.Buffer
	for _, guid := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "0x%016x 0x%04x 0x%04x\n\n", uint64(guid), m[guid].Base, m[guid].Last())
	}
	return b.String()
}

// TestOpenSMAndBack: a subnet that OpenSM has brought up goes to weft by import, and back by
// export, while a host is away: no LID moves, not even where the devices have forgotten theirs, and
// what is exported equals what was imported.
func TestOpenSMAndBack(t *testing.T) {
	for _, text := range []string{"rlft(8,2)", "torus(3x3,hosts=2)"} {
		t.Run(text, func(t *testing.T) {
			k := newKilled(t, text)
			var want terms.LIDMap
			var all []fabric.NodeID
			k.live.Do(func(sub *emulator.Subnet) {
				f := sub.Fabric()
				want = scattered(f)
				for i := range f.Nodes {
					all = append(all, fabric.NodeID(i))
				}
			})
			theirs, ours, back := t.TempDir(), t.TempDir(), t.TempDir()
			roots := write(t, theirs, "roots.txt", "0x1234 # not there\n")
			config := write(t, theirs, "opensm.conf", "lmc 1\nsm_priority 5\nhonor_guid2lid_file TRUE\nrouting_engine nue\nnue_max_num_vls 4\nlog_flags 0x03\nqos TRUE\nroot_guid_file "+roots+"\n")
			write(t, theirs, "guid2lid", guid2lid(want))
			k.opensm(theirs, config)
			k.keeps("under OpenSM", k.on(want))
			stored := readGUID2LID(t, filepath.Join(theirs, "guid2lid"))

			state, yaml := filepath.Join(ours, "state"), filepath.Join(ours, "sm.yaml")
			out := command(t, "sm", "import", theirs, "-o", yaml, "--state", state)
			for _, said := range []string{":7\n    qos TRUE: ", fmt.Sprintf("LIDs of %d ports", len(stored))} {
				if !bytes.Contains(out, []byte(said)) {
					t.Errorf("the report does not say %q:\n%s", said, out)
				}
			}
			k.power(true, all[len(all)-1]) // a host
			command(t, "sm", "--once", "--transport", "ibsim:"+k.name, "--config", yaml)
			k.keeps("under weft", k.on(want))
			k.power(true, all...) // devices that start have no LIDs
			k.power(false, all...)
			command(t, "sm", "export", back, "--config", yaml, "--state", state)
			if got := readGUID2LID(t, filepath.Join(back, "guid2lid")); !maps.Equal(got, stored) {
				t.Errorf("exported\n%v\nimported\n%v", got, stored)
			}
			k.opensm(back, filepath.Join(back, "opensm.conf"))
			k.keeps("back under OpenSM", k.on(want))
		})
	}
}

// power switches nodes off or on.
func (k *killed) power(off bool, nodes ...fabric.NodeID) {
	k.t.Helper()
	k.live.Do(func(sub *emulator.Subnet) {
		for _, id := range nodes {
			if err := sub.SetNodeDown(id, off); err != nil {
				k.t.Error(err)
			}
		}
	})
}

// on leaves out of LIDs the ports that are off, and one that is nowhere.
func (k *killed) on(m terms.LIDMap) terms.LIDMap {
	out := terms.LIDMap{}
	k.live.Do(func(sub *emulator.Subnet) {
		f := sub.Fabric()
		for i := range f.Nodes {
			for p := range f.Nodes[i].Ports {
				if guid := f.Nodes[i].Ports[p].GUID; !sub.NodeDown(fabric.NodeID(i)) && m[guid].Base != 0 {
					out[guid] = m[guid]
				}
			}
		}
	})
	return out
}

// keeps reports LIDs that are not as they shall be.
func (k *killed) keeps(when string, want terms.LIDMap) {
	k.t.Helper()
	got, _ := k.given()
	for guid, p := range want {
		if got[guid] != p {
			k.t.Fatalf("%s: port %s has LIDs %d to %d, not %d to %d", when, guid, got[guid].Base, got[guid].Last(), p.Base, p.Last())
		}
	}
}

func readGUID2LID(t *testing.T, path string) terms.LIDMap {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := terms.ReadLIDs(path, data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
