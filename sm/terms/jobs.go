package terms

import (
	"fmt"
	"slices"
	"time"

	"weft/internal/hostlist"
)

// Job is a running job of a batch system. Its nodes send to each other.
type Job struct {
	ID      string   // in the batch system
	User    string   `json:",omitempty"`
	Nodes   string   // a list of Slurm: the nodes that were found at the start
	Count   int      // number of these nodes
	Unknown []string `json:",omitempty"` // nodes that were not found, the first of them
	Began   int64    // seconds since 1970, UTC
	Turn    *JobTurn `json:",omitempty"` // nil: still to come
	// Copy is the copy of the lanes for packets between its nodes: 0 for the lanes of the paths,
	// i+1 for Plan.JobLanes[i]. Shares lists pairs that had another one at the start, since another
	// job ran on both nodes; the first that holds a pair counts.
	Copy        int         `json:",omitempty"`
	Shares      []LaneShare `json:",omitempty"`
	OfPartition bool        `json:",omitempty"` // JobRule.Partitions made it
}

// Check returns an error for a job that no manager starts: without an ID or nodes, with a list that
// is none, or on a negative copy. A damaged state may hold one.
func (j *Job) Check() error {
	_, err := hostlist.Expand(j.Nodes)
	for _, s := range j.Shares {
		if _, wrong := hostlist.Expand(s.Nodes); err == nil {
			err = wrong
		}
	}
	if err == nil && (j.ID == "" || j.Count < 1 || j.Copy < 0 || slices.ContainsFunc(j.Shares, func(s LaneShare) bool { return s.Copy < 0 })) {
		err = fmt.Errorf("ID %q, %d nodes, copy %d of the lanes", j.ID, j.Count, j.Copy)
	}
	return err
}

// LaneShare says that packets between some nodes of a job are on another copy of the lanes.
type LaneShare struct {
	Nodes string
	Copy  int
}

// JobTurn is the result of a turn for the jobs that started within JobRule.Interval.
type JobTurn struct {
	Jobs  int    // number of these jobs
	Moved int    // entries of forwarding tables
	Why   string `json:",omitempty"` // why no more moved
}

// JobRule says how often entries move for jobs that start, and how many.
type JobRule struct {
	Interval time.Duration // from a start to its turn; all starts of this time have one turn
	Moves    int           // entries of forwarding tables that may move in a turn; 0: none
	// Partitions holds names of partitions, or patterns such as "team*": each is a job as long as
	// it has two nodes or more.
	Partitions []string `json:",omitempty"`
}

// JobWrite is the start of a job, or its end, or the list of all jobs that run.
type JobWrite struct {
	Start *Job   `json:",omitempty"`
	End   string `json:",omitempty"` // ID
	All   []Job  `json:",omitempty"` // with Whole: others end
	Whole bool   `json:",omitempty"`
	// Age is the age of the list All: jobs that started or ended within this time do not change.
	Age time.Duration `json:",omitempty"`
	// Among is the beginning of the IDs in All: jobs with other IDs do not change.
	Among string `json:",omitempty"`
	// OfPartitions says that All, with Whole, lists the jobs of partitions, and changes no others.
	OfPartitions bool   `json:",omitempty"`
	By           string `json:",omitempty"` // who asks; "" if that is not known
}

// RunningJobs holds the jobs that run, to be remembered over a restart.
type RunningJobs struct {
	List    []Job
	Changed int    // jobs that started, changed or ended by the write
	Running int    // jobs that ran after the write; List may be newer
	Newer   int    // jobs that differ from JobWrite.All and stay, by JobWrite.Age
	Order   uint64 // set by the Runner: a later one has a higher number
}
