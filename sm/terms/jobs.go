package terms

import "time"

// Job is a running job of a batch system. Its nodes send to each other.
type Job struct {
	ID      string   // in the batch system
	User    string   `json:",omitempty"`
	Nodes   string   // a list of Slurm: the nodes that were found at the start
	Count   int      // number of these nodes
	Unknown []string `json:",omitempty"` // nodes that were not found, the first of them
	Began   int64    // seconds since 1970, UTC
	Turn    *JobTurn `json:",omitempty"` // nil: still to come
}

// JobTurn says what moved for the jobs that started within JobRule.Interval.
type JobTurn struct {
	Jobs  int    // number of these jobs
	Moved int    // entries of forwarding tables
	Why   string `json:",omitempty"` // why no more moved
}

// JobRule says how often entries move for jobs that start, and how many.
type JobRule struct {
	Interval time.Duration // from a start to its turn; all starts of this time have one turn
	Moves    int           // entries of forwarding tables that may move in a turn; 0: none
}

// JobWrite is the start of a job, or its end, or the list of all jobs that run.
type JobWrite struct {
	Start *Job   `json:",omitempty"`
	End   string `json:",omitempty"` // ID
	All   []Job  `json:",omitempty"` // with Whole: others end
	Whole bool   `json:",omitempty"`
	By    string `json:",omitempty"` // who asks; "" if that is not known
}

// RunningJobs holds the jobs that run, to be remembered over a restart.
type RunningJobs struct {
	List    []Job
	Changed int    // jobs that started, changed or ended by the write
	Order   uint64 // set by the Runner: a later one has a higher number
}
