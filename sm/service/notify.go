package service

import (
	"fmt"
	"strings"
	"sync"

	"weft/sm/terms"
	"weft/sm/watch"
)

// Notifier reports the manager's state to a service manager in the words of sd_notify(3): READY
// after the first round or on standby, STATUS on changes, RELOADING and READY around new options,
// STOPPING. It is safe for concurrent use.
type Notifier struct {
	Send func(state string)

	mu     sync.Mutex
	ready  bool
	status string
}

// Show reports changes of the state.
func (n *Notifier) Show(s *watch.Snapshot) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var lines []string
	if !n.ready && (s.Last != nil || s.Role == terms.StandBy) {
		n.ready = true
		lines = append(lines, "READY=1")
	}
	if text := statusText(s); text != n.status {
		n.status = text
		lines = append(lines, "STATUS="+text)
	}
	if len(lines) > 0 {
		n.Send(strings.Join(lines, "\n"))
	}
}

// Reloading reports that options are being read again; since is MONOTONIC_USEC=... of this moment.
func (n *Notifier) Reloading(since string) { n.send("RELOADING=1\n" + since) }

// Reloaded reports that options have been read.
func (n *Notifier) Reloaded() { n.send("READY=1") }

// Alive reports that the manager is responsive.
func (n *Notifier) Alive() { n.send("WATCHDOG=1") }

// Stopping reports that the manager is ending.
func (n *Notifier) Stopping() { n.send("STOPPING=1") }

// send sends one state at a time.
func (n *Notifier) send(state string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Send(state)
}

// statusText describes the manager's state in one line.
func statusText(s *watch.Snapshot) string {
	text := string(s.Role)
	if s.Role == terms.StandBy && s.Other != "" {
		text += ", " + s.Other + " is the master"
	}
	if i := newInForce(&shown{Snapshot: s}); i != nil {
		text += fmt.Sprintf(": %s, %d switches, %d CAs, %d links, engine %s", i.State, i.Switches, i.CAs, i.Links, i.Engine)
		if !i.Proven {
			text += ", not proven"
		}
	}
	switch {
	case s.UnderWay != nil:
		text += fmt.Sprintf("; round %d is under way: %s", s.UnderWay.Number, s.UnderWay.Why)
	case s.Last != nil && s.Last != s.InForce:
		text += fmt.Sprintf("; the last round ended %s", s.Last.Report.State)
	}
	return strings.Join(strings.Fields(text), " ")
}
