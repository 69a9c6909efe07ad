package mad

import (
	"bytes"
	"testing"
)

// seeds are the vectors, and of every attribute of every class a request and an
// answer whose fields, in turn, hold all ones, and distinct values.
func seeds(f *testing.F) [][]byte {
	var all [][]byte
	for _, v := range madVectors(f) {
		all = append(all, v.mad, v.mad[:100])
	}
	for _, c := range []Class{ClassSMP, ClassDirectedSMP, ClassSA, ClassPerf, ClassCC} {
		for _, a := range c.attributes() {
			for _, fill := range []func(i int) uint64{
				func(int) uint64 { return ^uint64(0) },
				func(i int) uint64 { return uint64(i+1) * 0x0101010101010101 },
			} {
				d, err := Request{Method: Get, Attr: a.id, TID: 7}.New(make([]byte, Size), c)
				if err != nil {
					f.Fatal(err)
				}
				for i, s := range d.sections() {
					if s.layout == a.layout || i > 2 {
						fillFields(d[s.off:], s.layout, fill)
					}
				}
				answer := Datagram(bytes.Clone(d))
				answer.Answer(StatusOK)
				all = append(all, d, answer)
			}
		}
	}
	return all
}

// fillFields writes fill(i) into the fields of a layout.
func fillFields(b []byte, l *Layout, fill func(i int) uint64) {
	n := 0
	for _, f := range l.Fields() {
		if f.wide {
			continue
		}
		for i := range f.Count {
			f.element(i).Put(b, fill(n))
			n++
		}
	}
}

// Whatever the bytes, Dump prints them and Parse gives them back.
func FuzzDecode(f *testing.F) {
	for _, b := range seeds(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<12 {
			return
		}
		var out bytes.Buffer
		short := Dump(&out, b)
		if check := Check(b); (short == nil) != (check == nil) {
			t.Fatalf("Dump says %v, Check says %v", short, check)
		}
		back, err := Parse(out.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, out.Bytes())
		}
		if !bytes.Equal(back, b) {
			t.Fatalf("%x came back as %x from\n%s", b, back, out.Bytes())
		}
		if short == nil {
			d := back
			d.Answer(StatusBadField)
			_ = d.Data()
		}
	})
}

// FuzzParse: Parse ends for any text, and its result equals the parse of its own dump.
func FuzzParse(f *testing.F) {
	for _, b := range seeds(f) {
		var out bytes.Buffer
		_ = Dump(&out, b)
		f.Add(out.Bytes())
	}
	f.Add([]byte("datagram 3 bytes\nGID @1\n@2: ff\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text)
		if err != nil || len(d) > 1<<12 {
			return
		}
		var out bytes.Buffer
		_ = Dump(&out, d)
		back, err := Parse(out.Bytes())
		if err != nil || !bytes.Equal(back, d) {
			t.Fatalf("%x came back as %x, %v", d, back, err)
		}
	})
}
