package manage

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/sm/sa"
	"weft/sm/state"
	"weft/sm/terms"
)

// away holds what a state file gets when it can be opened, which it could not at the start: its
// folder is missing or read-only, or the disk is full. If the file could be read, ports without a
// stored LID get none meanwhile, as with any file that cannot be written. If nothing is known of
// it, the manager works as without a file.
type away struct {
	why   error
	known bool // the file was read at the start

	changes int // of the fields below
	record  *terms.Record
	drains  *terms.Drains
	since   time.Time // of drains
	wrote   *terms.Wrote
	jobs    *terms.RunningJobs
	entries map[sa.EntryName]sa.Entry
	events  []state.Event
	subnet  *fabric.Fabric
	found   time.Time // of subnet
}

// reopenEvery is the time between two attempts to open the file.
const reopenEvery = time.Second

// mostAway is the maximum number of events that wait for the file.
const mostAway = 10000

// leave decides whether the manager starts without its state file, after an error of opening it. It
// returns an error if the manager must not start: with status 2 if a person must change something,
// else with 3. Otherwise the manager starts with the data that could be read.
func (s *smState) leave(err error, once bool) (*state.Store, error) {
	wrong := fmt.Errorf("--state %w", err)
	if _, refused := errors.AsType[*state.Refused](err); refused {
		return nil, wrong
	}
	if once || errors.Is(err, state.ErrLocked) {
		return nil, cli.Cannot(wrong)
	}
	s.away = &away{why: err, entries: map[sa.EntryName]sa.Entry{}}
	from, unread := state.Read(s.path)
	if _, refused := errors.AsType[*state.Refused](unread); refused {
		return nil, fmt.Errorf("--state %w", unread)
	}
	text := "nothing is read from it either, so it works as without a state file"
	if s.away.known = unread == nil; s.away.known {
		text = "it was read, but a port whose LID is not in it gets none"
	}
	s.shown.Stored, s.shown.Problem = false, err.Error()
	s.unread = append(s.unread, terms.Incident{Kind: terms.NotStored, Text: fmt.Sprintf("%v: the manager runs without storing, and tries again every second; %s", err, text)})
	return from, nil
}

// keep takes a Record.
func (a *away) keep(rec *terms.Record) error {
	a.changes++
	if a.record = rec; a.known {
		return a.why
	}
	return nil
}

// remember takes registrations of clients.
func (a *away) remember(replaces bool, list []sa.Entry) error {
	if a.known {
		return a.why
	}
	a.changes++
	if replaces {
		clear(a.entries)
	}
	for _, e := range list {
		if a.entries[e.EntryName] = e; e.Value == nil {
			delete(a.entries, e.EntryName)
		}
	}
	return nil
}

// drain takes the drained parts. A restart before the file is there does not know them.
func (a *away) drain(since time.Time, d *terms.Drains) error {
	if !since.Before(a.since) {
		a.changes++
		a.drains, a.since = d, since
	}
	return a.why
}

// write takes the partitions of programs. A restart before the file is there does not know them.
func (a *away) write(w *terms.Wrote) error {
	if a.wrote == nil || w.Order > a.wrote.Order {
		a.changes++
		a.wrote = w
	}
	return a.why
}

// run takes the jobs that run. A restart before the file is there does not know them.
func (a *away) run(now *terms.RunningJobs) error {
	if a.jobs == nil || now.Order > a.jobs.Order {
		a.changes++
		a.jobs = now
	}
	return a.why
}

// note takes an event.
func (a *away) note(e state.Event) {
	if len(a.events) < mostAway {
		a.events = append(a.events, e)
	}
}

// store stores the held data, except events and the subnet.
func (a *away) store(to *state.Store) error {
	if a.drains != nil {
		if err := to.SetDrains(a.since, a.drains); err != nil {
			return err
		}
	}
	if a.wrote != nil {
		if err := to.SetOwned(a.wrote); err != nil {
			return err
		}
	}
	if a.jobs != nil {
		if err := to.SetJobs(a.jobs); err != nil {
			return err
		}
	}
	if !a.known {
		list := slices.SortedFunc(maps.Values(a.entries), func(x, y sa.Entry) int {
			return strings.Compare(fmt.Sprint(x.Kind, x.Key), fmt.Sprint(y.Kind, y.Key))
		})
		if err := to.SetEntries(true, list); err != nil {
			return err
		}
	}
	if a.record == nil {
		return nil
	}
	return to.Record(time.Now(), a.record)
}

// reopen tries to open the file until it can, and then stores the data that it missed.
func (s *smState) reopen() {
	again := time.NewTicker(reopenEvery)
	defer again.Stop()
	for last := ""; ; {
		select {
		case <-again.C:
		case <-s.end:
			return
		}
		err := s.tryAgain()
		if err == nil {
			return
		}
		if s.show(err); err.Error() != last && last != "" {
			s.log(terms.Incident{Kind: terms.NotStored, Text: err.Error()})
		}
		last = err.Error()
	}
}

// tryAgain opens the file and stores the data that it missed.
func (s *smState) tryAgain() error {
	store, err := state.Open(s.path, s.limits)
	if err != nil {
		return err
	}
	if !s.away.known {
		holds, err := inWords(store)
		if err != nil || holds != "" {
			err = errors.Join(err, store.Close())
			if err == nil {
				err = s.replaceUnread(holds)
			}
			if err == nil {
				store, err = state.Open(s.path, s.limits)
			}
			if err != nil {
				return err
			}
		}
	}
	failed, err := s.catchUp(store)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	s.show(nil)
	for _, i := range store.Told() {
		s.log(i)
	}
	s.log(terms.Incident{Kind: terms.StoredAgain, Text: s.path + " can be written: what was missed is stored"})
	if failed {
		s.askForRound()
	}
	return nil
}

// catchUp stores the data that the file missed, and puts the file into use. failed reports a
// refused Record.
func (s *smState) catchUp(store *state.Store) (failed bool, err error) {
	for {
		s.mu.Lock()
		missed := *s.away
		missed.entries = maps.Clone(missed.entries)
		s.mu.Unlock()
		if err := missed.store(store); err != nil {
			return false, err
		}
		s.mu.Lock()
		if s.away.changes != missed.changes {
			s.mu.Unlock()
			continue
		}
		s.store, s.writer = store, s.newWriter(store)
		for _, e := range s.away.events {
			s.writer.Event(e)
		}
		if s.away.subnet != nil {
			s.writer.Subnet(s.away.found, s.away.subnet)
		}
		s.away = nil
		s.mu.Unlock()
		return missed.known && missed.record != nil, nil
	}
}

// replaceUnread sets a file aside that came after the start: LIDs in service may be others.
func (s *smState) replaceUnread(holds string) error {
	aside, err := state.StartEmpty(s.path)
	if err != nil {
		return err
	}
	s.log(terms.Incident{Kind: terms.SetAside, Text: fmt.Sprintf("%s appeared after the start with %s, and the subnet is in service without it: it is now %s. "+
		"To use it, stop the manager, put it back (weft sm state %s --restore %s) and start again", s.path, holds, aside, s.path, aside)})
	return nil
}

// inWords lists the contents of a file that a manager would use; "" if there are none.
func inWords(store *state.Store) (string, error) {
	d, err := store.Drains()
	if err != nil {
		return "", err
	}
	var list []string
	if n := len(store.LIDs()); n > 0 {
		list = append(list, fmt.Sprintf("LIDs of %d ports", n))
	}
	if len(d.Now) > 0 {
		list = append(list, "drained parts: "+strings.Join(d.Now, ", "))
	}
	owned, err := store.Owned()
	if err != nil {
		return "", err
	}
	if n := len(owned.List); n > 0 {
		list = append(list, fmt.Sprintf("%d partitions of programs", n))
	}
	entries, err := store.Entries()
	if len(entries) > 0 {
		list = append(list, fmt.Sprintf("%d registrations", len(entries)))
	}
	return strings.Join(list, "; "), err
}
