package packets

import (
	"cmp"
	"encoding/csv"
	"io"
	"strconv"

	"weft/internal/chart"
	"weft/sim/packet"
)

// Moment sums up a step of a run.
type Moment struct {
	At         float64 `json:"at_ns"`             // end of the step, since the warm-up
	Throughput float64 `json:"throughput_gbps"`   // delivered payload of a sending rank
	Latency    float64 `json:"latency_ns"`        // mean of the received packets
	Used       float64 `json:"used"`              // average share of the time with packets on links between switches
	MostUsed   float64 `json:"most_used"`         // the same for the busiest link of this step
	Filled     float64 `json:"filled_bytes"`      // in the input buffers of a switch port, on average
	MostFilled float64 `json:"most_filled_bytes"` // bytes in the buffers of the fullest port in this step
}

// overTime lists the steps of a run.
func (j *job) overTime(run *oneRun) []Moment {
	r := run.series
	if r == nil || r.LinkSeries == nil {
		return nil
	}
	switches := make([]int32, j.g.NumChannels) // links between switches, then those from hosts to switches
	for c := range switches {
		switches[c] = j.linkNumber(int32(c))
	}
	buffers := switches
	for e := range int32(j.g.NumHosts) {
		buffers = append(buffers, int32(len(j.g.Attached))+e)
	}
	list := make([]Moment, r.Done)
	for i := range list {
		m := &list[i]
		m.At = float64(r.Step) * float64(i+1) / float64(packet.Nanosecond)
		m.Throughput = float64(r.Bytes[i]) * 8000 / float64(r.Step) / float64(max(len(run.senders), 1))
		m.Latency = float64(r.Latency[i]) / float64(packet.Nanosecond) / float64(max(r.Packets[i], 1))
		row := i * r.Links
		m.Used, m.MostUsed = meanAndMost(r.Used[row:], switches)
		m.Filled, m.MostFilled = meanAndMost(r.Filled[row:], buffers)
	}
	return list
}

// meanAndMost returns the mean and the maximum of the values with these numbers; 0 for none.
func meanAndMost(values []float32, numbers []int32) (mean, most float64) {
	for _, i := range numbers {
		mean += float64(values[i])
		most = max(most, float64(values[i]))
	}
	return mean / float64(max(len(numbers), 1)), most
}

// WriteTimes writes a line of names, and one for each step.
func (o *Simulation) WriteTimes(w io.Writer) error {
	c := csv.NewWriter(w)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	list := [][]string{{"at_ns", "throughput_gbps", "latency_ns", "used", "most_used", "filled_bytes", "most_filled_bytes"}}
	for _, m := range o.OverTime {
		list = append(list, []string{number(m.At), number(m.Throughput), number(m.Latency), number(m.Used), number(m.MostUsed), number(m.Filled), number(m.MostFilled)})
	}
	return cmp.Or(c.WriteAll(list), c.Error())
}

// DrawTimes draws the steps: throughput, use of links, filling of buffers.
func (o *Simulation) DrawTimes(w io.Writer) error {
	draw := func(title, unit string, series ...chart.Series) chart.Chart {
		return chart.Chart{Name: "over-time", Title: title, Kind: chart.Lines, X: chart.Axis{Label: "us"}, Y: chart.Axis{Label: unit}, Series: series}
	}
	line := func(name string, value func(*Moment) float64) chart.Series {
		s := chart.Series{Name: name}
		for i := range o.OverTime {
			s.Add(o.OverTime[i].At/1000, value(&o.OverTime[i]), 0, 0)
		}
		return s
	}
	return chart.WriteAll(w,
		draw(o.title()+": what a sending rank gets through", "Gbit/s", line("throughput", func(m *Moment) float64 { return m.Throughput })),
		draw("Links between switches that carry packets, share of the time", "share",
			line("mean", func(m *Moment) float64 { return m.Used }), line("busiest", func(m *Moment) float64 { return m.MostUsed })),
		draw("Bytes in the input buffers of a switch port", "bytes",
			line("mean", func(m *Moment) float64 { return m.Filled }), line("fullest", func(m *Moment) float64 { return m.MostFilled })))
}

// record has a run recorded over time, if its measured time is known beforehand.
func (j *job) record(sim *packet.Sim) *packet.Series {
	if j.once && j.Steps == 0 {
		return nil
	}
	warmup, steps := packet.Time(j.Warmup)*packet.Nanosecond, cmp.Or(j.Steps, batches)
	if j.once {
		warmup = 0
	}
	return sim.Record(warmup, packet.Time(j.Duration)*packet.Nanosecond/packet.Time(steps), steps, j.Steps > 0)
}
