package watch

import (
	"time"

	"weft/sm/round"
	"weft/sm/terms"
)

// wantedRound is a requested round.
type wantedRound struct {
	why    string // "" where none is wanted
	afresh bool   // route from scratch
	tables bool   // read all tables
}

// addRest adds what the round that has ended was to do and did not. Only a round that brings the
// subnet up has done something; without a Plan in force it reads no tables.
func (w *wantedRound) addRest(of wantedRound, up bool, did *round.Given) {
	w.afresh = w.afresh || of.afresh && !up
	w.tables = w.tables || of.tables && !(up && did.ReadTables)
}

// ask requests a round, which begins as soon as none is under way. A standby refuses.
func (m *Manager) ask(why string, afresh bool) {
	switch {
	case m.stopped:
	case m.election.master != nil || m.election.off:
		m.tell(terms.AskedFor, "%s: ignored, since another manager is the master", why)
	default:
		m.others.decide(m, "a person has asked for a round")
		m.wanted.afresh = m.wanted.afresh || afresh
		m.wanted.why = why
	}
}

// reconfigure takes new settings. A round under way continues with the old ones.
func (m *Manager) reconfigure(now time.Duration, s *terms.Settings) {
	if m.stopped || m.watch.Interval <= 0 {
		return
	}
	was, to := m.cfg, &s.Config
	m.cfg.Unproven, m.cfg.TakeOver, m.cfg.AskRoles = to.Unproven, to.TakeOver, to.AskRoles
	m.cfg.SMKey, m.cfg.Priority, m.cfg.Keys = to.SMKey, to.Priority, to.Keys
	m.takeFiles(s)
	m.cfg.Options, m.cfg.Pause = to.Options, to.Pause
	m.cfg.FillIn()
	m.cfg.Drain, m.cfg.Expected, m.cfg.QuarantineStrangers = to.Drain, to.Expected, to.QuarantineStrangers
	m.cfg.Names, m.cfg.Tuning, m.cfg.Between.Prefixes = to.Names, to.Tuning, to.Between.Prefixes
	m.cfg.Admitted = nil
	m.watch = s.Watch
	m.tell(terms.NewSettings, "%s", s.What)
	m.sweep.due = sooner(m.sweep.due, now+s.Watch.Interval)
	m.again = sooner(m.again, now+s.Watch.MostRetry)
	m.election.due = sooner(m.election.due, now+s.Watch.Interval)
	before := m.afresh
	scheduleAfresh(m)
	m.afresh = sooner(m.afresh, before)
	m.forcing.Reset()
	if m.jobs.Reconfigure(now, m.watch.Jobs, m.inRound && isTurn(m)); m.inForce != nil {
		followJobs(m)
	}
	m.tellRules()
	m.others.decide(m, "the settings were reloaded")
	if m.election.master != nil || m.election.off {
		return
	}
	if s.Afresh {
		dropBetter(m) // it is by the former settings
		m.ask("the settings of routing have changed", true)
	} else if what := terms.SettingsForRound(&was, &m.cfg); what != "" {
		m.ask(what+" changed", false)
	}
}

// sooner returns when work is due after its delay has changed; never stays never.
func sooner(due, at time.Duration) time.Duration {
	if due == terms.Never {
		return terms.Never
	}
	return min(due, at)
}

// tellKeys logs, after the first round with new Keys, whether all ports accepted theirs.
func (m *Manager) tellKeys() {
	k := m.keys
	if !k.Told || !k.Given() {
		return
	}
	k.Told = false
	ports, old := 0, 0
	for slot := range m.result.Ledger.Addressable {
		ports++
		if _, ok := k.Has[m.result.Ledger.GUID[slot]]; ok {
			old++
		}
	}
	if old > 0 {
		m.tell(terms.KeysGiven, "%d of %d ports have not accepted their new M_Keys", old, ports)
		return
	}
	if k.One == 0 && len(k.Secret) == 0 {
		m.tell(terms.KeysGiven, "%d ports have no M_Key any more; absent ports may still have old ones", ports)
		return
	}
	m.tell(terms.KeysGiven, "%d ports have their new M_Keys; absent ports may still have old ones", ports)
}
