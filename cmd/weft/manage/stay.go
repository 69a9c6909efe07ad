package manage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/cmd/weft/manage/topology"
	"weft/internal/configfile"
	"weft/internal/fold"
	"weft/sm"
	"weft/sm/recording"
	"weft/sm/round"
	"weft/sm/terms"
)

// stay runs a manager that stays.
func (s *smFlags) stay(cmd *cobra.Command, given settings, file *configfile.File) (failure error) {
	debug.SetTraceback("crash") // a fault of ours ends by a signal: Go's own status 2 would say that a person must change something
	runner, err := s.stayer(cmd)
	if err != nil {
		return file.Locate(err)
	}
	if err := s.remember(cmd, runner); err != nil {
		return file.Locate(err)
	}
	defer func() { failure = errors.Join(failure, s.state.close()) }()
	failed, err := s.tryOutputs(cmd)
	if err != nil {
		return file.Locate(err)
	}
	endRecording, err := s.openRecording(runner)
	if err != nil { // the subnet is more than its recording
		failed = append(failed, err)
	}
	defer func() { failure = errors.Join(failure, endRecording()) }()
	t, err := s.wires.Open(cmd, true)
	if err != nil {
		return file.Locate(err)
	}
	run := newServing(cmd, given, &s.state)
	run.take(s, cmd.Flags())
	run.topology = topology.Start(cmd, s.topology.read, s.state.then, run.tell)
	defer run.topology.End()
	run.keepHistory(s)
	defer run.history.Close()
	defer run.hook.Close()
	runner.Asked, runner.Note, runner.Round, runner.Show, runner.Decided = run.asked, run.tell, run.round, run.show, run.decided
	runner.Gate = &run.gate
	end, err := run.serve(s)
	if err != nil {
		return errors.Join(file.Locate(err), t.Close())
	}
	defer end()
	run.tell(terms.Incident{Kind: terms.Started, Text: "weft manages the subnet of " + s.wires.Transport})
	s.state.told(run.tell, func() {
		_ = run.ask(cmd.Context(), &terms.Event{Kind: terms.Resweep, Name: "what could not be stored is stored now"})
	})
	for _, err := range failed {
		run.tell(terms.Incident{Kind: terms.FileFailed, Text: err.Error()})
	}
	defer run.reloadAtSIGHUP()()
	err = s.runAtPorts(cmd, runner, t, run.tell)
	run.deciding.under.Wait()
	run.topology.End()
	run.notify.Stopping()
	switch {
	case err == nil:
		run.tell(terms.Incident{Kind: terms.Ended, Text: "on request; the devices keep their tables"})
		return nil
	case cmd.Context().Err() != nil: // no failure: a restart goes on from here
		run.tell(terms.Incident{Kind: terms.Ended, Text: "on request, during a round: some devices may not have taken what was sent"})
		return nil
	default:
		run.tell(terms.Incident{Kind: terms.Ended, Text: err.Error()})
		return cli.Cannot(err)
	}
}

// tryOutputs finds out whether the files of each round can be written. What is wrong with an option
// is an error; a folder that is missing or read-only, or a full disk, may be mended while the
// manager runs.
func (s *smFlags) tryOutputs(cmd *cobra.Command) (failed []error, err error) {
	for _, path := range []string{s.lids, s.plan, s.found} {
		if path == "" {
			continue
		}
		o, err := cli.OpenOutput(cmd, path)
		switch errno, is := errors.AsType[syscall.Errno](err); {
		case err == nil:
			o.Drop()
		case is && errno != syscall.EISDIR:
			failed = append(failed, err)
		default:
			return nil, err
		}
	}
	return failed, nil
}

// stayer converts the flags to a manager that stays.
func (s *smFlags) stayer(cmd *cobra.Command) (*sm.Runner, error) {
	if s.watch.Interval < 10*time.Millisecond {
		return nil, errors.New("--interval must be 10ms or more")
	}
	if s.watch.Rebalance < 0 {
		return nil, errors.New("--rebalance-after must be 0 or more")
	}
	if s.watch.Moves < 0 {
		return nil, errors.New("--moves-per-minute must be 0 or more")
	}
	if s.watch.Jobs.Interval < 100*time.Millisecond || s.watch.Jobs.Moves < 0 {
		return nil, errors.New("--job-interval must be 100ms or more, --job-moves 0 or more")
	}
	for _, pattern := range s.watch.Jobs.Partitions {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return nil, fmt.Errorf("--job-partitions %q: want the name of a partition, or a pattern such as 'team*'", pattern)
		}
	}
	if err := errors.Join(s.checkFaultFlags(), s.checkOthers()); err != nil {
		return nil, err
	}
	if err := s.service.api.check(); err != nil {
		return nil, err
	}
	if m := s.service.metrics; m != "" {
		if _, _, err := net.SplitHostPort(m); err != nil {
			return nil, fmt.Errorf("--metrics %s: want HOST:PORT, or :PORT for this machine only", m)
		}
	}
	if err := errors.Join(s.service.telemetry.check(), s.service.hook.Check()); err != nil {
		return nil, err
	}
	runner, err := s.runner(cmd)
	if err != nil {
		return nil, err
	}
	runner.Options = s.shape(cmd.Flags())
	runner.Watch = terms.UsualWatch
	runner.Watch.Interval, runner.Watch.Rebalance, runner.Elect = s.watch.Interval, s.watch.Rebalance, true
	runner.Watch.Moves, runner.Watch.Jobs, runner.Today = s.watch.Moves, s.watch.Jobs, today
	for _, text := range s.moving.never {
		hours, err := terms.ParseHours(text)
		if err != nil {
			return nil, fmt.Errorf("--no-moves %w", err)
		}
		runner.Watch.NoMoves = append(runner.Watch.NoMoves, hours)
	}
	if err := s.tuning.readWindows(&runner.Watch, time.Now()); err != nil {
		return nil, err
	}
	runner.Watch.Flaps, runner.Watch.Babble, runner.Watch.KeepAbsent = s.watch.Flaps, s.watch.Babble, s.watch.KeepAbsent
	if s.service.counters.Interval < 0 || s.service.counters.Rate < 1 {
		return nil, errors.New("--counters must be 0 or more, --counters-rate 1 or more")
	}
	runner.Counters, runner.Exchange = s.service.counters, s.gids.exchange
	if runner.Congestion, err = s.service.congestion.read(); err != nil {
		return nil, err
	}
	runner.Watch.Retry = min(runner.Watch.Retry, s.watch.Interval)
	return runner, nil
}

// today returns the time since 1970 in UTC.
func today() time.Duration { return terms.SinceEpoch(time.Now()) }

// writeFiles writes the files after a round, each for itself.
func (s *smFlags) writeFiles(cmd *cobra.Command, result *round.Result) (failure error) {
	var files cli.OutputFiles
	for _, path := range []string{s.lids, s.plan, s.found} {
		opened, err := cli.OpenOutputs(cmd, path)
		if err != nil {
			failure, opened = errors.Join(failure, err), cli.OutputFiles{nil}
		}
		if f := opened[0]; f != nil {
			f.Told = io.Discard // not again and again
		}
		files = append(files, opened...)
	}
	return errors.Join(failure, files.WriteAll(filesOf(result)))
}

// smLog writes log lines. It is safe for concurrent use.
type smLog struct {
	mu     sync.Mutex
	to     io.Writer
	asJSON bool
	// journal says that journald reads the lines: each begins with its severity, as in <4>.
	journal bool
}

// setJSON selects JSON or text lines.
func (l *smLog) setJSON(asJSON bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asJSON = asJSON
}

// write writes a line.
func (l *smLog) write(line *terms.LogLine) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := fmt.Sprintf("%s %s: %s", line.Time, line.Kind, strings.ReplaceAll(line.Text, "\n", "; "))
	if l.asJSON {
		data, _ := json.Marshal(line) // texts and numbers
		text = string(data)
	}
	if l.journal {
		text = cli.JournalPrefix(line.Kind.Severity()) + text
	}
	fmt.Fprintln(l.to, text)
}

// explainCodes prints the severity and the explanation of each log code.
func explainCodes(w io.Writer) error {
	for _, kind := range slices.Sorted(maps.Keys(recording.Explain)) {
		if _, err := fmt.Fprintf(w, "%s (%s)\n    %s\n", kind, kind.Severity(), fold.Text(4, recording.Explain[kind])); err != nil {
			return err
		}
	}
	return nil
}
