package jobs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// slurmJob holds the fields of a job that weft reads from squeue --json.
type slurmJob struct {
	ID     number `json:"job_id"`
	Array  number `json:"array_job_id"`
	Task   number `json:"array_task_id"`
	Het    number `json:"het_job_id"` // of its first part
	Offset number `json:"het_job_offset"`
	User   string `json:"user_name"`
	State  states `json:"job_state"`
	Nodes  string `json:"nodes"`
}

// name returns the id as squeue prints it: 4711, 4711_3 for a task of an array, or 4711+1 for a
// part of a heterogeneous job.
func (j *slurmJob) name() string {
	if j.Het.is && j.Het.value > 0 {
		return fmt.Sprintf("%d+%d", j.Het.value, j.Offset.value)
	}
	if j.Array.is && j.Array.value > 0 && j.Task.is {
		return fmt.Sprintf("%d_%d", j.Array.value, j.Task.value)
	}
	return strconv.FormatInt(j.ID.value, 10)
}

// number is a number as Slurm writes it: 7, or {"set": true, "infinite": false, "number": 7}.
type number struct {
	value int64
	is    bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '{':
		var v struct {
			Set    bool  `json:"set"`
			Number int64 `json:"number"`
		}
		err := json.Unmarshal(data, &v)
		n.value, n.is = v.Number, v.Set
		return err
	case 'n', '"': // null, or "" in old versions
		return nil
	}
	n.is = true
	return json.Unmarshal(data, &n.value)
}

// states are the states of a job: a list, or in old versions one.
type states []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *states) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(s))
	}
	*s = make(states, 1)
	return json.Unmarshal(data, &(*s)[0])
}

// readJSON reads what squeue --json prints, job by job, so that errors name a line.
func (r *reader) readJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	line := func() int { return 1 + bytes.Count(text[:d.InputOffset()], []byte("\n")) }
	err := r.object(d, line)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("text after the JSON object")
		}
	}
	if _, told := errors.AsType[*lineError](err); told || err == nil {
		return err
	}
	at := line()
	if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = max(at, 1+bytes.Count(text[:min(int(wrong.Offset), len(text))], []byte("\n")))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at, err = 1+bytes.Count(text, []byte("\n")), errors.New("the JSON object is cut off")
	}
	return r.errorf(at, "%w", err)
}

// object reads the object of squeue.
func (r *reader) object(d *json.Decoder, line func() int) error {
	if _, err := d.Token(); err != nil {
		return err
	}
	found := false
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if key != "jobs" {
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return err
			}
			continue
		}
		found = true
		if open, err := d.Token(); err != nil || open != json.Delim('[') {
			return errors.Join(err, errNoJobs)
		}
		for d.More() {
			if err := r.job(d, line); err != nil {
				return err
			}
		}
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return err
	}
	if !found {
		return errNoJobs
	}
	return nil
}

// job reads one job.
func (r *reader) job(d *json.Decoder, line func() int) error {
	var j slurmJob
	if err := d.Decode(&j); err != nil {
		return err
	}
	if j.Nodes == "" || !slices.ContainsFunc(j.State, runs) {
		return nil
	}
	return r.add(line(), j.name(), j.User, j.Nodes)
}
