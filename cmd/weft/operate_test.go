package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/emulator"
	"weft/fabric"
	"weft/internal/peer"
	"weft/internal/racing"
	"weft/sm/recording"
	"weft/sm/terms"
)

// systemctl stands for the program of that name where docs/operate.md is followed: it starts and
// ends weft sm and OpenSM.
const systemctl = `#!/bin/sh
start() {
	case $1 in
	weft-sm)
		weft sm --config $ROOT/etc/weft/sm.yaml >> $ROOT/weft.log 2>&1 & echo $! > $ROOT/weft-sm.pid
		for i in $(seq 1800); do weft sm status 2>/dev/null | grep -q '^in force *engine' && exit 0; sleep 0.1; done
		cat $ROOT/weft.log; exit 1;;
	opensm)
		: > $ROOT/osm.log
		env LD_PRELOAD=$PRELOAD opensm -e -d2 -f $ROOT/osm.log -F $ROOT/etc/opensm/opensm.conf > $ROOT/opensm.out 2>&1 & echo $! > $ROOT/opensm.pid
		for i in $(seq 1800); do grep -q 'SUBNET UP' $ROOT/osm.log && exit 0; sleep 0.1; done
		cat $ROOT/osm.log; exit 1;;
	esac
	exit 1
}
stop() {
	pid=$(cat $ROOT/$1.pid)
	kill -INT $pid
	while kill -0 $pid 2>/dev/null; do sleep 0.05; done
}
case $* in
daemon-reload) ;;
"start "*) start $2;;
"stop "*) stop $2;;
"disable --now "*) stop $3;;
"enable --now "*) start $3;;
"restart "*) stop $2; start $2;;
"reload "*) kill -HUP $(cat $ROOT/$2.pid);;
*) exit 1;;
esac
`

// weftBeside stands for weft there: what asks a manager finds its socket, and import the files of
// OpenSM.
const weftBeside = `#!/bin/sh
case "$1 $2" in
"sm status"|"sm events"|"sm links"|"sm drain"|"sm undrain") exec $WEFT "$@" --socket $ROOT/run/weft/sm.sock;;
esac
case $* in
"sm import"|"sm import -"*) shift 2; exec $WEFT sm import $ROOT/etc/opensm $ROOT/var/cache/opensm "$@";;
esac
exec $WEFT "$@"
`

// TestOperatePage: the commands of docs/operate.md, typed in their order with an OpenSM that runs,
// take an emulated subnet over, drain a switch, upgrade, and give it back, and no LID moves.
// Directories, the device and the time between readings of counters are other ones than on the
// page, systemctl is a small script.
func TestOperatePage(t *testing.T) {
	racing.SkipLong(t)
	page, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	k := newKilled(t, "rlft(8,2)")
	root := t.TempDir()
	for _, dir := range []string{"etc/opensm", "etc/systemd/system", "var/cache/opensm", "var/lib", "run/weft", "usr/local/bin", "usr/local/share/man/man1", "bin", "contrib", "shims"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	weft, err := exec.LookPath("weft")
	if err != nil {
		t.Fatal(err)
	}
	unit, err := os.ReadFile("../../contrib/weft-sm.service")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"shims/systemctl": systemctl, "shims/weft": weftBeside, "bin/weft": "a new weft", "contrib/weft-sm.service": string(unit), "etc/opensm/opensm.conf": "sm_priority 3\nrouting_engine updn\nqos TRUE\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	run := func(script string) []byte {
		t.Helper()
		cmd := exec.Command("sh", "-e", "-x", "-c", script)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "ROOT="+root, "WEFT="+weft, "PRELOAD="+peer.Preload(t), "IBSIM_SOCKNAME="+k.name,
			"OSM_TMP_DIR="+root, "OSM_CACHE_DIR="+filepath.Join(root, "var/cache/opensm"), "PATH="+filepath.Join(root, "shims")+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return out
	}
	t.Cleanup(func() {
		for _, name := range []string{"weft-sm", "opensm"} {
			if pid, err := os.ReadFile(filepath.Join(root, name+".pid")); err == nil {
				_ = exec.Command("kill", "-KILL", strings.TrimSpace(string(pid))).Run()
			}
		}
	})
	peer.Program(t, "opensm")
	k.live.Do(func(sub *emulator.Subnet) { // it gives back what it knew
		if err := os.WriteFile(filepath.Join(root, "var/cache/opensm/guid2lid"), []byte(guid2lidOf(sub.Fabric())), 0o600); err != nil {
			t.Error(err)
		}
	})
	run("systemctl enable --now opensm")
	want, _ := k.given()
	moved := regexp.MustCompile(`(^|[ =(])/(etc|var|usr/local|run)/`)
	blocks := 0
	for _, b := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		script := strings.ReplaceAll(moved.ReplaceAllString(strings.ReplaceAll(b[1], "\n", "\n "), "${1}"+root+"/${2}/"), "umad:mlx5_0/1", "ibsim:"+k.name)
		script = strings.ReplaceAll(script, "counters=60s", "counters=200ms")
		out := run(script)
		for _, said := range map[string][]string{"weft sm status\nweft sm events": {"role             master", "SUBNET UP"}, "--drain 'spine 1'": {"spine 1"}}[strings.TrimSpace(b[1])] {
			if !bytes.Contains(out, []byte(said)) {
				t.Errorf("%s\ndoes not say %q:\n%s", b[1], said, out)
			}
		}
		if got, _ := k.given(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s\nhas moved LIDs:\n%v\nwere\n%v", b[1], got, want)
		}
		blocks++
	}
	if blocks < 9 {
		t.Errorf("%d blocks", blocks)
	}
	run("systemctl disable --now opensm")
	for _, kind := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(string(page[bytes.Index(page, []byte("| codes | do |")):]), -1) {
		_, known := recording.Explain[terms.IncidentKind(kind[1])]
		if !known && !slices.Contains([]string{"engine", "state", "sm-key", "port-share", "api-cert", "link-speed", "link-rules", "partitions"}, kind[1]) { // options
			t.Errorf("no event has the code %s", kind[1])
		}
	}
	for kind := range recording.Explain {
		if !bytes.Contains(page, []byte("`"+string(kind)+"`")) {
			t.Errorf("the page does not say what %s asks of an operator", kind)
		}
	}
}

// guid2lidOf writes scattered LIDs.
func guid2lidOf(f *fabric.Fabric) string {
	m := scattered(f)
	for guid, p := range m {
		p.LMC = 0
		m[guid] = p
	}
	return guid2lid(m)
}
