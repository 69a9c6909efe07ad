package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/emulator/attach"
	"weft/wire"
)

// WireFlags holds the options for attaching to a subnet.
type WireFlags struct {
	Fabric    FabricFlags // of an emulated subnet; the names are those of any subnet
	Transport string
	window    int
	timeout   time.Duration
	retries   int
	MKey      uint64
	dev, sys  string
}

// TransportHelp explains --transport in the help texts of commands that attach to a subnet.
const TransportHelp = "CHOOSING THE SUBNET\n\n--transport selects the subnet, and the port to attach to:\n\n" + attach.Help

// Add adds the flags.
func (w *WireFlags) Add(cmd *cobra.Command) {
	w.Fabric.Add(cmd)
	f := cmd.Flags()
	f.StringVarP(&w.Transport, "transport", "t", "umad:", "subnet and `PORT` to attach to: ibsim, umad:DEVICE/PORT, emulate:FABRIC ...")
	f.IntVar(&w.window, "window", 32, "number `N` of management datagrams in flight at a time")
	f.DurationVar(&w.timeout, "timeout", 200*time.Millisecond, "time to wait for an answer")
	f.IntVar(&w.retries, "retries", 7, "repeat an unanswered datagram up to `N` times; more if the subnet is seen to lose many")
	f.StringVar(&w.dev, "umad-dev", "", "`DIR` with the devices umadN and issmN; UMAD/dev/infiniband for weft emulate --umad UMAD (default: /dev/infiniband)")
	f.StringVar(&w.sys, "umad-sys", "", "`DIR` used as /sys/class; UMAD/sys/class for weft emulate --umad UMAD (default: /sys/class)")
	f.Uint64Var(&w.MKey, "m-key", 0, "M_Key `KEY` to access ports with")
}

// Config checks the flags and returns the settings of the requester.
func (w *WireFlags) Config() (wire.Config, error) {
	if w.window < 1 || w.window > wire.MaxWindow {
		return wire.Config{}, fmt.Errorf("--window %d: want 1 to %d datagrams in flight", w.window, wire.MaxWindow)
	}
	if w.timeout <= 0 || w.retries < 0 {
		return wire.Config{}, errors.New("--timeout must be more than 0, --retries at least 0")
	}
	c := wire.Config{Window: w.window, Timeout: w.timeout, Retries: w.retries}
	if w.retries == 0 {
		c.Retries = wire.NoRetries
	}
	return c, nil
}

// Open attaches to the subnet, as its manager or as an observer. A missing subnet gives exit status
// 3.
func (w *WireFlags) Open(cmd *cobra.Command, manage bool) (wire.Transport, error) {
	target, err := attach.Parse(w.Transport, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("--transport %w", err)
	}
	if target.Fabric != "" {
		emulated := w.Fabric
		emulated.Names = "" // devices keep their descriptions
		src, err := emulated.Open(cmd, target.Fabric)
		if err != nil {
			return nil, err
		}
		return attach.Emulate(src.Fabric, Clock())
	}
	o := attach.Options{Manager: manage, Dev: w.dev, Clock: Clock()}
	if w.sys != "" {
		o.Sys = os.DirFS(w.sys)
	}
	t, err := target.Open(cmd.Context(), o)
	if err != nil {
		return nil, Cannot(fmt.Errorf("--transport %s: %w", w.Transport, err))
	}
	return t, nil
}

// Clock returns a clock that starts now.
func Clock() func() time.Duration {
	origin := time.Now()
	return func() time.Duration { return time.Since(origin) }
}

// Interrupted gives the error that ended a run on a subnet its exit status.
func Interrupted(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return Cannot(err)
}
