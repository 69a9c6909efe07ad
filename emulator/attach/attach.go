// Package attach opens the subnet that a text names: one behind a port of this machine, one
// that ibsim or weft emulate serves, or one that is emulated in this process.
package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/wire"
	"weft/wire/ibsim"
	"weft/wire/rmpp"
	"weft/wire/umad"
)

// Help describes the texts that Parse reads.
const Help = `  ibsim                         a running ibsim or weft emulate, found as ibsim's clients do (IBSIM_SOCKNAME,
                                IBSIM_SERVER_NAME, IBSIM_SERVER_PORT, SIM_HOST)
  ibsim:[SOCKET][@NODE]         ibsim at this socket name, attached to this node
  ibsim:udp:HOST[:PORT][@NODE]  ibsim over UDP
  umad:[DEVICE][/PORT]          an InfiniBand port of this machine, such as umad:mlx5_0/1
  emulate:FABRIC                any FABRIC, emulated inside this process`

// Target is a subnet to attach to.
type Target struct {
	// Fabric is the FABRIC argument of a subnet that is to be emulated in this process, by
	// Emulate; empty for others, which Open attaches to.
	Fabric string

	ibsim *ibsim.Options
	umad  *umad.Options
}

// Parse reads the text that names a subnet. What it leaves open about ibsim is taken from
// the environment.
func Parse(text string, env func(string) string) (*Target, error) {
	medium, rest, _ := strings.Cut(text, ":")
	switch medium {
	case "ibsim":
		o, err := ibsim.ParseOptions(rest, env)
		return &Target{ibsim: &o}, err
	case "umad":
		o, err := umad.ParseOptions(rest)
		return &Target{umad: &o}, err
	case "emulate":
		if rest == "" {
			return nil, errors.New("emulate: no FABRIC is named")
		}
		return &Target{Fabric: rest}, nil
	}
	return nil, fmt.Errorf("%q: no medium of that name (ibsim, umad, emulate)", text)
}

// Options of Open.
type Options struct {
	Manager bool   // it is attached to as its subnet manager, not only to look
	Dev     string // directory of the umad devices; empty: /dev/infiniband
	Sys     fs.FS  // stands for /sys/class; nil: /sys/class

	Clock func() time.Duration // never goes back
}

// ibsimRMPP configures RMPP over ibsim: its own clients take the first segment and never acknowledge it, and one that comes
// again could reach another client that has got their slot.
var ibsimRMPP = rmpp.Config{Retries: wire.NoRetries, Silent: true}

// Open attaches to a subnet outside of this process.
func (t *Target) Open(ctx context.Context, o Options) (wire.Transport, error) {
	if t.ibsim != nil {
		medium, err := ibsim.Dial(ctx, *t.ibsim)
		if err != nil {
			return nil, err
		}
		return rmpp.Over(medium, ibsimRMPP, o.Clock), nil
	}
	device := *t.umad
	device.Dev, device.Sys = o.Dev, o.Sys
	if o.Manager {
		device.Agents = umad.ManagerAgents()
	}
	return umad.Open(ctx, device)
}

// Emulate attaches to the first CA of a fabric that it emulates in this process.
func Emulate(f *fabric.Fabric, clock func() time.Duration) (wire.Transport, error) {
	subnet, err := emulator.New(f, emulator.Options{KeepLIDs: true})
	if err != nil {
		return nil, err
	}
	at, err := subnet.DefaultEnd()
	if err != nil {
		return nil, err
	}
	return live.New(subnet, clock).Attach(at)
}
