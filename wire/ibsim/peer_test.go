package ibsim_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"weft/internal/peer"
	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/wiretest"
)

var simulators atomic.Int32

// simulator starts the ibsim program on the suite's subnet, on sockets of its own,
// and gives the options to attach to it.
func simulator(t testing.TB, udp bool) ibsim.Options {
	t.Helper()
	program := peer.Program(t, "ibsim")
	netFile := filepath.Join(t.TempDir(), "net")
	if err := os.WriteFile(netFile, []byte(wiretest.Ibsim), 0o600); err != nil {
		t.Fatal(err)
	}
	o := ibsim.Options{Base: fmt.Sprintf("weft-%d-%d", os.Getpid(), simulators.Add(1))}
	args := []string{"-s", "-n"}
	if udp {
		o.Server, o.Port = "127.0.0.1", freePorts(t)
		args = append(args, "-r", "-l", strconv.Itoa(o.Port))
	}
	cmd := exec.Command(program, append(args, netFile)...)
	cmd.Env = append(os.Environ(), "IBSIM_SOCKNAME="+o.Base)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Dir = t.TempDir()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("ibsim said:\n%s", said.Bytes())
		}
	})
	return o
}

// freePorts finds a UDP port with the next eleven free too. They are below the ephemeral ports, and
// different from those of tests that run at the same time.
func freePorts(t testing.TB) int {
	t.Helper()
	for first := 20000 + 12*(os.Getpid()%1000); first+12 <= 32768; first += 12 {
		free := true
		for port := first; port < first+12 && free; port++ {
			c, err := net.ListenUDP("udp4", &net.UDPAddr{Port: port})
			if free = err == nil; free {
				_ = c.Close()
			}
		}
		if free {
			return first
		}
	}
	t.Fatal("no free UDP ports")
	return 0
}

func dial(t testing.TB, o ibsim.Options, node string) *ibsim.Transport {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o.Node = node
	for {
		tr, err := ibsim.Dial(ctx, o)
		if err == nil {
			return tr
		}
		if !errors.Is(err, wire.ErrTimeout) || ctx.Err() != nil { // it may take longer to start than Dial waits
			t.Fatal(err)
		}
	}
}

func TestConformance(t *testing.T) {
	for name, udp := range map[string]bool{"unix": false, "udp": true} {
		t.Run(name, func(t *testing.T) {
			wiretest.Run(t, func(t *testing.T) func(string) wire.Transport {
				o := simulator(t, udp)
				return func(node string) wire.Transport { return dial(t, o, node) }
			})
		})
	}
}
