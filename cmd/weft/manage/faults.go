package manage

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/sm/terms"
)

// addFaultFlags adds the flags that say what is done about faults of a subnet.
func (s *smFlags) addFaultFlags(cmd *cobra.Command) {
	f, usual := cmd.Flags(), terms.UsualWatch.Flaps
	f.StringArrayVar(&s.config.Drain, "drain", nil, "a switch that lets no traffic of others through, or a cable that carries nothing, though it is up; may be given several times")
	f.StringVar(&s.expect, "expect", "", "the topology that should be there, a file or a formula; what deviates from it is told")
	f.BoolVar(&s.config.QuarantineStrangers, "quarantine-strangers", false, "leave nodes out that --expect does not have: no LID, and links that are not Active stay so; other managers must be expected")
	f.IntVar(&s.watch.KeepAbsent, "keep-absent", 0, "full sweeps that must miss a node until its LIDs may be given to others; 0: they never are")
	f.IntVar(&s.watch.Flaps.Times, "flaps", usual.Times, "a link that comes back more often than this within --flaps-within is put in quarantine; 0: none is")
	f.DurationVar(&s.watch.Flaps.Within, "flaps-within", usual.Within, "the time in which links that come back are counted")
	f.DurationVar(&s.watch.Flaps.Hold, "quarantine", usual.Hold, "how long a link in quarantine must be up before it is used again, doubled each time")
}

// checkFaultFlags says what is wrong with them.
func (s *smFlags) checkFaultFlags() error {
	switch r := s.watch.Flaps; {
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

// expected opens the topology that should be there, nil where none is named.
func (s *smFlags) expected(cmd *cobra.Command) (*fabric.Fabric, error) {
	if s.expect == "" {
		if s.config.QuarantineStrangers {
			return nil, errors.New("--quarantine-strangers goes with --expect FABRIC, which says who is none")
		}
		return nil, nil
	}
	src, err := (&cli.FabricFlags{Quiet: true}).Open(cmd, s.expect)
	if err != nil {
		return nil, fmt.Errorf("--expect: %w", err)
	}
	return src.Fabric, nil
}
