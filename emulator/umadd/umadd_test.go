package umadd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/emulator/umadd"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/netfile"
	"weft/mad"
	"weft/wire"
	"weft/wire/umad"
	"weft/wire/wiretest"
)

// needFuse skips where nothing can be mounted.
func needFuse(t *testing.T) {
	t.Helper()
	if why := umadd.FuseMissing(); why != "" {
		t.Skipf("FUSE cannot be used here: %s", why)
	}
}

func clock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// mount serves a port at a directory of its own.
func mount(t *testing.T, l *live.Live, at fabric.End) string {
	t.Helper()
	dir := t.TempDir()
	s, err := umadd.Mount(l, at, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Our own umad medium passes the suite over the device files of the mount.
func TestConformance(t *testing.T) {
	needFuse(t)
	wiretest.Run(t, func(t *testing.T) func(string) wire.Transport {
		f, _, err := netfile.Read("net", []byte(wiretest.Ibsim), netfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := emulator.New(f, emulator.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for node, guid := range map[string]fabric.GUID{"A": wiretest.GUIDA, "B": wiretest.GUIDB, "S": wiretest.GUIDS} {
			id, err := s.NodeByName(node)
			if err == nil {
				err = s.SetGUID(id, guid)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		l := live.New(s, clock())
		t.Cleanup(l.Close)
		return func(node string) wire.Transport {
			id, err := f.NodeByName(node)
			if err != nil {
				t.Fatal(err)
			}
			dir := mount(t, l, fabric.End{Node: id, Port: 1})
			tr, err := umad.Open(t.Context(), umad.Options{
				Agents: umad.ManagerAgents(), Dev: filepath.Join(dir, "dev"), Sys: os.DirFS(filepath.Join(dir, "sys/class")),
			})
			if err != nil {
				t.Fatal(err)
			}
			return tr
		}
	})
}

// OpenSM and infiniband-diags work without any preload: in a mount namespace where
// the mount takes the place of the devices.
func TestPeersWithoutPreload(t *testing.T) {
	needFuse(t)
	for _, program := range []string{"opensm", "ibnetdiscover", "unshare"} {
		if _, err := exec.LookPath(program); err != nil {
			text := fmt.Sprintf("no %s on this machine (apt-get install opensm infiniband-diags util-linux)", program)
			if os.Getenv("CI") == "true" {
				t.Fatal(text)
			}
			t.Skip(text)
		}
	}
	f, err := gen.Parse("rlft(8,2)")
	if err != nil {
		t.Fatal(err)
	}
	s, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.DefaultEnd()
	if err != nil {
		t.Fatal(err)
	}
	l := live.New(s, clock())
	t.Cleanup(l.Close)
	dir, scratch := mount(t, l, at), t.TempDir()
	run := func(program string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		const namespace = `mount -t tmpfs none /dev/shm && mkdir -p /dev/shm/infiniband && cp -a /dev/null /dev/zero /dev/urandom /dev/random /dev/shm/ &&
			mount --bind "$1/dev" /dev/shm/infiniband && mount --rbind /dev/shm /dev && mount --bind "$1/sys/class" /sys/class && cd "$2" && eval "$3"`
		cmd := exec.CommandContext(ctx, "unshare", "-m", "sh", "-c", namespace, "sh", dir, scratch, program)
		cmd.Env = append(os.Environ(), "OSM_TMP_DIR="+scratch, "OSM_CACHE_DIR="+scratch, "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s%s", program, err, out.String(), said.String())
		}
		return out.String()
	}
	run("opensm -o -e -f log -R updn")
	log, err := os.ReadFile(filepath.Join(scratch, "log"))
	if err != nil || !bytes.Contains(log, []byte("SUBNET UP")) {
		t.Fatalf("OpenSM has not said SUBNET UP (%v):\n%s", err, log)
	}
	var states [5]int
	l.Do(func(s *emulator.Subnet) { states = s.States() })
	if states[mad.PortActive] != 2*len(f.Links) {
		t.Fatalf("ports by state %v, want %d Active", states, 2*len(f.Links))
	}
	seen, _, err := netfile.Read("ibnetdiscover", []byte(run("ibnetdiscover")), netfile.Options{})
	if err != nil || len(seen.Nodes) != len(f.Nodes) || len(seen.Links) != len(f.Links) {
		t.Fatalf("ibnetdiscover: %v", err)
	}
	for command, want := range map[string]string{
		"ibstat":                 "Active",
		"smpquery nodeinfo 1":    "Channel Adapter",
		"ibtracert 1 9":          "To ca",
		"perfquery 1 1":          "PortXmitPkts",
		"smpquery -D nodedesc 0": "host 0",
	} {
		if out := run(command); !strings.Contains(out, want) {
			t.Errorf("%s: no %q in\n%s", command, want, out)
		}
	}
}
