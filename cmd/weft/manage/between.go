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

// gidFlags holds the options for a subnet that is joined with others by routers.
type gidFlags struct {
	prefix   string
	routers  string
	exchange time.Duration
}

func (g *gidFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.prefix, "gid-prefix", "", "GID `PREFIX` of this subnet, 16 hexadecimal digits; different for each of several subnets (default 0xfe80000000000000)")
	f.StringVar(&g.routers, "routers", "", "mapping `FILE` from weft route for several subnets: the router port for packets to GIDs with another prefix. Hosts that ask for such a path get its LID, or that of its backup while the port is missing")
	f.DurationVar(&g.exchange, "exchange", 0, "instead of --routers: exchange routes with the managers of other subnets through the routers, this often, and set the routers' tables; 0: never")
}

// multicastGIDs is the first byte of multicast GIDs.
const multicastGIDs = 0xff

func (g *gidFlags) read() (b sa.Between, err error) {
	if g.prefix != "" {
		prefix, err := fabric.ParseGUID(g.prefix)
		if err != nil || prefix == 0 || prefix>>56 == multicastGIDs {
			return b, fmt.Errorf("--gid-prefix %s: want up to 16 hexadecimal digits, not 0, and not beginning with ff, which is for multicast groups", g.prefix)
		}
		b.Prefix = uint64(prefix)
	}
	switch {
	case g.exchange < 0:
		return b, fmt.Errorf("--exchange %v: want a time of at least 0", g.exchange)
	case g.exchange > 0 && g.routers != "":
		return b, errors.New("give --routers or --exchange, not both")
	case g.exchange > 0 && g.prefix == "":
		return b, errors.New("--exchange needs --gid-prefix: managers distinguish subnets by their prefixes")
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
