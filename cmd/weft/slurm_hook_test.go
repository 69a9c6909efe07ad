package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/fabric"
	"weft/fabric/netfile/own"
	"weft/internal/peer"
	"weft/sm/service/client"
	"weft/sm/terms"
)

// hooked is a manager, and what a batch system tells it by contrib/slurm/weft-job.
type hooked struct {
	t                             *testing.T
	dir, socket, script, env, api string
	calls                         []func() // since the last expect
}

const jobsToken, readToken = "0123456789abcdef0123456789abcdef", "f123456789abcdef0123456789abcdef"

// newHooked starts a manager of nodes n1 to n4 at a leaf switch each, under two spines.
func newHooked(t *testing.T) *hooked {
	t.Helper()
	peer.Program(t, "curl")
	script, err := filepath.Abs("../../contrib/slurm/weft-job")
	if err != nil {
		t.Fatal(err)
	}
	h := &hooked{t: t, dir: t.TempDir(), script: script}
	h.socket, h.env = filepath.Join(h.dir, "s"), filepath.Join(h.dir, "slurm.env")
	f := fabric.New("cluster")
	connect := func(a fabric.NodeID, ap uint8, b fabric.NodeID, bp uint8) {
		if _, err := f.Connect(fabric.End{Node: a, Port: ap}, fabric.End{Node: b, Port: bp}, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	node := func(kind fabric.NodeType, guid, ports int, name string) fabric.NodeID {
		id, err := f.AddNode(kind, fabric.GUID(guid), ports, name)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	spines := []fabric.NodeID{node(fabric.Switch, 1, 8, "spine 1"), node(fabric.Switch, 2, 8, "spine 2")}
	for i := range 4 {
		leaf, host := node(fabric.Switch, 0x10+i, 8, fmt.Sprintf("leaf %d", i+1)), node(fabric.CA, 0x100+i, 1, fmt.Sprintf("n%d mlx5_0", i+1))
		connect(host, 1, leaf, 1)
		for k, spine := range spines {
			connect(leaf, uint8(2+k), spine, uint8(1+i))
		}
	}
	path := filepath.Join(h.dir, "fabric.json")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := own.WriteJSON(out, f); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	h.set("")
	h.api = freePort(t)
	if err := os.WriteFile(h.dir+"/tokens", []byte("slurm jobs "+jobsToken+"\nwatcher read "+readToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	starts(t, "weft", "sm", "--api", ":"+h.api, "--api-tokens", h.dir+"/tokens", "--transport", "emulate:"+path, "--engine", "updn", "--socket", h.socket, "--state", filepath.Join(h.dir, "state"), "--job-interval", "200ms")
	awaitManager(t, h.socket, terms.Master, 0)
	return h
}

// set writes the settings of the script.
func (h *hooked) set(more string) {
	h.t.Helper()
	for path, text := range map[string]string{
		h.env:             fmt.Sprintf("WEFT_AT=unix:%s\nWEFT_LOG='sh %s/logger'\n%s\n", h.socket, h.dir, more),
		h.dir + "/logger": fmt.Sprintf("echo \"$1\" >>%s/log\n", h.dir),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
}

// call runs the script with variables of Slurm. It must succeed.
func (h *hooked) call(context string, vars ...string) {
	h.t.Helper()
	h.run(nil, append(vars, "SLURM_SCRIPT_CONTEXT="+context)...)
}

// run runs the script with arguments and variables, and notes that for expect.
func (h *hooked) run(args []string, vars ...string) {
	h.t.Helper()
	once := func() {
		h.t.Helper()
		cmd := exec.Command(h.script, args...)
		cmd.Env = append(append(os.Environ(), "WEFT_JOB_ENV="+h.env), vars...)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			h.t.Errorf("%v %v: %v, %s", args, vars, err, out)
		}
	}
	once()
	h.calls = append(h.calls, once)
}

// jobs returns the jobs that the manager knows, as ID=NODES.
func (h *hooked) jobs() (list []string) {
	h.t.Helper()
	c := client.Unix(h.socket)
	defer c.Close()
	now, err := c.Jobs(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	for i := range now.Jobs {
		list = append(list, now.Jobs[i].ID+"="+now.Jobs[i].Nodes)
	}
	return list
}

// expect waits for jobs and for the log of the script: an end is told beside the script. On a busy
// machine the manager may answer too late for the script: then all calls since the last expect come
// again.
func (h *hooked) expect(logged string, want ...string) {
	h.t.Helper()
	end := time.Now().Add(time.Minute)
	for {
		got, log := h.jobs(), h.logged()
		switch {
		case slices.Equal(got, want) && strings.Contains(log, logged) && (logged != "" || log == ""):
			_ = os.Remove(filepath.Join(h.dir, "log"))
			h.calls = nil
			return
		case time.Now().After(end):
			h.t.Fatalf("jobs %q, want %q; log %q, want %q", got, want, log, logged)
		case strings.Contains(log, "timed out"):
			_ = os.Remove(filepath.Join(h.dir, "log"))
			for _, again := range h.calls {
				again()
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// logged returns what the script has logged.
func (h *hooked) logged() string {
	log, _ := os.ReadFile(filepath.Join(h.dir, "log")) // "" if there is none
	return string(log)
}

// reconcile runs the script as cron does, with a squeue that prints a text.
func (h *hooked) reconcile(squeue string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, "squeue"), []byte("#!/bin/sh\n"+squeue+"\n"), 0o700); err != nil { //nolint:gosec // a program
		h.t.Fatal(err)
	}
	h.run([]string{"reconcile"}, "PATH="+h.dir+":"+os.Getenv("PATH"))
}

// TestSlurmHook: the script for Slurm tells of starts and ends, by the socket, or by the API with a
// token for jobs alone. Whatever goes wrong, it succeeds, and the log says why.
func TestSlurmHook(t *testing.T) {
	h := newHooked(t)
	h.call("prolog_slurmctld", "SLURM_JOB_ID=7", "SLURM_JOB_USER=bob", "SLURM_JOB_NODELIST=n[1-3]")
	h.call("prolog_slurmctld", "SLURM_JOB_ID=7", "SLURM_JOB_USER=bob", "SLURM_JOB_NODELIST=n[1-3]")
	h.call("prolog_slurmctld", "SLURM_JOB_ID=9", "SLURM_ARRAY_JOB_ID=8", "SLURM_ARRAY_TASK_ID=1", "SLURM_JOB_NODELIST=n4,login")
	h.expect("", "7=n[1-3]", "8_1=n4")
	h.call("epilog_slurmctld", "SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n[1-3]")
	h.call("epilog_slurmctld", "SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n[1-3]")
	h.expect("", "8_1=n4")
	h.call("prolog_slurmctld", "SLURM_JOB_ID=10", "SLURM_JOB_NODELIST=login[1-2]")
	h.expect("none of its nodes is in the subnet: login1,login2", "8_1=n4")
	h.call("prolog_slurmctld", "SLURM_JOB_ID=10", `SLURM_JOB_NODELIST=n1"}`)
	h.expect("characters", "8_1=n4")
	h.call("", "SLURM_JOB_ID=10", "SLURM_JOB_NODELIST=n1")
	h.expect("SLURM_SCRIPT_CONTEXT", "8_1=n4")
	h.set("WEFT_AT=\"unix:/none " + "unix:" + h.socket + "\"") // the second one answers
	h.call("prolog_slurmctld", "SLURM_JOB_ID=11", "SLURM_JOB_NODELIST=n[1-2]")
	h.expect("", "8_1=n4", "11=n[1-2]")
	h.set("WEFT_AT=unix:/none")
	h.call("epilog_slurmctld", "SLURM_JOB_ID=11")
	h.expect("weft was not told", "8_1=n4", "11=n[1-2]")
	for token, logged := range map[string]string{readToken: "lacks the role jobs", jobsToken: ""} {
		if err := os.WriteFile(h.dir+"/token", []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		h.set("WEFT_AT=http://127.0.0.1:" + h.api + "\nWEFT_TOKEN=" + h.dir + "/token")
		h.call("prolog_slurmctld", "SLURM_JOB_ID=11", "SLURM_JOB_NODELIST=n[1-2]")
		h.expect(logged, "8_1=n4", "11=n[1-2]")
	}
}

// TestSlurmHookAlways: the script succeeds within a second also with wrong settings, and where
// nothing answers or logs. So it does for parts of heterogeneous jobs.
func TestSlurmHookAlways(t *testing.T) {
	h := newHooked(t)
	h.call("prolog_slurmctld", "SLURM_JOB_ID=21", "SLURM_HET_JOB_ID=20", "SLURM_HET_JOB_OFFSET=1", "SLURM_JOB_NODELIST=n[1-2]")
	h.expect("", "20+1=n[1-2]")
	h.call("epilog_slurmctld", "SLURM_JOB_ID=21", "SLURM_HET_JOB_ID=20", "SLURM_HET_JOB_OFFSET=1")
	h.expect("")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	if err := os.WriteFile(h.dir+"/slow", []byte("sleep 20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ settings, logged string }{
		"a quote":      {"WEFT_CA=\"", "no file of settings"},
		"an exit":      {"exit 3", "no file of settings"},
		"a shell list": {"WEFT_AT=(a b)", "weft was not told"},
		"strict":       {"set -eu\nWEFT_AT=unix:/none", "weft was not told"},
		"no programs":  {"WEFT_AT=unix:/none\nPATH=/none", ""},
		"silence":      {"WEFT_AT=\"http://" + silent.Addr().String() + " http://" + silent.Addr().String() + "\"", "timed out"},
		"a slow log":   {"WEFT_AT=unix:/none\nWEFT_LOG='sh " + h.dir + "/slow'", ""},
		"no log":       {"WEFT_AT=unix:/none\nWEFT_LOG=/none", ""},
	} {
		h.set(c.settings)
		cmd := exec.Command(h.script)
		cmd.Env = append(os.Environ(), "WEFT_JOB_ENV="+h.env, "SLURM_SCRIPT_CONTEXT=prolog_slurmctld", "SLURM_JOB_ID=30", "SLURM_JOB_NODELIST=n1")
		cmd.WaitDelay = 30 * time.Second
		begun := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v, %s", name, err, out)
		}
		if took := time.Since(begun); took > 5*time.Second { // a second on a machine that is not loaded
			t.Errorf("%s: %v", name, took)
		}
		log, _ := os.ReadFile(filepath.Join(h.dir, "log"))
		if _ = os.Remove(filepath.Join(h.dir, "log")); !strings.Contains(string(log), c.logged) {
			t.Errorf("%s: log %q", name, log)
		}
	}
}

// TestSlurmHookKilled: weft is told of an end though Slurm kills the script, with its children,
// before it is through.
func TestSlurmHookKilled(t *testing.T) {
	peer.Program(t, "setsid")
	h := newHooked(t)
	h.call("prolog_slurmctld", "SLURM_JOB_ID=7", "SLURM_JOB_NODELIST=n[1-3]")
	h.expect("", "7=n[1-3]")
	begun := filepath.Join(h.dir, "begun")
	h.set(": >" + begun + "; sleep 1")
	cmd := exec.Command(h.script)
	cmd.Env = append(os.Environ(), "WEFT_JOB_ENV="+h.env, "SLURM_SCRIPT_CONTEXT=epilog_slurmctld", "SLURM_JOB_ID=7")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(begun); err == nil {
			break
		}
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	_ = cmd.Wait()
	h.expect("")
}

// TestSlurmReconcile: the script makes right what was missed, by what squeue prints. If that fails,
// nothing changes. Jobs that start or end meanwhile stay as they are, and so do jobs of other
// clusters.
func TestSlurmReconcile(t *testing.T) {
	h := newHooked(t)
	job := func(id, nodes string) { h.call("prolog_slurmctld", "SLURM_JOB_ID="+id, "SLURM_JOB_NODELIST="+nodes) }
	h.reconcile("echo '7 bob n[1-2]'; echo '8_1 eve n3'; echo '9 b\"ob n4'; echo '10 eve login1'; echo '11  '")
	h.expect("", "7=n[1-2]", "8_1=n3")
	h.reconcile("exit 1")
	h.expect("squeue fails", "7=n[1-2]", "8_1=n3")
	job("12", "n4")
	h.call("epilog_slurmctld", "SLURM_JOB_ID=7")
	h.expect("", "8_1=n3", "12=n4")
	h.reconcile("echo '7 bob n[1-2]'; echo '8_1 eve n3'") // before both
	h.expect("", "8_1=n3", "12=n4")
	h.reconcile("exit 0")
	h.expect("", "12=n4")
	h.set("WEFT_CLUSTER=alpha")
	job("12", "n3")
	h.reconcile("echo '7 bob n[1-2]'")
	h.expect("", "12=n4", "alpha:12=n3", "alpha:7=n[1-2]")
	h.set("")
	h.call("epilog_slurmctld", "SLURM_JOB_ID=12")
	h.expect("", "alpha:12=n3", "alpha:7=n[1-2]")
	list := "JOBID USER NODELIST\n12 eve n3\n13 eve n4\n"
	var out strings.Builder
	if status := run([]string{"sm", "job", "reconcile", "-", "--cluster", "alpha", "--socket", h.socket}, strings.NewReader(list), &out, &out); status != 0 {
		t.Errorf("status %d: %s", status, out.String())
	}
	h.expect("", "alpha:12=n3", "alpha:13=n4")
	h.set("WEFT_CLUSTER='a b'")
	h.reconcile("exit 0")
	h.expect("WEFT_CLUSTER 'a b'", "alpha:12=n3", "alpha:13=n4")
}

// TestSlurmTells: a real Slurm tells weft of its jobs, also of those of an array. Jobs run while no
// manager answers. Slurm kills what it runs for a job that is cancelled during its prolog, and a
// loaded machine is slower than the script waits: then the next reconcile is right.
func TestSlurmTells(t *testing.T) {
	h := newHooked(t)
	wrapper := filepath.Join(h.dir, "hook") // Slurm passes no variable of ours on
	text := fmt.Sprintf("#!/bin/sh\nWEFT_JOB_ENV=%s exec %s\n", h.env, h.script)
	if err := os.WriteFile(wrapper, []byte(text), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	s := startSlurm(t, "PrologSlurmctld="+wrapper, "EpilogSlurmctld="+wrapper)
	submit := func(args ...string) string {
		cmd := s.command("sbatch", append([]string{"--parsable", "-o", "/dev/null"}, args...)...)
		cmd.Dir = s.dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	missed := 0
	knows := func(what string, jobs ...string) {
		began := time.Now()
		s.until(what, func() bool {
			if slices.Equal(h.jobs(), jobs) {
				return true
			}
			if time.Since(began) > 15*time.Second { // as cron does each minute
				missed++
				cmd := s.command(h.script, "reconcile")
				cmd.Env = append(cmd.Env, "WEFT_JOB_ENV="+h.env)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v, %s", err, out)
				}
			}
			return false
		})
	}
	cancel := func(id string) {
		if err := s.command("scancel", id).Run(); err != nil {
			t.Error(err)
		}
	}
	runs := func(id string) {
		s.until("a job that runs", func() bool { return len(s.query("squeue", "-h", "-t", "R", "-j", id)) == 1 })
	}
	id := submit("-w", "n1", "--wrap", "sleep 300")
	runs(id)
	knows("a job that weft knows", id+"=n1")
	cancel(id)
	knows("the end of a job")
	array := submit("-w", "n1", "-a", "3", "--wrap", "sleep 300")
	runs(array + "_3")
	knows("a job of an array that weft knows", array+"_3=n1")
	cancel(array)
	knows("the end of an array")
	id = submit("-w", "n1", "--wrap", "sleep 300")
	s.until("a prolog", func() bool { return len(h.jobs()) == 1 || len(s.query("squeue", "-h", "-t", "CF,R", "-j", id)) == 1 })
	cancel(id) // probably within its prolog
	knows("the end of a job whose prolog ran")
	t.Logf("reconcile ran %d times", missed)
	h.set("WEFT_AT=unix:/none")
	began := time.Now()
	id = submit("-w", "n1", "--wrap", "sleep 1")
	s.until("a job that runs without weft", func() bool {
		return strings.Contains(strings.Join(s.query("scontrol", "show", "job", "-o", id), ""), "JobState=COMPLETED")
	})
	t.Logf("without weft the job took %v", time.Since(began))
	for end := time.Now().Add(10 * time.Second); strings.Count(h.logged(), "job "+id+":") < 2 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond) // the end is told beside Slurm: its log would come after the folder has gone
	}
}
