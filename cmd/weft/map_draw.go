package main

import (
	"io"

	"github.com/spf13/cobra"

	"weft/mapping"
	"weft/mapping/draw"
)

// mapDraw is the picture that weft map makes of a map.
type mapDraw struct {
	file string
}

func (d *mapDraw) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.file, "svg", "", "file to draw the map to: hosts on top, levels of switches")
}

// write draws a map, the utility host at the bottom if it is alone on its switch.
func (d *mapDraw) write(cmd *cobra.Command, title string, n *mapping.Network, utility int32) error {
	if d.file == "" {
		return nil
	}
	return output(cmd, d.file, func(w io.Writer) error {
		return draw.SVG(w, n, draw.Options{Title: title, Utility: utility})
	})
}

// mapUtility is the machine for system services, which the paper's own system leaves
// out when it looks for a root far from all hosts.
type mapUtility struct {
	name string
}

func (u *mapUtility) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&u.name, "utility", "", "host that does not count when a root is chosen, and is drawn below (default: the one that maps)")
}

// host finds it in a map.
func (u *mapUtility) host(n *mapping.Network, mapper mapping.Host) (int32, error) {
	if u.name == "" {
		return hostOf(n, mapper), nil
	}
	return n.HostByName(u.name)
}

// hostOf is a host of a map by its address, -1 when it is not there.
func hostOf(n *mapping.Network, h mapping.Host) int32 {
	for i := range n.Hosts {
		if n.Hosts[i].ID == h.ID {
			return int32(i)
		}
	}
	return -1
}
