package manage

import (
	"fmt"

	"github.com/spf13/pflag"

	simcongestion "weft/sim/congestion"
	"weft/sm/congestion"
)

// congestionFlags say what devices are told of congestion control.
type congestionFlags struct {
	control string
	key     uint64
}

func (c *congestionFlags) add(f *pflag.FlagSet) {
	f.StringVar(&c.control, "congestion-control", "", "tell switches and adapters how to control congestion: on, off, or what weft simulate packet --cc takes, such as threshold=15,timer=30.72us (default: they are told nothing)")
	f.Uint64Var(&c.key, "cc-key", 0, "CC_Key that devices want for that; they are not given it")
}

// read reads the settings, nil where devices are told nothing.
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
