package manage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/internal/configfile"
	"weft/internal/fold"
	"weft/sm"
	"weft/sm/recording"
	"weft/sm/round"
	"weft/sm/terms"
)

// stay runs a manager that stays.
func (s *smFlags) stay(cmd *cobra.Command, given settings, file *configfile.File) (failure error) {
	runner, err := s.stayer(cmd)
	if err != nil {
		return file.Locate(err)
	}
	if err := s.remember(cmd, runner); err != nil {
		return file.Locate(err)
	}
	defer func() { failure = errors.Join(failure, s.state.close()) }()
	files, err := cli.OpenOutputs(cmd, s.lids, s.plan, s.found) // that they can be written is known before anything is sent
	if err != nil {
		return file.Locate(err)
	}
	files.Drop()
	endRecording, err := s.openRecording(runner)
	if err != nil {
		return file.Locate(err)
	}
	defer func() { failure = errors.Join(failure, endRecording()) }()
	t, err := s.wires.Open(cmd, true)
	if err != nil {
		return file.Locate(err)
	}
	run := newServing(cmd, given, &s.state)
	run.take(s, cmd.Flags())
	runner.Asked, runner.Note, runner.Round, runner.Show, runner.Decided = run.asked, run.tell, run.round, run.show, run.decided
	end, err := run.serve(s)
	if err != nil {
		return errors.Join(file.Locate(err), t.Close())
	}
	defer end()
	run.tell(terms.Incident{Kind: terms.Started, Text: "weft manages the subnet of " + s.wires.Transport})
	s.state.told(run.tell)
	defer run.reloadAtSIGHUP()()
	err = s.runAtPorts(cmd, runner, t, run.tell)
	run.deciding.Wait()
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

// stayer converts the flags to a manager that stays.
func (s *smFlags) stayer(cmd *cobra.Command) (*sm.Runner, error) {
	if s.watch.Interval < 10*time.Millisecond {
		return nil, errors.New("--interval must be 10ms or more")
	}
	if s.watch.Rebalance < 0 {
		return nil, errors.New("--rebalance-after must be 0 or more")
	}
	if err := errors.Join(s.checkFaultFlags(), s.checkOthers()); err != nil {
		return nil, err
	}
	if err := s.service.api.check(); err != nil {
		return nil, err
	}
	runner, err := s.runner(cmd)
	if err != nil {
		return nil, err
	}
	runner.Options = s.shape(cmd.Flags())
	runner.Watch = terms.UsualWatch
	runner.Watch.Interval, runner.Watch.Rebalance, runner.Elect = s.watch.Interval, s.watch.Rebalance, true
	runner.Watch.Flaps, runner.Watch.KeepAbsent = s.watch.Flaps, s.watch.KeepAbsent
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

// writeFiles writes the files after a round.
func (s *smFlags) writeFiles(cmd *cobra.Command, result *round.Result) error {
	files, err := cli.OpenOutputs(cmd, s.lids, s.plan, s.found)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f != nil {
			f.Told = io.Discard // not again and again
		}
	}
	return files.WriteAll(filesOf(result))
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
