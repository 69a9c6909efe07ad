package jobs

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Forms explains the forms that Read takes, for help texts.
const Forms = `Jobs are read from a file in one of these forms, which are recognised:

  NAME NODES        one job a line; NODES is a list of Slurm such as n[001-004,010],login
  NAME USER NODES   the same with a user: also what squeue -h -t R -o '%i %u %N' prints
  with a header     squeue -o '%i %u %N', or any other columns with JOBID and NODELIST, such as those
                    of squeue alone; jobs without nodes, and those whose state (ST, STATE) is not
                    running, configuring or completing, are left out
  JSON              squeue --json; the same jobs are left out

Blank lines, and what follows #, do not count. A node is a server with all its ports, named by its
host name, with or without the domain, its whole description, or a node GUID.`

// mostHosts bounds the hosts of all jobs of a file: a short text stands for many.
const mostHosts = 1 << 22

// reader reads the jobs of one file.
type reader struct {
	file   string
	listed []Listed
	line   map[string]int // of each job
	// find takes the list of nodes of a job; nil: it stays a list.
	find func(j *Listed) error
}

// Listed is a job whose nodes are a list as Slurm writes it.
type Listed struct{ Name, User, Nodes string }

// ReadLists reads jobs from a text in one of the Forms, in its order, and leaves their lists of
// nodes as they are. name is that of the file, for errors, which say FILE:LINE.
func ReadLists(name string, text []byte) ([]Listed, error) {
	r := &reader{file: name, line: map[string]int{}}
	err := r.read(text)
	return r.listed, err
}

// read reads a text in one of the Forms.
func (r *reader) read(text []byte) error {
	if start := bytes.TrimSpace(text); len(start) > 0 && start[0] == '{' {
		return r.readJSON(text)
	}
	return r.readText(text)
}

// Read reads jobs from a text in one of the Forms, and returns them in order of their names. name
// is that of the file, for errors, which say FILE:LINE.
func (x *Finder) Read(name string, text []byte) ([]Job, error) {
	var list []Job
	total := 0
	r := &reader{file: name, line: map[string]int{}, find: func(j *Listed) error {
		hosts, err := x.Find(j.Nodes)
		if err != nil {
			return fmt.Errorf("job %s: %w", j.Name, err)
		}
		if total += len(hosts); total > mostHosts {
			return fmt.Errorf("the jobs up to here have over %d host ports", mostHosts)
		}
		list = append(list, Job{Name: j.Name, User: j.User, Hosts: hosts})
		return nil
	}}
	if err := r.read(text); err != nil {
		return nil, err
	}
	slices.SortFunc(list, byName)
	return list, nil
}

// lineError is an error with its place in a file.
type lineError struct {
	file string
	line int
	err  error
}

func (e *lineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.file, e.line, e.err) }
func (e *lineError) Unwrap() error { return e.err }

// errorf returns an error with its place in the file.
func (r *reader) errorf(line int, format string, args ...any) error {
	return &lineError{r.file, line, fmt.Errorf(format, args...)}
}

// add adds a job.
func (r *reader) add(line int, name, user, nodes string) error {
	if old, met := r.line[name]; met {
		return r.errorf(line, "job %s is listed twice, first on line %d", name, old)
	}
	r.line[name] = line
	j := Listed{name, user, nodes}
	if r.find != nil {
		return r.placed(line, r.find(&j))
	}
	r.listed = append(r.listed, j)
	return nil
}

// readText reads lines, with or without the header of squeue.
func (r *reader) readText(text []byte) error {
	var head *header
	first := true
	number := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		number++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if first {
			first = false
			if head = headerOf(words); head != nil {
				continue
			}
		}
		if err := r.row(head, words, number); err != nil {
			return err
		}
	}
	return nil
}

// row reads the words of a line.
func (r *reader) row(head *header, words []string, line int) error {
	switch {
	case head != nil:
		name, user, nodes, err := head.cut(words)
		if err != nil || nodes == "" {
			return r.placed(line, err)
		}
		return r.add(line, name, user, nodes)
	case len(words) == 2:
		return r.add(line, words[0], "", words[1])
	case len(words) == 3:
		return r.add(line, words[0], words[1], words[2])
	}
	return r.errorf(line, "%q: want NAME NODES or NAME USER NODES; for other columns keep the header of squeue", strings.Join(words, " "))
}

// placed adds the place to an error, if there is one.
func (r *reader) placed(line int, err error) error {
	if err == nil {
		return nil
	}
	return r.errorf(line, "%w", err)
}

// header says which column of squeue's output holds what; -1 for none.
type header struct {
	columns               int
	id, user, state, text int // text: the name of the job, which may have blanks
	nodes                 int
	reason                bool // the column of nodes holds the reason of a job that waits
}

// headerOf returns the columns of a line with JOBID and NODELIST, nil of another one.
func headerOf(words []string) *header {
	h := &header{columns: len(words), text: slices.Index(words, "NAME"), user: slices.Index(words, "USER")}
	h.id = slices.Index(words, "JOBID")
	h.nodes = slices.IndexFunc(words, func(w string) bool { return w == "NODELIST" || w == "NODELIST(REASON)" })
	h.state = slices.IndexFunc(words, func(w string) bool { return w == "ST" || w == "STATE" })
	if h.id < 0 || h.nodes < 0 {
		return nil
	}
	h.reason = words[h.nodes] != "NODELIST"
	return h
}

// cut takes a job from the words of a line; nodes is empty for one that does not run.
func (h *header) cut(words []string) (name, user, nodes string, err error) {
	last := h.nodes == h.columns-1
	if h.reason && last && strings.HasSuffix(words[len(words)-1], ")") {
		if i := slices.IndexFunc(words, func(w string) bool { return w[0] == '(' }); i >= h.columns-1 {
			return "", "", "", nil
		}
	}
	more := len(words) - h.columns // words of the job's name beyond the first
	switch {
	case more == -1 && last:
		return "", "", "", nil // the list of nodes is empty
	case more < 0, more > 0 && h.text < 0:
		return "", "", "", fmt.Errorf("%d words under %d columns", len(words), h.columns)
	}
	at := func(column int) string {
		switch {
		case column < 0:
			return ""
		case h.text >= 0 && column > h.text:
			column += more
		}
		return words[column]
	}
	if state := at(h.state); state != "" && !runs(state) {
		return "", "", "", nil
	}
	return at(h.id), at(h.user), at(h.nodes), nil
}

// runs reports whether a job in a state of squeue has nodes and uses them.
func runs(state string) bool {
	return slices.Contains([]string{"R", "RUNNING", "CF", "CONFIGURING", "CG", "COMPLETING"}, state)
}

// errNoJobs is the error of a JSON object that squeue did not print.
var errNoJobs = errors.New(`JSON without a list "jobs": want what squeue --json prints`)
