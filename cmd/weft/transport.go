package main

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

const transportHelp = "--transport says which subnet:\n" + attach.Help

func (w *wireFlags) add(cmd *cobra.Command) {
	w.fabric.add(cmd)
	f := cmd.Flags()
	f.StringVarP(&w.transport, "transport", "t", "umad:", "the subnet: ibsim, umad:DEVICE/PORT, emulate:FABRIC ...")
	f.IntVar(&w.window, "window", 32, "management datagrams in flight at a time")
	f.DurationVar(&w.timeout, "timeout", 200*time.Millisecond, "how long an answer may take")
	f.IntVar(&w.retries, "retries", 7, "how often a datagram is repeated that is not answered; more where the wire is seen to lose many")
	f.StringVar(&w.dev, "umad-dev", "", "directory of the devices umadN and issmN: DIR/dev/infiniband of weft emulate --umad DIR (default: /dev/infiniband)")
	f.StringVar(&w.sys, "umad-sys", "", "directory that stands for /sys/class: DIR/sys/class of weft emulate --umad DIR (default: /sys/class)")
	f.Uint64Var(&w.mKey, "m-key", 0, "M_Key to ask with; weft sm also gives it to every port (one for all; --mkey-secret has one for each)")
}

func (w *wireFlags) config() (wire.Config, error) {
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

// open attaches to the subnet, as its manager or to look only. A subnet that is
// not there is exit status 3.
func (w *wireFlags) open(cmd *cobra.Command, manage bool) (wire.Transport, error) {
	target, err := attach.Parse(w.transport, os.Getenv)
	if err != nil {
		return nil, fmt.Errorf("--transport %w", err)
	}
	if target.Fabric != "" {
		src, err := w.fabric.open(cmd, target.Fabric)
		if err != nil {
			return nil, err
		}
		return attach.Emulate(src.Fabric, clock())
	}
	o := attach.Options{Manager: manage, Dev: w.dev, Clock: clock()}
	if w.sys != "" {
		o.Sys = os.DirFS(w.sys)
	}
	t, err := target.Open(cmd.Context(), o)
	if err != nil {
		return nil, cannot(fmt.Errorf("--transport %s: %w", w.transport, err))
	}
	return t, nil
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
	return cannot(err)
}
