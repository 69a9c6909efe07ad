package sweeps

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"weft/cmd/weft/cli"
	"weft/lab/sweep"
)

// bar shows progress on a terminal: the share of finished cases, the time left and a running case.
// Elsewhere it prints a line at intervals of lineEvery.
type bar struct {
	cmd      *cobra.Command
	terminal *os.File // nil elsewhere
	bars     *mpb.Progress
	bar      *mpb.Bar
	now      atomic.Pointer[string]

	clock      func() time.Duration
	begun      time.Duration
	next       atomic.Int64 // when the next line is due
	all, ended atomic.Int64
}

func newBar(cmd *cobra.Command) *bar {
	b := &bar{cmd: cmd, clock: cli.Clock()}
	if f, ok := cmd.ErrOrStderr().(*os.File); ok && cli.IsTerminal(f) {
		b.terminal = f
	}
	return b
}

// lineEvery is the time between two lines where there is no terminal.
const lineEvery = 30 * time.Second

func (b *bar) begin(p *sweep.Plan, missing int) {
	b.stop()
	w := b.cmd.ErrOrStderr()
	if p.Points > p.Cases {
		fmt.Fprintf(w, "weft: %d cases; %d more are equal to one of them\n", p.Cases, p.Points-p.Cases)
	}
	b.begun = b.clock()
	b.next.Store(int64(b.begun + lineEvery))
	b.all.Store(int64(missing))
	b.ended.Store(0)
	if b.terminal == nil || missing == 0 {
		return
	}
	b.bars = mpb.New(mpb.WithOutput(b.terminal))
	b.bar = b.bars.AddBar(int64(missing), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersNoUnit("weft: %d of %d "), decor.Percentage()),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			text := b.left()
			if now := b.now.Load(); now != nil {
				text += " " + *now
			}
			return text
		})))
}

// left estimates the time left from the finished cases.
func (b *bar) left() string {
	ended, all := b.ended.Load(), b.all.Load()
	if ended == 0 {
		return ""
	}
	left := time.Duration(float64(b.clock()-b.begun) / float64(ended) * float64(all-ended))
	return left.Round(time.Second).String() + " left"
}

func (b *bar) step(what string) { b.now.Store(&what) }

func (b *bar) done(*sweep.Row) {
	ended := b.ended.Add(1)
	if b.bar != nil {
		b.bar.Increment()
		return
	}
	now, due := b.clock(), b.next.Load()
	if int64(now) >= due && b.next.CompareAndSwap(due, int64(now+lineEvery)) {
		fmt.Fprintf(b.cmd.ErrOrStderr(), "weft: %d of %d cases (%d %%), %s\n", ended, b.all.Load(), 100*ended/b.all.Load(), b.left())
	}
}

func (b *bar) stop() {
	if b.bars != nil {
		b.bar.Abort(true)
		b.bars.Wait()
		b.bars, b.bar = nil, nil
	}
}
