package cli

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"weft/internal/par"
)

// progressDelay is the time before progress is shown.
const progressDelay = 2 * time.Second

// WithProgress runs work. If stderr is a terminal and work takes longer than progressDelay, it
// shows the step, the elapsed time, and for loops the share done and the remaining time.
func WithProgress(cmd *cobra.Command, what string, work func(context.Context) error) error {
	return WithSteps(cmd, what, func(ctx context.Context, _ func(string)) error { return work(ctx) })
}

// WithSteps is like WithProgress for work of several steps, which it names by calling step.
func WithSteps(cmd *cobra.Command, first string, work func(ctx context.Context, step func(string)) error) error {
	ctx := cmd.Context()
	var now atomic.Pointer[string]
	step := func(what string) { now.Store(&what) }
	step(first)
	errOut, ok := cmd.ErrOrStderr().(*os.File)
	if !ok || !IsTerminal(errOut) {
		return work(ctx, step)
	}
	progress := &steps{}
	done := make(chan struct{})
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		select {
		case <-done:
			return
		case <-time.After(progressDelay):
		}
		bars := mpb.New(mpb.WithOutput(errOut))
		bar := bars.AddSpinner(0, mpb.BarRemoveOnComplete(),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return "weft: " + *now.Load() + " " })),
			mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO), decor.Any(func(decor.Statistics) string { return progress.text(time.Now()) })))
		<-done
		bar.Abort(true)
		bars.Wait()
	}()
	err := work(par.WithProgress(ctx, &progress.Progress), step)
	close(done)
	<-shown
	return err
}

// steps estimates when the current loop will end.
type steps struct {
	par.Progress
	loop  int64 // that was under way when it was asked last
	begun time.Time
}

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
