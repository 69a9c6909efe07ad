package packet

// Series holds the measures of a run over time, in steps of equal length.
type Series struct {
	Start, Step Time
	Done        int // steps completed
	// By step: payload and packets that end ports received, and the sum of their latencies.
	Bytes, Packets []int64
	Latency        []Time
	*LinkSeries    // nil unless asked for

	looks  int   // so far
	before total // until the end of the previous step
}

// total counts the packets that end ports received since the warm-up.
type total struct {
	bytes, packets int64
	latency        Time
}

// LinkSeries is the part of a Series about links, which are numbered as in Result.Carried.
type LinkSeries struct {
	Links int
	// Used and Filled are indexed [step*Links+link]: the share of the time during which the link
	// carried packets, and the mean number of bytes in the input buffers behind it.
	Used, Filled []float32
	// Most is by link: the most bytes observed in the buffer of one VL.
	Most []int32

	carried []int64 // by link, until the end of the previous step
}

// looksAStep is the number of samples of the buffers in each step; the last one is at its end.
const looksAStep = 10

// Record counts over time, in the given number of steps. Measurement begins at the end of the
// warm-up, and so should the steps. Unless something ends the run earlier, it lasts until their
// end. With links it also counts for each link: 8 bytes for each link and step.
func (s *Sim) Record(start, step Time, steps int, links bool) *Series {
	r := &Series{Start: start, Step: step, Bytes: make([]int64, steps), Packets: make([]int64, steps), Latency: make([]Time, steps)}
	if links {
		n := len(s.links)
		r.LinkSeries = &LinkSeries{Links: n, Used: make([]float32, steps*n), Filled: make([]float32, steps*n), Most: make([]int32, n), carried: make([]int64, n)}
	}
	s.At(start, r.begin)
	return r
}

// begin stores the counts before the first step.
func (r *Series) begin(s *Sim) {
	r.before = s.total()
	if r.LinkSeries != nil {
		for i := range s.links {
			r.carried[i] = s.Carried(i)
		}
	}
	r.next(s)
}

// next schedules the next sample.
func (r *Series) next(s *Sim) {
	if r.Done < len(r.Bytes) {
		s.At(r.Start+r.Step*Time(r.looks+1)/looksAStep, r.look)
	}
}

// look takes a sample.
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

// endStep completes the current step.
func (r *Series) endStep(s *Sim) {
	now, step := s.total(), r.Done
	r.Bytes[step], r.Packets[step], r.Latency[step] = now.bytes-r.before.bytes, now.packets-r.before.packets, now.latency-r.before.latency
	r.before = now
	if r.LinkSeries != nil {
		r.lookAtLinks(s, step, r.Step)
	}
	r.Done++
}

// lookAtBuffers adds the contents of all input buffers to the means of a step.
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

// lookAtLinks counts the bytes that links carried in the step that ends now.
func (r *LinkSeries) lookAtLinks(s *Sim, step int, length Time) {
	for i := range s.links {
		carried := s.Carried(i)
		r.Used[step*r.Links+i] = float32(float64(carried-r.carried[i]) * 8e6 / float64(s.links[i].mbps) / float64(length))
		r.carried[i] = carried
	}
}

// Links returns the number of links. Links of switch ports come first, numbered as in
// Graph.Attached, then links of end ports.
func (n *network) Links() int { return len(n.links) }

// Rate returns the rate of a link in Mbit/s.
func (n *network) Rate(i int) int32 { return n.links[i].mbps }

// Carried returns the bytes that a link has carried since the warm-up, with headers and without the
// unsent rest of the current packet.
func (s *Sim) Carried(i int) int64 {
	l := &s.links[i]
	rest := max(l.free-max(s.now, s.measure.from), 0)
	return max(l.bytes-int64(rest)*int64(l.mbps)/8_000_000, 0)
}

// total sums up the packets that end ports received.
func (s *Sim) total() total {
	t := total{packets: s.measure.latency.Count, latency: s.measure.latency.Sum}
	for _, b := range s.measure.bytes {
		t.bytes += b
	}
	return t
}
