// Package simulators writes networks for packet simulators: ns-3 as HPCC's programs read it, htsim,
// and OMNeT++ (NED).
//
// Sources: simulation/scratch/third.cc and simulation/mix of the repository
// alibaba-edu/High-Precision-Congestion-Control; fat_tree_topology.cpp and the .topo files of
// Broadcom/csg-htsim; the NED reference of the OMNeT++ simulation manual.
//
// Files hold the parts that are up. Fabrics do not know how long their cables are, so every cable
// has the same delay. An aggregation node (SHARP) is no host and is left out.
package simulators

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// usualMbps is the rate of a cable of unknown rate, 4xEDR.
const usualMbps = 100_000

// listing is a network in the order of a file.
type listing struct {
	*fabric.Fabric
	hosts, switches []fabric.NodeID // by GUID; routers are hosts: they end a subnet
	links           []fabric.LinkID // by their nodes and ports
	warnings        []lines.Warning
}

func newListing(f *fabric.Fabric) (*listing, error) {
	l := &listing{Fabric: f}
	order := lines.ListingOrder(f)
	slices.SortStableFunc(order, func(a, b fabric.NodeID) int { return cmp.Compare(f.Nodes[a].GUID, f.Nodes[b].GUID) })
	for _, id := range order {
		switch {
		case f.Nodes[id].Type == fabric.Switch:
			l.switches = append(l.switches, id)
		case f.IsAggregationNode(id):
		default:
			l.hosts = append(l.hosts, id)
		}
	}
	if len(l.hosts)+len(l.switches) == 0 {
		return nil, fmt.Errorf("netfile: no node of this fabric is up")
	}
	done, unknown := make([]bool, len(f.Links)), 0
	for _, nodes := range [][]fabric.NodeID{l.hosts, l.switches} {
		for _, id := range nodes {
			for _, link := range f.Cabled(id, f.LinkUp) {
				k := &f.Links[link]
				if done[link] || f.IsAggregationNode(k.A.Node) || f.IsAggregationNode(k.B.Node) {
					continue
				}
				done[link] = true
				l.links = append(l.links, link)
				if fabric.Rate(k.Width, k.Speed) == 0 {
					unknown++
				}
			}
		}
	}
	if unknown > 0 {
		l.warnf("the rate of %d cables is unknown: taken as %s", unknown, rateText(usualMbps))
	}
	return l, nil
}

// warnf adds a warning.
func (l *listing) warnf(format string, args ...any) {
	l.warnings = append(l.warnings, lines.Warningf(l.Name, 0, format, args...))
}

// mbps returns the data rate of a cable in Mbit/s.
func (l *listing) mbps(id fabric.LinkID) int32 {
	if rate := fabric.Rate(l.Links[id].Width, l.Links[id].Speed); rate > 0 {
		return rate
	}
	return usualMbps
}

// rateText formats a data rate as ns-3 and OMNeT++ read it.
func rateText(mbps int32) string {
	if mbps%1000 == 0 {
		return fmt.Sprintf("%dGbps", mbps/1000)
	}
	return fmt.Sprintf("%dMbps", mbps)
}

// wholeGbps returns a data rate in Gbit/s, rounded.
func wholeGbps(mbps int32) int { return int(math.Round(float64(mbps) / 1000)) }
