package service

import (
	"slices"
	"testing"

	"weft/sm/terms"
	"weft/sm/watch"
)

func TestNotifier(t *testing.T) {
	var sent []string
	n := &Notifier{Send: func(state string) { sent = append(sent, state) }}
	up := master()
	up.UnderWay, up.Last = nil, up.InForce
	first := &watch.Snapshot{Role: terms.Looking, UnderWay: &watch.Round{Number: 1, Why: "the manager\nhas started", Phase: "discover"}}
	again := *first
	again.UnderWay = &watch.Round{Number: 1, Why: "the manager\nhas started", Phase: "route"}
	n.Show(first)
	n.Show(&again) // nothing that a status tells has changed
	n.Show(up)
	n.Show(up)
	n.Reloading("MONOTONIC_USEC=17")
	n.Reloaded()
	n.Show(master())
	n.Alive()
	n.Stopping()
	want := []string{
		"STATUS=looking; round 1 is under way: the manager has started",
		"READY=1\nSTATUS=master: SUBNET UP, 12 switches, 32 CAs, 64 links, engine ftree",
		"RELOADING=1\nMONOTONIC_USEC=17", "READY=1",
		"STATUS=master: NOT ROUTED, 12 switches, 32 CAs, 63 links, engine ftree, not proven; round 3 is under way: asked for",
		"WATCHDOG=1", "STOPPING=1",
	}
	if !slices.Equal(sent, want) {
		t.Errorf("%q\nwant\n%q", sent, want)
	}
	sent = nil
	n = &Notifier{Send: n.Send}
	n.Show(&watch.Snapshot{Role: terms.StandBy, Other: "host 1"})
	if want := []string{"READY=1\nSTATUS=standby, host 1 is the master"}; !slices.Equal(sent, want) {
		t.Errorf("%q", sent)
	}
}
