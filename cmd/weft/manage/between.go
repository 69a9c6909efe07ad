package manage

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/intersubnet"
	"weft/sm/sa"
)

// gidFlags say how the subnet of a manager is joined with others.
type gidFlags struct {
	prefix   string
	routers  string
	exchange time.Duration
}

func (g *gidFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.prefix, "gid-prefix", "", "prefix of the GIDs of this subnet, 16 hexadecimal digits; each of several subnets has its own (default 0xfe80000000000000)")
	f.StringVar(&g.routers, "routers", "", "mapping file, which weft route writes for several subnets: to which router port packets for a GID with another prefix go; hosts that ask for a path there are told its LID, or that of its backup while the port is not found")
	f.DurationVar(&g.exchange, "exchange", 0, "in place of --routers: look so often at the routers, by which managers of several subnets tell each other what they need to find the ways between them, and tell routers how to send on; 0: not at all")
}

// multicastGIDs is the first byte of the GIDs of groups.
const multicastGIDs = 0xff

func (g *gidFlags) read() (b sa.Between, err error) {
	if g.prefix != "" {
		prefix, err := fabric.ParseGUID(g.prefix)
		if err != nil || prefix == 0 || prefix>>56 == multicastGIDs {
			return b, fmt.Errorf("--gid-prefix %s: want up to 16 hexadecimal digits, not 0, and not ff at the front, which is for groups", g.prefix)
		}
		b.Prefix = uint64(prefix)
	}
	switch {
	case g.exchange < 0:
		return b, fmt.Errorf("--exchange %v: want a time of at least 0", g.exchange)
	case g.exchange > 0 && g.routers != "":
		return b, errors.New("give --routers or --exchange, not both")
	case g.exchange > 0 && g.prefix == "":
		return b, errors.New("--exchange needs --gid-prefix: by their prefixes managers tell subnets apart")
	case g.routers == "":
		return b, nil
	}
	data, err := os.ReadFile(g.routers)
	if err != nil {
		return b, fmt.Errorf("--routers: %w", err)
	}
	m, err := intersubnet.ReadMapping(g.routers, data)
	if err != nil {
		return b, fmt.Errorf("--routers %w", err)
	}
	b.Router = m.Router
	return b, nil
}
