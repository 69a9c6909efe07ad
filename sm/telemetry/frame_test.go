package telemetry

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/sm/perf"
	"weft/wire/mad"
)

// epoch is a time in whole milliseconds.
var epoch = time.UnixMilli(1_796_000_000_000)

// drawName draws the name of a port; a device may say anything.
func drawName(t *rapid.T, label string) fabric.PortName {
	return fabric.PortName{
		Type: rapid.SampledFrom([]string{"switch", "CA", "router", ""}).Draw(t, label+" type"), GUID: fabric.GUID(rapid.Uint64Range(0, 3).Draw(t, label+" guid")),
		Name: string(rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, label+" name")), Port: rapid.Byte().Draw(t, label+" port"),
	}
}

// drawFrame draws a Frame.
func drawFrame(t *rapid.T) *Frame {
	f := &Frame{End: epoch, Interval: time.Minute, Reading: perf.Reading{Ports: []perf.Port{}, Counts: []perf.Counts{}}}
	for range rapid.IntRange(0, 20).Draw(t, "ports") {
		f.Ports = append(f.Ports, perf.Port{Name: drawName(t, "port"), Peer: drawName(t, "peer"), Rate: rapid.Int32Range(0, 1<<31-1).Draw(t, "rate")})
		c := perf.Counts{Growth: new(perf.Growth)}
		if rapid.Bool().Draw(t, "read") {
			c.Took = time.Duration(rapid.IntRange(1, 1e9).Draw(t, "took")) * time.Millisecond
			c.Age = time.Duration(rapid.IntRange(0, 1e9).Draw(t, "age")) * time.Millisecond
			for n := range c.Grown {
				c.Grown[n] = rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64()).Draw(t, "grown")
			}
		}
		f.Counts = append(f.Counts, c)
	}
	return f
}

// TestEncode: a Frame is the same when it is read again, whatever devices call themselves.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrame(t)
		got, err := Decode(f.Encode(nil))
		if err != nil || !reflect.DeepEqual(got, f) {
			t.Fatalf("%v\n%+v\n%+v", err, got, f)
		}
	})
}

// FuzzDecode: bytes give a Frame that is the same when it is stored and read again, or an error.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{version, 1, 1, 0})
	f.Add([]byte{version, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 7, 1, 'C', 1, 'n', 3, 1, 4, 5, 6, 7, 3, 8, 9})
	f.Add([]byte{version, 1, 1, 255, 255, 255, 255, 15})
	f.Fuzz(func(t *testing.T, plain []byte) {
		frame, err := Decode(encoder().EncodeAll(plain, nil))
		if err != nil {
			return
		}
		again, err := Decode(frame.Encode(nil))
		if err != nil || !reflect.DeepEqual(frame, again) {
			t.Fatalf("%v\n%+v\n%+v", err, frame, again)
		}
	})
}

// TestDecodeDamaged: a Frame that lacks its end, or has more than one, is none.
func TestDecodeDamaged(t *testing.T) {
	f := frameAt(epoch, 3, 1000)
	plain, err := decoder().DecodeAll(f.Encode(nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range plain {
		if _, err := Decode(encoder().EncodeAll(plain[:n], nil)); err == nil {
			t.Errorf("%d of %d bytes are a Frame", n, len(plain))
		}
	}
	if _, err := Decode(encoder().EncodeAll(append(slices.Clone(plain), 0), nil)); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
	if _, err := Decode([]byte("no frame")); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
}

// frameAt returns a Frame of n ports that have sent words each, within a minute before its end.
func frameAt(end time.Time, n int, words uint64) *Frame {
	f := &Frame{End: end, Interval: time.Minute}
	for i := range n {
		f.Ports = append(f.Ports, perf.Port{
			Name: fabric.PortName{Type: "switch", GUID: fabric.GUID(i + 1), Name: "leaf", Port: 1}, Peer: fabric.PortName{Type: "CA", GUID: fabric.GUID(1000 + i), Name: "host", Port: 1}, Rate: 100_000,
		})
		c := perf.Counts{Took: time.Minute, Growth: new(perf.Growth)}
		c.Grown[mad.CounterXmitData] = words
		f.Counts = append(f.Counts, c)
	}
	return f
}
