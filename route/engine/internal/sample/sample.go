// Package sample helps engines to try several routings. It weighs switches by their hosts, picks
// some of them for a trial, and estimates the bandwidth of the resulting tables (bandwidth.go).
package sample

import "weft/fabric"

// Weight returns the number of hosts of a switch, 1 in a network without hosts.
func Weight(g *fabric.Graph, s int32) int64 {
	if g.NumHosts == 0 {
		return 1
	}
	return int64(g.HostCount(s))
}

// Hosted lists the switches of a list with hosts, the list itself if there are none.
func Hosted(g *fabric.Graph, list []int32) []int32 {
	var hosted []int32
	for _, s := range list {
		if g.HostCount(s) > 0 {
			hosted = append(hosted, s)
		}
	}
	if hosted == nil {
		return list
	}
	return hosted
}

// Spread picks up to n elements of a list, evenly.
func Spread(list []int32, n int) []int32 {
	n = min(n, len(list))
	picked := make([]int32, n)
	for i := range picked {
		picked[i] = list[i*len(list)/n]
	}
	return picked
}
