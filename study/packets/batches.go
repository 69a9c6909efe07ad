package packets

import (
	"weft/sim/flow"
	"weft/sim/packet"
)

// batches is the number of parts of a run. The variation of their means gives the confidence of the
// run's mean.
const batches = 20

// Within is the confidence of the means of a single run, from the means of equal parts of its time,
// averaged over runs.
type Within struct {
	Throughput float64 `json:"throughput_ci95_gbps"` // half the width of the 95 % confidence interval
	Latency    float64 `json:"latency_ci95_ns"`
}

// within computes the confidence of runs; nil if they have no time series.
func within(runs []*oneRun) *Within {
	w := &Within{}
	for _, run := range runs {
		if run.series == nil || run.series.Done < 2 {
			return nil
		}
		throughput, latency := batchMeans(run)
		w.Throughput += throughput.CI95 / float64(len(runs))
		w.Latency += latency.CI95 / float64(len(runs))
	}
	return w
}

// batchMeans sums up the means of a run's parts, in Gbit/s for each sender and in nanoseconds. It
// drops steps that do not fill a part.
func batchMeans(run *oneRun) (throughput, latency flow.Summary) {
	r := run.series
	parts := min(batches, r.Done)
	each := r.Done / parts
	var rates, delays []float64
	for k := range parts {
		var bytes, packets int64
		var sum packet.Time
		for i := k * each; i < (k+1)*each; i++ {
			bytes, packets, sum = bytes+r.Bytes[i], packets+r.Packets[i], sum+r.Latency[i]
		}
		rates = append(rates, float64(bytes)*8000/float64(r.Step)/float64(each)/float64(max(len(run.senders), 1)))
		if packets > 0 {
			delays = append(delays, float64(sum)/float64(packets)/float64(packet.Nanosecond))
		}
	}
	return flow.SummariseFew(rates), flow.SummariseFew(delays)
}
