package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"weft/internal/par"
)

// progressDelay is the time before progress is shown on a terminal, progressInterval the time
// between two lines of progress elsewhere.
const (
	progressDelay    = 2 * time.Second
	progressInterval = 10 * time.Second
	lookInterval     = time.Second / 2 // between two looks for results
)

// WithProgress runs work. If it takes longer than progressDelay, a terminal shows the step, the
// elapsed time, and for loops the share done and the remaining time. Where stderr is no terminal,
// a line says so every ten seconds.
func WithProgress(cmd *cobra.Command, what string, work func(context.Context) error) error {
	return WithSteps(cmd, what, func(ctx context.Context, _ func(string)) error { return work(ctx) })
}

// WithSteps is like WithProgress for work of several steps, which it names by calling step.
func WithSteps(cmd *cobra.Command, first string, work func(ctx context.Context, step func(string)) error) error {
	return WithResults(cmd, first, func(ctx context.Context, step, _ func(string)) error { return work(ctx, step) })
}

// WithResults is like WithSteps for work that has results before its end. It prints the lines that
// work tells, unless the work ends before progressDelay.
func WithResults(cmd *cobra.Command, first string, work func(ctx context.Context, step, tell func(string)) error) error {
	progress := &steps{started: time.Now()}
	progress.step(first)
	errOut, ok := cmd.ErrOrStderr().(*os.File)
	if !ok {
		return work(cmd.Context(), progress.step, func(string) {})
	}
	show := lines(errOut, progressInterval)
	if IsTerminal(errOut) {
		show = spinner(errOut)
	}
	done, shown := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(shown)
		show(progress, done)
	}()
	err := work(par.WithProgress(cmd.Context(), &progress.Progress), progress.step, progress.tell)
	close(done)
	<-shown
	return err
}

// spinner returns a function that shows progress on a terminal until done is closed.
func spinner(terminal *os.File) func(progress *steps, done <-chan struct{}) {
	return func(progress *steps, done <-chan struct{}) {
		select {
		case <-done:
			return
		case <-time.After(progressDelay):
		}
		bars := mpb.New(mpb.WithOutput(terminal))
		bar := bars.AddSpinner(0, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return "weft: " + *progress.name.Load() + " " })),
			mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO), decor.Any(func(decor.Statistics) string { return progress.text(time.Now()) })))
		tick := time.NewTicker(lookInterval)
		defer tick.Stop()
		for running := true; running; {
			select {
			case <-done:
				running = false
			case <-tick.C:
				progress.print(bars) // above the bar
			}
		}
		bar.Abort(true)
		bars.Wait()
	}
}

// lines returns a function that prints progress at an interval until done is closed.
func lines(w io.Writer, interval time.Duration) func(progress *steps, done <-chan struct{}) {
	return func(progress *steps, done <-chan struct{}) {
		tick, look := time.NewTicker(interval), time.NewTicker(lookInterval)
		defer tick.Stop()
		defer look.Stop()
		for {
			select {
			case <-done:
				return
			case now := <-look.C:
				if now.Sub(progress.started) >= progressDelay {
					progress.print(w)
				}
			case now := <-tick.C:
				fmt.Fprintf(w, "weft: %s, %v so far%s\n", *progress.name.Load(), now.Sub(progress.started).Round(time.Second), progress.text(now))
			}
		}
	}
}

// steps estimates when the current loop will end.
type steps struct {
	par.Progress
	name    atomic.Pointer[string] // of the step under way
	started time.Time              // the first step
	loop    int64                  // that was under way when it was asked last
	begun   time.Time
	results
}

// results are lines that have been told and not printed.
type results struct {
	mutex sync.Mutex
	lines []string
}

func (r *results) tell(line string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.lines = append(r.lines, line)
}

func (r *results) print(w io.Writer) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, line := range r.lines {
		fmt.Fprintf(w, "weft: %s\n", line)
	}
	r.lines = nil
}

// step names the step that begins.
func (s *steps) step(what string) { s.name.Store(&what) }

// text returns the progress of the loop at a time; "" if the loop has just begun.
func (s *steps) text(now time.Time) string {
	loop, share := s.Share()
	if loop != s.loop {
		s.loop, s.begun = loop, now
	}
	ran := now.Sub(s.begun)
	if loop == 0 || ran < progressDelay || share <= 0 {
		return ""
	}
	left := time.Duration(float64(ran) * (1 - share) / share)
	return fmt.Sprintf(", this step %.0f %%, %v to go", 100*share, left.Round(time.Second))
}

// Leavable wraps work that cannot be stopped: when ctx ends, the wrapper returns and abandons the
// work.
func Leavable(work func() error) func(context.Context) error {
	return func(ctx context.Context) error {
		done := make(chan error, 1)
		go func() { done <- work() }()
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// IsTerminal reports whether a file is a terminal.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
