package sweeps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/lab/sweep"
)

// attemptsEnd ends the names of the files with attempts. A worker that is started again after a
// kill finds there at which jobs it was killed. A line is one of
//
//	begin JOB          the worker begins a job
//	end JOB            it has ended
//	stopped            the worker ended by itself: jobs under way are not to blame
//	ended WHY          task.sh saw the worker die, or stopped it at the time limit
//	ends JOB N WHY     N runs ended while the job was under way
//
// Other lines are ignored: a kill may leave half a line.
const attemptsEnd = ".attempts"

// killedUnseen is the reason where task.sh was killed together with the worker.
const killedUnseen = "the task was killed while it ran, perhaps for want of memory"

// attempts is an open file of attempts. It is safe for concurrent use.
type attempts struct {
	mu   sync.Mutex
	file *os.File
}

// begin gives a run the rows of other stores, and the attempts of earlier runs.
func (o *sweepFlags) begin(cmd *cobra.Command, r *sweep.Run, keep keeper) (note *attempts, err error) {
	if err := o.known.begin(r, keep); err != nil || !o.goOn {
		return nil, err
	}
	note, r.Ended, err = openAttempts(cmd, attemptsName(o.output, r.Shard))
	if err == nil {
		r.Mark = note.mark
	}
	return note, err
}

// attemptsName returns the name of a worker's file.
func attemptsName(folder string, shard sweep.Shard) string {
	return filepath.Join(folder, fmt.Sprintf("%d-of-%d%s", shard.I, shard.N, attemptsEnd))
}

// openAttempts reads a file of attempts, and replaces it by a summary: a line "ends" for each job.
func openAttempts(cmd *cobra.Command, path string) (*attempts, map[string]sweep.Ends, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	ended := readAttempts(text)
	err = cli.WriteQuietly(cmd, path, func(w io.Writer) error {
		for _, job := range slices.Sorted(maps.Keys(ended)) {
			if _, err := fmt.Fprintf(w, "ends %s %d %s\n", job, ended[job].N, ended[job].Why); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o644)
	return &attempts{file: file}, ended, err
}

// readAttempts returns the jobs at which runs of a worker were killed.
func readAttempts(text []byte) map[string]sweep.Ends {
	ended, under := map[string]sweep.Ends{}, map[string]bool{}
	why := killedUnseen
	for line := range bytes.Lines(text) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		rest = strings.TrimSpace(rest)
		switch {
		case word == "begin" && isName(rest):
			under[rest] = true
		case word == "end":
			delete(under, rest)
			delete(ended, rest)
		case word == "stopped":
			why = ""
		case word == "ended":
			why = rest
		case word == "ends":
			job, rest, _ := strings.Cut(rest, " ")
			number, why, _ := strings.Cut(rest, " ")
			if n, err := strconv.Atoi(number); err == nil && n > 0 && isName(job) {
				ended[job] = sweep.Ends{N: n, Why: why}
			}
		}
	}
	if why != "" {
		for job := range under {
			ended[job] = sweep.Ends{N: ended[job].N + 1, Why: why}
		}
	}
	return ended
}

// isName reports whether a text can be the name of a job.
func isName(text string) bool {
	return text != "" && !strings.ContainsAny(text, " \r\t\v\f\u0085\u00a0")
}

// mark is the Mark of a run.
func (a *attempts) mark(job string, begins bool) error {
	if begins {
		return a.add("begin " + job)
	}
	return a.add("end " + job)
}

// add adds a line. One write makes it: the lines of two cores do not mix.
func (a *attempts) add(line string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, err := a.file.WriteString(line + "\n")
	return err
}

// close notes that the worker ended by itself.
func (a *attempts) close() error {
	if a == nil {
		return nil
	}
	return errors.Join(a.add("stopped"), a.file.Close())
}
