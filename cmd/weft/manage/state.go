package manage

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/planner"
	"weft/sm"
	"weft/sm/round"
	"weft/sm/sa"
	"weft/sm/service"
	"weft/sm/state"
	"weft/sm/terms"
)

// smState is the state file of weft sm. Without a file (path "") its methods do nothing. A file
// that cannot be opened at the start is tried again until it can (away.go).
type smState struct {
	path   string
	limits state.Limits

	then   *fabric.Fabric   // the subnet the last time, until the first round has ended; nil where none is known
	at     string           // when that was
	unread []terms.Incident // what is told after the start

	mu      sync.Mutex    // guards these; not held while anything is written
	store   *state.Store  // nil while the file cannot be opened
	writer  *state.Writer // of store
	away    *away         // while store is nil
	shown   service.StateFile
	tell    func(terms.Incident)
	resweep func() // asks the manager for a round

	keeping sync.Mutex    // held while a Record is stored
	owed    *terms.Record // the last one, if it could not be stored

	end       chan struct{} // ends the attempts to open the file
	reopening sync.WaitGroup
}

func (s *smState) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.path, "state", "", "`FILE` with LIDs, Plans and events that survive a restart; created if it does not exist")
	f.IntVar(&s.limits.Plans, "state-plans", state.UsualLimits.Plans, "with --state: keep the last `N` Plans")
	f.IntVar(&s.limits.Events, "state-events", state.UsualLimits.Events, "with --state: keep the last `N` lines of the log")
}

// setChain sets the given chain of engines, or that of the Plan of --keep.
func (s *smFlags) setChain(cmd *cobra.Command) error {
	if s.state.path != "" && s.keep.Path == "" {
		return s.routing.SetChain(s.chain)
	}
	return s.keep.SetChain(cmd, s.chain, &s.routing)
}

// remember gives the manager the LIDs of --lids and the contents of the state file.
func (s *smFlags) remember(cmd *cobra.Command, r *sm.Runner) (err error) {
	if r.Stored, err = readLIDs(s.lids); err != nil {
		return err
	}
	return s.state.open(cmd, s, r)
}

// open opens the state file and connects the manager with it.
func (s *smState) open(cmd *cobra.Command, f *smFlags, r *sm.Runner) (err error) {
	switch {
	case s.path == "" && (cmd.Flags().Changed("state-plans") || cmd.Flags().Changed("state-events")):
		return errors.New("--state-plans and --state-events need --state")
	case s.path == "":
		return nil
	case s.limits.Plans < 1 || s.limits.Events < 1:
		return errors.New("--state-plans and --state-events must be 1 or more")
	}
	s.shown = service.StateFile{File: s.path, Stored: true}
	s.tell, s.end = s.note, make(chan struct{})
	from, err := state.Open(s.path, s.limits)
	if err == nil {
		s.store = from
	} else if from, err = s.leave(err, f.once); err != nil {
		return err
	}
	if from != nil {
		if err = s.take(f, r, from); s.store == nil {
			err = errors.Join(err, from.Close())
		}
	}
	if err != nil {
		return errors.Join(err, s.close())
	}
	r.Store, r.Remember = s.keep, s.remember
	if s.store != nil {
		s.writer = s.newWriter(s.store)
	} else {
		s.reopening.Go(s.reopen)
	}
	return nil
}

// take gives the contents of a state file to the manager.
func (s *smState) take(f *smFlags, r *sm.Runner, from *state.Store) (err error) {
	if err := s.keepPlan(f, r, from); err != nil {
		return err
	}
	if lids := from.LIDs(); len(lids) > 0 || r.Stored == nil {
		r.Stored = lids
	}
	if r.Drains, err = from.Drains(); err != nil {
		return err
	}
	owned, err := from.Owned()
	if err != nil {
		return err
	}
	if r.Partitions = r.Partitions.With(owned, f.pkeys.enforcement()); r.Partitions != nil && len(r.Partitions.Hidden) > 0 {
		s.unread = append(s.unread, terms.Incident{Kind: terms.PartitionHidden, Text: r.Partitions.HiddenText()})
	}
	if r.Config.Jobs, err = from.Jobs(); err != nil {
		return err
	}
	if r.Registered, err = from.Entries(); err != nil {
		return err
	}
	if s.then, s.at, err = from.LastSubnet(); err != nil {
		s.unread = append(s.unread, terms.Incident{Kind: terms.NotRead, Text: err.Error()})
	}
	if s.then != nil && r.Keys.Given() {
		r.Neighbours = append(r.Neighbours, terms.Neighbours(s.then)...)
	}
	s.unread = append(s.unread, from.Told()...)
	s.bringBack(from.Copied(), r.Drains.Now)
	return nil
}

// named adds the names of nodes to parts that are named by GUID.
func (s *smState) named(list []string) (out []string) {
	names := map[string]string{}
	if s.then != nil {
		for i := range s.then.Nodes {
			names[s.then.Nodes[i].GUID.String()] = s.then.Nodes[i].Desc
		}
	}
	for _, part := range list {
		guid, port, cable := strings.Cut(part, "[")
		name := names[guid]
		switch {
		case name == "":
			out = append(out, part)
		case cable:
			out = append(out, name+"["+port+" ("+part+")")
		default:
			out = append(out, name+" ("+part+")")
		}
	}
	return out
}

// bringBack shows the drains of a file. If the file is a restored copy, it also logs them: an
// operator may have ended such a drain since.
func (s *smState) bringBack(copied time.Time, drains []string) {
	drains = s.named(drains)
	s.shown.Drains = drains
	if copied.IsZero() {
		return
	}
	what := "no switch or cable is drained by it"
	if len(drains) > 0 {
		what = "drained again: " + strings.Join(drains, ", ") + " (weft sm undrain ends a drain)"
	}
	s.shown.CopyOf = copied.UTC().Format(time.RFC3339)
	text := fmt.Sprintf("%s is a copy made at %s: %s; a copy holds no links in quarantine; ports in service keep the LIDs that they have now", s.path, s.shown.CopyOf, what)
	s.unread = append(s.unread, terms.Incident{Kind: terms.BroughtBack, Text: text})
}

// newWriter returns a writer that tells when storing fails and when it works again.
func (s *smState) newWriter(store *state.Store) *state.Writer {
	return state.NewWriter(store, func(err error) {
		s.show(err)
		if err == nil {
			s.log(terms.Incident{Kind: terms.StoredAgain, Text: s.path + ": what could not be stored is stored now"})
			return
		}
		s.log(terms.Incident{Kind: terms.NotStored, Text: err.Error()})
	})
}

// log tells an incident.
func (s *smState) log(i terms.Incident) {
	s.mu.Lock()
	tell := s.tell
	s.mu.Unlock()
	tell(i)
}

// askForRound asks the manager for a round, if it runs.
func (s *smState) askForRound() {
	s.mu.Lock()
	ask := s.resweep
	s.mu.Unlock()
	if ask != nil {
		go ask()
	}
}

// show notes whether everything is stored.
func (s *smState) show(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown.Stored, s.shown.Problem = err == nil, ""
	if err != nil {
		s.shown.Problem = err.Error()
	}
}

// status describes the file; nil without one.
func (s *smState) status() *service.StateFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == "" {
		return nil
	}
	shown := s.shown
	return &shown
}

// opened returns the open file and its writer; nil while there is none.
func (s *smState) opened() (*state.Store, *state.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store, s.writer
}

// into returns the open file and its writer. While there is none it calls missed, which keeps
// the data for the file, and returns the error of that.
func (s *smState) into(missed func(*away) error) (*state.Store, *state.Writer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		return nil, nil, missed(s.away)
	}
	return s.store, s.writer, nil
}

// keep stores a Record. If it cannot be stored, that is tried again, and then a round begins.
func (s *smState) keep(rec *terms.Record) error {
	store, writer, err := s.into(func(a *away) error { return a.keep(rec) })
	if store == nil {
		return err
	}
	s.keeping.Lock()
	defer s.keeping.Unlock()
	s.owed = nil
	if err = store.Record(time.Now(), rec); err != nil {
		s.owed = rec
		writer.Owe("LIDs and Plan", func() error { return s.keepAgain(store, rec) })
	}
	return err
}

// keepAgain stores a Record that could not be stored, unless a later one came. Ports that got no
// LIDs get them in a new round.
func (s *smState) keepAgain(store *state.Store, rec *terms.Record) error {
	s.keeping.Lock()
	defer s.keeping.Unlock()
	if s.owed != rec {
		return nil
	}
	if err := store.Record(time.Now(), rec); err != nil {
		return err
	}
	s.owed = nil
	s.askForRound()
	return nil
}

// remember stores registrations of clients.
func (s *smState) remember(replaces bool, list []sa.Entry) error {
	store, _, err := s.into(func(a *away) error { return a.remember(replaces, list) })
	if store == nil {
		return err
	}
	return store.SetEntries(replaces, list)
}

// keepPlan makes the first round repair the last Plan, or route from scratch if the options ask for
// something else.
func (s *smState) keepPlan(f *smFlags, r *sm.Runner, from *state.Store) error {
	info, data, err := from.LastPlan()
	if err != nil {
		return err
	}
	if info == nil {
		return nil
	}
	if f.keep.Path != "" {
		return fmt.Errorf("--keep: %s already has a Plan, version %d of %s: leave out --keep, or name another state file", s.path, info.Version, info.Time)
	}
	kept, err := planner.ReadKept(bytes.NewReader(data))
	if err != nil { // of another version of weft
		s.unread = append(s.unread, terms.Incident{Kind: terms.NotRead, Text: fmt.Sprintf("%s: Plan %d: %v", s.path, info.Version, err)})
		return nil
	}
	r.Last, r.LastAfresh = kept, f.keep.Rebalance || !kept.Answers(&r.Routing)
	return nil
}

// told sends events of the state file to a log, beginning with the events of the start. resweep
// asks the manager for a round.
func (s *smState) told(tell func(terms.Incident), resweep func()) {
	if s.path == "" {
		return
	}
	s.mu.Lock()
	s.tell, s.resweep = tell, resweep
	unread := s.unread
	s.mu.Unlock()
	for _, i := range unread {
		tell(i)
	}
}

// plans returns the stored Plans.
func (s *smState) plans() (list []service.Plan, err error) {
	store, _ := s.opened()
	if store == nil {
		return nil, nil
	}
	stored, err := store.Plans()
	for _, p := range stored {
		list = append(list, service.Plan(p))
	}
	return list, err
}

// planFile returns the Plan of a version; nil if it is not stored.
func (s *smState) planFile(version int64) ([]byte, error) {
	store, _ := s.opened()
	if store == nil {
		return nil, nil
	}
	return store.PlanFile(version)
}

// note stores an incident.
func (s *smState) note(i terms.Incident) {
	e := state.Event{Time: time.Now(), Incident: i}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.writer != nil:
		s.writer.Event(e)
	case s.away != nil:
		s.away.note(e)
	}
}

// drains stores the drained parts.
func (s *smState) drains(since time.Time, d *terms.Drains) error {
	if s.path == "" {
		return nil
	}
	store, writer, err := s.into(func(a *away) error { return a.drain(since, d) })
	if store == nil {
		return err
	}
	if err = store.SetDrains(since, d); err != nil {
		writer.Owe("list of drained parts", func() error { return store.SetDrains(since, d) })
	}
	return err
}

// wrote stores the partitions of programs.
func (s *smState) wrote(w *terms.Wrote) error {
	if s.path == "" {
		return errors.New("there is no state file (option state)")
	}
	store, writer, err := s.into(func(a *away) error { return a.write(w) })
	if store == nil {
		return err
	}
	if err = store.SetOwned(w); err != nil {
		writer.Owe("partitions of programs", func() error { return store.SetOwned(w) })
	}
	return err
}

// jobs stores the jobs that run.
func (s *smState) jobs(now *terms.RunningJobs) error {
	if s.path == "" {
		return errors.New("there is no state file (option state)")
	}
	store, writer, err := s.into(func(a *away) error { return a.run(now) })
	if store == nil {
		return err
	}
	if err = store.SetJobs(now); err != nil {
		writer.Owe("jobs that run", func() error { return store.SetJobs(now) })
	}
	return err
}

// round stores the subnet that a round has found. After the first round it reports the differences
// from the stored subnet.
func (s *smState) round(result *round.Result, tell func(terms.Incident)) {
	if st := result.Report.State; s.path == "" || st != terms.Up && st != terms.UpInPart {
		return
	}
	if s.then != nil {
		for _, i := range state.Changes(s.then, s.at, result.Fabric()) {
			tell(i)
		}
		s.then = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writer != nil {
		s.writer.Subnet(time.Now(), result.Fabric())
	} else if s.away != nil {
		s.away.subnet, s.away.found = result.Fabric(), time.Now()
	}
}

// addChanges adds incidents of the state file to the report of a bring-up.
func (s *smState) addChanges(result *round.Result) {
	add := func(i terms.Incident) {
		s.note(i)
		result.Report.Incidents = append(result.Report.Incidents, i)
	}
	for _, i := range s.unread {
		add(i)
	}
	s.round(result, add)
}

// close writes pending data and closes the file.
func (s *smState) close() (err error) {
	if s.end != nil {
		close(s.end)
		s.reopening.Wait()
		s.end = nil
	}
	store, writer := s.opened()
	if writer != nil {
		err = writer.Close()
	}
	if store != nil {
		err = errors.Join(err, store.Close())
	}
	if err != nil {
		return cli.Cannot(err)
	}
	return nil
}
