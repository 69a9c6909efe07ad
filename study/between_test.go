package study

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/route/job"
)

// What is lost under the old Plans is what a walk of every pair loses. All that still has a way is reached again, by backup routes too where a router is
// left that has the place of the lost one.
func TestAskBetween(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"subnets(3,torus(3x3),shape=chain,routers=2)", "subnets(3,rlft(4,2),routers=3)", "subnets(2,mesh(2x3,hosts=2),core=torus(3x3,hosts=0),routers=2)"}).Draw(t, "network")
		n := subnetstest.Network(t, text)
		method := rapid.SampledFrom([]intersubnet.Method{intersubnet.Baseline, intersubnet.ISFR, intersubnet.Nearest}).Draw(t, "method")
		chain, err := job.ParseEngines("updn", nil)
		if err != nil {
			t.Fatal(err)
		}
		req := &intersubnet.Request{Method: method, Local: job.Request{Chain: chain, Workers: 1}}
		var fault BetweenFault
		port := int32(rapid.IntRange(0, len(n.Ports)-1).Draw(t, "port"))
		if rapid.Bool().Draw(t, "whole router") {
			err = fault.AddFault(n, n.Routers[n.Ports[port].Router].Name)
		} else {
			fault.Ports = []int32{port}
		}
		if err != nil {
			t.Fatal(err)
		}
		s := rapid.IntRange(0, len(n.Subnets)-1).Draw(t, "subnet")
		f := n.Kinds[n.Subnets[s].Kind].Fabric
		for id := range f.Links {
			if f.IsSwitchLink(fabric.LinkID(id)) && rapid.IntRange(0, 9).Draw(t, "link") == 0 && fault.Links == nil {
				fault.Links = map[int]LinkSet{s: {fabric.LinkID(id): true}}
			}
		}
		a, err := AskBetween(context.Background(), n, req, &fault, false, &intersubnet.FlowRequest{Runs: 2, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, r, err := routeBetween(context.Background(), n, req, false)
		if err != nil {
			t.Fatal(err)
		}
		_, old, err := changedNetwork(n, r.Plan, &fault)
		if err != nil {
			t.Fatal(err)
		}
		old.Down = make([]bool, len(n.Ports))
		for _, port := range fault.Ports {
			old.Down[port] = true
		}
		if lost := lostPairs(old); lost != a.AsIs.Lost {
			t.Fatalf("%d pairs are lost, by a walk of each %d", a.AsIs.Lost, lost)
		}
		if a.Today.Lost != 0 || a.Fresh.Lost != a.Fresh.CutOff || a.OK != (a.Fresh.CutOff == 0) {
			t.Fatalf("%+v: %+v", a, a.Fresh)
		}
		if a.Backups.Lost < a.Fresh.Lost || a.ToBackup > a.Targets || !a.Backups.DeadlockFree {
			t.Fatalf("backups: %+v", a.Backups)
		}
	})
}

// lostPairs walks all pairs of end ports in different subnets.
func lostPairs(p *intersubnet.Plan) (lost int64) {
	var all []intersubnet.Address
	for s := range int32(len(p.Net.Subnets)) {
		for e := range int32(p.Net.Graph(s).NumEnds) {
			if !p.Net.IsRouter(s, e) {
				all = append(all, intersubnet.Address{Subnet: s, End: e})
			}
		}
	}
	for _, from := range all {
		for _, to := range all {
			if from.Subnet != to.Subnet {
				if _, ok := p.Path(from, to, nil); !ok {
					lost++
				}
			}
		}
	}
	return lost
}
