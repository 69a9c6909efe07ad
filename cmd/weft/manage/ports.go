package manage

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/emulator/attach"
	"weft/sm"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// runAtPorts runs a manager at one port of the subnet. If this port loses its link, the manager
// continues at the next port of --other-port with a link, in a circle.
func (s *smFlags) runAtPorts(cmd *cobra.Command, runner *sm.Runner, t wire.Transport, tell func(terms.Incident)) error {
	ports := append([]string{s.wires.Transport}, s.others...)
	runner.Leaves = len(ports) > 1
	for at := 0; ; {
		_, err := runner.Run(cmd.Context(), t)
		if !errors.Is(err, sm.ErrNoLink) || cmd.Context().Err() != nil {
			return err
		}
		tell(terms.Incident{Kind: terms.OtherPort, Text: ports[at] + " has lost its link: weft looks for a port of --other-port with a link"})
		if t, at, err = s.openLinked(cmd, ports, at); err != nil {
			return err
		}
		tell(terms.Incident{Kind: terms.OtherPort, Text: "weft continues at " + ports[at]})
	}
}

// checkOthers checks the values of --other-port.
func (s *smFlags) checkOthers() error {
	for _, name := range s.others {
		switch target, err := attach.Parse(name, os.Getenv); {
		case err != nil:
			return fmt.Errorf("--other-port %w", err)
		case target.Fabric != "":
			return fmt.Errorf("--other-port %s: each emulate: is a subnet of its own, so it cannot be another port of this one", name)
		}
	}
	return nil
}

// openLinked opens the first port after the given one that has a link. It waits until one has.
func (s *smFlags) openLinked(cmd *cobra.Command, ports []string, after int) (wire.Transport, int, error) {
	for at := after + 1; ; at++ {
		at %= len(ports)
		next := s.wires
		next.Transport = ports[at]
		if t, err := next.Open(cmd, true); err == nil {
			if p, err := t.Port(cmd.Context()); err == nil && p.State >= mad.PortInit {
				return t, at, nil
			}
			if err := t.Close(); err != nil {
				return nil, 0, fmt.Errorf("%s: %w", ports[at], err)
			}
		}
		if at == after { // none has
			select {
			case <-cmd.Context().Done():
				return nil, 0, cmd.Context().Err()
			case <-time.After(time.Second):
			}
		}
	}
}
