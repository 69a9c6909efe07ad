package ftree

import (
	"bytes"
	"context"
	"fmt"

	"weft/fabric"
	"weft/internal/par"
	"weft/route"
)

// notes says what the lanes cost: those of vftree leave fewer service levels for QoS (paper II,
// section V-B), and so does a second lane.
func (y *laneLayout) notes(allowed int) []string {
	var notes []string
	if y.second != nil {
		notes = append(notes, "paths that are not up and then down have a lane of their own: on that of the others they would close a cycle")
	}
	takes := "routing"
	if y.spread {
		takes = "lanes=vftree"
	}
	if takes += fmt.Sprintf(" takes %d SLs and as many VLs", y.lanes); y.second == nil {
		takes += ", the same both ways"
	}
	return append(notes, fmt.Sprintf("%s: the %d VLs allowed have room for %d service levels for QoS, %d on one lane", takes, allowed, allowed/y.lanes, allowed))
}

// unjoinedBySubtree reports the pairs of connected end ports that the subtree of paper III has
// not joined: on degraded trees some switches, and switches and hosts. Switches that share a
// block of their tables are looked at once.
func unjoinedBySubtree(ctx context.Context, in *route.Input, tables *route.Tables) ([]string, error) {
	g := in.Graph
	part, _ := g.Components()
	ends := in.Ends.ByLID()
	found := make([]unjoinedPairs, tables.NumBlocks())
	err := par.For(ctx, in.Workers, len(found), func(_, i int) error {
		here := ends[min(i*route.BlockSize, len(ends)):min((i+1)*route.BlockSize, len(ends))]
		var whole *route.Block // the last one without gaps
		for s := range int32(g.NumSwitches) {
			b := tables.Block(s, i)
			if b == whole {
				continue
			}
			if bytes.IndexByte(b[:len(here)], route.NoPort) < 0 {
				whole = b
				continue
			}
			for k, end := range here {
				if end >= 0 && b[k] == route.NoPort && in.Ends.Base[end] == fabric.LID(i*route.BlockSize+k) && part[s] == part[g.EndSwitch[end]] {
					found[i].add(unjoinedPairs{1 + len(g.HostsOf(s)), s, end})
				}
			}
		}
		return nil
	})
	var all unjoinedPairs
	for _, f := range found {
		all.add(f)
	}
	if err != nil || all.pairs == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("switches=sftree leaves %d pairs of ports apart that cables join, as %s to %s; switches=all joins them",
		all.pairs, route.SwitchName(g, all.s), route.EndName(g, all.end))}, nil
}

// unjoinedPairs counts pairs of a switch, with its hosts, and an end port that no path joins,
// and holds the first of them.
type unjoinedPairs struct {
	pairs  int
	s, end int32
}

func (a *unjoinedPairs) add(b unjoinedPairs) {
	if b.pairs == 0 {
		return
	}
	if a.pairs == 0 || b.s < a.s || b.s == a.s && b.end < a.end {
		a.s, a.end = b.s, b.end
	}
	a.pairs += b.pairs
}
