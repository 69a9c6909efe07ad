package manage

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"weft/cmd/weft/manage/history"
	"weft/cmd/weft/manage/hook"
	"weft/fabric"
	"weft/sm/service"
	"weft/sm/telemetry"
	"weft/sm/terms"
)

// telemetryFlags holds the options about counters beside their interval.
type telemetryFlags struct {
	ports    []string // port-metrics
	selected *telemetry.Selection
	size     int // of the history, in MB
}

// usualHistory is the default size of the history in MB. An hour of 11,664 busy hosts, read every
// minute, takes 170 MB.
const usualHistory = 256

func (t *telemetryFlags) add(f *pflag.FlagSet) {
	f.StringArrayVar(&t.ports, "port-metrics", nil, "with --counters: metrics of their own for the ports of `NODE` (name, pattern such as 'spine *', or GUID) or NODE[PORT]; or "+telemetry.Words+"; can be repeated")
	f.IntVar(&t.size, "history-size", usualHistory, "with --counters and --state: keep an hour of readings of all ports in STATE-history, of at most `MB`; 0: none")
}

// check reads the options.
func (t *telemetryFlags) check() (err error) {
	if t.size < 0 {
		return errors.New("--history-size must be 0 or more MB")
	}
	if t.selected, err = telemetry.ParseSelection(t.ports); err != nil {
		return fmt.Errorf("--port-metrics %w", err)
	}
	return nil
}

// addHook adds the options of the program for events.
func addHook(f *pflag.FlagSet, o *hook.Options) {
	f.StringVar(&o.Program, "hook", "", "run `PROGRAM` (an absolute path, without arguments) for events: one at a time, with the event as JSON on standard input")
	f.StringSliceVar(&o.Events, "hook-events", []string{terms.Warning.String()}, "run --hook for these `EVENTS`: codes (weft sm --codes), or a severity and all more urgent ones")
	f.DurationVar(&o.Limit, "hook-limit", usualHookLimit, "kill --hook after this time")
}

// usualHookLimit is the default time for the program for events.
const usualHookLimit = 10 * time.Second

// keepHistory begins the history of counters, if one is to be kept.
func (r *serving) keepHistory(s *smFlags) {
	if s.state.path == "" || s.service.telemetry.size == 0 {
		return
	}
	r.history = history.Open(s.state.path+"-history", int64(s.service.telemetry.size)<<20, func(err error) {
		r.tell(terms.Incident{Kind: terms.FileFailed, Text: "the history of counters: " + err.Error()})
	})
}

// moment describes a moment of the history.
func (r *serving) moment(at time.Time) (*telemetry.Moment, error) {
	if r.history == nil {
		return nil, errors.New("none is kept: weft sm keeps one with --state and --counters")
	}
	return r.history.At(at)
}

// series returns the readings of a port over the time of the history.
func (r *serving) series(guid fabric.GUID, port uint8) (*telemetry.Series, error) {
	if r.history == nil {
		return nil, telemetry.ErrNotKept
	}
	return r.history.Series(guid, port)
}

// historyFile describes the file of the history; nil without one.
func (r *serving) historyFile() *service.HistoryFile {
	if r.history == nil {
		return nil
	}
	return r.history.Status()
}
