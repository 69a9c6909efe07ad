package recording

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"time"

	"weft/fabric"
	"weft/fabric/netfile/own"
	"weft/planner"
	"weft/route/planfile"
	"weft/sm/terms"
)

// recordingVersion is the version of the format that a Recorder writes. Sums of textsVersion, the
// only earlier one, include texts and names.
const (
	recordingVersion = 2
	textsVersion     = 1
)

// recordingHead is the first line of a recording.
type recordingHead struct {
	Version int         `json:"weft_recording"`
	Made    *recordedBy `json:"made"`
}

// recordedBy holds the settings of a Manager, at its start or after a change. Values that JSON
// cannot hold are in fields of their own.
type recordedBy struct {
	Config   terms.Config
	Watch    terms.Watch
	Routing  recordedRouting
	Last     []byte            `json:",omitempty"` // the Plan of Config.Last, as a file
	Expected []byte            `json:",omitempty"` // Config.Expected, as a file
	Afresh   bool              `json:",omitempty"` // of Settings
	What     string            `json:",omitempty"`
	Enforce  terms.Enforcement `json:",omitzero"`
}

// recordedRouting holds the values of a planner.Request, without held LIDs: those are in each
// Route.
type recordedRouting struct {
	Chain                                 []recordedStep
	LMC                                   uint8
	Fresh                                 bool
	HeldLMC                               uint8
	MaxVLs, Workers                       int
	JobLanes                              int `json:",omitempty"` // copies
	Seed                                  uint64
	Kinds                                 []fabric.KindRule
	Kept                                  []byte `json:",omitempty"` // a Plan, as a file
	Afresh, PassDeadSwitch, NoPathRecords bool
}

// recordedStep is one engine of a chain.
type recordedStep struct {
	Engine  string
	Options map[string]string
}

// Recorder writes a recording. After an error it writes no more; see Err.
type Recorder struct {
	To      *bufio.Writer // the recording; Flush writes what is buffered
	block   []byte        // of the event under way
	scratch []byte
	last    time.Duration // time of the previous event
	// Flushed is the time of the event after which To was last flushed.
	Flushed time.Duration
	err     error
}

// NewRecorder begins a recording of a Manager with these settings, and the planner's request on
// which its Plans are based.
func NewRecorder(w io.Writer, cfg *terms.Config, watch *terms.Watch, routing *planner.Request) *Recorder {
	r := &Recorder{To: bufio.NewWriterSize(w, 1<<16)}
	made, err := newRecordedBy(&terms.Settings{Config: *cfg, Watch: *watch, Routing: *routing})
	if err != nil {
		r.err = err
		return r
	}
	head, err := json.Marshal(recordingHead{recordingVersion, made})
	if r.err = err; err == nil {
		_, r.err = r.To.Write(append(head, '\n'))
	}
	return r
}

// newRecordedBy returns the recorded form of settings.
func newRecordedBy(s *terms.Settings) (*recordedBy, error) {
	q := &s.Routing
	out := &recordedBy{Config: s.Config, Watch: s.Watch, Afresh: s.Afresh, What: s.What, Enforce: s.Enforce, Routing: recordedRouting{
		LMC: q.LIDs.LMC, Fresh: q.LIDs.Fresh, HeldLMC: q.HeldLMC, MaxVLs: q.MaxVLs, JobLanes: q.JobLanes.Asked(), Workers: q.Workers, Seed: q.Seed, Kinds: q.Kinds,
		Afresh: q.Afresh, PassDeadSwitch: q.PassDeadSwitch, NoPathRecords: q.NoPathRecords,
	}}
	for _, step := range q.Chain {
		out.Routing.Chain = append(out.Routing.Chain, recordedStep{step.Engine.Name, step.Options})
	}
	var err error
	if out.Last, err = planBytes(s.Config.Last); err != nil {
		return nil, err
	}
	if out.Routing.Kept, err = planBytes(q.Kept); err != nil {
		return nil, err
	}
	if f := s.Config.Expected; f != nil {
		var b bytes.Buffer
		if err := own.WriteJSON(&b, f); err != nil {
			return nil, err
		}
		out.Expected = b.Bytes()
	}
	out.Config.Last, out.Config.Expected = nil, nil
	return out, nil
}

// planBytes returns a Plan as a file, nil for none.
func planBytes(k *planner.Kept) ([]byte, error) {
	if k == nil {
		return nil, nil
	}
	var b bytes.Buffer
	err := planfile.Save(&b, k.Graph(), k.Plan)
	return b.Bytes(), err
}

// Event begins the block of an event. Call it before the Manager handles the event.
func (r *Recorder) Event(now time.Duration, ev *terms.Event) {
	if r.err != nil {
		return
	}
	b := append(r.block[:0], byte(ev.Kind))
	b = binary.AppendUvarint(b, uint64(now-r.last))
	r.last = now
	r.block, r.err = appendEvent(b, ev)
}

// appendEvent appends the values of an event, by its kind.
func appendEvent(b []byte, ev *terms.Event) ([]byte, error) {
	switch ev.Kind {
	case terms.Answer:
		b = binary.AppendUvarint(b, ev.Tag)
		b = append(b, byte(ev.Outcome))
		b = binary.AppendUvarint(b, uint64(ev.Attempts))
		b = binary.AppendUvarint(b, uint64(ev.Status))
		b = AppendBytes(b, bytes.TrimRight(ev.Data[:], "\x00"))
	case terms.Planned, terms.Improved, terms.Stored:
		text := ""
		if ev.Err != nil && (ev.Kind == terms.Stored || isCutShort(ev.Err)) {
			text = ev.Err.Error()
		}
		b = AppendBytes(b, []byte(text))
	case terms.Unasked:
		a := &ev.Datagram.Addr
		for _, v := range []uint64{uint64(a.DLID), uint64(a.SLID), uint64(a.DQP), uint64(a.SQP), uint64(a.QKey), uint64(a.PKeyIndex), uint64(a.SL)} {
			b = binary.AppendUvarint(b, v)
		}
		b = AppendBytes(b, ev.Datagram.MAD)
	case terms.Reconfigure:
		made, err := newRecordedBy(ev.Settings)
		if err != nil {
			return b, err
		}
		return appendJSON(b, made)
	case terms.DrainPart, terms.UndrainPart:
		b = binary.AppendUvarint(b, ev.Tag)
		b = AppendBytes(AppendBytes(b, []byte(ev.Name)), []byte(ev.By))
	case terms.Resweep, terms.Rebalance:
		b = AppendBytes(AppendBytes(b, []byte(ev.Name)), []byte(ev.By))
	case terms.WritePartitions:
		b = binary.AppendUvarint(b, ev.Tag)
		return appendJSON(b, ev.Write)
	case terms.WriteJobs:
		b = binary.AppendUvarint(b, ev.Tag)
		return appendJSON(b, ev.Jobs)
	case terms.MembersTold:
		return appendJSON(b, ev.Members)
	case terms.Told:
		return appendJSON(b, ev.News)
	case terms.NeighboursTold:
		for _, n := range ev.Neighbours {
			b = binary.BigEndian.AppendUint64(b, uint64(n.Node))
			b = binary.BigEndian.AppendUint64(append(b, n.Port), uint64(n.GUID))
		}
	case terms.ClockSet:
		b = binary.AppendUvarint(b, uint64(ev.Epoch)) // it may be negative
	default: // no values
	}
	return b, nil
}

// appendJSON appends a value as JSON, preceded by its length.
func appendJSON(b []byte, value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return b, err
	}
	return AppendBytes(b, text), nil
}

// isCutShort reports whether a Plan was not computed to its end because the manager was ended.
func isCutShort(err error) bool { return errors.Is(err, context.Canceled) }

// Actions ends the block of an event. actions are its consequences.
func (r *Recorder) Actions(actions []terms.Action) {
	if r.err != nil {
		return
	}
	var sum uint32
	sum, r.scratch = sumOf(actions, recordingVersion, r.scratch)
	r.block = binary.BigEndian.AppendUint32(r.block, sum)
	var length [binary.MaxVarintLen64]byte
	_, err := r.To.Write(length[:binary.PutUvarint(length[:], uint64(len(r.block)))])
	if err == nil {
		_, err = r.To.Write(r.block)
	}
	if err == nil && r.last-r.Flushed >= time.Second {
		r.Flushed = r.last
		err = r.To.Flush()
	}
	r.err = err
}

// Close flushes the recording, and returns the first error of all.
func (r *Recorder) Close() error {
	if r.err == nil {
		r.err = r.To.Flush()
	}
	return r.err
}

// Err returns the error after which nothing was recorded, nil if there is none.
func (r *Recorder) Err() error { return r.err }

// AppendBytes appends bytes, preceded by their length as a varint.
func AppendBytes(b, data []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

// sumOf returns the checksum of actions by a version of the format, and memory for the next call.
// Texts and names are left out, so that better words do not change it; textsVersion includes them.
// For a Route the sizes of fabric and LIDs stand for the whole.
func sumOf(actions []terms.Action, version int, scratch []byte) (sum uint32, memory []byte) {
	var none terms.RouteRequest
	for i := range actions {
		a := &actions[i]
		b := append(scratch[:0], byte(a.Kind), byte(a.Method))
		q := &none
		if a.Request != nil {
			q = a.Request
		}
		for _, v := range []uint64{a.Tag, uint64(a.Attr), uint64(a.Modifier), uint64(a.At), uint64(len(q.Stored)), uint64(len(q.Absent)), uint64(a.Incident.At.Node), uint64(a.Incident.At.Port)} {
			b = binary.AppendUvarint(b, v)
		}
		if g := q.Graph; g != nil {
			b = binary.AppendUvarint(binary.AppendUvarint(binary.AppendUvarint(b, uint64(g.NumSwitches)), uint64(g.NumEnds)), uint64(g.NumChannels))
		}
		b = AppendBytes(AppendBytes(b, a.Path), a.Data)
		if a.Key != 0 {
			b = binary.AppendUvarint(b, a.Key)
		}
		if a.Once {
			b = append(b, 1)
		}
		if version == textsVersion {
			b = appendTexts(b, a)
		} else {
			b = AppendBytes(b, []byte(a.Incident.Kind))
			if a.Err != nil {
				b = append(b, 2)
			}
		}
		if d := a.Datagram; d != nil {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(d.Addr.DLID)), uint64(d.Addr.SLID))
			b = AppendBytes(b, d.MAD)
		}
		sum, scratch = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), b), b
	}
	return sum, scratch
}

// appendTexts appends the texts and names of an action, and the code of its incident.
func appendTexts(b []byte, a *terms.Action) []byte {
	for _, text := range []string{a.Name, string(a.Incident.Kind), a.Incident.Text, a.Incident.At.Name} {
		b = AppendBytes(b, []byte(text))
	}
	if a.Err != nil {
		b = AppendBytes(b, []byte(a.Err.Error()))
	}
	return b
}

// haveTexts reports whether any of the actions has a text or a name.
func haveTexts(actions []terms.Action) bool {
	return slices.ContainsFunc(actions, func(a terms.Action) bool {
		return a.Name != "" || a.Incident.Text != "" || a.Incident.At.Name != "" || a.Err != nil
	})
}
