package program

import "slices"

// Job is a Program that runs beside others, from a time on.
type Job struct {
	Program Program
	Start   Time
}

// Joined is the Program of several jobs. The ranks of the first job come first, then the ranks of
// the second, and so on. No message leaves its job.
type Joined struct {
	jobs  []Job
	first []int32 // by job: its first rank; and one more
	of    []int32 // by rank: its job
	shape Shape
}

// Join makes one Program of several jobs.
func Join(jobs []Job) *Joined {
	j := &Joined{jobs: jobs}
	for i, job := range jobs {
		s := job.Program.Shape()
		j.first = append(j.first, int32(len(j.of)))
		j.of = append(j.of, slices.Repeat([]int32{int32(i)}, s.Ranks)...)
		j.shape.CPUs, j.shape.NICs = max(j.shape.CPUs, s.CPUs), max(j.shape.NICs, s.NICs)
	}
	j.shape.Ranks = len(j.of)
	j.first = append(j.first, int32(len(j.of)))
	return j
}

// Shape returns the sum of ranks, and the largest numbers of processors and network ports.
func (j *Joined) Shape() Shape { return j.shape }

// Ranks returns the ranks of a job: from the first one to the one before last.
func (j *Joined) Ranks(job int) (first, last int32) { return j.first[job], j.first[job+1] }

// Job returns the job of a rank, and the rank's number in it.
func (j *Joined) Job(rank int32) (job int, own int32) {
	job = int(j.of[rank])
	return job, rank - j.first[job]
}

// First returns the operations of a rank that wait for nothing but the start of its job.
func (j *Joined) First(rank int32, to []Op) []Op {
	job, own := j.Job(rank)
	from := len(to)
	to = j.jobs[job].Program.First(own, to)
	for i := range to[from:] {
		to[from+i].Ready = max(to[from+i].Ready, j.jobs[job].Start)
	}
	return j.rename(to, from, job)
}

// Began returns the operations that an operation's begin makes ready.
func (j *Joined) Began(rank, id int32, at Time, to []Op) []Op {
	job, own := j.Job(rank)
	from := len(to)
	return j.rename(j.jobs[job].Program.Began(own, id, at, to), from, job)
}

// Ended returns the operations that an operation's end makes ready.
func (j *Joined) Ended(rank, id int32, at Time, to []Op) []Op {
	job, own := j.Job(rank)
	from := len(to)
	return j.rename(j.jobs[job].Program.Ended(own, id, at, to), from, job)
}

// rename gives the peers of new operations their numbers among all ranks.
func (j *Joined) rename(ops []Op, from, job int) []Op {
	for i := range ops[from:] {
		if o := &ops[from+i]; o.Kind != Calc && o.Peer != Any {
			o.Peer += j.first[job]
		}
	}
	return ops
}

// DescribeOf names an operation of a rank by its job, if there are several.
func (j *Joined) DescribeOf(rank, id int32) (string, bool) {
	job, own := j.Job(rank)
	p, ok := j.jobs[job].Program.(Describer)
	if !ok {
		return "", false
	}
	return p.DescribeOf(own, id)
}

// Describer is a Program that names its operations.
type Describer interface {
	DescribeOf(rank, id int32) (string, bool)
}

// Share returns how far the job is that is least far.
func (j *Joined) Share() float64 {
	least := 1.0
	for i := range j.jobs {
		if p, ok := j.jobs[i].Program.(interface{ Share() float64 }); ok {
			least = min(least, p.Share())
		}
	}
	return least
}
