package traffic

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadMessages(t *testing.T) {
	g, hosts := hosts4(t)
	got, err := ReadMessages("m", []byte("# times\n1.5us 0 1 4096\n0s 3 2 1 # the first\r\n\n"), g, hosts)
	want := []Message{{1500 * time.Nanosecond, 0, 1, 4096}, {0, 3, 2, 1}}
	if err != nil || !slices.Equal(got, want) {
		t.Error(got, err)
	}
	for text, want := range map[string]string{
		"":                  "m: no messages",
		"\n1us 0 1":         "m:2: want a time, a source, a destination and bytes; got 3 words",
		"5 0 1 1":           `m:1: "5" is no time`,
		"-1us 0 1 1":        `m:1: "-1us" is no time`,
		"2m 0 1 1":          `m:1: "2m" is no time`,
		"1us 0 9 1":         "m:1: there is no rank 9",
		"1us 1 1 1":         "m:1: 1 sends to itself",
		"1us 0 1 0":         `m:1: "0" bytes: want 1`,
		"1us 0 1 1.5":       `m:1: "1.5" bytes: want 1`,
		"1us nobody 1 1":    "m:1: no host is called nobody",
		`1us "open 1 1`:     "m:1: no closing quote",
		"0s 0 1 1\n\n1us x": "m:3: want a time",
	} {
		if _, err := ReadMessages("m", []byte(text), g, hosts); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadMessages(f *testing.F) {
	g, hosts := hosts4(f)
	f.Add([]byte("1.5us 0 1 4096\n0s \"a b\" 2 1 # x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadMessages("m", data, g, hosts)
		if (err == nil) == (len(list) == 0) {
			t.Fatal(len(list), err)
		}
		for _, m := range list {
			if m.At < 0 || m.Src == m.Dst || m.Src < 0 || m.Dst < 0 || int(max(m.Src, m.Dst)) >= len(hosts) || m.Bytes < 1 {
				t.Fatal(m)
			}
		}
	})
}
