package recording

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"weft/fabric"
	"weft/fabric/netfile/own"
	"weft/planner"
	"weft/route"
	"weft/route/joblanes"
	"weft/route/lids"
	"weft/route/multicast"
	"weft/sm/terms"
	"weft/wire"
	"weft/wire/mad"
)

// Recording reads the output of a Recorder.
type Recording struct {
	Made terms.Settings // settings of the Manager at its start

	parse   Engines
	version int
	From    *bufio.Reader
	number  int // number of events so far
	last    time.Duration
}

// mostRecorded limits the bytes of a block and of the first line: a damaged length must not use up
// all memory.
const mostRecorded = 1 << 28

// ErrCut says that a recording ends in the middle of an event because its writer was killed.
var ErrCut = errors.New("the recording ends in the middle of an event: what was not written yet is missing")

// Engines finds engines by name, as engine.Parse does.
type Engines func(list string, options []string) (route.Chain, error)

// NewRecording reads the first line of a recording. parse finds the engines named in it.
func NewRecording(from io.Reader, parse Engines) (*Recording, error) {
	r := &Recording{parse: parse, From: bufio.NewReaderSize(from, 1<<16)}
	line, err := r.From.ReadSlice('\n')
	text := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) && len(text) < mostRecorded {
		line, err = r.From.ReadSlice('\n')
		text = append(text, line...)
	}
	var head recordingHead
	if err != nil || json.Unmarshal(text, &head) != nil || head.Version == 0 {
		return nil, errors.New("it is no recording of weft sm: its first line does not say so")
	}
	if head.Version != recordingVersion && head.Version != textsVersion {
		return nil, fmt.Errorf("it is a recording of version %d; this weft reads versions %d and %d", head.Version, textsVersion, recordingVersion)
	}
	r.version = head.Version
	if head.Made == nil {
		return nil, errors.New("its first line does not say how the manager was made")
	}
	made, err := head.Made.settings(parse)
	if err != nil {
		return nil, fmt.Errorf("its first line: %w", err)
	}
	r.Made = *made
	return r, nil
}

// settings converts recorded settings.
func (b *recordedBy) settings(parse Engines) (*terms.Settings, error) {
	q := &b.Routing
	s := &terms.Settings{Config: b.Config, Watch: b.Watch, Afresh: b.Afresh, What: b.What, Enforce: b.Enforce, Routing: planner.Request{
		LIDs: lids.Options{LMC: q.LMC, Fresh: q.Fresh}, HeldLMC: q.HeldLMC, MaxVLs: q.MaxVLs, JobLanes: joblanes.Ask(q.JobLanes), Workers: q.Workers, Seed: q.Seed, Kinds: q.Kinds,
		Afresh: q.Afresh, PassDeadSwitch: q.PassDeadSwitch, NoPathRecords: q.NoPathRecords,
	}}
	for _, step := range q.Chain {
		chain, err := parse(step.Engine, nil)
		if err != nil {
			return nil, err
		}
		if len(chain) != 1 {
			return nil, fmt.Errorf("%q is no engine", step.Engine)
		}
		chain[0].Options = step.Options
		s.Routing.Chain = append(s.Routing.Chain, chain...)
	}
	var err error
	if s.Config.Last, err = planOf(b.Last); err != nil {
		return nil, err
	}
	if s.Routing.Kept, err = planOf(q.Kept); err != nil {
		return nil, err
	}
	if b.Expected != nil {
		s.Config.Expected, _, err = own.ReadJSON("the fabric that is expected", b.Expected)
	}
	return s, err
}

// planOf reads a Plan from a file, nil if there are no bytes.
func planOf(data []byte) (*planner.Kept, error) {
	if data == nil {
		return nil, nil
	}
	return planner.ReadKept(bytes.NewReader(data))
}

// Next returns the next event, its time since the start, and the checksum of the resulting actions.
// At the end the error is io.EOF. A Planned has at most Err, if its Plan was not computed to its
// end.
func (r *Recording) Next() (now time.Duration, ev *terms.Event, sum uint32, err error) {
	n, err := binary.ReadUvarint(r.From)
	switch {
	case errors.Is(err, io.EOF):
		return 0, nil, 0, io.EOF
	case err != nil:
		return 0, nil, 0, r.wrong(ErrCut)
	case n > mostRecorded:
		return 0, nil, 0, r.wrong(fmt.Errorf("it says that it has %d bytes", n))
	}
	r.number++
	var block bytes.Buffer
	if _, err := io.CopyN(&block, r.From, int64(n)); err != nil {
		return 0, nil, 0, r.wrong(ErrCut)
	}
	f := fields{rest: block.Bytes(), parse: r.parse}
	ev = &terms.Event{Kind: terms.EventKind(f.byte())}
	after := f.number(uint64(terms.Never - r.last))
	f.event(ev)
	sum = f.sum()
	switch {
	case f.err == nil && len(f.rest) > 0:
		f.err = fmt.Errorf("%d bytes too many", len(f.rest))
	case f.err == nil && ev.Kind > terms.LastEventKind || ev.Kind == terms.LinkChanged:
		f.err = fmt.Errorf("of unknown kind %d", ev.Kind)
	}
	if f.err != nil {
		return 0, nil, 0, r.wrong(f.err)
	}
	r.last += time.Duration(after)
	return r.last, ev, sum, nil
}

// wrong adds the number of the event to an error.
func (r *Recording) wrong(err error) error { return fmt.Errorf("event %d: %w", r.number, err) }

// fields takes a block apart. After an error all further values are zero.
type fields struct {
	rest  []byte
	parse Engines
	err   error
}

var errShort = errors.New("too short")

// bytes returns the next n bytes.
func (f *fields) bytes(n uint64) []byte {
	if f.err == nil && n > uint64(len(f.rest)) {
		f.err = errShort
	}
	if f.err != nil {
		return nil
	}
	out := f.rest[:n]
	f.rest = f.rest[n:]
	return out
}

// byte returns the next byte.
func (f *fields) byte() byte {
	if b := f.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// number returns the next number, which must not exceed most.
func (f *fields) number(most uint64) uint64 {
	if f.err != nil {
		return 0
	}
	v, n := binary.Uvarint(f.rest)
	if n <= 0 {
		f.err = errShort
		return 0
	}
	f.rest = f.rest[n:]
	if v > most {
		f.err = fmt.Errorf("%d is more than %d", v, most)
		return 0
	}
	return v
}

// text returns the next bytes that are preceded by their length.
func (f *fields) text() []byte { return f.bytes(f.number(mostRecorded)) }

// sum returns the next checksum.
func (f *fields) sum() uint32 {
	if b := f.bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// json parses the next JSON value.
func (f *fields) json(value any) {
	if text := f.text(); f.err == nil {
		f.err = json.Unmarshal(text, value)
	}
}

// lids returns the LIDs by port GUID, up to the checksum.
func (f *fields) lids() terms.LIDMap {
	lids := terms.LIDMap{}
	for f.err == nil && len(f.rest) > 4 {
		b := f.bytes(11)
		if b == nil {
			break
		}
		p := terms.PortLIDs{Base: fabric.LID(binary.BigEndian.Uint16(b[8:])), LMC: b[10]}
		f.valid(p)
		lids[fabric.GUID(binary.BigEndian.Uint64(b))] = p
	}
	return lids
}

// valid sets an error for LIDs that no port can have.
func (f *fields) valid(p terms.PortLIDs) {
	if !p.Valid() {
		f.err = fmt.Errorf("LID %d, LMC %d", p.Base, p.LMC)
	}
}

// event reads the values of an event, by its kind.
func (f *fields) event(ev *terms.Event) {
	switch ev.Kind {
	case terms.Answer:
		ev.Tag = f.number(1<<64 - 1)
		if ev.Outcome = terms.Outcome(f.byte()); ev.Outcome > terms.Cancelled {
			f.err = fmt.Errorf("of unknown outcome %d", ev.Outcome)
		}
		ev.Attempts, ev.Status = int(f.number(1<<31)), mad.Status(f.number(1<<16-1))
		data := f.text()
		if len(data) > len(ev.Data) {
			f.err = fmt.Errorf("an attribute of %d bytes", len(data))
			return
		}
		copy(ev.Data[:], data)
	case terms.Planned, terms.Improved, terms.Stored:
		if text := f.text(); len(text) > 0 {
			ev.Err = errors.New(string(text))
		}
	case terms.Unasked:
		ev.Datagram = &wire.Datagram{Addr: wire.Address{
			DLID: uint16(f.number(1<<16 - 1)), SLID: uint16(f.number(1<<16 - 1)), DQP: uint32(f.number(1<<32 - 1)), SQP: uint32(f.number(1<<32 - 1)),
			QKey: uint32(f.number(1<<32 - 1)), PKeyIndex: uint16(f.number(1<<16 - 1)), SL: uint8(f.number(255)),
		}}
		ev.Datagram.MAD = bytes.Clone(f.text())
	case terms.Reconfigure:
		var made recordedBy
		if f.json(&made); f.err == nil {
			ev.Settings, f.err = made.settings(f.parse)
		}
	case terms.DrainPart, terms.UndrainPart:
		ev.Tag = f.number(1<<64 - 1)
		ev.Name = string(f.text())
		ev.By = f.laterText()
	case terms.Resweep, terms.Rebalance:
		ev.Name, ev.By = f.laterText(), f.laterText()
	case terms.WritePartitions:
		ev.Tag = f.number(1<<64 - 1)
		if f.json(&ev.Write); f.err == nil && ev.Write == nil {
			f.err = errors.New("it writes nothing")
		}
	case terms.WriteJobs:
		ev.Tag = f.number(1<<64 - 1)
		if f.json(&ev.Jobs); f.err == nil && ev.Jobs == nil {
			f.err = errors.New("it tells of no job")
		}
	case terms.MembersTold:
		f.json(&ev.Members)
	case terms.Told:
		f.news(ev)
	case terms.NeighboursTold:
		for f.err == nil && len(f.rest) > 4 { // the checksum follows
			if b := f.bytes(17); b != nil {
				ev.Neighbours = append(ev.Neighbours, terms.Neighbour{Node: fabric.GUID(binary.BigEndian.Uint64(b)), Port: b[8], GUID: fabric.GUID(binary.BigEndian.Uint64(b[9:]))})
			}
		}
	case terms.ClockSet:
		ev.Epoch = time.Duration(f.number(1<<64 - 1))
	default: // no values, or a former kind
		f.formerNews(ev)
	}
}

// laterText reads a text that older recordings do not have; the checksum of the block follows.
func (f *fields) laterText() string {
	if f.err != nil || len(f.rest) <= 4 {
		return ""
	}
	return string(f.text())
}

// news reads the News of a Told.
func (f *fields) news(ev *terms.Event) {
	if f.json(&ev.News); f.err != nil {
		return
	}
	if ev.News == nil {
		f.err = errors.New("it tells nothing")
		return
	}
	for _, p := range ev.News.LIDs {
		f.valid(p)
	}
}

// Kinds of events in recordings of older versions, which had one kind for each field of News.
const (
	formerLIDs         byte = 16
	formerMasterMissed byte = 17
	formerMayTakeOver  byte = 18
	formerReregister   byte = 19
	formerTrees        byte = 20
	formerPlan         byte = 22
	formerRules        byte = 23
)

// formerNews reads an event of such a kind and turns it into Told. Other kinds are left alone. The
// field is never nil, even if it is empty.
func (f *fields) formerNews(ev *terms.Event) {
	n := &terms.News{}
	switch byte(ev.Kind) {
	case formerLIDs:
		n.LIDs = f.lids()
	case formerMasterMissed:
		n.MasterMissed = true
	case formerMayTakeOver:
		n.MayTakeOver = []fabric.GUID{}
		for f.err == nil && len(f.rest) > 4 { // the checksum follows
			if b := f.bytes(8); b != nil {
				n.MayTakeOver = append(n.MayTakeOver, fabric.GUID(binary.BigEndian.Uint64(b)))
			}
		}
	case formerReregister:
		n.Reregister = true
	case formerTrees:
		if f.json(&n.Trees); n.Trees == nil {
			n.Trees = []multicast.TreeByLID{}
		}
	case formerPlan:
		n.Plan = append([]byte{}, f.text()...)
	case formerRules:
		n.Rules = append([]byte{}, f.text()...)
	default:
		return
	}
	ev.Kind, ev.News = terms.Told, n
}
