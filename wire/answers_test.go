package wire

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/wire/mad"
)

// TestWrongAnswers: a datagram with a request's TID and class ends the request only if it is
// complete and has the answering method; an SMP must also be about the same attribute.
func TestWrongAnswers(t *testing.T) {
	w := newWorld(t, Config{})
	get, err := mad.Request{Method: mad.Get, Attr: mad.AttrPortInfo, Modifier: 1<<31 | 3}.Directed(make([]byte, mad.Size), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.request(1, Request{MAD: get})
	mad.HeaderTransactionID.Put(get, uint64(w.sent[1][0].tid))
	for name, spoil := range map[string]func(m mad.Datagram) mad.Datagram{
		"short":             func(m mad.Datagram) mad.Datagram { return slices.Clip(m[:mad.Header.Size]) },
		"a byte short":      func(m mad.Datagram) mad.Datagram { return m[:mad.Size-1] },
		"long":              func(m mad.Datagram) mad.Datagram { return append(m, 0) },
		"another attribute": func(m mad.Datagram) mad.Datagram { m[17]++; return m },
		"another port":      func(m mad.Datagram) mad.Datagram { m[23]++; return m },
		"another method":    func(m mad.Datagram) mad.Datagram { m[3] = byte(mad.GetTableResp); return m },
	} {
		w.arrive(spoil(answerTo(get)))
		if len(w.results[1]) != 0 {
			t.Fatalf("ended by an answer that is %s", name)
		}
	}
	w.wantCounters(Counters{Started: 1, Sent: 1, Stray: 3, Malformed: 3})
	m := answerTo(get)
	m[20] = 0 // without the bit for what we understand
	w.arrive(m)
	w.wantErr(1, nil)
}

// TestRealAnswersComplete: the captured answers end the captured requests.
func TestRealAnswersComplete(t *testing.T) {
	comment := regexp.MustCompile(`(?m)^#.*$|\s`)
	read := func(name string) mad.Datagram {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := hex.DecodeString(comment.ReplaceAllString(string(text), ""))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return b
	}
	requests, _ := filepath.Glob("mad/testdata/vectors/[ps]*.req.hex")
	if len(requests) < 60 {
		t.Fatalf("%d captured requests", len(requests))
	}
	for _, name := range requests {
		request, answer := read(name), read(strings.TrimSuffix(name, "req.hex")+"rep.hex")
		if err := mad.Check(answer); err != nil || !completes(request, answer) {
			t.Errorf("%v is not ended by %v, %v", request, answer, err)
		}
	}
}
