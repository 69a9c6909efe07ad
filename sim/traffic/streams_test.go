package traffic

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestReadStreams(t *testing.T) {
	g, hosts := hosts4(t)
	got, err := ReadStreams("s", []byte("# victim\n0 1\n\n3 2 rate=4.5 bytes=2048 level=storage start=20us stop=1ms # hot\n2 1 rate=10 rate=20"), g, hosts)
	want := []Stream{{Src: 0, Dst: 1}, {Src: 3, Dst: 2, Gbps: 4.5, Bytes: 2048, Level: "storage", Start: 20 * time.Microsecond, Stop: time.Millisecond}, {Src: 2, Dst: 1, Gbps: 20}}
	if err != nil || !slices.Equal(got, want) {
		t.Error(got, err)
	}
	for text, want := range map[string]string{
		"":                            "s: no streams",
		"\n0":                         "s:2: want a source and a destination; got 1 word",
		"0 9":                         "s:1: there is no rank 9",
		"1 1":                         "s:1: 1 sends to itself",
		"nobody 1":                    "s:1: no host is called nobody",
		"0 1 fast":                    "s:1: fast: want rate=GBIT/S, bytes=N, level=NAME, start=TIME or stop=TIME",
		"0 1 level=":                  "s:1: level=: want the name of a level of service",
		"0 1 rate=0":                  "s:1: rate=0: want 0.000001 to 1000000 Gbit/s",
		"0 1 rate=NaN":                "s:1: rate=NaN: want 0.000001 to 1000000 Gbit/s",
		"0 1 bytes=0":                 "s:1: bytes=0: want 1 to 1099511627776",
		"0 1 bytes=1.5":               "s:1: bytes=1.5: want 1 to 1099511627776",
		"0 1 start=5":                 "s:1: start=5: want a time up to 1m, with its unit (20us)",
		"0 1 start=-1us":              "s:1: start=-1us: want a time up to 1m, with its unit (20us)",
		"0 1 stop=0s":                 "s:1: stop=0s: want a time up to 1m, with its unit (20us)",
		"0 1 stop=2m":                 "s:1: stop=2m: want a time up to 1m, with its unit (20us)",
		"0 1\n0 1 start=2us stop=1us": "s:2: it stops at 1µs, but starts at 2µs",
		`"open 1`:                     "s:1: no closing quote",
	} {
		if _, err := ReadStreams("s", []byte(text), g, hosts); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzReadStreams(f *testing.F) {
	g, hosts := hosts4(f)
	f.Add([]byte("0 1 rate=4.5 bytes=2048\n\"a b\" 2 start=20us stop=1ms # x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadStreams("s", data, g, hosts)
		if (err == nil) == (len(list) == 0) {
			t.Fatal(len(list), err)
		}
		for _, s := range list {
			if s.Src == s.Dst || s.Src < 0 || s.Dst < 0 || int(max(s.Src, s.Dst)) >= len(hosts) || s.Bytes < 0 || !(s.Gbps >= 0) || s.Start < 0 || s.Stop != 0 && s.Stop <= s.Start {
				t.Fatal(s)
			}
		}
	})
}
