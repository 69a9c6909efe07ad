package sm

import (
	"reflect"
	"time"

	"weft/route/job"
	"weft/sm/congestion"
	"weft/sm/perf"
)

// Settings hold the options that a running Manager can be given anew. Of Config it takes Unproven, TakeOver, AskRoles, SMKey, Priority, Keys, Partitions, Levels, Drain,
// Expected and QuarantineStrangers; all else holds from the start on.
type Settings struct {
	Config Config
	Watch  Watch
	Afresh bool   // Routing is another one: all is routed afresh
	What   string // has changed, in words

	// Taken by the Runner.
	Routing    job.Request
	Counters   perf.Config
	Congestion *congestion.Settings
}

// wantedRound is a round that somebody has asked for.
type wantedRound struct {
	why    string // "" where none is wanted
	afresh bool   // all is to be routed afresh, until a round has done so
}

// ask asks for a round, which begins as soon as none is under way. A manager that stands by leaves the subnet alone.
func (m *Manager) ask(why string, afresh bool) {
	switch {
	case m.stopped:
	case m.election.master != nil || m.election.off:
		m.tell(AskedFor, "%s: nothing is done, since another manager is the master", why)
	default:
		m.wanted.afresh = m.wanted.afresh || afresh
		m.wanted.why = why
	}
}

// reconfigure takes new settings. A round that is under way goes on with the old ones.
func (m *Manager) reconfigure(now time.Duration, s *Settings) {
	if m.stopped || m.watch.Interval <= 0 {
		return
	}
	was, to := m.cfg, &s.Config
	m.cfg.Unproven, m.cfg.TakeOver, m.cfg.AskRoles = to.Unproven, to.TakeOver, to.AskRoles
	m.cfg.SMKey, m.cfg.Priority, m.cfg.Keys = to.SMKey, to.Priority, to.Keys
	m.takePartitions(to.Partitions)
	m.cfg.Levels = to.Levels
	m.cfg.Drain, m.cfg.Expected, m.cfg.QuarantineStrangers = to.Drain, to.Expected, to.QuarantineStrangers
	m.watch = s.Watch
	m.tell(NewSettings, "%s", s.What)
	m.sweep.due = sooner(m.sweep.due, now+s.Watch.Interval)
	m.again = sooner(m.again, now+s.Watch.MostRetry)
	m.election.due = sooner(m.election.due, now+s.Watch.Interval)
	if m.afresh = sooner(m.afresh, now+s.Watch.Rebalance); s.Watch.Rebalance <= 0 {
		m.afresh = never
	}
	isMaster := m.election.master == nil && !m.election.off
	switch {
	case s.Afresh && isMaster:
		m.ask("the routing was told otherwise", true)
	case isMaster && !reflect.DeepEqual(m.cfg.Partitions, was.Partitions):
		m.ask("the partitions were told otherwise", false)
	case isMaster && !reflect.DeepEqual(m.cfg.Levels, was.Levels):
		m.ask("the levels of service were told otherwise", false)
	case m.cfg.Priority != was.Priority && isMaster: // a standby may go before us now
		m.ask("the priority was told otherwise", false)
	case !m.cfg.Keys.givesSame(&was.Keys) && isMaster:
		m.ask("the M_Keys were told otherwise", false)
	}
}

// takePartitions takes the partitions of our own file. A master goes by them from now on; where none are named, and none were, it keeps those of the master before
// it. One that stands by goes by those of its master when it takes its place.
func (m *Manager) takePartitions(own *Partitioning) {
	if own != nil || m.ownPartitions != nil {
		m.cfg.Partitions = own.after(m.cfg.Partitions)
	}
	m.ownPartitions = own
}

// sooner returns when something is due whose waiting time has changed: never stays never.
func sooner(due, at time.Duration) time.Duration {
	if due == never {
		return never
	}
	return min(due, at)
}
