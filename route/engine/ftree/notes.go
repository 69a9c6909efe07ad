package ftree

import (
	"context"
	"fmt"

	"weft/internal/par"
	"weft/route"
)

// notes says what the lanes cost: those of vftree leave fewer service levels for QoS
// (paper II, section V-B), and so does a second lane.
func (y *layout) notes(allowed int) []string {
	var notes []string
	if y.apart != nil {
		notes = append(notes, "paths that are not up and then down have a lane of their own: on that of the others they would close a cycle")
	}
	takes := "routing"
	if y.spread {
		takes = "lanes=vftree"
	}
	if takes += fmt.Sprintf(" takes %d SLs and as many VLs", y.lanes); y.apart == nil {
		takes += ", the same both ways"
	}
	return append(notes, fmt.Sprintf("%s: the %d VLs allowed have room for %d service levels for QoS, %d on one lane", takes, allowed, allowed/y.lanes, allowed))
}

// apartBySubtree counts the pairs of connected end ports that the subtree of paper III has
// left apart: on degraded trees some switches, and switches and hosts.
func apartBySubtree(ctx context.Context, in *route.Input, tables *route.Tables) ([]string, error) {
	g := in.Graph
	part, _ := g.Components()
	pairs, first := make([]int, g.NumSwitches), make([]int32, g.NumSwitches)
	err := par.For(ctx, in.Workers, g.NumSwitches, func(_, s int) error {
		first[s] = -1
		for end := range int32(g.NumEnds) {
			lid := in.Ends.Base[end]
			if lid != 0 && part[s] == part[g.EndSwitch[end]] && tables.Port(int32(s), lid) == route.NoPort {
				pairs[s] += 1 + len(g.HostsOf(int32(s)))
				if first[s] < 0 {
					first[s] = end
				}
			}
		}
		return nil
	})
	all, from := 0, -1
	for s, n := range pairs {
		if all += n; n > 0 && from < 0 {
			from = s
		}
	}
	if err != nil || all == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("switches=sftree leaves %d pairs of ports apart that cables join, as %s to %s; switches=all joins them",
		all, route.SwitchName(g, int32(from)), route.EndName(g, first[from]))}, nil
}
