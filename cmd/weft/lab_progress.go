package main

import (
	"os"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"weft/cmd/weft/cli"
)

// labBar shows on a terminal the number of finished tables and figures and the current row.
type labBar struct {
	bars *mpb.Progress
	bar  *mpb.Bar
	now  atomic.Pointer[string]
}

func newLabBar(cmd *cobra.Command, artefacts int) *labBar {
	l := &labBar{}
	errOut, ok := cmd.ErrOrStderr().(*os.File)
	if !ok || !cli.IsTerminal(errOut) {
		return l
	}
	l.bars = mpb.New(mpb.WithOutput(errOut))
	l.bar = l.bars.AddBar(int64(artefacts), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersNoUnit("weft: %d of %d ")),
		mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO), decor.Any(func(decor.Statistics) string {
			if row := l.now.Load(); row != nil {
				return " " + *row
			}
			return ""
		})))
	return l
}

func (l *labBar) step(row string) { l.now.Store(&row) }

func (l *labBar) done() {
	if l.bar != nil {
		l.bar.Increment()
	}
}

func (l *labBar) stop() {
	if l.bars != nil {
		l.bar.Abort(true)
		l.bars.Wait()
	}
}
