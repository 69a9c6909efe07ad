package job

import (
	"context"
	"errors"
	"io"

	"weft/fabric"
	"weft/mapping"
	"weft/mapping/internal/change"
	"weft/mapping/internal/survey"
)

// WatchReport is the result of Watch, for programs.
type WatchReport struct {
	Mode   Mode          `json:"mode"`
	Rounds []RoundReport `json:"rounds"`
	// End says why the rounds ended before the events.
	End string `json:"end,omitempty"`
}

// OK reports whether every map was right at its stated time.
func (w *WatchReport) OK() bool {
	for i := range w.Rounds {
		if r := &w.Rounds[i]; !r.Certain || !r.Isomorphic {
			return false
		}
	}
	return w.End == ""
}

// RoundReport is one map of a changing network.
type RoundReport struct {
	BeginMS float64 `json:"begin_modelled_ms"`
	EndMS   float64 `json:"end_modelled_ms"`
	Mapper  string  `json:"mapper"`
	Probes  int     `json:"probes"`
	Size
	Certain bool     `json:"certain"`                     // two maps in a row were the same
	AsOfMS  float64  `json:"as_of_modelled_ms,omitempty"` // the map matched the network at this time, unless a lost part returned before its next probe
	Changes []string `json:"changes"`                     // since the previous round
	During  bool     `json:"changed_meanwhile"`
	Verdict
	InDoubt []Doubt `json:"in_doubt,omitempty"`
}

// Watch surveys a network again and again while the events of a list change it; file is the list's
// name in errors. It calls each after every round.
func Watch(ctx context.Context, f *fabric.Fabric, file string, list io.Reader, opt *Options, each func(*RoundReport) error) (*WatchReport, error) {
	if err := opt.Check(); err != nil {
		return nil, err
	}
	if opt.Mode == Parallel {
		return nil, errors.New("--events needs --mode master or election")
	}
	if opt.Mode == Election && opt.Mapper != "" {
		return nil, errors.New("--mapper cannot be used with --events and --mode election: the lowest host present maps")
	}
	if opt.Every <= 0 {
		return nil, errors.New("--every must be a time above 0")
	}
	events, err := change.ReadEvents(file, list)
	if err != nil {
		return nil, err
	}
	epochs, err := change.Timeline(f, events)
	if err != nil {
		return nil, err
	}
	host, err := opt.host(epochs[0].Network)
	if err != nil {
		return nil, err
	}
	w := &change.WatchOptions{
		Rule: opt.Collision, Hardware: opt.hardware(), Conditions: mapping.Conditions{Traffic: opt.Traffic, Seed: opt.Seed},
		Survey: survey.Options{Worst: opt.Worst, Limit: opt.Limit}, Mapper: epochs[0].Network.Hosts[host].ID,
		Election: opt.Mode == Election, Every: opt.Every,
	}
	if !opt.Traffic.Quiet() {
		w.Survey.Error = opt.Error
	}
	report := &WatchReport{Mode: opt.Mode, Rounds: []RoundReport{}}
	err = change.Watch(ctx, epochs, w, func(r *change.Round) error {
		report.Rounds = append(report.Rounds, roundReport(r))
		return each(&report.Rounds[len(report.Rounds)-1])
	})
	if errors.Is(err, change.ErrCutOff) {
		report.End, err = err.Error(), nil
	}
	return report, err
}

func roundReport(r *change.Round) RoundReport {
	rep := RoundReport{
		BeginMS: milliseconds(r.Begin), EndMS: milliseconds(r.End), Mapper: r.By.Name, Probes: r.Result.Probes.Total().Sent,
		Certain: r.Certain, AsOfMS: milliseconds(r.AsOf), Changes: []string{}, During: r.During, Verdict: verdictOf(r.Differs), InDoubt: doubts(r.Result),
	}
	if n := r.Result.Map; n != nil {
		rep.Size = sizeOf(n)
	}
	for _, c := range r.Changes {
		rep.Changes = append(rep.Changes, c.String())
	}
	return rep
}
