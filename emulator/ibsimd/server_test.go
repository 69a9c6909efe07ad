package ibsimd_test

import (
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"weft/emulator"
	"weft/emulator/ibsimd"
	"weft/emulator/live"
	"weft/fabric/netfile"
	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/wiretest"
)

// serve starts a subnet of the conformance suite and a server of it.
func serve(t testing.TB, o ibsimd.Options) *ibsimd.Server {
	t.Helper()
	f, _, err := netfile.Read("net", []byte(wiretest.Ibsim), netfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := emulator.New(f, emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	l := live.New(s, func() time.Duration { return time.Since(start) })
	t.Cleanup(l.Close)
	server, err := ibsimd.Listen(l, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

// udpAddress returns an address with a free port, and free ports for all slots after it. They are
// below the ports that the system gives to sockets without an address, and different from those of
// a test running in parallel.
func udpAddress(t testing.TB) (addr string, port int) {
	t.Helper()
	const ports = 1 + 64
	for port = 10000 + ports*(os.Getpid()%150); port+ports < 32768; port += ports {
		free := 0
		for free < ports && isFree(port+free) {
			free++
		}
		if free == ports {
			return fmt.Sprintf("127.0.0.1:%d", port), port
		}
	}
	t.Fatal("no free UDP ports")
	return "", 0
}

// isFree reports whether no socket of this machine has a UDP port.
func isFree(port int) bool {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// media gives, by kind of socket, the options of a server and of its clients.
var media = map[string]func(t *testing.T) (ibsimd.Options, ibsim.Options){
	"abstract": func(t *testing.T) (ibsimd.Options, ibsim.Options) {
		base := fmt.Sprintf("weft-test-%d-%s", os.Getpid(), t.Name())
		if len(base) > 60 {
			base = base[:60]
		}
		return ibsimd.Options{Base: base}, ibsim.Options{Base: base}
	},
	"directory": func(t *testing.T) (ibsimd.Options, ibsim.Options) {
		dir, err := os.MkdirTemp("", "sim") // t.TempDir is too long for a socket
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return ibsimd.Options{Dir: dir}, ibsim.Options{Dir: dir}
	},
	"UDP": func(t *testing.T) (ibsimd.Options, ibsim.Options) {
		addr, port := udpAddress(t)
		return ibsimd.Options{UDP: addr}, ibsim.Options{Server: "127.0.0.1", Port: port}
	},
}

// Our client of the ibsim protocol passes the suite against our server, over all
// kinds of sockets.
func TestConformance(t *testing.T) {
	for name, options := range media {
		t.Run(name, func(t *testing.T) {
			wiretest.Run(t, func(t *testing.T) func(string) wire.Transport {
				mine, theirs := options(t)
				serve(t, mine)
				return func(node string) wire.Transport {
					o := theirs
					o.Node = node
					tr, err := ibsim.Dial(t.Context(), o)
					if err != nil {
						t.Fatal(err)
					}
					return tr
				}
			})
		})
	}
}

// A second server of the same name is refused; the first one's files are gone
// after Close.
func TestNames(t *testing.T) {
	wiretest.NoLeaks(t)
	dir, err := os.MkdirTemp("", "sim")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := serve(t, ibsimd.Options{Dir: dir})
	if _, err := ibsimd.Listen(nil, ibsimd.Options{Dir: dir}); err == nil {
		t.Fatal("two servers under one name")
	}
	tr, err := ibsim.Dial(t.Context(), ibsim.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := tr.Port(t.Context()); err != nil || p.PortGUID != wiretest.GUIDA+1 {
		t.Fatalf("attached to port %#x (%v), want that of the first CA", p.PortGUID, err)
	}
	s.Close()
	_ = tr.Close()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Fatalf("left behind: %v (%v)", left, err)
	}
}

// More clients than slots, and one subnet manager a node.
func TestRefusals(t *testing.T) {
	wiretest.NoLeaks(t)
	dir, err := os.MkdirTemp("", "sim")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	serve(t, ibsimd.Options{Dir: dir})
	if _, err := ibsim.Dial(t.Context(), ibsim.Options{Dir: dir, Node: "nobody"}); err == nil {
		t.Fatal("attached to a node that is not there")
	}
	var all []*ibsim.Transport
	defer func() {
		for _, tr := range all {
			_ = tr.Close()
		}
	}()
	for range 64 {
		tr, err := ibsim.Dial(t.Context(), ibsim.Options{Dir: dir, Node: "B"})
		if err != nil {
			t.Fatalf("client %d: %v", len(all), err)
		}
		all = append(all, tr)
	}
	if _, err := ibsim.Dial(t.Context(), ibsim.Options{Dir: dir}); err == nil {
		t.Fatal("the 65th client has a slot")
	}
	if err := all[0].SetIsSM(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := all[1].SetIsSM(t.Context(), true); err == nil {
		t.Fatal("two subnet managers on one node")
	}
	if err := all[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := all[1].SetIsSM(t.Context(), true); err != nil {
		t.Fatalf("after the first has gone: %v", err)
	}
}

// FuzzServer sends arbitrary bytes to the control and the data socket; a client that
// behaves is served afterwards as before.
func FuzzServer(f *testing.F) {
	dir, err := os.MkdirTemp("", "sim")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = os.RemoveAll(dir) })
	serve(f, ibsimd.Options{Dir: dir})
	tr, err := ibsim.Dial(f.Context(), ibsim.Options{Dir: dir, Node: "B"})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = tr.Close() })
	bad, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: dir + "/sim:in77"})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = bad.Close() })
	hello := ibsim.Control{Type: ibsim.ControlConnect}
	if err := (&ibsim.Client{ID: 77}).Put(&hello); err != nil {
		f.Fatal(err)
	}
	for t := range ibsim.ControlType(12) {
		c := hello
		c.Type, c.Slot = t, 1
		f.Add(c.Append(nil))
	}
	f.Add(make([]byte, ibsim.DataSize))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"ctl", "out0", "out1"} {
			// Whether anybody hears it does not matter: the client's service does.
			_, _ = bad.WriteToUnix(data, &net.UnixAddr{Net: "unixgram", Name: dir + "/sim:" + name})
		}
		if _, err := tr.Port(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
