package manage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/cmd/weft/cli"
	"weft/cmd/weft/manage/history"
	"weft/cmd/weft/manage/hook"
	"weft/cmd/weft/manage/studies"
	"weft/cmd/weft/manage/topology"
	"weft/internal/configfile"
	"weft/internal/endpoints"
	"weft/internal/par"
	"weft/planner"
	"weft/sm"
	"weft/sm/perf"
	"weft/sm/recording"
	"weft/sm/round"
	"weft/sm/service"
	"weft/sm/telemetry"
	"weft/sm/terms"
	"weft/sm/watch"
)

// serving is a running manager with its current options.
type serving struct {
	cmd   *cobra.Command
	given settings // on the command line
	asked chan *terms.Event
	log   smLog
	state *smState

	faults   studies.Faults // losses of cables
	gate     par.Gate       // shut while the manager is at work: questions rest
	deciding deciding
	topology *topology.Runner // keeps the topology file

	condensing sync.Mutex
	condenser  recording.Condenser

	telling     sync.Mutex // keeps lines in the order of their numbers
	service     *service.Service
	notify      *service.Notifier
	api         *apiServer                     // nil: programs do not ask over TCP
	certificate certificate                    // of it
	shown       atomic.Pointer[watch.Snapshot] // the last one

	hook    *hook.Hook
	kept    *perf.Report     // the last one in history
	history *history.History // of counters; nil: none is kept

	flags *pflag.FlagSet // those in force; of the one that reloads
	now   atomic.Pointer[smFlags]
}

// newServing prepares the service around a manager that stays.
func newServing(cmd *cobra.Command, given settings, state *smState) *serving {
	r := &serving{cmd: cmd, given: given, state: state, asked: make(chan *terms.Event), log: smLog{to: cmd.OutOrStdout(), journal: cli.StdoutIsJournal()}, notify: newNotifier()}
	r.hook = hook.New(r.tell)
	questions := endpoints.NewQuestions(time.Now, &r.gate)
	routing := func() planner.Request { return r.now.Load().routing.Request }
	r.service = service.New(service.Options{
		Version: cli.Version, Commit: cli.Commit(), Clock: time.Now, Ask: r.ask, Studies: studies.All(routing), Questions: questions,
		More: studies.Page(questions, routing, cli.PeakRSS, r.shown.Load, state.planFile, &r.faults).Endpoints(),

		Plans: state.plans, PlanFile: state.planFile, State: state.status, Certificate: r.certificate.expiry,
		Enforce:     func() terms.Enforcement { return r.now.Load().pkeys.enforcement() },
		PortMetrics: func() *telemetry.Selection { return r.now.Load().service.telemetry.selected }, Moment: r.moment, Series: r.series, History: r.historyFile,
	})
	return r
}

// ask sends an event to the manager, waiting until it accepts one.
func (r *serving) ask(ctx context.Context, ev *terms.Event) error {
	select {
	case r.asked <- ev:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tell takes an incident for the log, which has one line for several of one cause.
func (r *serving) tell(i terms.Incident) {
	r.faults.Note(&i, time.Now())
	r.condensing.Lock()
	lines := r.condenser.Add(i)
	r.condensing.Unlock()
	r.write(lines)
}

// write writes lines of the log, and keeps them for clients.
func (r *serving) write(lines []terms.Incident) {
	for _, i := range lines {
		r.state.note(i) // whose writer tells things too
		r.telling.Lock()
		line := r.service.Tell(i)
		r.log.write(&line)
		r.hook.Offer(line)
		r.telling.Unlock()
	}
}

// show publishes the status of the manager, after each of its steps.
func (r *serving) show(s *watch.Snapshot) {
	r.condensing.Lock()
	lines := r.condenser.Flush(s.Now)
	r.condensing.Unlock()
	r.write(lines)
	r.service.Show(s)
	r.shown.Store(s)
	if s.Counters != nil && s.Counters != r.kept && r.history != nil {
		r.kept = s.Counters
		r.history.Add(time.Now(), s.Counters)
	}
	r.notify.Show(s)
}

// take puts options into force.
func (r *serving) take(s *smFlags, flags *pflag.FlagSet) {
	r.flags = flags
	r.now.Store(s)
	r.log.setJSON(s.asJSON)
	r.hook.Set(s.service.hook)
}

// round writes the files after a round.
func (r *serving) round(result *round.Result) {
	r.state.round(result, r.tell)
	if result.Report.State.IsUp() {
		r.topology.Round(r.now.Load().topology.read, result.Fabric())
	}
	if err := r.now.Load().writeFiles(r.cmd, result); err != nil {
		r.tell(terms.Incident{Kind: terms.FileFailed, Text: err.Error()})
	}
}

// reloadAtSIGHUP reads the options again at each SIGHUP, until the returned function is called.
func (r *serving) reloadAtSIGHUP() (end func()) {
	signals, done := make(chan os.Signal, 1), make(chan struct{})
	ctx, cancel := context.WithCancel(r.cmd.Context())
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		defer close(done)
		for {
			select {
			case <-signals:
				r.reload(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		cancel()
		<-done
	}
}

// reload reads the options again. If they are right, the manager gets the changes; otherwise the
// old ones stay in force.
func (r *serving) reload(ctx context.Context) {
	r.notify.Reloading(daemon.SdNotifyMonotonicUsec())
	defer r.notify.Reloaded()
	next, later, changed, err := r.readAgain()
	if err != nil {
		r.tell(terms.Incident{Kind: terms.SettingsRefused, Text: err.Error() + ": the old configuration stays in force"})
		return
	}
	for _, name := range later {
		r.tell(terms.Incident{Kind: terms.SettingsLater, Text: name + " keeps its value until the manager is started again"})
	}
	told := len(later) > 0
	if r.api != nil {
		renewed, err := r.api.renew(&next.flags.service.api)
		switch {
		case errors.Is(err, errExpired):
			told = true
			r.tell(terms.Incident{Kind: terms.SettingsRefused, Text: err.Error()})
		case err != nil:
			told = true
			r.tell(terms.Incident{Kind: terms.SettingsLater, Text: err.Error()})
		case len(renewed) > 0:
			r.certificate.use(next.flags.service.api.cert, r.api.cert.Load())
			if i, news := r.certificate.look(time.Now()); news {
				r.tell(i)
			}
		}
		changed = append(changed, renewed...)
	}
	runner, was := next.runner, r.now.Load()
	set := &terms.Settings{
		Config: runner.Config, Watch: runner.Watch, Routing: runner.Routing, Counters: runner.Counters, What: "nothing has changed", Enforce: next.flags.pkeys.enforcement(),
	}
	set.Afresh = slices.ContainsFunc(changed, func(name string) bool { return slices.Contains(rerouting, name) })
	if !reflect.DeepEqual(was.routing.Kinds, next.flags.routing.Kinds) && !set.Afresh { // in a file that keeps its name
		set.Afresh = true
		changed = append(changed, "kinds of hosts")
	}
	changed = append(changed, inFiles(&was.config, &runner.Config, changed)...)
	switch {
	case len(changed) == 0 && told:
		set.What = "nothing else has changed"
	case len(changed) > 0:
		set.What = "changed: " + strings.Join(changed, ", ")
	}
	if r.ask(ctx, &terms.Event{Kind: terms.Reconfigure, Settings: set}) == nil {
		r.take(next.flags, next.cmd.Flags())
		r.topology.Round(next.flags.topology.read, nil)
	}
}

// inFiles lists settings that were edited in their files. A setting whose option has changed is not
// listed.
func inFiles(was, next *terms.Config, options []string) (changed []string) {
	for _, c := range []struct {
		same    bool
		name    string
		options []string
	}{
		{reflect.DeepEqual(was.Partitions, next.Partitions), "partitions", []string{"partitions"}},
		{reflect.DeepEqual(was.Levels, next.Levels), "levels", []string{"levels"}},
		{reflect.DeepEqual(was.Names, next.Names), "node-map", []string{"node-map"}},
		{was.Tuning.Equal(next.Tuning), "rules of links", tuningOptions},
		{slices.Equal(was.Between.Prefixes, next.Between.Prefixes), "prefix routes", []string{"prefix-routes"}},
		{was.Keys.Equal(&next.Keys), "M_Keys", keyOptions(options)},
	} {
		if !c.same && !slices.ContainsFunc(options, func(name string) bool { return slices.Contains(c.options, name) }) {
			changed = append(changed, c.name)
		}
	}
	return changed
}

// keyOptions selects the options about keys.
func keyOptions(options []string) []string {
	return slices.DeleteFunc(slices.Clone(options), func(name string) bool { return !strings.Contains(name, "key") })
}

// reloaded holds options that were read again, and the manager built from them.
type reloaded struct {
	cmd    *cobra.Command
	flags  *smFlags
	runner *sm.Runner
}

// hasSettings reports whether an option in force comes from the configuration file.
func (r *serving) hasSettings() (has bool) {
	r.flags.Visit(func(f *pflag.Flag) { has = has || r.given[f.Name] == nil })
	return has
}

// readAgain reads the options again. later lists changed options that need a restart and keep their
// values; changed lists all other changes.
func (r *serving) readAgain() (next *reloaded, later, changed []string, err error) {
	cmd, s := newSM()
	cmd.SetContext(r.cmd.Context())
	if err := setFlags(cmd.Flags(), r.given); err != nil {
		return nil, nil, nil, err
	}
	file, err := s.service.read(cmd, r.given)
	if err != nil {
		return nil, nil, nil, err
	}
	if file != nil && len(file.Settings) == 0 && r.hasSettings() {
		return nil, nil, nil, fmt.Errorf("%s: the file has no options any more, as if a full disk or an editor had truncated it: to get all defaults, set one option to its default", file.Name)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		old := r.flags.Lookup(f.Name)
		values, _ := configfile.Values(f)
		was, isList := configfile.Values(old)
		switch {
		case slices.Equal(values, was):
		case isChangeable(f):
			changed = append(changed, f.Name)
		default:
			later = append(later, f.Name)
			err = configfile.Set(cmd.Flags(), f, was, isList)
			f.Changed = old.Changed
		}
	})
	if err != nil {
		return nil, nil, nil, err
	}
	s.keep.Kept = r.now.Load().keep.Kept
	runner, err := s.stayer(cmd)
	if err != nil {
		return nil, nil, nil, file.Locate(err)
	}
	if !runner.Keys.Reaches(&r.now.Load().config.Keys) {
		return nil, nil, nil, file.Locate(errOldKeys)
	}
	return &reloaded{cmd, s, runner}, later, changed, nil
}
