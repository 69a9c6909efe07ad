package service

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"weft/sm/recording"
	"weft/sm/terms"
	"weft/sm/watch/tally"
)

// timesFigure is a histogram of durations.
type timesFigure struct {
	*prometheus.Desc
	times func(t *tally.Tally) *terms.Times
}

// newTimes returns a histogram.
func newTimes(name, help string, times func(t *tally.Tally) *terms.Times) timesFigure {
	return timesFigure{prometheus.NewDesc("weft_sm_"+name+"_duration_seconds", help, nil, nil), times}
}

// allTimes lists the histograms.
var allTimes = []timesFigure{
	newTimes("light_sweep", "Durations of light sweeps that came to their end.", func(t *tally.Tally) *terms.Times { return &t.LightSweepTimes }),
	newTimes("round", "Durations of rounds: discovery, routing, proof and writing.", func(t *tally.Tally) *terms.Times { return &t.RoundTimes }),
	newTimes("route", "Times to compute and prove a Plan.", func(t *tally.Tally) *terms.Times { return &t.RouteTimes }),
	newTimes("repair", "Times from the first sign of a change to the end of the round that repaired the routes.", func(t *tally.Tally) *terms.Times { return &t.RepairTimes }),
}

// metric returns the histogram of a Tally.
func (f *timesFigure) metric(t *tally.Tally) prometheus.Metric {
	times := f.times(t)
	upTo, n := map[float64]uint64{}, 0
	for i, bound := range terms.TimeBounds {
		n += times.By[i]
		upTo[bound.Seconds()] = uint64(n)
	}
	return prometheus.MustNewConstHistogram(f.Desc, uint64(times.All), times.Sum.Seconds(), upTo)
}

// serviceFigure is a metric of the Service itself.
type serviceFigure struct {
	*prometheus.Desc
	kind   prometheus.ValueType
	values func(s *Service, add func(value float64, labels ...string))
}

// serviceFigures lists them.
var serviceFigures = []serviceFigure{
	{prometheus.NewDesc("weft_build_info", "Version and commit of weft, and the version of Go; always 1.", []string{"version", "commit", "goversion"}, nil), prometheus.GaugeValue, build},
	{prometheus.NewDesc("weft_sm_events_total", "Lines of the log, by code and severity.", []string{"code", "severity"}, nil), prometheus.CounterValue, linesByCode},
	{prometheus.NewDesc("weft_sm_state_stored", "1 if everything is in the state file, 0 if it cannot be written; absent without a state file.", nil, nil), prometheus.GaugeValue, stored},
	{prometheus.NewDesc("weft_sm_api_certificate_expiry_timestamp_seconds", "When the certificate of the API expires, in seconds since 1970; absent without TLS.", nil, nil), prometheus.GaugeValue, certificateExpiry},
}

func build(s *Service, add func(float64, ...string)) {
	add(1, s.opt.Version, s.opt.Commit, runtime.Version())
}

func linesByCode(s *Service, add func(float64, ...string)) {
	by := s.log.counts()
	for code := range recording.Explain {
		add(float64(by[code]), string(code), code.Severity().String())
	}
}

func stored(s *Service, add func(float64, ...string)) {
	if s.opt.State == nil {
		return
	}
	if f := s.opt.State(); f != nil {
		add(truth(f.Stored))
	}
}

func certificateExpiry(s *Service, add func(float64, ...string)) {
	if at := s.certificate(); !at.IsZero() {
		add(float64(at.Unix()))
	}
}
