package main

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/internal/peer"
)

// slurm is a Slurm of its own: one machine, a node for each core, loopback only.
type slurm struct {
	t   *testing.T
	dir string
	env []string
}

// startSlurm starts the daemons of Slurm, with more lines of slurm.conf, and ends them with the
// test.
func startSlurm(t *testing.T, more ...string) *slurm {
	t.Helper()
	slurmctld, slurmd := peer.Program(t, "slurmctld"), peer.Program(t, "slurmd")
	peer.Program(t, "sbatch")
	s := newSlurm(t)
	conf, ports := slurmConf(t, s.dir, runtime.NumCPU())
	for i, port := range ports {
		conf += fmt.Sprintf("NodeName=n%d NodeHostName=%s NodeAddr=127.0.0.1 Port=%d CPUs=1 RealMemory=4096 State=UNKNOWN\n", i+1, hostname(t), port)
	}
	s.write("slurm.conf", conf+strings.Join(more, "\n")+"\n")
	s.munge()
	s.daemon(slurmctld, "-D", "-c")
	nodes := runtime.NumCPU()
	for i := range nodes {
		name := fmt.Sprintf("n%d", i+1)
		if err := os.Mkdir(filepath.Join(s.dir, "spool", name), 0o755); err != nil {
			t.Fatal(err)
		}
		s.daemon(slurmd, "-D", "-N", name)
	}
	s.until("idle nodes", func() bool {
		out, _ := s.command("sinfo", "-h", "-N", "-t", "idle").Output()
		return strings.Count(string(out), "\n") == nodes
	})
	return s
}

// newSlurm makes the folders of a Slurm, which are removed with the test.
func newSlurm(t *testing.T) *slurm {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("Slurm's daemons run jobs as their users: only root can start them")
	}
	dir, err := os.MkdirTemp("", "weft-slurm-") // short: sockets are in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for _, sub := range []string{"state", "spool", "log", "run"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return &slurm{t: t, dir: dir, env: append(os.Environ(), "SLURM_CONF="+filepath.Join(dir, "slurm.conf"))}
}

// write writes a file of this Slurm.
func (s *slurm) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// munge starts the daemon by which Slurm's programs know each other.
func (s *slurm) munge() {
	s.t.Helper()
	key := make([]byte, 128)
	rand.Read(key)
	s.write("munge.key", string(key))
	s.daemon(peer.Program(s.t, "munged"), "--foreground", "--key-file="+s.dir+"/munge.key", "--socket="+s.dir+"/run/munge.sock",
		"--pid-file="+s.dir+"/run/munged.pid", "--seed-file="+s.dir+"/run/munged.seed", "--log-file="+s.dir+"/log/munged.log")
	s.until("munge", func() bool { _, err := os.Stat(s.dir + "/run/munge.sock"); return err == nil })
}

func hostname(t *testing.T) string {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	return host
}

// slurmConf returns the configuration without nodes, and free ports for these.
func slurmConf(t *testing.T, dir string, nodes int) (string, []int) {
	var ports []int
	for range nodes + 1 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() //nolint:errcheck // it only finds a free port
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	conf := fmt.Sprintf(`ClusterName=weft
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[2]s/run/munge.sock
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmctldPort=%[3]d
SlurmctldPidFile=%[2]s/run/slurmctld.pid
SlurmdPidFile=%[2]s/run/slurmd-%%n.pid
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool/%%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_min_interval=100000,bf_interval=1
ReturnToService=2
KillWait=2
MailProg=/bin/true
PartitionName=lab Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`, hostname(t), dir, ports[0])
	return conf, ports[1:]
}

// daemon starts a program, and ends it with the test.
func (s *slurm) daemon(path string, args ...string) {
	s.t.Helper()
	log, err := os.CreateTemp(filepath.Join(s.dir, "log"), filepath.Base(path)+"-*.out")
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env, log, log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)                                   //nolint:errcheck // it may have ended
		late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() }) //nolint:errcheck // it may have ended
		defer late.Stop()
		cmd.Wait() //nolint:errcheck // it was ended
		log.Close()
	})
}

// until waits for a condition.
func (s *slurm) until(what string, done func() bool) {
	s.t.Helper()
	for end := time.Now().Add(5 * time.Minute); !done(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			logs, _ := filepath.Glob(filepath.Join(s.dir, "log", "*"))
			for _, name := range logs {
				data, _ := os.ReadFile(name)
				s.t.Logf("%s: %s", filepath.Base(name), data[max(0, len(data)-500):])
			}
			s.t.Fatalf("no %s", what)
		}
	}
}

// command returns a command that sees this Slurm.
func (s *slurm) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = s.env
	return cmd
}

// query returns the lines that a command of Slurm prints.
func (s *slurm) query(name string, args ...string) []string {
	out, _ := s.command(name, args...).Output() // fails for a job that is forgotten
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}
