package sweeps

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/lab/store"
	"weft/lab/sweep"
)

// slurmFlags are the options of weft lab sweep --on slurm.
type slurmFlags struct {
	on      string
	tasks   int
	atOnce  int
	time    time.Duration
	memory  string
	options []string // of the site, for sbatch
}

func (o *slurmFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.on, "on", "", "run the sweep on this `SYSTEM`: slurm submits an array job, and a job that merges the parts into -o")
	f.IntVar(&o.tasks, "tasks", 10, "number `N` of tasks of the array job; each computes one part")
	f.IntVar(&o.atOnce, "tasks-at-once", 0, "run at most `N` tasks at a time (default: as many as Slurm lets run)")
	f.DurationVar(&o.time, "task-time", 2*time.Hour, "longest `TIME` of a task; one that needs longer goes on in a new run")
	f.StringVar(&o.memory, "task-memory", "4G", "`MEMORY` of a task, as sbatch --mem reads it")
	f.StringArrayVar(&o.options, "sbatch", nil, "further `OPTION` for sbatch, such as --partition=long; can be repeated")
}

// slurmJob describes a submitted sweep, in the file slurmJobFile of its folder of parts.
type slurmJob struct {
	Command string   `json:"command"` // submits it, and what is missing of it
	Tasks   int      `json:"tasks"`
	Jobs    []string `json:"jobs"` // the last array job, and the job that merges
}

const slurmJobFile = "slurm.json"

func readSlurmJob(folder string) (*slurmJob, error) {
	data, err := os.ReadFile(filepath.Join(folder, slurmJobFile))
	if err != nil {
		return nil, err
	}
	var s slurmJob
	if err = json.Unmarshal(data, &s); err == nil && s.Tasks < 1 {
		err = fmt.Errorf("%d tasks", s.Tasks)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: no description of a job: %w", filepath.Join(folder, slurmJobFile), err)
	}
	return &s, nil
}

// partsOf returns the folder of parts that belongs to a store.
func partsOf(output string) string {
	return strings.TrimSuffix(output, filepath.Ext(output)) + ".parts"
}

// submit submits a sweep to Slurm. If its folder has parts already, it submits the tasks that have
// not finished.
func (o *sweepFlags) submit(cmd *cobra.Command, d *sweep.Description) error {
	if o.slurm.on != "slurm" {
		return fmt.Errorf("--on %s: no such system (there is: slurm)", o.slurm.on)
	}
	if ext := filepath.Ext(o.output); o.output == "" || ext == ".csv" || ext == ".tsv" || ext == ".parquet" {
		return errors.New("--on slurm needs a store, into which the parts are merged: -o results.db (weft lab export makes other files of it)")
	}
	if o.slurm.tasks < 1 || o.slurm.atOnce < 0 || o.slurm.time < time.Minute {
		return errors.New("--tasks must be at least 1, --tasks-at-once at least 0, --task-time at least 1m")
	}
	if _, err := exec.LookPath("sbatch"); err != nil {
		return cli.Cannot(errors.New("no sbatch on this machine: run this where Slurm's commands are, such as a login node. Elsewhere start workers with --shard I/N"))
	}
	for _, arg := range d.Fabrics { // now rather than in each task
		if _, err := o.fabric.Graph(cmd, arg); err != nil {
			return err
		}
	}
	dir := partsOf(o.output)
	tasks, err := o.prepare(cmd, d, dir)
	if err != nil {
		return err
	}
	if tasks == "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "weft: all tasks have finished\n")
		return merge(cmd, dir, o.output, 0)
	}
	return o.submitJobs(cmd, dir, tasks)
}

// prepare makes the folder of parts, with the description of the sweep. It returns the numbers of
// the tasks to be run, as sbatch reads them.
func (o *sweepFlags) prepare(cmd *cobra.Command, d *sweep.Description, dir string) (tasks string, err error) {
	d.List = "" // Fabrics has what it names
	text, err := yaml.Marshal(d)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(dir, "log"), 0o755); err != nil {
		return "", err
	}
	description := filepath.Join(dir, "sweep.yaml")
	before, err := readSlurmJob(dir)
	if errors.Is(err, fs.ErrNotExist) {
		write := func(w io.Writer) error { _, err := w.Write(text); return err }
		return fmt.Sprintf("1-%d", o.slurm.tasks), cli.WriteQuietly(cmd, description, write)
	}
	if err != nil {
		return "", err
	}
	if old, err := os.ReadFile(description); err != nil || string(old) != string(text) {
		return "", errors.Join(err, fmt.Errorf("%s has the parts of another sweep: give another -o, or remove that folder", dir))
	}
	if cmd.Flags().Changed("tasks") && o.slurm.tasks != before.Tasks {
		return "", fmt.Errorf("--tasks %d: the sweep was begun with %d tasks", o.slurm.tasks, before.Tasks)
	}
	o.slurm.tasks = before.Tasks
	if running := queued(cmd, before.Jobs); running != "" {
		return "", cli.Cannot(fmt.Errorf("the sweep runs already, as jobs %s: wait for them, or end them with scancel", running))
	}
	f, err := readFolder(dir)
	if err != nil {
		return "", err
	}
	if len(f.sheets) == 0 {
		return fmt.Sprintf("1-%d", o.slurm.tasks), nil
	}
	var list []string
	for _, l := range f.lacks() {
		list = append(list, strconv.Itoa(l.worker))
		if len(l.givenUp) > 0 { // they are tried again
			if err := os.Remove(attemptsName(dir, sweep.Shard{I: l.worker, N: o.slurm.tasks})); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
	}
	return strings.Join(list, ","), nil
}

// queued returns the jobs of a list that Slurm still has.
func queued(cmd *cobra.Command, jobs []string) string {
	var list []string
	for _, job := range jobs {
		// squeue fails for a job that it has forgotten.
		out, err := exec.CommandContext(cmd.Context(), "squeue", "-h", "-j", job, "-o", "%i").Output()
		if err == nil && len(strings.TrimSpace(string(out))) > 0 {
			list = append(list, job)
		}
	}
	return strings.Join(list, ", ")
}

//go:embed task.sh
var taskScript string

//go:embed merge.sh
var mergeScript string

// submitJobs submits the array job and the job that merges.
func (o *sweepFlags) submitJobs(cmd *cobra.Command, dir, tasks string) error {
	program, err := exec.LookPath(os.Args[0])
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return err
	}
	values := map[string]string{
		"Program": sweep.Quoted(program), "Description": sweep.Quoted(filepath.Join(dir, "sweep.yaml")), "Folder": sweep.Quoted(dir), "Output": sweep.Quoted(o.output),
		"Tasks": strconv.Itoa(o.slurm.tasks), "Options": o.taskOptions(), "Wait": "",
	}
	if kind, err := store.NetworkFileSystem(dir); err == nil && kind != "" {
		values["Wait"] = "--wait 1m"
	}
	for name, text := range map[string]string{"task.sh": taskScript, "merge.sh": mergeScript} {
		write := func(w io.Writer) error { return template.Must(template.New(name).Parse(text)).Execute(w, values) }
		if err := cli.WriteQuietly(cmd, filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	if o.slurm.atOnce > 0 {
		tasks += "%" + strconv.Itoa(o.slurm.atOnce)
	}
	name := "weft-" + strings.TrimSuffix(filepath.Base(o.output), filepath.Ext(o.output))
	limits := []string{"--time=" + strconv.Itoa(int(math.Ceil(o.slurm.time.Minutes()))), "--mem=" + o.slurm.memory, "--requeue", "--open-mode=append"}
	array, err := o.sbatch(cmd, append(limits, "--job-name="+name, "--array="+tasks, "--cpus-per-task="+strconv.Itoa(o.taskCores(cmd)),
		"--signal=B:USR1@60", "--output="+filepath.Join(dir, "log", "task-%a.log")), filepath.Join(dir, "task.sh"))
	if err != nil {
		return err
	}
	job := slurmJob{Command: command(), Tasks: o.slurm.tasks, Jobs: []string{array}}
	merger, err := o.sbatch(cmd, append(limits, "--job-name="+name+"-merge", "--dependency=afterany:"+array, "--output="+filepath.Join(dir, "log", "merge.log")), filepath.Join(dir, "merge.sh"))
	if err == nil {
		job.Jobs = append(job.Jobs, merger)
	}
	err = errors.Join(err, cli.WriteQuietly(cmd, filepath.Join(dir, slurmJobFile), func(w io.Writer) error { return json.NewEncoder(w).Encode(job) }))
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "Job %s computes the parts %s of %d in %s; job %s merges them into %s.\n", array, tasks, o.slurm.tasks, dir, merger, o.output)
	fmt.Fprintf(cmd.OutOrStdout(), "Watch them:  squeue -j %s,%s    Logs:  %s\nThen:  weft lab stats %s\n", array, merger, filepath.Join(dir, "log"), o.output)
	return nil
}

// taskCores returns the number of cores of a task: one, unless -j says otherwise.
func (o *sweepFlags) taskCores(cmd *cobra.Command) int {
	if cmd.Flags().Changed("jobs") {
		return o.routing.Workers
	}
	return 1
}

// taskOptions returns the options that tasks get too.
func (o *sweepFlags) taskOptions() string {
	var list []string
	if o.fabric.Dir != "" {
		list = append(list, "--in", sweep.Quoted(o.fabric.Dir))
	}
	if o.fabric.IBNL != "" {
		list = append(list, "--ibnl", sweep.Quoted(o.fabric.IBNL))
	}
	if o.fabric.Partial {
		list = append(list, "--partial")
	}
	if o.known.from != "" {
		list = append(list, "--from", sweep.Quoted(o.known.from))
	}
	if o.known.older {
		list = append(list, "--older")
	}
	return strings.Join(list, " ")
}

// sbatch submits a script and returns the number of its job. The options of the site come last, so
// they win.
func (o *sweepFlags) sbatch(cmd *cobra.Command, options []string, script string) (string, error) {
	args := append([]string{"--parsable"}, options...)
	args = append(append(args, o.slurm.options...), script)
	run := exec.CommandContext(cmd.Context(), "sbatch", args...)
	var told strings.Builder
	run.Stderr = &told
	out, err := run.Output()
	if err != nil {
		return "", cli.Cannot(fmt.Errorf("sbatch %s: %s", strings.Join(args, " "), cmp.Or(strings.TrimSpace(told.String()), err.Error())))
	}
	job, _, _ := strings.Cut(strings.TrimSpace(string(out)), ";") // behind it: the name of the cluster
	return job, nil
}
