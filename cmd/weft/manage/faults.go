package manage

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/sm/terms"
)

// addFaultFlags adds the options for faulty, drained and unexpected parts.
func (s *smFlags) addFaultFlags(cmd *cobra.Command) {
	f, usual := cmd.Flags(), terms.UsualWatch.Flaps
	f.StringArrayVar(&s.config.Drain, "drain", nil, "keep traffic off this `PART`: a switch then serves only its own hosts, a cable carries nothing; can be repeated")
	f.StringVar(&s.expect, "expect", "", "expected topology, a `FABRIC`; deviations are logged")
	f.BoolVar(&s.config.QuarantineStrangers, "quarantine-strangers", false, "leave out nodes that --expect does not contain: they get no LID, and their links that are not Active stay so; other managers must be expected too")
	f.IntVar(&s.watch.KeepAbsent, "keep-absent", 0, "reuse the LIDs of a node after it was missing in `N` full sweeps; 0: never")
	f.IntVar(&s.watch.Flaps.Times, "flaps", usual.Times, "quarantine a link that comes back more than `N` times within --flaps-within; 0: never")
	f.DurationVar(&s.watch.Flaps.Within, "flaps-within", usual.Within, "period in which the returns of a link are counted")
	f.IntVar(&s.watch.Babble.Rate, "babbling-rate", terms.UsualWatch.Babble.Rate, "report a port that sends more than `N` traps and other SMPs within a minute, or whose link changes 20 times in quarantine; 0: never")
	f.StringVar(&s.babbling, "babbling-port", "report", "what to do with such a port: `report` it, or disable it, except this manager's own and a switch's last link; weft sm undrain enables it")
	f.DurationVar(&s.watch.Flaps.Hold, "quarantine", usual.Hold, "time that a link in quarantine must be up before it is used again; doubled each time")
}

// checkFaultFlags returns an error for values out of range.
func (s *smFlags) checkFaultFlags() error {
	s.watch.Babble.Disable = s.babbling == "disable"
	switch r := s.watch.Flaps; {
	case s.watch.Babble.Rate < 0:
		return errors.New("--babbling-rate must be 0 or more")
	case s.babbling != "disable" && s.babbling != "report":
		return fmt.Errorf("--babbling-port %s: want report or disable", s.babbling)
	case s.watch.KeepAbsent < 0:
		return errors.New("--keep-absent must be 0 or more")
	case r.Times < 0:
		return errors.New("--flaps must be 0 or more")
	case r.Within <= 0 || r.Hold <= 0:
		return errors.New("--flaps-within and --quarantine must be more than 0")
	}
	s.watch.Flaps.MostHold = max(s.watch.Flaps.Hold, terms.UsualWatch.Flaps.MostHold)
	return nil
}

// expected reads the topology of --expect; nil if none is given.
func (s *smFlags) expected(cmd *cobra.Command) (*fabric.Fabric, error) {
	if s.expect == "" {
		if s.config.QuarantineStrangers {
			return nil, errors.New("--quarantine-strangers needs --expect FABRIC, which defines the expected nodes")
		}
		return nil, nil
	}
	src, err := (&cli.FabricFlags{Quiet: true, Names: s.wires.Fabric.Names}).Open(cmd, s.expect)
	if err != nil {
		return nil, fmt.Errorf("--expect: %w", err)
	}
	return src.Fabric, nil
}
