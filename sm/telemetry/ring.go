package telemetry

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"time"
)

// hour is the time that a Ring keeps at least, if its size allows.
const hour = time.Hour

// block is the alignment of records in the file, in bytes.
const block = 4096

// headSize is the size of a record's head: magic, number, time, length, checksum of the Frame,
// checksum of the head.
const headSize = 8 + 8 + 8 + 4 + 4 + 4

// magic begins each record.
const magic = "weft-hst"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Disk is the file of a Ring.
type Disk interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
}

// Ring keeps the Frames of an hour in a file of limited size. It is not for concurrent use.
type Ring struct {
	disk Disk
	most int64                  // maximum size of the file
	room func(more int64) error // nil error: the file may grow by so much

	list []record // by number
	next uint64   // number of the next record
	size int64    // of the file

	ports encoded // of the last Frame added
}

// record is the place of a stored Frame.
type record struct {
	number uint64
	time   int64 // end of its round, in ms since 1970
	at     int64
	length int64 // of the Frame
	sum    uint32
}

// blocks returns the bytes that a record takes.
func (r *record) blocks() int64 { return (headSize + r.length + block - 1) / block * block }

// OpenRing finds the Frames in a file. room is asked before the file grows: a history must not fill
// the disk of the state. Whatever else is in the file is written over.
func OpenRing(disk Disk, size, most int64, room func(more int64) error) (*Ring, error) {
	r := &Ring{disk: disk, most: most / block * block, room: room, size: size / block * block}
	if size > r.most { // of a larger limit before
		if err := disk.Truncate(r.most); err != nil {
			return nil, err
		}
		r.size = r.most
	}
	head := make([]byte, headSize)
	for at := int64(0); at < r.size; at += block {
		if _, err := disk.ReadAt(head, at); err != nil {
			return nil, err
		}
		if rec, ok := readHead(head); ok && at+rec.blocks() <= r.size {
			rec.at = at
			r.list = append(r.list, rec)
		}
	}
	slices.SortStableFunc(r.list, func(a, b record) int { return cmp.Compare(a.number, b.number) })
	if n := len(r.list); n > 0 {
		r.next = r.list[n-1].number + 1
	}
	return r, nil
}

// writeHead writes the head of a record.
func writeHead(head []byte, r *record) {
	copy(head, magic)
	binary.BigEndian.PutUint64(head[8:], r.number)
	binary.BigEndian.PutUint64(head[16:], uint64(r.time))
	binary.BigEndian.PutUint32(head[24:], uint32(r.length))
	binary.BigEndian.PutUint32(head[28:], r.sum)
	binary.BigEndian.PutUint32(head[32:], crc32.Checksum(head[:headSize-4], castagnoli))
}

// readHead reads the head of a record.
func readHead(head []byte) (r record, ok bool) {
	if string(head[:8]) != magic || crc32.Checksum(head[:headSize-4], castagnoli) != binary.BigEndian.Uint32(head[headSize-4:]) {
		return r, false
	}
	r.number, r.time = binary.BigEndian.Uint64(head[8:]), int64(binary.BigEndian.Uint64(head[16:]))
	r.length, r.sum = int64(binary.BigEndian.Uint32(head[24:])), binary.BigEndian.Uint32(head[28:])
	return r, r.length > 0 && r.number < 1<<63
}

// Add stores a Frame.
func (r *Ring) Add(f *Frame) error {
	return r.put(f.End.UnixMilli(), f.encode(make([]byte, headSize, 1<<16), &r.ports))
}

// put stores a record: data is the Frame after room for the head. If the file cannot grow, as on a
// full disk, older records make room.
func (r *Ring) put(time int64, data []byte) error {
	failure := r.putWithin(time, data, r.most)
	if grew, ok := errors.AsType[*growthError](failure); ok {
		if failure = r.disk.Truncate(r.size); failure == nil {
			failure = grew.err
		}
		if int64(len(data)) <= r.size {
			failure = r.putWithin(time, data, r.size)
		}
	}
	return failure
}

// growthError is the failure of a write that would have made the file larger.
type growthError struct{ err error }

func (e *growthError) Error() string { return e.err.Error() }

// putWithin stores a record in a file of limited size.
func (r *Ring) putWithin(time int64, data []byte, most int64) error {
	rec := record{number: r.next, time: time, length: int64(len(data) - headSize), sum: crc32.Checksum(data[headSize:], castagnoli)}
	writeHead(data, &rec)
	if rec.blocks() > most {
		return fmt.Errorf("one reading of all ports takes %d bytes, more than the history may have (history-size)", rec.blocks())
	}
	at, err := r.place(&rec, most)
	if err != nil {
		return err
	}
	rec.at = at
	end := at + rec.blocks()
	r.list = slices.DeleteFunc(r.list, func(x record) bool { return x.at < end && x.at+x.blocks() > at })
	padded := append(slices.Clip(data), make([]byte, rec.blocks()-int64(len(data)))...)
	if _, err := r.disk.WriteAt(padded, at); err != nil {
		if end > r.size {
			return &growthError{err}
		}
		return err
	}
	r.list = append(r.list, rec)
	r.next, r.size = r.next+1, max(r.size, end)
	return nil
}

// place returns where a record goes: to the first place that holds no Frame of the last hour. If
// the file may not grow so far, the oldest Frames make room.
func (r *Ring) place(rec *record, most int64) (at int64, err error) {
	young := slices.DeleteFunc(slices.Clone(r.list), func(x record) bool {
		return rec.time-x.time > hour.Milliseconds() || x.time > rec.time // a time in the future is of a clock that was set back
	})
	for {
		at = firstGap(young, rec.blocks())
		more := at + rec.blocks() - r.size
		if more <= 0 {
			return at, nil
		}
		if at+rec.blocks() <= most {
			if err = r.room(more); err == nil {
				return at, nil
			}
		}
		if len(young) == 0 {
			return 0, err
		}
		young = young[1:]
	}
}

// firstGap returns the first place with some bytes between records.
func firstGap(list []record, bytes int64) (at int64) {
	list = slices.SortedFunc(slices.Values(list), func(a, b record) int { return cmp.Compare(a.at, b.at) })
	for i := range list {
		if list[i].at-at >= bytes {
			return at
		}
		at = max(at, list[i].at+list[i].blocks())
	}
	return at
}

// Span returns the ends of the first and the last stored round; false without any.
func (r *Ring) Span() (first, last time.Time, ok bool) {
	if len(r.list) == 0 {
		return first, last, false
	}
	return time.UnixMilli(r.list[0].time), time.UnixMilli(r.list[len(r.list)-1].time), true
}

// Size returns the size of the file.
func (r *Ring) Size() int64 { return r.size }

// after returns the first stored round that ended at a time or later, and the next one. Rounds
// later than the last one are of a clock that was set back.
func (r *Ring) after(t time.Time) (list []record) {
	for i := range r.list {
		if x := r.list[i]; x.time >= t.UnixMilli() && x.time <= r.list[len(r.list)-1].time && len(list) < 2 {
			list = append(list, x)
		}
	}
	return list
}

// read reads a stored Frame.
func (r *Ring) read(rec *record) (*Frame, error) {
	data, err := r.bytes(rec)
	if err != nil {
		return nil, err
	}
	return Decode(data)
}

// bytes reads a stored Frame as it stands in the file.
func (r *Ring) bytes(rec *record) ([]byte, error) {
	data := make([]byte, rec.length)
	if _, err := r.disk.ReadAt(data, rec.at+headSize); err != nil {
		return nil, err
	}
	if crc32.Checksum(data, castagnoli) != rec.sum {
		return nil, errDamaged
	}
	return data, nil
}

// ErrNotKept is the error of a moment that no stored round covers.
var ErrNotKept = errors.New("no reading of that time is kept")

// At returns the stored rounds whose readings cover a moment, at most two. A damaged one is left
// out.
func (r *Ring) At(t time.Time) (frames []*Frame, err error) {
	for _, rec := range r.after(t) {
		f, bad := r.read(&rec)
		if bad != nil {
			err = bad
			continue
		}
		frames = append(frames, f)
	}
	if len(frames) == 0 && err == nil {
		err = ErrNotKept
	}
	if len(frames) > 0 {
		err = nil
	}
	return frames, err
}
