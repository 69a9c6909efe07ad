package main

import (
	"strings"
	"testing"

	"weft/fabric"
	"weft/fabric/jobs"
)

// TestSlurmJobs: the jobs that a real squeue prints are read in each form, with the nodes that
// Slurm gave to them.
func TestSlurmJobs(t *testing.T) {
	s := startSlurm(t)
	f := fabric.New("cluster")
	leaf, err := f.AddNode(fabric.Switch, 1, 36, "leaf")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"n1 mlx5_0", "n2 mlx5_0"} {
		id, err := f.AddNode(fabric.CA, fabric.GUID(0x10+i), 1, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Connect(fabric.End{Node: id, Port: 1}, fabric.End{Node: leaf, Port: uint8(1 + i)}, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	submit := func(args ...string) string {
		cmd := s.command("sbatch", append([]string{"--parsable", "-o", "/dev/null"}, args...)...)
		cmd.Dir = s.dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	runs := submit("-w", "n1", "-J", "my run", "--wrap", "sleep 300")
	submit("-w", "n1", "--wrap", "sleep 300") // waits for the first
	s.until("a job that runs", func() bool {
		out, _ := s.command("squeue", "-h", "-t", "R", "-o", "%N").Output()
		return strings.TrimSpace(string(out)) == "n1"
	})
	find := jobs.NewFinder(f.Compile())
	for _, args := range [][]string{{}, {"-o", "%i %u %N"}, {"-h", "-t", "R", "-o", "%i %u %N"}, {"-h", "-t", "R", "-o", "%i %N"}, {"--json"}} {
		out, err := s.command("squeue", args...).Output()
		if err != nil {
			t.Errorf("squeue %v: %v", args, err)
			continue
		}
		list, err := find.Read("squeue", out)
		if err != nil || len(list) != 1 || list[0].Name != runs || find.List(list[0].Hosts) != "n1" {
			t.Errorf("squeue %v: %+v, %v\n%s", args, list, err, out)
		}
	}
}
