package service

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/sm/perf"
	"weft/sm/telemetry"
	"weft/wire/mad"
)

// HistoryFile is the file with the readings of the last hour.
type HistoryFile struct {
	File    string `json:"file"`
	Bytes   int64  `json:"bytes"`
	From    string `json:"from,omitempty"`    // end of the first reading, UTC; absent without any
	To      string `json:"to,omitempty"`      // end of the last one
	Problem string `json:"problem,omitempty"` // why readings are not kept
}

// PortCounts are the counters of a port, as a line of JSON.
type PortCounts struct {
	Time     string            `json:"time"` // end of the round of readings, UTC
	Port     fabric.PortName   `json:"port"`
	Peer     *fabric.PortName  `json:"peer,omitempty"`      // other end of its cable, now or before it was lost
	Rate     int32             `json:"rate_mbit,omitempty"` // of its link, in Mbit/s; absent if unknown
	Age      float64           `json:"age_seconds"`         // from the reading of the port to the end of the round
	Took     float64           `json:"took_seconds"`        // time in which grown grew; 0 if this round has not read the port, or for the first time
	Sent     uint64            `json:"transmit_bytes"`      // this and the counts below since the first reading
	Received uint64            `json:"receive_bytes"`
	SentPkts uint64            `json:"transmit_packets"`
	RcvdPkts uint64            `json:"receive_packets"`
	Wait     uint64            `json:"transmit_wait_ticks"`
	Errors   map[string]uint64 `json:"errors"` // by counter, without those at 0
	Grown    Grown             `json:"grown"`
}

// Grown is the growth of a port's counters between its last two readings.
type Grown struct {
	Sent     uint64            `json:"transmit_bytes"`
	Received uint64            `json:"receive_bytes"`
	SentPkts uint64            `json:"transmit_packets"`
	RcvdPkts uint64            `json:"receive_packets"`
	Wait     uint64            `json:"transmit_wait_ticks"`
	Errors   map[string]uint64 `json:"errors"` // by counter, without those at 0
}

// errorsOf returns the counters of errors that are not 0.
func errorsOf(counts *[mad.NumCounters]uint64) map[string]uint64 {
	by := map[string]uint64{}
	for c, n := range counts {
		if n > 0 && !perf.IsFlow(c) {
			by[perf.Name(c)] = n
		}
	}
	return by
}

// newPortCounts describes a port of a Reading.
func newPortCounts(at string, r *perf.Reading, i int) *PortCounts {
	p, c := &r.Ports[i], &r.Counts[i]
	out := &PortCounts{
		Time: at, Port: p.Name, Rate: p.Rate, Age: c.Age.Seconds(), Took: c.Took.Seconds(),
		Sent: c.Total[mad.CounterXmitData] * bytesInWord, Received: c.Total[mad.CounterRcvData] * bytesInWord,
		SentPkts: c.Total[mad.CounterXmitPkts], RcvdPkts: c.Total[mad.CounterRcvPkts], Wait: c.Total[mad.CounterXmitWait], Errors: errorsOf(&c.Total),
		Grown: Grown{
			Sent: c.Grown[mad.CounterXmitData] * bytesInWord, Received: c.Grown[mad.CounterRcvData] * bytesInWord,
			SentPkts: c.Grown[mad.CounterXmitPkts], RcvdPkts: c.Grown[mad.CounterRcvPkts], Wait: c.Grown[mad.CounterXmitWait], Errors: errorsOf(&c.Grown),
		},
	}
	if p.Peer.GUID != 0 {
		out.Peer = &p.Peer
	}
	return out
}

// noReading tells that there are no counters.
const noReading = "no counters have been read yet: weft sm --counters INTERVAL makes the master read them; the first round takes one interval"

// ports answers with the counters of all ports; with follow, after each round again.
func ports(s *Service, w http.ResponseWriter, r *http.Request) {
	follow := r.URL.Query().Get("follow") == "true" && r.Method != http.MethodHead
	if !s.streams.Take() {
		endpoints.TooMany(w, "too many clients read the counters of all ports")
		return
	}
	defer s.streams.Give()
	now := s.read.Load()
	if now.Reading == nil && !follow {
		endpoints.Refuse(w, http.StatusNotFound, noReading)
		return
	}
	w.Header().Set("Content-Type", endpoints.Lines)
	for {
		if now.Reading != nil && !s.writePorts(w, now) || !follow {
			return
		}
		select {
		case <-now.more:
			now = s.read.Load()
		case <-s.log.over():
			return
		case <-r.Context().Done():
			return
		}
	}
}

// linesAtOnce is the number of lines for which a client has time (patience).
const linesAtOnce = 500

// writePorts writes a Reading, and reports whether the client took it.
func (s *Service) writePorts(w http.ResponseWriter, now *reading) bool {
	control, buffer := http.NewResponseController(w), bufio.NewWriterSize(w, 1<<16)
	enc := json.NewEncoder(buffer)
	enc.SetEscapeHTML(false)
	at := utc(now.at)
	for i := range now.Ports {
		if i%linesAtOnce == 0 {
			_ = control.SetWriteDeadline(s.opt.Clock().Add(patience)) // some writers have no deadline
		}
		if enc.Encode(newPortCounts(at, now.Reading, i)) != nil {
			return false
		}
	}
	return buffer.Flush() == nil && control.Flush() == nil
}

// reading is a Reading with its time. more is closed when there is a later one.
type reading struct {
	*perf.Reading
	at   time.Time
	more chan struct{}
}

// noteReading takes the Reading of a Snapshot, if it is another one.
func (s *Service) noteReading(now *shown) {
	was, next := s.read.Load(), readings(now).Reading
	if was != nil && was.Reading == next {
		return
	}
	s.read.Store(&reading{next, now.wall, make(chan struct{})})
	if was != nil {
		close(was.more)
	}
}

// noHistory tells that there is no history.
const noHistory = "no history is kept: weft sm keeps one with the options state and counters"

// hot answers with a moment of the history.
func hot(s *Service, w http.ResponseWriter, r *http.Request) {
	if s.opt.Moment == nil {
		endpoints.Refuse(w, http.StatusNotFound, noHistory)
		return
	}
	at, _ := time.Parse(time.RFC3339, r.URL.Query().Get("at")) // dispatch has checked it
	look(s, w, "of "+utc(at), func() (*telemetry.Moment, error) { return s.opt.Moment(at) })
}

// seriesOf answers with the history of a port.
func seriesOf(s *Service, w http.ResponseWriter, r *http.Request) {
	now := s.inForce(w)
	if now == nil {
		return
	}
	at, err := now.Routed.Fabric.FindPlace(r.URL.Query().Get("port"))
	switch {
	case err != nil:
		endpoints.Refuse(w, http.StatusNotFound, "port: "+err.Error())
	case at.Whole:
		endpoints.Refuse(w, http.StatusNotFound, "port: want a port, as in leaf 3[20]")
	case s.opt.Series == nil:
		endpoints.Refuse(w, http.StatusNotFound, noHistory)
	default:
		port := now.Routed.Fabric.PortName(at.End)
		look(s, w, "of "+port.String(), func() (*telemetry.Series, error) { return s.opt.Series(port.GUID, port.Port) })
	}
}

// look answers with something of the history, one question at a time.
func look[T any](s *Service, w http.ResponseWriter, what string, find func() (*T, error)) {
	if !s.looks.Take() {
		endpoints.TooMany(w, "another question about the history is under way")
		return
	}
	defer s.looks.Give()
	found, err := find()
	switch {
	case errors.Is(err, telemetry.ErrNotKept):
		text := "no reading " + what + " is kept"
		if h := s.historyFile(); h != nil && h.From != "" {
			text += ": readings end from " + h.From + " to " + h.To
		}
		endpoints.Refuse(w, http.StatusNotFound, text)
	case err != nil:
		endpoints.Refuse(w, http.StatusServiceUnavailable, "the history: "+err.Error())
	default:
		endpoints.Answer(w, http.StatusOK, found)
	}
}

// historyFile describes the file of the history; nil without one.
func (s *Service) historyFile() *HistoryFile {
	if s.opt.History == nil {
		return nil
	}
	return s.opt.History()
}
