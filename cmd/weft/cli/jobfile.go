package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/fabric"
	"weft/fabric/jobs"
	"weft/planner"
	"weft/study/routing"
)

// JobFile is a file with the jobs of a machine. Its flag is --jobs, which is also the number of
// cores: a whole number is never the name of a file.
type JobFile struct{ path string }

// Add lets --jobs take a file, too.
func (j *JobFile) Add(cmd *cobra.Command) {
	flag := cmd.Flags().Lookup("jobs")
	flag.Value = &coresOrFile{flag.Value, j}
	flag.Usage = "number `N` of cores to use (the result does not depend on it), or a file of jobs; give --jobs twice for both"
}

// Given reports whether there is a file.
func (j *JobFile) Given() bool { return j.path != "" }

// Refuse returns an error if there is a file.
func (j *JobFile) Refuse() error {
	if j.Given() {
		return errors.New("--jobs FILE is for a single subnet")
	}
	return nil
}

// Read reads the jobs, nil without a file.
func (j *JobFile) Read(g *fabric.Graph) ([]jobs.Job, error) {
	if !j.Given() {
		return nil, nil
	}
	text, err := os.ReadFile(j.path)
	if err != nil {
		return nil, fmt.Errorf("--jobs %s: want a whole number from 1 to %d, or a file with jobs: %w", j.path, jobsMost, err)
	}
	list, err := jobs.NewFinder(g).Read(j.path, text)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: no job runs; a line is NAME NODES", j.path)
	}
	return list, err
}

// MeasureJobs measures the bandwidth and the sharing of channels of jobs under a routing.
func MeasureJobs(cmd *cobra.Command, g *fabric.Graph, r *planner.Result, list []jobs.Job, req *planner.Request) (o *routing.Jobs, err error) {
	err = WithProgress(cmd, "measuring jobs", func(ctx context.Context) error {
		o, err = routing.NewJobs(ctx, g, r, list, req.Seed, max(1, req.Workers))
		return err
	})
	return o, err
}

// coresOrFile is the value of --jobs where that may be a file.
type coresOrFile struct {
	cores pflag.Value
	file  *JobFile
}

func (v *coresOrFile) String() string { return v.cores.String() }
func (v *coresOrFile) Type() string   { return v.cores.Type() }

// Set implements pflag.Value.
func (v *coresOrFile) Set(text string) error {
	if _, err := strconv.Atoi(text); err == nil {
		return v.cores.Set(text)
	}
	v.file.path = text
	return nil
}
