package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/emulator"
	"weft/emulator/live"
	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/umad"
)

// wireFlags say which subnet to attach to, and how to talk to it.
type wireFlags struct {
	fabric    fabricFlags
	transport string
	window    int
	timeout   time.Duration
	retries   int
	mKey      uint64
	dev, sys  string
}

const transportHelp = `--transport says which subnet:
  ibsim                       a running ibsim, found as its own programs find it
                              (IBSIM_SOCKNAME, IBSIM_SERVER_NAME, IBSIM_SERVER_PORT, SIM_HOST)
  ibsim:[SOCKET][@NODE]       its socket name, and the node to attach to
  ibsim:udp:HOST[:PORT][@NODE]  the same by UDP
  umad:[DEVICE][/PORT]        a port of this machine, such as umad:mlx5_0/1
  emulate:FABRIC              an emulated fabric in this process; any FABRIC`

func (w *wireFlags) add(cmd *cobra.Command) {
	w.fabric.add(cmd)
	f := cmd.Flags()
	f.StringVarP(&w.transport, "transport", "t", "umad:", "the subnet: ibsim, umad:DEVICE/PORT, emulate:FABRIC ...")
	f.IntVar(&w.window, "window", 32, "management datagrams in flight at a time")
	f.DurationVar(&w.timeout, "timeout", 200*time.Millisecond, "how long an answer may take")
	f.IntVar(&w.retries, "retries", 7, "how often a datagram is repeated that is not answered; more where the wire is seen to lose many")
	f.StringVar(&w.dev, "umad-dev", "", "directory of the devices umadN and issmN (default: /dev/infiniband)")
	f.StringVar(&w.sys, "umad-sys", "", "directory that stands for /sys, as weft emulate --umad makes it")
	f.Uint64Var(&w.mKey, "m-key", 0, "M_Key to ask with; weft sm also gives it to every port")
}

func (w *wireFlags) config() (wire.Config, error) {
	if w.window < 1 || w.timeout <= 0 || w.retries < 0 {
		return wire.Config{}, errors.New("--window must be at least 1, --timeout more than 0, --retries at least 0")
	}
	c := wire.Config{Window: w.window, Timeout: w.timeout, Retries: w.retries}
	if w.retries == 0 {
		c.Retries = wire.NoRetries
	}
	return c, nil
}

// open attaches to the subnet, as its manager or to look only. A subnet that is
// not there is exit status 3.
func (w *wireFlags) open(cmd *cobra.Command, manage bool) (wire.Transport, error) {
	ctx := cmd.Context()
	medium, rest, _ := strings.Cut(w.transport, ":")
	var (
		t   wire.Transport
		err error
	)
	switch medium {
	case "ibsim":
		o, bad := ibsimOptions(rest, os.Getenv)
		if bad != nil {
			return nil, bad
		}
		t, err = ibsim.Dial(ctx, o)
	case "umad":
		o, bad := umadOptions(rest, manage)
		if bad != nil {
			return nil, bad
		}
		if o.Dev = w.dev; w.sys != "" {
			o.Sys = os.DirFS(w.sys)
		}
		t, err = umad.Open(ctx, o)
	case "emulate":
		return w.emulate(cmd, rest)
	default:
		return nil, fmt.Errorf("--transport %q: no medium of that name (ibsim, umad, emulate)", w.transport)
	}
	if err != nil {
		return nil, &exitError{exitCannot, fmt.Errorf("--transport %s: %w", w.transport, err)}
	}
	return t, nil
}

// ibsimOptions reads [SOCKET][@NODE] or udp:HOST[:PORT][@NODE]; what is not said is
// taken from the environment, as the programs of ibsim do.
func ibsimOptions(text string, env func(string) string) (ibsim.Options, error) {
	where, node, _ := strings.Cut(text, "@")
	o := ibsim.Options{Node: node, Base: env("IBSIM_SOCKNAME"), Server: env("IBSIM_SERVER_NAME")}
	if node == "" {
		o.Node = env("SIM_HOST")
	}
	port := env("IBSIM_SERVER_PORT")
	if host, ok := strings.CutPrefix(where, "udp:"); ok {
		o.Server, port, _ = strings.Cut(host, ":")
		if o.Server == "" {
			return o, fmt.Errorf("--transport ibsim:%s: no host is named", text)
		}
	} else if where != "" {
		o.Base, o.Server = where, ""
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return o, fmt.Errorf("--transport ibsim:%s: %q is not a UDP port", text, port)
		}
		o.Port = int(n)
	}
	return o, nil
}

// umadOptions reads [DEVICE][/PORT].
func umadOptions(text string, manage bool) (umad.Options, error) {
	device, port, given := strings.Cut(text, "/")
	o := umad.Options{CA: device}
	if manage {
		o.Agents = umad.ManagerAgents()
	}
	if given {
		n, err := strconv.ParseUint(port, 10, 8)
		if err != nil {
			return o, fmt.Errorf("--transport umad:%s: %q is not a port number", text, port)
		}
		o.Port = uint8(n)
	}
	return o, nil
}

// clock counts from now on.
func clock() func() time.Duration {
	origin := time.Now()
	return func() time.Duration { return time.Since(origin) }
}

// interrupted makes what ended a run over the wire an exit status.
func interrupted(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return &exitError{exitCannot, err}
}

// emulate attaches to an emulated fabric in this process.
func (w *wireFlags) emulate(cmd *cobra.Command, arg string) (wire.Transport, error) {
	src, err := w.fabric.open(cmd, arg)
	if err != nil {
		return nil, err
	}
	subnet, err := emulator.New(src.Fabric, emulator.Options{KeepLIDs: true})
	if err != nil {
		return nil, err
	}
	at, err := subnet.DefaultEnd()
	if err != nil {
		return nil, err
	}
	return live.New(subnet, clock()).Attach(at)
}
