package benches

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/lab/bench"
	"weft/route"
	"weft/route/foreign"
)

//go:embed clock/clock.c
var clockSource []byte

// peers are the installed programs.
type peers struct {
	opensm, ibsim string
	preload       string // turns umad calls into datagrams for ibsim
	version       string // of OpenSM
	clock         string // library that writes when the routing begins and ends; "" without a compiler
	dir           string // scratch
	runs          int
}

// notInstalled is the error for a missing program.
const notInstalled = "%s is not installed: apt-get install opensm ibsim-utils libumad2sim0"

// findPeers finds the programs, and builds the clock in a scratch folder.
func findPeers(ctx context.Context, dir string, warn io.Writer) (*peers, error) {
	p := &peers{opensm: findProgram("opensm"), ibsim: findProgram("ibsim"), dir: dir}
	for name, path := range map[string]string{"opensm": p.opensm, "ibsim": p.ibsim} {
		if path == "" {
			return nil, fmt.Errorf(notInstalled, name)
		}
	}
	found, _ := filepath.Glob("/usr/lib/*/umad2sim/libumad2sim.so*") // the pattern is good
	if len(found) == 0 {
		return nil, fmt.Errorf(notInstalled, "libumad2sim.so")
	}
	p.preload = found[0]
	text, err := exec.CommandContext(ctx, p.opensm, "--version").CombinedOutput()
	if p.version = string(regexp.MustCompile(`OpenSM [\d.]+`).Find(text)); p.version == "" {
		return nil, errors.Join(fmt.Errorf("%s --version: no version in %q", p.opensm, text), err)
	}
	source, library := filepath.Join(dir, "clock.c"), filepath.Join(dir, "clock.so")
	if err := os.WriteFile(source, clockSource, 0o600); err != nil {
		return nil, err
	}
	if text, err := exec.CommandContext(ctx, "cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl").CombinedOutput(); err != nil {
		fmt.Fprintf(warn, "weft: warning: no times of OpenSM's routing alone: cc cannot build the clock (apt-get install gcc libc6-dev): %v %s\n", err, bytes.TrimSpace(text))
		return p, nil
	}
	p.clock = library
	return p, nil
}

// simulator is a running ibsim.
type simulator struct {
	socket  string
	process *exec.Cmd
	done    chan struct{}
}

// simulate starts ibsim with a net file.
func (p *peers) simulate(ctx context.Context, net string, g *fabric.Graph, ports int) (*simulator, error) {
	p.runs++
	s := &simulator{socket: fmt.Sprintf("weft-bench-%d-%d", os.Getpid(), p.runs), done: make(chan struct{})}
	nodes := g.NumHosts + g.NumSwitches + 1
	lids := 30720
	if nodes > 30000 {
		lids = 49151
	}
	s.process = exec.CommandContext(ctx, p.ibsim, "-s", "-n", "-N", strconv.Itoa(nodes+1), "-S", strconv.Itoa(g.NumSwitches+1),
		"-P", strconv.Itoa(ports+1), "-L", strconv.Itoa(lids), net)
	s.process.Dir, s.process.Env = p.dir, append(os.Environ(), "IBSIM_SOCKNAME="+s.socket)
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.process.Wait() // it is killed
		close(s.done)
	}()
	for {
		sockets, err := os.ReadFile("/proc/net/unix")
		if err != nil || bytes.Contains(sockets, []byte("@"+s.socket+":out9")) {
			return s, err
		}
		select {
		case <-s.done:
			return nil, fmt.Errorf("ibsim ended before it was ready, %w", context.Cause(ctx))
		case <-time.After(pollEvery):
		}
	}
}

func (s *simulator) stop() {
	_ = s.process.Process.Kill() // it may have ended
	<-s.done
}

// refusals are lines of OpenSM's log after which it has no tables.
var refusals = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^\n]*(cannot build|No routing engine able|ERRORS DURING INIT|Errors during init)[^\n]*`)
})

// bringUp runs OpenSM until the subnet is up. dump also has it write its tables to the scratch
// folder.
func (p *peers) bringUp(ctx context.Context, sim *simulator, engine string, dump bool, row *bench.Row) (log []byte) {
	logFile, marks := filepath.Join(p.dir, "osm.log"), filepath.Join(p.dir, "marks")
	for _, old := range []string{"osm.log", "marks", "opensm-lfts.dump", "guid2lid", "guid2mkey", "neighbors"} {
		os.Remove(filepath.Join(p.dir, old))
	}
	args := []string{"-o", "-e", "-F", "/dev/null", "-f", logFile, "-d", "2", "-R", engine + ",no_fallback", "--dump_files_dir", p.dir}
	if dump {
		args = append(args, "-D", "0x43")
	}
	env := []string{"IBSIM_SOCKNAME=" + sim.socket, "OSM_TMP_DIR=" + p.dir, "OSM_CACHE_DIR=" + p.dir, "LD_PRELOAD=" + p.preload}
	if p.clock != "" && !dump {
		env[3] += ":" + p.clock
		env = append(env, "WEFT_CLOCK="+marks)
	}
	looks := 0
	refused := func() bool {
		if looks++; looks%20 != 0 { // every tenth of a second
			return false
		}
		log, _ = os.ReadFile(logFile)
		return refusals().Match(log)
	}
	e := run(ctx, p.dir, env, refused, p.opensm, args...)
	log, _ = os.ReadFile(logFile)
	switch {
	case bytes.Contains(log, []byte("SUBNET UP")):
		row.CPU, row.Wall, row.Peak = &e.cpu, &e.wall, &e.peak
		row.RouteCPU = routeSeconds(marks)
	case refusals().Match(log):
		row.Status, row.Reason = bench.Refused, reason(log)
	case errors.Is(context.Cause(ctx), errLate):
		row.Status = bench.Late
	default:
		row.Status, row.Reason = bench.Failed, fmt.Sprintf("OpenSM ended without a subnet: %v", e.err)
	}
	return log
}

// reason returns the last message of OpenSM's log before it gives up.
func reason(log []byte) string {
	at := refusals().FindIndex(log)
	lines := strings.Split(strings.TrimSpace(string(log[:at[0]])), "\n")
	text := lines[len(lines)-1]
	if _, after, is := strings.Cut(text, "-> "); is {
		text = after
	}
	return strings.Join(strings.Fields(text), " ")
}

// routeSeconds returns the CPU time of the routing from the marks of the clock, nil without them.
func routeSeconds(marks string) *float64 {
	data, err := os.ReadFile(marks)
	if err != nil {
		return nil
	}
	begin, seconds := -1.0, -1.0
	for line := range strings.Lines(string(data)) {
		var name string
		var at float64
		if _, err := fmt.Sscan(line, &name, &at); err != nil {
			return nil
		}
		switch {
		case name == "route":
			begin = at
		case name == "tables" && begin >= 0:
			seconds = at - begin
		}
	}
	if seconds < 0 {
		return nil
	}
	return &seconds
}

// plan reads the tables that OpenSM has written to the scratch folder.
func (p *peers) plan(g *fabric.Graph) (*route.Plan, error) {
	name := filepath.Join(p.dir, "opensm-lfts.dump")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	files := foreign.Files{}
	if files.LFTs, _, err = netfile.ReadLFTs(name, data); err != nil {
		return nil, err
	}
	plan, _, err := files.Plan(g)
	return plan, err
}

var lanes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:Virtual Lanes needed: |Lanes needed: |Lane requirements \()(\d+)`)
})

// lanesOf returns the number of lanes by OpenSM's log, nil if it does not tell.
func lanesOf(engine string, log []byte) *int64 {
	n := int64(1)
	if all := lanes().FindAllSubmatch(log, -1); len(all) > 0 {
		k, err := strconv.ParseInt(string(all[len(all)-1][1]), 10, 64)
		if err != nil {
			return nil
		}
		n = k
	} else if engine == "lash" || engine == "dfsssp" || engine == "nue" {
		return nil
	}
	return &n
}
