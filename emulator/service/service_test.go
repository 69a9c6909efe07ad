package service_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/control"
	"weft/emulator/ibsimd"
	"weft/emulator/service"
	"weft/fabric"
	"weft/fabric/gen"
	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
	"weft/wire/ibsim"
	"weft/wire/wiretest"
)

func tree(t *testing.T) *fabric.Fabric {
	t.Helper()
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func stopped() time.Duration { return 0 }

// A subnet is served to programs and to an operator, with its fault, and leaves nothing
// behind.
func TestService(t *testing.T) {
	wiretest.NoLeaks(t)
	dir, err := os.MkdirTemp("", "emu") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	socket := filepath.Join(dir, "control")
	s, err := service.New(tree(t), service.Options{
		Ibsim: ibsimd.Options{Dir: dir, Base: "sim"}, Control: socket, Clock: stopped,
		Faults: []string{`link "leaf 0" 3 down`}, RolesByDistance: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(); err != nil {
		t.Fatal(err)
	}
	if want := "14 nodes up, IBSIM_SOCKNAME=sim"; s.Where() != want || s.Devices() != "" {
		t.Errorf("it says %q and %q, want %q", s.Where(), s.Devices(), want)
	}
	tr, err := ibsim.Dial(t.Context(), ibsim.Options{Dir: dir, Node: "host 1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	var out bytes.Buffer
	if err := control.Request(t.Context(), socket, []string{"state"}, &out); err != nil || !strings.Contains(out.String(), `"down": 2`) {
		t.Errorf("state %s (%v)", out.String(), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}

// Options that make no sense are refused before anything is served.
func TestRefused(t *testing.T) {
	for want, o := range map[string]service.Options{
		"--training -1ns":   {Subnet: emulator.Options{Training: -1}},
		"--at needs --umad": {Umad: service.UmadOptions{At: []string{"host 0"}}},
		`--at "nobody": `:   {Umad: service.UmadOptions{Dir: "x", At: []string{"nobody"}}},
		`--at "host 0/x": no node is called "host 0/x"`: {Umad: service.UmadOptions{Dir: "x", At: []string{"host 0/x"}}},
		`--fault "nonsense": emulator: no such`:         {Faults: []string{"nonsense"}},
	} {
		o.Clock = stopped
		if _, err := service.New(tree(t), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// Serve names what it cannot serve, and Close ends what was started.
func TestServeFails(t *testing.T) {
	wiretest.NoLeaks(t)
	base := fmt.Sprintf("weft-service-%d", os.Getpid())
	for want, o := range map[string]service.Options{
		"no such file": {Control: filepath.Join(t.TempDir(), "none", "control")},
		"--umad /none": {Umad: service.UmadOptions{Dir: "/none"}},
	} {
		o.Clock, o.Ibsim.Base = stopped, base
		s, err := service.New(tree(t), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Serve(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Each of several subnets has sockets of its own name, faults and devices by name, and routers
// between them; names that cannot be file names are refused.
func TestNewNetwork(t *testing.T) {
	wiretest.NoLeaks(t)
	n := subnetstest.Network(t, "subnets(2,rlft(4,2),routers=2)")
	chain, err := engine.Parse("updn", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, one, err := between.Route(t.Context(), n, &between.Request{Request: intersubnet.Request{Method: intersubnet.ISSR}, Local: planner.Request{Chain: chain}})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "emu") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	o := service.Options{Ibsim: ibsimd.Options{Dir: dir, Base: "sim"}, Control: filepath.Join(dir, "control"), Clock: stopped}
	for fault, want := range map[string]string{
		`link "leaf 0" 3 down`:     "start with SUBNET and a colon, such as s0:TEXT",
		`s1: link "nobody" 1 down`: `subnet "s1": --fault "link \"nobody\" 1 down"`,
	} {
		bad := o
		bad.Faults = []string{fault}
		if _, err := service.NewNetwork(n, one.Plan, bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--fault %s: %v, want %q", fault, err, want)
		}
	}
	for _, name := range []string{"", "..", "a/b", "a b"} {
		list := []service.Named{{Name: name, Fabric: tree(t)}}
		if _, err := service.NewJoined(list, func(*emulator.Joined) error { return nil }, o); err == nil || !strings.Contains(err.Error(), "letters, digits") {
			t.Errorf("subnet %q: %v", name, err)
		}
	}
	o.Faults = []string{`s1: link "leaf 0" 3 down`}
	s, err := service.NewNetwork(n, one.Plan, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(); err != nil {
		t.Fatal(err)
	}
	if want := "s0: 16 nodes up, IBSIM_SOCKNAME=sim-s0\ns1: 16 nodes up, IBSIM_SOCKNAME=sim-s1"; s.Where() != want {
		t.Errorf("it says %q, want %q", s.Where(), want)
	}
	for name, want := range map[string]string{"s0": `"init": 36`, "s1": `"init": 34`} {
		tr, err := ibsim.Dial(t.Context(), ibsim.Options{Dir: dir, Base: "sim-" + name, Node: "host 1"})
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		var state bytes.Buffer
		if err := control.Request(t.Context(), o.Control+"-"+name, []string{"state"}, &state); err != nil || !strings.Contains(state.String(), want) {
			t.Errorf("%s: %v, %s, want %s", name, err, state.String(), want)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
}
