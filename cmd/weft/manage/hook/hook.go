// Package hook runs a program of the operator for events of the log. The program gets the event as
// one line of JSON on standard input, as weft sm events --json prints it. It gets no arguments and
// no shell, since names of devices are in events. One program runs at a time. It is killed after a
// time limit, with all processes of its group. The manager waits for none of this: events queue,
// and are dropped if too many wait.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"weft/internal/repeat"
	"weft/sm/recording"
	"weft/sm/terms"
)

// Options say what to run, and when.
type Options struct {
	Program string        // absolute path; "": none
	Events  []string      // codes, and severities, which stand for all codes that are as urgent or more
	Limit   time.Duration // of one run
}

// Check returns an error if the program cannot be run, or if an event does not exist.
func (o *Options) Check() error {
	for _, name := range o.Events {
		_, err := terms.ParseSeverity(name)
		if _, known := recording.Explain[terms.IncidentKind(name)]; err != nil && !known {
			return fmt.Errorf("--hook-events %s: want a code of weft sm --codes, or error, warning, notice or info", name)
		}
	}
	switch {
	case o.Limit <= 0:
		return errors.New("--hook-limit must be more than 0")
	case o.Program == "":
		return nil
	case !filepath.IsAbs(o.Program):
		return fmt.Errorf("--hook %s: want an absolute path, without arguments", o.Program)
	}
	if err := checkProgram(o.Program); err != nil {
		return fmt.Errorf("--hook %s: %w", o.Program, err)
	}
	return nil
}

// checkProgram returns an error if a file is no program, or if another user could change it.
func checkProgram(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return errors.Unwrap(err) // the path is known
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0:
		return errors.New("not a program: run chmod +x")
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write it, so they could act as this manager: run chmod go-w")
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); ok && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("it belongs to another user (%d), who could act as this manager: run chown root", owner.Uid)
	}
	return nil
}

// wants reports whether a line of the log is to be passed on. A failure of the hook itself never
// is.
func (o *Options) wants(line *terms.LogLine) bool {
	if o.Program == "" || line.Kind == terms.HookFailed {
		return false
	}
	return slices.ContainsFunc(o.Events, func(name string) bool {
		least, err := terms.ParseSeverity(name)
		return name == string(line.Kind) || err == nil && line.Kind.Severity() <= least
	})
}

// mostQueued is the maximum number of events that wait.
const mostQueued = 256

// Hook runs the program. It is safe for concurrent use.
type Hook struct {
	tell    func(terms.Incident)
	options atomic.Pointer[Options]
	queue   chan terms.LogLine
	done    chan struct{}
	stop    context.CancelFunc // kills the program, and drops the events that wait
	last    time.Duration      // after which Close does so

	mu      sync.Mutex
	closed  bool
	dropped int

	told  repeat.Seldom[string] // of the goroutine
	again int                   // failures that were not told
}

// New returns a Hook that runs nothing until Set. tell is told of failures, from another goroutine.
func New(tell func(terms.Incident)) *Hook {
	ctx, stop := context.WithCancel(context.Background())
	h := &Hook{tell: tell, queue: make(chan terms.LogLine, mostQueued), done: make(chan struct{}), stop: stop, last: patience, told: repeat.Seldom[string]{Every: time.Minute}}
	h.Set(Options{})
	go h.run(ctx)
	return h
}

// Set replaces the options, also for events that wait.
func (h *Hook) Set(o Options) { h.options.Store(&o) }

// Offer passes a line of the log on, if the options ask for it. It does not wait.
func (h *Hook) Offer(line terms.LogLine) {
	if !h.options.Load().wants(&line) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	select {
	case h.queue <- line:
	default:
		h.dropped++
	}
}

// patience is the time that the end of a manager waits for the program at most: systemd kills a
// manager that does not end within 90 s.
const patience = 10 * time.Second

// Close ends the Hook. Events that wait have the time limit of one run for all of them, and no more
// than a while.
func (h *Hook) Close() {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		close(h.queue)
	}
	h.mu.Unlock()
	wait := min(h.options.Load().Limit, h.last)
	timer := time.AfterFunc(wait, h.stop)
	select {
	case <-h.done:
	case <-time.After(wait + 2*forPipes): // the disk of the program hangs, and so does its start
	}
	timer.Stop()
	h.stop()
}

// run passes the events on, one at a time.
func (h *Hook) run(ctx context.Context) {
	defer close(h.done)
	runtime.LockOSThread() // the program dies with this thread (Pdeathsig)
	for line := range h.queue {
		o := h.options.Load()
		if ctx.Err() != nil || o.Program == "" {
			continue
		}
		if err := o.pass(ctx, &line); err != nil {
			h.failed(fmt.Sprintf("%s, given the event %s: %v", o.Program, line.Kind, err))
		}
		h.mu.Lock()
		dropped := h.dropped
		h.dropped = 0
		h.mu.Unlock()
		if dropped > 0 {
			h.tell(terms.Incident{Kind: terms.HookFailed, Text: fmt.Sprintf("%s is too slow: it was not run for %d events", o.Program, dropped)})
		}
	}
}

// failed tells a failure; the same one once a minute.
func (h *Hook) failed(text string) {
	if !h.told.Admits(time.Duration(time.Now().UnixNano()), text) {
		h.again++
		return
	}
	if h.again > 0 {
		text += fmt.Sprintf("; %d more failures since the last such line", h.again)
		h.again = 0
	}
	h.tell(terms.Incident{Kind: terms.HookFailed, Text: text})
}

// search is the PATH of the program.
const search = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// forPipes is the time that a killed program's output may stay open: a process outside its group
// may hold it.
const forPipes = time.Second

// pass runs the program for an event.
func (o *Options) pass(ctx context.Context, line *terms.LogLine) error {
	if err := checkProgram(o.Program); err != nil { // it may have been replaced
		return fmt.Errorf("not run: %w", err)
	}
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, o.Program)
	said := &start{left: mostOutput}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = bytes.NewReader(append(data, '\n')), said, said, "/", []string{search}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return kill(cmd.Process.Pid) }
	cmd.WaitDelay = forPipes
	if err = cmd.Start(); err != nil {
		return err
	}
	err = cmd.Wait()
	_ = kill(cmd.Process.Pid) // processes that it has left
	switch {
	case errors.Is(err, exec.ErrWaitDelay):
		err = errors.New("a process that it left behind held its output; it is killed, unless it has left the group of the program")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("killed after %v", o.Limit)
	case ctx.Err() != nil:
		err = errors.New("killed, since the manager ends")
	case said.left < 0:
		err = fmt.Errorf("its output was closed after %d bytes", mostOutput)
	}
	if err != nil && len(said.text) > 0 {
		err = fmt.Errorf("%w: %q", err, bytes.TrimSpace(said.text))
	}
	return err
}

// kill kills a group of processes.
func kill(group int) error { return syscall.Kill(-group, syscall.SIGKILL) }

// mostSaid is the maximum length of output that is told. After mostOutput bytes the output is
// closed: to read more would take a core from the manager.
const (
	mostSaid   = 200
	mostOutput = 1 << 20
)

// start keeps the start of a text. left is the number of bytes that may follow; less than 0: there
// were more.
type start struct {
	text []byte
	left int
}

var errOutput = errors.New("too much output")

// Write implements io.Writer.
func (s *start) Write(b []byte) (int, error) {
	s.text = append(s.text, b[:min(len(b), mostSaid-len(s.text))]...)
	if s.left -= len(b); s.left < 0 {
		return 0, errOutput
	}
	return len(b), nil
}
