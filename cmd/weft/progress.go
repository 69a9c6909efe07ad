package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progressDelay passes before the progress of a step is shown.
const progressDelay = 2 * time.Second

// withProgress runs work and, when stderr is a terminal and work takes longer than
// progressDelay, shows what is being done and for how long.
func withProgress(cmd *cobra.Command, what string, work func(context.Context) error) error {
	ctx := cmd.Context()
	errOut, ok := cmd.ErrOrStderr().(*os.File)
	if !ok || !isTerminal(errOut) {
		return work(ctx)
	}
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
			mpb.PrependDecorators(decor.Name("weft: "+what+" ")),
			mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))
		<-done
		bar.Abort(true)
		bars.Wait()
	}()
	err := work(ctx)
	close(done)
	<-shown
	return err
}

// leavable makes work that nothing inside can stop end for the command when that is
// interrupted. What it was doing is left behind.
func leavable(work func() error) func(context.Context) error {
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

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
