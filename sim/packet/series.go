package packet

// Series holds the measures of a run over time, in steps of equal length.
type Series struct {
	Start, Step Time
	Done        int // steps that the run has seen the end of
	// By step: payload that end ports took, packets that they took, and the sum of the latencies of these.
	Bytes, Packets []int64
	Latency        []Time
	*LinkSeries    // nil where it was not asked for

	looks  int   // until now
	before total // until the end of the step before
}

// total counts what end ports took since the warm-up.
type total struct {
	bytes, packets int64
	latency        Time
}

// LinkSeries is the part of a Series about links, which are numbered as in Result.Carried.
type LinkSeries struct {
	Links int
	// Used and Filled are by step and link, [step*Links+link]: the share of the time in which the link carried packets, and the
	// mean of the bytes in the input buffers behind it.
	Used, Filled []float32
	// Most is by link: the most bytes that were seen in the buffer of one VL.
	Most []int32

	carried []int64 // by link, until the end of the step before
}

// looksAStep counts the looks of a Series at the buffers in each step, of which the last is at its end.
const looksAStep = 10

// Record counts over time in so many steps; what is measured begins at the end of the warm-up, and so should they. The run
// goes on until their end, if nothing ends it. With links it counts for each link too: 8 bytes for each link and step.
func (s *Sim) Record(start, step Time, steps int, links bool) *Series {
	r := &Series{Start: start, Step: step, Bytes: make([]int64, steps), Packets: make([]int64, steps), Latency: make([]Time, steps)}
	if links {
		n := len(s.links)
		r.LinkSeries = &LinkSeries{Links: n, Used: make([]float32, steps*n), Filled: make([]float32, steps*n), Most: make([]int32, n), carried: make([]int64, n)}
	}
	s.At(start, r.begin)
	return r
}

// begin takes down what was before.
func (r *Series) begin(s *Sim) {
	r.before = s.total()
	if r.LinkSeries != nil {
		for i := range s.links {
			r.carried[i] = s.carried(i)
		}
	}
	r.next(s)
}

// next sets the time of the next look.
func (r *Series) next(s *Sim) {
	if r.Done < len(r.Bytes) {
		s.At(r.Start+r.Step*Time(r.looks+1)/looksAStep, r.look)
	}
}

// look takes down what there is to be seen now.
func (r *Series) look(s *Sim) {
	r.looks++
	if r.LinkSeries != nil {
		r.lookAtBuffers(s, r.Done)
	}
	if r.looks%looksAStep == 0 {
		r.endStep(s)
	}
	r.next(s)
}

// endStep closes the present step.
func (r *Series) endStep(s *Sim) {
	now, step := s.total(), r.Done
	r.Bytes[step], r.Packets[step], r.Latency[step] = now.bytes-r.before.bytes, now.packets-r.before.packets, now.latency-r.before.latency
	r.before = now
	if r.LinkSeries != nil {
		r.lookAtLinks(s, step, r.Step)
	}
	r.Done++
}

// lookAtBuffers adds what is in all input buffers to the means of a step.
func (r *LinkSeries) lookAtBuffers(s *Sim, step int) {
	filled := r.Filled[step*r.Links:]
	for l := range r.Links {
		for i := l * int(s.vls); i < (l+1)*int(s.vls); i++ {
			if bytes := s.buffers[i].filled * blockSize; bytes > 0 {
				filled[l] += float32(bytes) / looksAStep
				r.Most[l] = max(r.Most[l], bytes)
			}
		}
	}
}

// lookAtLinks counts what links carried in a step that ends now.
func (r *LinkSeries) lookAtLinks(s *Sim, step int, length Time) {
	for i := range s.links {
		carried := s.carried(i)
		r.Used[step*r.Links+i] = float32(float64(carried-r.carried[i]) * 8e6 / float64(s.links[i].mbps) / float64(length))
		r.carried[i] = carried
	}
}

// carried counts the bytes that a link has carried since the warm-up, without the rest of the packet that it carries now.
func (s *Sim) carried(i int) int64 {
	l := &s.links[i]
	rest := max(l.free-max(s.now, s.measure.from), 0)
	return max(l.bytes-int64(rest)*int64(l.mbps)/8_000_000, 0)
}

// total sums up what end ports took.
func (s *Sim) total() total {
	t := total{packets: s.measure.latency.Count, latency: s.measure.latency.Sum}
	for _, b := range s.measure.bytes {
		t.bytes += b
	}
	return t
}
