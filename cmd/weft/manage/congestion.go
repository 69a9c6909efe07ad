package manage

import (
	"fmt"

	"github.com/spf13/pflag"

	simcongestion "weft/sim/congestion"
	"weft/sm/congestion"
)

// congestionFlags holds the options of congestion control.
type congestionFlags struct {
	control string
	key     uint64
}

func (c *congestionFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.control, "congestion-control", "", "configure congestion control on switches and adapters: on, off, or `SETTINGS` as for weft simulate packet --cc, such as threshold=15,timer=30.72us (default: leave devices alone)")
	f.Uint64Var(&c.key, "cc-key", 0, "CC_Key `KEY` that devices require for it; weft does not set it")
}

// read parses the settings; nil if congestion control is left alone.
func (c *congestionFlags) read() (*congestion.Settings, error) {
	if c.control == "" {
		return nil, nil
	}
	control, err := simcongestion.Parse(c.control)
	if err != nil {
		return nil, fmt.Errorf("--congestion-control: %w", err)
	}
	return &congestion.Settings{Control: control, Key: c.key}, nil
}
