package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/peer"
	"weft/sm/terms"
	"weft/wire/mad"
)

// TestFromUFMAndBack: a subnet with a configuration like UFM's, under the real OpenSM, goes to weft
// and back. Its list of roots names one that is gone. No port has another LID, GID prefix, M_Key or
// P_Key, and no group of a partition another MLID, P_Key, MTU, rate or SL.
func TestFromUFMAndBack(t *testing.T) {
	k := newKilled(t, "rlft(6,2)")
	theirs, ours, back := t.TempDir(), t.TempDir(), t.TempDir()
	var want terms.LIDMap
	k.live.Do(func(sub *emulator.Subnet) { want = scattered(sub.Fabric()) })
	write(t, theirs, "guid2lid", guid2lid(want))
	roots := write(t, theirs, "root_guid.conf", "0x1234 # not there\n")
	partitions := write(t, theirs, "partitions.conf", "management=0x7fff,ipoib,mtu=5,rate=7 : ALL=full, ALL_SWITCHES=full, SELF=full ;\ntenant=0x12,ipoib,mtu=4,rate=3,defmember=full : ALL_CAS ;\n")
	config := write(t, theirs, "opensm.conf", "subnet_prefix 0xfec0000000000017\nm_key 0x1717\nm_key_lease_period 0\nm_key_protection_level 1\nm_key_per_port FALSE\nlmc 1\nsm_key 0x99\nsa_key 0x99\nsm_priority 15\nhonor_guid2lid_file TRUE\n"+
		"routing_engine ar_updn\nroot_guid_file "+roots+"\npartition_config_file "+partitions+"\nvirt_enabled 2\nuse_optimized_slvl TRUE\nscatter_ports 8\n")

	first := k.under(theirs, config)
	state, yaml, socket := filepath.Join(ours, "state"), filepath.Join(ours, "sm.yaml"), filepath.Join(ours, "s")
	command(t, "sm", "import", theirs, "-o", yaml, "--state", state)
	for _, name := range []string{"guid2lid", "guid2mkey"} { // OpenSM lets others read them
		if err := os.Chmod(filepath.Join(theirs, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	manager := starts(t, "weft", "sm", "--transport", "ibsim:"+k.name, "--config", yaml, "--socket", socket)
	awaitManager(t, socket, terms.Master, 0)
	k.same("under weft", k.seen(k.attached(ours)), first)
	_ = manager.Process.Kill()
	_ = manager.Wait()
	command(t, "sm", "export", back, "--config", yaml, "--state", state)
	k.same("back under OpenSM", k.under(back, filepath.Join(back, "opensm.conf")), first)
}

// attached returns a place for programs that talk to the subnet.
func (k *killed) attached(dir string) *peer.Simulator {
	s := peer.Attached(k.t, dir, k.name)
	s.Env = append(s.Env, "LD_PRELOAD="+peer.Preload(k.t))
	return s
}

// under returns what is seen while an OpenSM manages the subnet.
func (k *killed) under(dir, config string) map[string]string {
	s := k.attached(dir)
	defer s.OpenSM("-F", config)()
	return k.seen(s)
}

var groupField = regexp.MustCompile(`(?m)^\s*(MGID|Mlid|Mtu|pkey|Rate|SL)\.+(\S+)`)

// seen returns what ports hold, and the groups of partitions as the manager lists them.
func (k *killed) seen(s *peer.Simulator) map[string]string {
	k.t.Helper()
	seen := map[string]string{}
	k.live.Do(func(sub *emulator.Subnet) {
		f := sub.Fabric()
		for i := range f.Nodes {
			for p := range f.Nodes[i].Ports {
				if (f.Nodes[i].Type == fabric.Switch) != (p == 0) {
					continue
				}
				end := fabric.End{Node: fabric.NodeID(i), Port: uint8(p)}
				info, err := sub.PortInfo(end)
				if err != nil {
					continue // a CA has no port 0
				}
				keys, _ := sub.PKeys(end)
				keys = slices.DeleteFunc(slices.Clone(keys), func(key uint16) bool { return key == 0 })
				slices.Sort(keys)
				seen[fmt.Sprint(f.Nodes[i].Desc, " ", p)] = fmt.Sprintf("LID %d, prefix %x, M_Key %x, protection %d, P_Keys %x",
					mad.PortInfoLID.Get(info), mad.PortInfoGidPrefix.Get(info), mad.PortInfoMKey.Get(info), mad.PortInfoMKeyProtectBits.Get(info), keys)
			}
		}
	})
	s.Env = append(s.Env, "SIM_HOST=H-0200004800000300")
	for _, record := range bytes.Split(s.Run("saquery", "-g"), []byte("MCMemberRecord"))[1:] {
		var group []string
		for _, m := range groupField.FindAllSubmatch(record, -1) {
			group = append(group, string(m[1])+" "+string(m[2]))
		}
		if len(group) > 0 {
			seen[group[0]] = strings.Join(group[1:], ", ")
		}
	}
	return seen
}

// same reports what differs from what was first.
func (k *killed) same(when string, got, first map[string]string) {
	k.t.Helper()
	if len(first) < 27+2 { // ports and groups
		k.t.Fatalf("too little is seen: %v", first)
	}
	for _, what := range slices.Sorted(maps.Keys(first)) {
		if got[what] != first[what] {
			k.t.Errorf("%s: %s: %s, before %s", when, what, got[what], first[what])
		}
	}
}
