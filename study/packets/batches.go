package packets

import (
	"weft/sim/flow"
	"weft/sim/packet"
)

// batches is the parts of a run whose means tell how sure the mean of the run is.
const batches = 20

// Within says how sure a single run is of its means, by the means of equal parts of its time. It is the average over runs.
type Within struct {
	Throughput float64 `json:"throughput_ci95_gbps"` // half the width of the 95 % confidence interval
	Latency    float64 `json:"latency_ci95_ns"`
}

// within sums up the parts of runs; nil where they were not counted over time.
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

// batchMeans sums up the parts of a run, in Gbit/s a sender and in nanoseconds. Steps that make no whole part are left out.
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
