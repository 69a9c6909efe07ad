package cli

import (
	"bytes"
	"context"
	"regexp"
	"testing"
	"time"

	"weft/internal/par"
)

// TestProgressLines: where there is no terminal, lines say the step, the time, and the share done;
// none comes once the work has ended.
func TestProgressLines(t *testing.T) {
	var out bytes.Buffer
	progress := &steps{started: time.Now()}
	progress.step("routing")
	next, end := par.Steps(par.WithProgress(context.Background(), &progress.Progress), 4)
	next()
	progress.text(time.Now().Add(-time.Minute)) // the loop has run for a minute
	done := make(chan struct{})
	time.AfterFunc(50*time.Millisecond, func() { close(done) })
	lines(&out, 10*time.Millisecond)(progress, done)
	end()
	if line := regexp.MustCompile(`^weft: routing, 0s so far, this step 25 %, 3m0s to go\n`); !line.Match(out.Bytes()) {
		t.Errorf("%q", out.String())
	}
	length := out.Len()
	lines(&out, time.Hour)(progress, done)
	if out.Len() != length {
		t.Errorf("a line after the end: %q", out.String()[length:])
	}
}
