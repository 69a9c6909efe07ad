package telemetry

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// memory is a Disk in memory, which can be full.
type memory struct {
	data []byte
	full int // bytes that it has; 0: no limit
}

var errFull = errors.New("no space left on device")

func (m *memory) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > int64(len(m.data)) {
		return 0, errors.New("end of file")
	}
	return copy(b, m.data[at:]), nil
}

func (m *memory) WriteAt(b []byte, at int64) (int, error) {
	n := len(b)
	if m.full > 0 {
		n = max(0, min(n, m.full-int(at)))
	}
	if grow := int(at) + n - len(m.data); grow > 0 {
		m.data = append(m.data, make([]byte, grow)...)
	}
	copy(m.data[at:], b[:n])
	if n < len(b) {
		return n, errFull
	}
	return n, nil
}

func (m *memory) Truncate(size int64) error {
	m.data = m.data[:size]
	return nil
}

func free(int64) error { return nil }

func openRing(t rapid.TB, m *memory, most int64, room func(int64) error) *Ring {
	t.Helper()
	r, err := OpenRing(m, int64(len(m.data)), most, room)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// put stores a record of a length in the minute after epoch.
func put(r *Ring, minute, length int) error {
	data := make([]byte, headSize+length)
	for i := range data {
		data[i] = byte(minute)
	}
	return r.put(int64(minute)*time.Minute.Milliseconds(), data)
}

// kept lists the minutes of the records that a Ring can read.
func kept(t rapid.TB, r *Ring) (minutes []int) {
	for i := range r.list {
		data, err := r.bytes(&r.list[i])
		minute := int(r.list[i].time / time.Minute.Milliseconds())
		if err != nil || slices.ContainsFunc(data, func(b byte) bool { return b != byte(minute) }) {
			t.Fatalf("the record of minute %d: %v", minute, err)
		}
		minutes = append(minutes, minute)
	}
	return minutes
}

// TestRing: a file with room for it has all Frames of the last hour, after a restart and a larger
// load too; and it does not grow without need.
func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &memory{}
		r := openRing(t, m, 1<<30, free)
		minute, largest := 0, 0
		var all []int
		for range rapid.IntRange(1, 200).Draw(t, "rounds") {
			minute += rapid.SampledFrom([]int{1, 1, 1, 7, 45}).Draw(t, "minutes")
			if err := put(r, minute, rapid.SampledFrom([]int{1, block - headSize, block, 5 * block}).Draw(t, "length")); err != nil {
				t.Fatal(err)
			}
			all = append(all, minute)
			sum := 0
			for i := range r.list {
				if r.list[i].time >= int64(minute-60)*time.Minute.Milliseconds() {
					sum += int(r.list[i].blocks())
				}
			}
			largest = max(largest, sum)
			if rapid.IntRange(0, 9).Draw(t, "restart") == 0 {
				r = openRing(t, m, 1<<30, free)
			}
		}
		recent := slices.DeleteFunc(all, func(at int) bool { return minute-at > 60 })
		if got := kept(t, r); !slices.Equal(got[max(0, len(got)-len(recent)):], recent) {
			t.Fatalf("%v, want %v at the end", got, recent)
		}
		if most := 2*largest + 12*block; len(m.data) > most {
			t.Fatalf("%d bytes for %d", len(m.data), largest)
		}
	})
}

// TestRingLimit: a file of limited size, on a disk that may be full or leave no room, holds the
// last Frames, as many as fit; a Frame that is too large is refused.
func TestRingLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 20 * block
		m := &memory{}
		room := free
		limit := rapid.IntRange(4, 25).Draw(t, "room") * block
		switch rapid.IntRange(0, 2).Draw(t, "limit") {
		case 0:
			m.full = limit + block - 100
		case 1:
			room = func(more int64) error {
				if len(m.data)+int(more) > limit {
					return errFull
				}
				return nil
			}
		default:
			limit = most
		}
		r := openRing(t, m, most, room)
		minute, stored := 0, 0
		for range rapid.IntRange(1, 60).Draw(t, "rounds") {
			minute++
			length := rapid.IntRange(1, 4*block-headSize).Draw(t, "length")
			err := put(r, minute, length)
			if err == nil {
				stored = minute
			} else if !errors.Is(err, errFull) || int64(headSize+length) <= r.Size() {
				t.Fatal(err)
			}
			if len(m.data) > min(most, limit+block) {
				t.Fatalf("%d bytes", len(m.data))
			}
			if rapid.IntRange(0, 9).Draw(t, "restart") == 0 {
				r = openRing(t, m, most, room)
			}
		}
		got := kept(t, r)
		if n := len(got); n < min(1, stored) || m.full == 0 && n < min(minute, limit/block/8) || n > 0 && got[n-1] != stored || !slices.IsSorted(got) {
			t.Fatalf("%v of %d, %d blocks", got, minute, limit/block)
		}
	})
	r := openRing(t, &memory{}, block, free)
	if put(r, 1, block) == nil {
		t.Error("a Frame larger than the file is stored")
	}
	full := openRing(t, &memory{}, 1<<20, func(int64) error { return errFull })
	if err := put(full, 1, 1); !errors.Is(err, errFull) {
		t.Error("an empty file on a full disk:", err)
	}
}

// TestRingSteady: Frames of one size take turns in the places of an hour, or of the limit, whose
// last ones are all there.
func TestRingSteady(t *testing.T) {
	for most, places := range map[int64]int{1 << 30: 61, 5 * block: 5} {
		m := &memory{}
		r := openRing(t, m, most, free)
		var want []int
		for minute := range 200 {
			if err := put(r, minute, 1); err != nil {
				t.Fatal(err)
			}
			if minute >= 200-places {
				want = append(want, minute)
			}
		}
		if got := kept(t, r); !slices.Equal(got[max(0, len(got)-places):], want) || len(m.data) > (places+1)*block {
			t.Errorf("%v in %d blocks", got, len(m.data)/block)
		}
	}
}

// TestRingClock: a clock that is set back, or forward by a day, costs Frames of the wrong times at
// most.
func TestRingClock(t *testing.T) {
	m := &memory{}
	r := openRing(t, m, 1<<20, free)
	for _, minute := range []int{100, 101, 5000, 102, 103} {
		if err := put(r, minute, 1); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept(t, openRing(t, m, 1<<20, free)); !slices.Equal(got, []int{101, 102, 103}) || len(m.data) != 3*block {
		t.Error(got, len(m.data))
	}
	for _, minute := range []int{5000, 5001, 5002, 104, 105} {
		if err := put(r, minute, 1); err != nil {
			t.Fatal(err)
		}
	}
	at := time.UnixMilli(105 * time.Minute.Milliseconds())
	if list := r.after(at); len(list) != 1 || list[0].time != at.UnixMilli() {
		t.Errorf("%+v of %+v", list, r.list)
	}
}

// TestRingDamaged: whatever a crash or a stranger did to the file, the Ring opens, returns no Frame
// that was not stored, and stores the next ones.
func TestRingDamaged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &memory{}
		r := openRing(t, m, 1<<30, free)
		for minute := range 10 {
			if err := r.Add(frameAt(epoch.Add(time.Duration(minute)*time.Minute), 20, uint64(minute)*1e6)); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(1, 20).Draw(t, "damages") {
			m.data[rapid.IntRange(0, len(m.data)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		if rapid.Bool().Draw(t, "cut") {
			m.data = m.data[:rapid.IntRange(0, len(m.data)).Draw(t, "length")]
		}
		r = openRing(t, m, 1<<30, free)
		for i := range r.list {
			if f, err := r.read(&r.list[i]); err == nil && f.Counts[0].Grown[12] != uint64(f.End.Sub(epoch).Minutes())*1e6 {
				t.Fatalf("%+v", f)
			}
		}
		if err := r.Add(frameAt(epoch.Add(11*time.Minute), 20, 11e6)); err != nil {
			t.Fatal(err)
		}
		if frames, err := r.At(epoch.Add(11 * time.Minute)); err != nil || len(frames) == 0 {
			t.Fatal(frames, err)
		}
	})
}

// TestRingTorn: a Frame of which a crash has left a half is not there, and those before it are.
func TestRingTorn(t *testing.T) {
	m := &memory{}
	r := openRing(t, m, 1<<30, free)
	for minute := range 3 {
		if err := put(r, minute, 5*block); err != nil {
			t.Fatal(err)
		}
	}
	clear(m.data[r.list[2].at+2*block:])
	r = openRing(t, m, 1<<30, free)
	if _, err := r.bytes(&r.list[2]); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
	r.list = r.list[:2]
	if got := kept(t, r); !slices.Equal(got, []int{0, 1}) {
		t.Error(got)
	}
}

// TestRingSmaller: a smaller limit than before cuts the file.
func TestRingSmaller(t *testing.T) {
	m := &memory{}
	r := openRing(t, m, 1<<30, free)
	for minute := range 10 {
		if err := put(r, minute, block); err != nil {
			t.Fatal(err)
		}
	}
	if got := kept(t, openRing(t, m, 5*block+7, free)); !slices.Equal(got, []int{0, 1}) || len(m.data) != 5*block {
		t.Error(got, len(m.data))
	}
}
