package umad_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"weft/wire"
	"weft/wire/mad"
	"weft/wire/umad"
	"weft/wire/wiretest"
)

func open(t *testing.T, o umad.Options) *umad.Transport {
	t.Helper()
	tr, err := umad.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	})
	return tr
}

// TestConformance runs the suite over a double of the device files. See the
// package comment for what that does not prove.
func TestConformance(t *testing.T) {
	wiretest.Run(t, func(t *testing.T) func(string) wire.Transport {
		subnet := newSubnet(t)
		return func(node string) wire.Transport { return open(t, newMachine(t, subnet, node).options()) }
	})
}

// TestRealDevice attaches to this machine's port, where there is one.
func TestRealDevice(t *testing.T) {
	devices, _ := filepath.Glob("/dev/infiniband/umad*")
	if len(devices) == 0 {
		t.Skip("skipped: this machine has no /dev/infiniband/umad* device")
	}
	tr := open(t, umad.Options{})
	r := wire.New(tr, wire.Options{})
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), nil)
	if err != nil {
		t.Fatal(err)
	}
	var reply wire.Datagram
	if err := wiretest.Do(t.Context(), r, &wire.Request{Addr: wire.Directed(), MAD: m}, &reply); err != nil {
		t.Fatal(err)
	}
	p, err := tr.Port(t.Context())
	if err != nil || mad.NodeInfoNodeGUID.Get(reply.MAD.Data()) != p.NodeGUID {
		t.Errorf("NodeInfo of %#x, port %+v, error %v", mad.NodeInfoNodeGUID.Get(reply.MAD.Data()), p, err)
	}
}

// TestKernelNeverRetries checks the header written for a request: the kernel's timeout is shorter
// than the requester's, and it repeats nothing.
func TestKernelNeverRetries(t *testing.T) {
	wiretest.NoLeaks(t)
	machine := newMachine(t, newSubnet(t), "A")
	machine.hasty = true // the requester's own time never comes
	r := wire.New(open(t, machine.options()), wire.Options{Config: wire.Config{Timeout: 40 * time.Minute, Retries: 1}})
	m, err := mad.Request{Method: mad.Get, Attr: mad.AttrNodeInfo}.Directed(make([]byte, mad.Size), []byte{9})
	if err != nil {
		t.Fatal(err)
	}
	err = wiretest.Do(t.Context(), r, &wire.Request{Addr: wire.Directed(), MAD: m}, new(wire.Datagram))
	if !errors.Is(err, wire.ErrTimeout) {
		t.Fatalf("got error %v", err)
	}
	if c := r.Counters(); c.Undelivered != 2 || c.Sent != 2 {
		t.Errorf("the kernel's reports did not end the attempts: %+v", c)
	}
	for _, h := range machine.written() {
		if h.TimeoutMS != 30*60*1000 || h.Retries != 0 {
			t.Errorf("written with timeout %d ms and %d retries", h.TimeoutMS, h.Retries)
		}
	}
	// 0 would be no timeout at all.
	err = wiretest.Do(t.Context(), r, &wire.Request{Addr: wire.Directed(), MAD: m, Timeout: time.Millisecond}, new(wire.Datagram))
	if h := machine.written()[0]; !errors.Is(err, wire.ErrTimeout) || h.TimeoutMS != 1 {
		t.Errorf("written with timeout %d ms: %v", h.TimeoutMS, err)
	}
}

// TestRMPPMessages moves messages longer than a datagram, and than the buffer.
func TestRMPPMessages(t *testing.T) {
	machine := newMachine(t, newSubnet(t), "A")
	tr := open(t, machine.options())
	long := make(mad.Datagram, 200_000)
	long[0], long[1], long[2], long[3] = 1, byte(mad.ClassSA), 2, byte(mad.GetTableResp)
	long[24], long[25], long[26] = 1, mad.RMPPTypeData, mad.RMPPActive
	for i := range long[56:] {
		long[56+i] = byte(i * 7)
	}
	if err := tr.Send(&wire.Datagram{Addr: wire.ToLID(3, 1), MAD: long}); err != nil {
		t.Fatal(err)
	}
	if h := machine.written()[0]; h.TimeoutMS == 0 || h.Retries == 0 || h.QKey != wire.QKeyGSI || h.QPN != 1 || h.LID != 3 {
		t.Errorf("header of an RMPP message: %+v", h)
	}
	receive := func(m mad.Datagram) {
		t.Helper()
		machine.file.push(umad.Header{Agent: 2, LID: 7, QPN: 1}, m)
		var d wire.Datagram
		if err := tr.Recv(t.Context(), &d); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(d.MAD, m) || d.Addr.SLID != 7 || d.Addr.SQP != 1 || d.Addr.DQP != 1 {
			t.Errorf("received %d bytes from %+v", len(d.MAD), d.Addr)
		}
	}
	for _, machine.bare = range []bool{false, true} {
		receive(long)
		receive(long[:mad.Size])
		if machine.room > 1<<16 {
			t.Errorf("the buffer keeps its %d bytes after a long message", machine.room)
		}
	}
	long[26] = 0
	if err := tr.Send(&wire.Datagram{Addr: wire.ToLID(3, 1), MAD: long}); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("a long datagram without RMPP: error %v", err)
	}
}

// TestRefusals: what Open says when it cannot.
func TestRefusals(t *testing.T) {
	good := newMachine(t, newSubnet(t), "A")
	with := func(file, text string) fs.FS {
		sys := good.sys()
		sys[file] = &fstest.MapFile{Data: []byte(text)}
		return sys
	}
	twice := append(umad.ManagerAgents(), umad.ManagerAgents()...)
	for _, c := range []struct {
		name string
		o    umad.Options
		want string
	}{
		{"no module", umad.Options{Sys: fstest.MapFS{}}, "ib_umad"},
		{"old ABI", umad.Options{Sys: with("infiniband_mad/abi_version", "4\n")}, "version 4"},
		{"Ethernet", umad.Options{Sys: with("infiniband/double_0/ports/1/link_layer", "Ethernet\n")}, "there are 0 ports"},
		{"iWARP", umad.Options{Sys: with("infiniband/double_0/node_type", "4: RNIC\n")}, "there are 0 ports"},
		{"bad LID", umad.Options{Sys: with("infiniband/double_0/ports/1/lid", "0x12345\n")}, "not a number of 16 bits"},
		{"other CA", umad.Options{CA: "mlx5_7"}, `"mlx5_7"`},
		{"other port", umad.Options{Port: 2}, "port 2"},
		{"other GUID", umad.Options{GUID: 0x42}, "0x42"},
		{"no device", umad.Options{Dev: "/dev/there"}, "/dev/there/umad0"},
		{"method taken", umad.Options{Agents: twice}, "another subnet manager"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wiretest.NoLeaks(t)
			o := good.options()
			if c.o.Sys != nil {
				o.Sys = c.o.Sys
			}
			if c.o.Dev != "" {
				o.Dev = c.o.Dev
			}
			if c.o.Agents != nil {
				o.Agents = c.o.Agents
			}
			o.CA, o.Port, o.GUID = c.o.CA, c.o.Port, c.o.GUID
			_, err := umad.Open(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
	o := good.options()
	o.CA, o.Port, o.GUID = "double_0", 1, wiretest.GUIDA+1
	open(t, o)
}

// TestChoice: an Active port before one with a link, that before one without, and
// a disabled one last; the lowest device number among equals.
func TestChoice(t *testing.T) {
	const up, polling, disabled = 5, 2, 3
	for _, c := range []struct {
		states [][2]int // state and physical state of ports 1, 2, ...
		want   uint8
	}{
		{[][2]int{{2, up}, {4, up}}, 2},
		{[][2]int{{4, up}, {4, up}}, 1},
		{[][2]int{{1, polling}, {2, up}, {2, up}}, 2},
		{[][2]int{{1, disabled}, {1, polling}}, 2},
		{[][2]int{{1, disabled}}, 1},
		{[][2]int{{1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}, {1, 3}, {2, up}, {2, up}}, 10},
	} {
		machine := newMachine(t, newSubnet(t), "A")
		files := machine.sys()
		for i, s := range c.states {
			number := strconv.Itoa(i + 1)
			for name, file := range machine.sys() {
				if rest, ok := strings.CutPrefix(name, "infiniband/double_0/ports/1/"); ok {
					files["infiniband/double_0/ports/"+number+"/"+rest] = file
				}
			}
			port := "infiniband/double_0/ports/" + number + "/"
			files[port+"state"] = &fstest.MapFile{Data: []byte(strconv.Itoa(s[0]) + ": X\n")}
			files[port+"phys_state"] = &fstest.MapFile{Data: []byte(strconv.Itoa(s[1]) + ": X\n")}
			device := "infiniband_mad/umad" + strconv.Itoa(i)
			files[device+"/ibdev"] = &fstest.MapFile{Data: []byte("double_0\n")}
			files[device+"/port"] = &fstest.MapFile{Data: []byte(number + "\n")}
		}
		o := machine.options()
		o.Sys = files
		o.Open = func(string) (umad.File, error) { return machine.open("/dev/here/umad0") }
		p, err := open(t, o).Port(t.Context())
		if err != nil || p.Number != c.want {
			t.Errorf("ports %v: chose %d, want %d, %v", c.states, p.Number, c.want, err)
		}
	}
}

// TestAddress: what of an address goes into the header, and comes out of it.
func TestAddress(t *testing.T) {
	machine := newMachine(t, newSubnet(t), "A")
	o := machine.options()
	files := machine.sys()
	files["infiniband/double_0/ports/1/lid"] = &fstest.MapFile{Data: []byte("0x10\n")}
	o.Sys = files
	tr := open(t, o)
	m := make(mad.Datagram, mad.Size)
	m[1], m[3] = byte(mad.ClassPerf), byte(mad.GetResp)
	a := wire.Address{DLID: 9, SLID: 0x13, DQP: 1, SQP: 1, QKey: wire.QKeyGSI, PKeyIndex: 2, SL: 4}
	a.GRH = wire.GRH{Present: true, GIDIndex: 1, HopLimit: 64, TrafficClass: 5, FlowLabel: 0xABCDE, GID: [16]byte{0xFE, 0x80, 15: 7}}
	if err := tr.Send(&wire.Datagram{Addr: a, MAD: m}); err != nil {
		t.Fatal(err)
	}
	want := umad.Header{Agent: 3, LID: 9, PathBits: 3, QPN: 1, QKey: wire.QKeyGSI, PKeyIndex: 2, SL: 4, GRH: a.GRH}
	if got := machine.written()[0]; got != want {
		t.Errorf("wrote %+v, want %+v", got, want)
	}
	machine.file.push(want, m)
	var d wire.Datagram
	if err := tr.Recv(t.Context(), &d); err != nil || d.Addr != a.Reply() {
		t.Errorf("received %+v, want %+v, %v", d.Addr, a.Reply(), err)
	}
}

func TestOneSubnetManagerAPort(t *testing.T) {
	machine := newMachine(t, newSubnet(t), "A")
	a, b := open(t, machine.options()), open(t, machine.options())
	if err := a.SetIsSM(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := b.SetIsSM(t.Context(), true); !errors.Is(err, syscall.EAGAIN) {
		t.Fatalf("got error %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.SetIsSM(t.Context(), true); err != nil {
		t.Fatal(err)
	}
}

// TestAgentClasses: a class that was not registered cannot be sent.
func TestAgentClasses(t *testing.T) {
	tr := open(t, newMachine(t, newSubnet(t), "A").options())
	m := make(mad.Datagram, mad.Size)
	m[1] = 0x06
	if err := tr.Send(&wire.Datagram{Addr: wire.ToLID(1, 1), MAD: m}); err == nil || errors.Is(err, wire.ErrClosed) {
		t.Errorf("got error %v", err)
	}
}

// TestVectors takes messages of a real kernel apart.
func TestVectors(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.hex")
	if len(files) == 0 {
		t.Fatal("no vectors")
	}
	for _, name := range files {
		b := readHex(t, name)
		h, m, err := umad.ParseMessage(b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		timedOut := strings.Contains(name, "timeout")
		if timedOut != (h.Status == uint32(syscall.ETIMEDOUT)) || timedOut != (len(m) == mad.Header.Size) {
			t.Errorf("%s: status %d, %d bytes of MAD", name, h.Status, len(m))
		}
		if timedOut && (h.TimeoutMS != 100 || h.Retries != 2) {
			t.Errorf("%s: %+v", name, h)
		}
		again := make([]byte, umad.HeaderSize)
		h.Put(again)
		if !h.GRH.Present || h.GRH.GID == [16]byte{} {
			t.Errorf("%s: GRH %+v", name, h.GRH)
		}
		if !bytes.Equal(again, b[:umad.HeaderSize]) {
			t.Errorf("%s: header %x, written again %x", name, b[:umad.HeaderSize], again)
		}
	}
}

func TestAgentRoundTrip(t *testing.T) {
	for _, a := range umad.ManagerAgents() {
		b := make([]byte, umad.AgentSize)
		a.Put(b)
		got, err := umad.ParseAgent(b)
		slices.Sort(a.Methods)
		if err != nil || got.Class != a.Class || got.Version != a.Version || got.RMPPVersion != a.RMPPVersion || !slices.Equal(got.Methods, a.Methods) {
			t.Errorf("put %+v, got %+v, error %v", a, got, err)
		}
	}
}

func readHex(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := wiretest.ParseHex(text)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return b
}

func FuzzParseMessage(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.hex")
	for _, name := range files {
		f.Add(readHex(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, m, err := umad.ParseMessage(b)
		if err != nil {
			return
		}
		if len(m) < mad.Header.Size || len(m) != len(b)-umad.HeaderSize {
			t.Fatalf("%d bytes of MAD from %d", len(m), len(b))
		}
		again := make([]byte, umad.HeaderSize)
		h.Put(again)
		if h2, _, _ := umad.ParseMessage(append(again, m...)); h2 != h {
			t.Fatalf("%+v became %+v", h, h2)
		}
	})
}
