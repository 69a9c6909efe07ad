// Package attach opens the subnet named by a text: behind a port of this machine, emulated and
// served by ibsim or weft, or emulated in this process.
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
	// Fabric is the FABRIC argument of a subnet that Emulate emulates in this process; empty for
	// others, which Open attaches to.
	Fabric string

	ibsim *ibsim.Options
	umad  *umad.Options
}

// Parse reads the text that names a subnet. Missing settings of ibsim come from the environment.
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
			return nil, errors.New("emulate: the FABRIC is missing, as in emulate:FABRIC")
		}
		return &Target{Fabric: rest}, nil
	}
	return nil, fmt.Errorf("%q: unknown medium (want ibsim, umad or emulate)", text)
}

// Options of Open.
type Options struct {
	Manager bool   // attach as the subnet manager, not only to read
	Dev     string // directory of the umad devices; empty: /dev/infiniband
	Sys     fs.FS  // in place of /sys/class; nil: /sys/class

	Clock func() time.Duration // never goes back
}

// ibsimRMPP configures RMPP over ibsim. Its own clients take the first segment and never
// acknowledge it, and a repeated segment could reach another client that has taken over their slot.
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

// Emulate emulates a fabric in this process and attaches to its first CA.
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
