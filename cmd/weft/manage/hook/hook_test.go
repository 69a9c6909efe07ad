package hook

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/sm/terms"
)

// script writes a program.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// told collects what a Hook tells.
type told struct {
	mu   sync.Mutex
	list []terms.Incident
}

func (l *told) add(i terms.Incident) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, i)
}

func (l *told) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for _, i := range l.list {
		lines = append(lines, string(i.Kind)+": "+i.Text)
	}
	return strings.Join(lines, "\n")
}

// line is an event with whatever a device may call itself.
func line(kind terms.IncidentKind, n int, name string) terms.LogLine {
	i := terms.Incident{Kind: kind, At: terms.Place{Node: 1, Name: name, Port: 1}, Text: "the node " + name}
	return terms.LogLine{Number: uint64(n), IncidentJSON: i.JSON()}
}

// TestHook: the program gets events one at a time, in their order, as JSON on standard input and
// nowhere else, with an environment of its own.
func TestHook(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	program := script(t, `printf '%s\n' "$# $(env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= | tr '\n' ' ')$(pwd) $(cat)" >> `+out+` || exit 3
[ ! -e `+out+`.busy ] || exit 4
: > `+out+`.busy; rm `+out+`.busy`)
	t.Setenv("NOTIFY_SOCKET", "/secret")
	var l told
	h := New(l.add)
	o := Options{Program: program, Events: []string{"warning", "drain"}, Limit: time.Minute}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	h.Set(o)
	const evil = "$(touch /tmp/x); `id` '\"\n\x00\xff"
	want := []terms.LogLine{line(terms.NodeMissing, 1, evil), line(terms.NoPlan, 2, "n"), line(terms.DrainTold, 4, "n")}
	h.Offer(want[0])
	h.Offer(want[1])
	h.Offer(line(terms.RoundBegun, 3, "n"))
	h.Offer(want[2])
	h.Offer(line(terms.HookFailed, 5, "n"))
	h.Close()
	h.Offer(want[0])
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err, l.text())
	}
	got := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(got) != len(want) || l.text() != "" {
		t.Fatalf("%q, %s", got, l.text())
	}
	for i := range want {
		given, ok := strings.CutPrefix(got[i], "0 "+search+" / ")
		var read terms.LogLine
		if err := json.Unmarshal([]byte(given), &read); !ok || err != nil || read.Number != want[i].Number || read.Kind != want[i].Kind || read.Name != strings.ToValidUTF8(want[i].Name, "\uFFFD") {
			t.Errorf("%q: %v", got[i], err)
		}
	}
}

// TestHookFails: a program that fails, is missing, hangs with all its children, or leaves some
// behind, is an event, and the next events come.
func TestHookFails(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	for name, c := range map[string]struct{ program, want string }{
		"fails":   {script(t, "cat > /dev/null; echo 'no \x1b[31mway'; exit 7"), `given the event node-missing: exit status 7: "no \x1b[31mway"`},
		"deaf":    {script(t, "exit 1"), "exit status 1"},
		"missing": {"/nowhere", "no such file"},
		"talks":   {script(t, "yes | head -c 100000; exit 1"), `exit status 1: "y\ny\n`},
		"floods":  {script(t, "exec yes"), "its output was closed after 1048576 bytes"},
		"stays":   {script(t, "trap '' PIPE; yes 2> /dev/null; exit 0"), "its output was closed after 1048576 bytes"},
		"hangs":   {script(t, "sleep 600 & echo $! > "+pid+"; wait"), "killed after 300ms"},
		"ignores": {script(t, "trap '' TERM INT HUP; while :; do sleep 600; done"), "killed after 300ms"},
		"leaves":  {script(t, "sleep 600 & exit 0"), "a process that it left behind held its output"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l told
			h := New(l.add)
			h.Set(Options{Program: c.program, Events: []string{"info"}, Limit: 300 * time.Millisecond})
			h.Offer(line(terms.NodeMissing, 1, "n"))
			h.Offer(line(terms.NodeMissing, 2, "n"))
			for start := time.Now(); l.text() == "" && time.Since(start) < time.Minute; {
				time.Sleep(5 * time.Millisecond)
			}
			h.Close()
			if text := l.text(); !strings.Contains(text, c.want) || strings.Count(text, "\n") > 1 || len(text) > 1000 || !strings.HasPrefix(text, "hook-failed: "+c.program) {
				t.Errorf("%.1000s", text)
			}
			if name == "hangs" {
				data, err := os.ReadFile(pid)
				if err != nil {
					t.Fatal(err)
				}
				isGone(t, strings.TrimSpace(string(data)))
			}
		})
	}
}

// isGone waits until a process is gone.
func isGone(t *testing.T, pid string) {
	t.Helper()
	for range 2000 {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("process %s lives", pid)
}

// TestHookFlood: events that come faster than the program is are dropped and counted. Nobody waits,
// and the end of the manager waits for one time limit, not for all that wait.
func TestHookFlood(t *testing.T) {
	var l told
	h := New(l.add)
	out := filepath.Join(t.TempDir(), "out")
	h.Set(Options{Program: script(t, "cat >> "+out+"; sleep 0.2"), Events: []string{"info"}, Limit: time.Second})
	for n := range 3 * mostQueued {
		h.Offer(line(terms.NodeMissing, n, "n"))
	}
	for start := time.Now(); l.text() == "" && time.Since(start) < time.Minute; {
		time.Sleep(5 * time.Millisecond)
	}
	h.Close()
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n < 1 || n > 40 {
		t.Errorf("%d events came", n)
	}
	var dropped int
	if _, after, ok := strings.Cut(l.text(), "it was not run for "); !ok {
		t.Error(l.text())
	} else if _, err := fmt.Sscan(after, &dropped); err != nil || dropped < 2*mostQueued-2 || dropped > 2*mostQueued {
		t.Errorf("%d: %s", dropped, l.text())
	}
}

// TestHookEnds: the end of a manager does not wait for a program that takes long, whatever its
// limit is.
func TestHookEnds(t *testing.T) {
	var l told
	h := New(l.add)
	h.last = 100 * time.Millisecond
	pid := filepath.Join(t.TempDir(), "pid")
	h.Set(Options{Program: script(t, "echo $$ > "+pid+"; sleep 60"), Events: []string{"info"}, Limit: time.Hour})
	h.Offer(line(terms.NodeMissing, 1, "n"))
	h.Offer(line(terms.NodeMissing, 2, "n"))
	begun := time.Now()
	h.Close()
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("%v", took)
	}
	if data, err := os.ReadFile(pid); err == nil { // it has begun
		isGone(t, strings.TrimSpace(string(data)))
	}
}

// TestHookReplaced: a program that is replaced between two events is checked again: what others
// could change is not run.
func TestHookReplaced(t *testing.T) {
	var l told
	h := New(l.add)
	ran := filepath.Join(t.TempDir(), "ran")
	o := Options{Program: script(t, "cat > /dev/null"), Events: []string{"info"}, Limit: time.Minute}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	h.Set(o)
	open := script(t, ": > "+ran)
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(open, o.Program); err != nil {
		t.Fatal(err)
	}
	h.Offer(line(terms.NodeMissing, 1, "n"))
	h.Close()
	if _, err := os.Stat(ran); err == nil || !strings.Contains(l.text(), "not run: others may write it") {
		t.Error(err, l.text())
	}
}

// TestCheck: what cannot be run, or what others could put in its place, is refused.
func TestCheck(t *testing.T) {
	open := script(t, "")
	if err := os.Chmod(open, 0o722); err != nil {
		t.Fatal(err)
	}
	plain := script(t, "")
	if err := os.Chmod(plain, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Limit: 1}, ""},
		{Options{Program: script(t, ""), Limit: 1, Events: []string{"error", "node-missing"}}, ""},
		{Options{Program: "program", Limit: 1}, "absolute path"},
		{Options{Program: "/nowhere", Limit: 1}, "no such file"},
		{Options{Program: "/bin/sh -c", Limit: 1}, "no such file"},
		{Options{Program: open, Limit: 1}, "others may write it"},
		{Options{Program: plain, Limit: 1}, "not a program"},
		{Options{Program: "/tmp", Limit: 1}, "not a program"},
		{Options{Limit: 0}, "--hook-limit"},
		{Options{Limit: 1, Events: []string{"node-mising"}}, "--hook-events node-mising"},
	} {
		if err := c.o.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
	other := Options{Program: script(t, ""), Limit: 1}
	if err := os.Chown(other.Program, 12345, -1); err != nil {
		t.Skip("only root gives a file away: ", err)
	}
	if err := other.Check(); err == nil || !strings.Contains(err.Error(), "another user (12345)") {
		t.Error(err)
	}
}
