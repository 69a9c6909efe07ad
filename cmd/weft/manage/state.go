package manage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/fabric"
	"weft/fabric/netfile/discovery"
	"weft/planner"
	"weft/sm"
	"weft/sm/round"
	"weft/sm/service"
	"weft/sm/state"
	"weft/sm/terms"
)

// smState is the file of state of weft sm. Without one (path "") its methods do nothing.
type smState struct {
	path   string
	limits state.Limits
	store  *state.Store
	writer *state.Writer

	then   *fabric.Fabric   // the subnet the last time, until the first round has ended; nil where none is known
	at     string           // when that was
	unread []terms.Incident // what could not be read, until it is told
	tell   func(terms.Incident)
}

func (s *smState) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.path, "state", "", "file of LIDs, Plans and events that outlive the manager (made where it is not there)")
	f.IntVar(&s.limits.Plans, "state-plans", state.UsualLimits.Plans, "with --state: how many Plans are kept")
	f.IntVar(&s.limits.Events, "state-events", state.UsualLimits.Events, "with --state: how many lines of the log are kept")
}

// SetChain sets the chain of engines: the one asked for, or that of the Plan of --keep.
func (s *smFlags) setChain(cmd *cobra.Command) error {
	if s.state.path != "" && s.keep.Path == "" {
		return s.routing.SetChain(s.chain)
	}
	return s.keep.SetChain(cmd, s.chain, &s.routing)
}

// remember gives the manager what was stored the last time: LIDs, and all of a file of state.
func (s *smFlags) remember(cmd *cobra.Command, r *sm.Runner) (err error) {
	if r.Stored, err = readLIDs(s.lids); err != nil {
		return err
	}
	return s.state.open(cmd, s, r)
}

// open opens the file and makes the manager keep what is in it.
func (s *smState) open(cmd *cobra.Command, f *smFlags, r *sm.Runner) (err error) {
	switch {
	case s.path == "" && (cmd.Flags().Changed("state-plans") || cmd.Flags().Changed("state-events")):
		return errors.New("--state-plans and --state-events go with --state")
	case s.path == "":
		return nil
	case s.limits.Plans < 1 || s.limits.Events < 1:
		return errors.New("--state-plans and --state-events must be 1 or more")
	}
	if s.store, err = state.Open(s.path, s.limits); err != nil {
		return fmt.Errorf("--state %w", err)
	}
	if err := s.keepPlan(f, r); err != nil {
		return errors.Join(err, s.close())
	}
	if lids := s.store.LIDs(); len(lids) > 0 || r.Stored == nil {
		r.Stored = lids
	}
	if r.Drains, err = s.store.Drains(); err != nil {
		return errors.Join(err, s.close())
	}
	if r.Registered, err = s.store.Entries(); err != nil {
		return errors.Join(err, s.close())
	}
	r.Remember = s.store.SetEntries
	if s.then, s.at, err = s.store.LastSubnet(); err != nil {
		s.unread = append(s.unread, terms.Incident{Kind: terms.NotRead, Text: err.Error()})
	}
	if s.then != nil && r.Keys.Given() {
		r.Neighbours = append(r.Neighbours, terms.Neighbours(s.then)...)
	}
	r.Store = func(rec *terms.Record) error { return s.store.Record(time.Now(), rec) }
	s.tell = s.note
	s.writer = state.NewWriter(s.store, func(err error) {
		s.tell(terms.Incident{Kind: terms.NotStored, Text: "events: " + err.Error()})
	})
	return nil
}

// keepPlan has the last Plan repaired in the first round, or routed afresh where something else was asked for.
func (s *smState) keepPlan(f *smFlags, r *sm.Runner) error {
	info, data, err := s.store.LastPlan()
	if err != nil {
		return err
	}
	if info == nil {
		return nil
	}
	if f.keep.Path != "" {
		return fmt.Errorf("--keep: %s has a Plan of its own, version %d of %s: leave --keep out, or name another file", s.path, info.Version, info.Time)
	}
	kept, err := planner.ReadKept(bytes.NewReader(data))
	if err != nil { // of another version of weft
		s.unread = append(s.unread, terms.Incident{Kind: terms.NotRead, Text: fmt.Sprintf("%s: Plan %d: %v", s.path, info.Version, err)})
		return nil
	}
	r.Last, r.LastAfresh = kept, f.keep.Rebalance || !kept.Answers(&r.Routing)
	return nil
}

// told makes a log hear what the file does, and what of it could not be read.
func (s *smState) told(tell func(terms.Incident)) {
	if s.store == nil {
		return
	}
	s.tell = tell
	for _, i := range s.unread {
		tell(i)
	}
}

// plans lists the Plans that are stored.
func (s *smState) plans() (list []service.Plan, err error) {
	if s.store == nil {
		return nil, nil
	}
	stored, err := s.store.Plans()
	for _, p := range stored {
		list = append(list, service.Plan(p))
	}
	return list, err
}

// planFile returns the Plan of a version; nil where it is not stored.
func (s *smState) planFile(version int64) ([]byte, error) {
	if s.store == nil {
		return nil, nil
	}
	return s.store.PlanFile(version)
}

// note has an incident stored.
func (s *smState) note(i terms.Incident) {
	if s.writer != nil {
		s.writer.Event(state.Event{Time: time.Now(), Incident: i})
	}
}

// drains stores what is to be drained.
func (s *smState) drains(since time.Time, d *terms.Drains) error {
	if s.store == nil {
		return nil
	}
	return s.store.SetDrains(since, d)
}

// round has the subnet stored as a round has found it, and tells after the first one what has changed since the last time.
func (s *smState) round(result *round.Result, tell func(terms.Incident)) {
	if st := result.Report.State; s.writer == nil || st != terms.Up && st != terms.UpInPart {
		return
	}
	if s.then != nil {
		for _, i := range state.Changes(s.then, s.at, result.Fabric()) {
			tell(i)
		}
		s.then = nil
	}
	s.writer.Subnet(time.Now(), result.Fabric())
}

// addChanges adds what the file tells to the report of a bring-up.
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

// close writes what waits and closes the file.
func (s *smState) close() (err error) {
	if s.store == nil {
		return nil
	}
	if s.writer != nil {
		err = s.writer.Close()
	}
	return errors.Join(err, s.store.Close())
}

func smStateCmd() *cobra.Command {
	var events int
	var plan, found string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "state FILE",
		Short: "print what weft sm --state has stored: LIDs, Plans, events",
		Long: `Print what weft sm --state FILE has stored, also while it runs: the LIDs of all ports and since
when one is gone, the Plans that are kept, how many nodes were found last, and the last lines
of the log. --plan and --output write the last Plan and the fabric as it was found last to
files that other commands read.`,
		Example: `  weft sm state /var/lib/weft/state
  weft sm state /var/lib/weft/state --plan last.plan -o found.txt`,
		Args: cli.OneArgument("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			to, err := cli.AnswerTo(cmd, plan, found)
			if err != nil {
				return err
			}
			s, err := state.Read(args[0])
			if err != nil {
				return err
			}
			err = printState(cmd, to, s, events, asJSON, plan, found)
			return errors.Join(err, s.Close())
		},
	}
	f := cmd.Flags()
	f.IntVar(&events, "events", 20, "how many of the last lines of the log are printed")
	f.StringVar(&plan, "plan", "", "write the last Plan to this file")
	f.StringVarP(&found, "output", "o", "", "write the fabric as it was found last to this file")
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}

// printState prints what a file holds, and writes the last Plan and the fabric to files.
func printState(cmd *cobra.Command, to io.Writer, s *state.Store, events int, asJSON bool, plan, found string) error {
	if events < 0 {
		return errors.New("--events must be 0 or more")
	}
	c, err := s.Contents(events)
	if err != nil {
		return err
	}
	_, data, err := s.LastPlan()
	if err != nil {
		return err
	}
	fab, _, err := s.LastSubnet()
	switch {
	case err != nil:
		return err
	case plan != "" && data == nil:
		return errors.New("--plan: no Plan is stored yet")
	case found != "" && fab == nil:
		return errors.New("--output: no fabric is stored yet")
	}
	files, err := cli.OpenOutputs(cmd, plan, found)
	if err != nil {
		return err
	}
	err = files.WriteAll([]func(io.Writer) error{
		func(w io.Writer) error { _, err := w.Write(data); return err },
		func(w io.Writer) error { return discovery.WriteIBNetDiscover(w, fab) },
	})
	if asJSON {
		return errors.Join(err, cli.PrintJSON(to, c))
	}
	return errors.Join(err, c.Write(to))
}
