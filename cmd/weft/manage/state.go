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

// smState is the state file of weft sm. Without a file (path "") its methods do nothing.
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

// keepPlan makes the first round repair the last Plan, or route from scratch if the options ask for
// something else.
func (s *smState) keepPlan(f *smFlags, r *sm.Runner) error {
	info, data, err := s.store.LastPlan()
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

// told sends events of the state file to a log, beginning with what could not be read.
func (s *smState) told(tell func(terms.Incident)) {
	if s.store == nil {
		return
	}
	s.tell = tell
	for _, i := range s.unread {
		tell(i)
	}
}

// plans returns the stored Plans.
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

// planFile returns the Plan of a version; nil if it is not stored.
func (s *smState) planFile(version int64) ([]byte, error) {
	if s.store == nil {
		return nil, nil
	}
	return s.store.PlanFile(version)
}

// note stores an incident.
func (s *smState) note(i terms.Incident) {
	if s.writer != nil {
		s.writer.Event(state.Event{Time: time.Now(), Incident: i})
	}
}

// drains stores the drained parts.
func (s *smState) drains(since time.Time, d *terms.Drains) error {
	if s.store == nil {
		return nil
	}
	return s.store.SetDrains(since, d)
}

// round stores the subnet that a round has found. After the first round it reports the differences
// from the stored subnet.
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
		Short: "show a state file of weft sm: LIDs, Plans, events",
		Long: `Show the contents of a state file (weft sm --state FILE); the manager may be running.

Output: the LIDs of all ports and since when a port is absent, the stored Plans, the number of nodes
in the last discovery, and the last lines of the log. --plan writes the last Plan to a file, and
--output the last fabric found; other commands read both.`,
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
	f.IntVar(&events, "events", 20, "print the last `N` lines of the log")
	f.StringVar(&plan, "plan", "", "write the last Plan to `FILE`")
	f.StringVarP(&found, "output", "o", "", "write the last fabric found to `FILE`")
	cli.JSONFlag(cmd, &asJSON)
	return cmd
}

// printState prints the contents of a state file, and writes the last Plan and fabric to files.
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
