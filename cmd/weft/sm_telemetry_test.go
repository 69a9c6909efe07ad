package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"weft/internal/peer"
	"weft/sm/telemetry"
	"weft/sm/terms"
)

// watched is a manager of an emulated subnet, as processes of their own.
type watched struct {
	t       *testing.T
	dir     string
	manager *exec.Cmd
}

// path returns the path of a file of the test.
func (w *watched) path(name string) string { return filepath.Join(w.dir, name) }

// said returns what the processes have printed.
func (w *watched) said() string {
	text, _ := os.ReadFile(w.path("log")) // for people
	return string(text)
}

// command runs weft and returns its output.
func (w *watched) command(args ...string) (string, error) {
	out, err := exec.Command("weft", args...).CombinedOutput()
	return string(out), err
}

// until waits until something holds.
func (w *watched) until(what string, holds func() bool) {
	w.t.Helper()
	for start := time.Now(); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > 2*time.Minute {
			w.t.Fatalf("%s: not within 2 minutes\n%s", what, w.said())
		}
	}
}

// prints waits until a command prints a text, and returns its output.
func (w *watched) prints(text string, args ...string) (out string) {
	w.t.Helper()
	w.until(fmt.Sprint(args, " prints ", text), func() bool {
		out, _ = w.command(args...)
		return strings.Contains(out, text)
	})
	return out
}

// watch starts an emulated subnet.
func watch(t *testing.T, formula string) *watched {
	t.Helper()
	w := &watched{t: t, dir: t.TempDir()}
	name := fmt.Sprintf("weft-telemetry-%d", os.Getpid())
	w.start(exec.Command("weft", "emulate", formula, "--name", name, "--control", w.path("control")))
	w.until("the subnet", func() bool {
		_, err := os.Stat(w.path("control"))
		return err == nil
	})
	return w
}

// start starts a process that ends with the test.
func (w *watched) start(cmd *exec.Cmd) {
	w.t.Helper()
	log, err := os.OpenFile(w.path("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	err = cmd.Start()
	_ = log.Close()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
}

// manage starts the manager.
func (w *watched) manage(args ...string) {
	w.t.Helper()
	args = append([]string{"sm", "-t", fmt.Sprintf("ibsim:weft-telemetry-%d", os.Getpid()), "--engine", "updn", "--socket", w.path("socket"), "--state", w.path("state")}, args...)
	w.manager = exec.Command("weft", args...)
	w.start(w.manager)
	w.prints("SUBNET UP", "sm", "status", "--socket", w.path("socket"))
}

// end ends the manager.
func (w *watched) end() {
	w.t.Helper()
	if err := w.manager.Process.Signal(syscall.SIGTERM); err != nil {
		w.t.Fatal(err)
	}
	if err := w.manager.Wait(); err != nil {
		w.t.Fatal(err, w.said())
	}
}

// count adds to a counter of a port.
func (w *watched) count(node string, port, counter, by int) {
	w.t.Helper()
	if out, err := w.command("emulate", "control", w.path("control"), "count", node, fmt.Sprint(port), fmt.Sprint(counter), fmt.Sprint(by)); err != nil {
		w.t.Fatal(err, out)
	}
}

// TestTelemetry: what a port does is in metrics, in the stream and in the history, under the name
// of the node name map, and in the history after a restart too. Events reach the program of --hook.
// An archive for support has everything, no secret, and on request no name.
func TestTelemetry(t *testing.T) {
	w := watch(t, "rlft(4,2)")
	const map1 = "0x0200005300000002 \"row 7 leaf\"\n"
	if err := errors.Join(os.WriteFile(w.path("map"), []byte(map1), 0o600), os.WriteFile(w.path("hook"), []byte("#!/bin/sh\ncat >> "+w.path("events")+"\n"), 0o700),
		os.WriteFile(w.path("config"), []byte("m-key: 0x77\ncounters: 300ms\nport-metrics: [row 7*]\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	options := []string{"--config", w.path("config"), "--node-map", w.path("map"), "--hook", w.path("hook"), "--hook-events", "counter-passed"}
	w.manage(options...)
	socket := []string{"--socket", w.path("socket")}
	w.prints("row 7 leaf", append([]string{"sm", "ports"}, socket...)...)
	w.count("leaf 1", 3, 12, 100_000_000)
	w.count("leaf 1", 3, 0, 50)
	transmitted := regexp.MustCompile(`row 7 leaf,0x0200005300000002,3,spine 0,0x[0-9a-f]+,2,100000,4\d{8},`)
	w.until("the bytes that were counted", func() bool {
		ports, _ := w.command(append([]string{"sm", "ports"}, socket...)...)
		return transmitted.MatchString(ports)
	})
	w.prints("row 7 leaf[3] - spine 0[2]", append([]string{"sm", "links"}, socket...)...)
	metrics := w.metrics()
	if !regexp.MustCompile(`weft_port_transmit_bytes_total\{node="row 7 leaf",node_guid="0x0200005300000002",port="3"\} 4\.\d+e\+08`).MatchString(metrics) || strings.Contains(metrics, `weft_port_transmit_bytes_total{node="leaf 0"`) {
		t.Error(metrics)
	}
	var hot telemetry.Moment
	hotAt := w.busiest(&hot)
	w.until("the program for events", func() bool {
		data, err := os.ReadFile(w.path("events"))
		var line terms.LogLine
		return err == nil && json.Unmarshal(data, &line) == nil && line.Kind == terms.CounterPassed && line.Name == "row 7 leaf"
	})
	w.end()
	w.manage(options...)
	out, err := w.command(append([]string{"sm", "links", "--at", hotAt, "--json"}, socket...)...)
	var again telemetry.Moment
	if json.Unmarshal([]byte(out), &again) != nil || len(again.Hot) == 0 || again.Hot[0] != hot.Hot[0] {
		t.Errorf("after a restart: %v %s", err, out)
	}
	w.prints("row 7 leaf", append([]string{"sm", "ports"}, socket...)...)
	w.support()

	w.end() // a history that cannot be is none of the manager's business
	if err := errors.Join(os.Remove(w.path("state-history")), os.Mkdir(w.path("state-history"), 0o700)); err != nil {
		t.Fatal(err)
	}
	w.manage(options...)
	w.prints("file-not-written: the history of counters: ", append([]string{"sm", "events"}, socket...)...)
	w.prints("row 7 leaf", append([]string{"sm", "ports"}, socket...)...)
	if out, err := w.command(append([]string{"sm", "status"}, socket...)...); err != nil || !strings.Contains(out, "no history") || strings.Contains(out, "not stored") {
		t.Error(err, out)
	}
}

// busiest finds the moment of the history in which a port was busy; one moment has an error. Both
// may fall into different readings.
func (w *watched) busiest(hot *telemetry.Moment) (at string) {
	w.t.Helper()
	var errored *telemetry.Moment
	w.until("the history", func() bool {
		from := time.Now().UTC()
		for back := time.Duration(0); back < 2*time.Minute && (at == "" || errored == nil); back += 200 * time.Millisecond {
			then := from.Add(-back).Format(time.RFC3339Nano)
			out, _ := w.command("sm", "links", "--at", then, "--json", "--socket", w.path("socket"))
			var m telemetry.Moment
			if json.Unmarshal([]byte(out), &m) == nil {
				if len(m.Hot) > 0 && m.Hot[0].Gbps > 1 {
					at, *hot = then, m
				}
				if len(m.Errors) == 1 {
					errored = &m
				}
			}
			if strings.Contains(out, "no reading") && back > 30*time.Second {
				break
			}
		}
		return at != "" && errored != nil
	})
	if h := hot.Hot[0]; h.From.Short() != "row 7 leaf[3]" || errored.Errors[0].Grown != 50 {
		w.t.Errorf("%+v, %+v", hot, errored)
	}
	return at
}

// client speaks HTTP over the socket of the manager.
func (w *watched) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", w.path("socket"))
	}}}
}

// metrics reads the metrics.
func (w *watched) metrics() string {
	w.t.Helper()
	resp, err := w.client().Get("http://weft/metrics")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// support reads archives for support.
func (w *watched) support() {
	w.t.Helper()
	for _, hide := range []bool{false, true} {
		path := w.path(fmt.Sprint("support-", hide))
		out, err := w.command("sm", "support", "--socket", w.path("socket"), "--config", w.path("config"), "-o", path, fmt.Sprint("--hide-names=", hide))
		if err != nil || strings.Contains(out, "not in it") {
			w.t.Fatal(err, out)
		}
		files := readArchive(w.t, path)
		for _, name := range []string{"README.txt", "status.json", "events.jsonl", "plan.json", "partitions.json", "fabric.txt", "links.json", "ports.jsonl", "metrics.txt", "config.yaml", "state.json", "version.json"} {
			text := files[name]
			if text == "" || strings.Contains(text, "0x77") {
				w.t.Errorf("%s: %.300s", name, text)
			}
			if at := regexp.MustCompile(`row 7|leaf|spine \d|host \d`).FindStringIndex(text); hide && at != nil {
				w.t.Errorf("%s has a name: %.300s", name, text[max(0, at[0]-100):])
			}
		}
		if !hide && (!strings.Contains(files["ports.jsonl"], "row 7 leaf") || !strings.Contains(files["config.yaml"], "m-key: SECRET")) {
			w.t.Error(files["ports.jsonl"], files["config.yaml"])
		}
	}
}

// readArchive reads the files of an archive, by their names without folders.
func readArchive(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(err, info)
	}
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for in := tar.NewReader(zip); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(head.Name)] = string(data)
	}
}

var prometheus = flag.Bool("prometheus", false, "run Debian's Prometheus on a manager, with all rules and dashboards")

// TestPrometheus: promtool finds no fault in rules and metrics, and Prometheus, which scrapes a
// manager of an emulated subnet with traffic, answers the query of every rule and panel. The
// queries for what is there have results.
func TestPrometheus(t *testing.T) {
	if !*prometheus {
		t.Skip("runs with -prometheus: make prometheus")
	}
	promtool, server := peer.Program(t, "promtool"), peer.Program(t, "prometheus")
	tool := func(args ...string) {
		t.Helper()
		cmd := exec.Command(promtool, args...)
		cmd.Dir = "../../contrib/prometheus"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	tool("check", "rules", "weft.rules.yml")
	tool("test", "rules", "weft.rules_test.yml")
	w := watch(t, "rlft(4,2)")
	w.manage("--counters", "1s", "--port-metrics", "all", "--metrics", "127.0.0.1:19561")
	text := w.metrics()
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = strings.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
	rules, err := filepath.Abs("../../contrib/prometheus/weft.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [%s]\nscrape_configs:\n- job_name: weft\n  static_configs: [{targets: ['127.0.0.1:19561'], labels: {subnet: ib0}}]\n", rules)
	if err := os.WriteFile(w.path("prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	w.start(exec.Command(server, "--config.file="+w.path("prometheus.yml"), "--storage.tsdb.path="+w.path("tsdb"), "--web.listen-address=127.0.0.1:19562"))
	ask := func(query string) (n int, err error) {
		resp, err := http.Get("http://127.0.0.1:19562/api/v1/query?query=" + url.QueryEscape(query))
		if err != nil {
			return 0, err
		}
		defer func() { _ = resp.Body.Close() }()
		var answer struct {
			Status, Error string
			Data          struct{ Result []json.RawMessage }
		}
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Status != "success" {
			return 0, fmt.Errorf("%s: %s %w", query, answer.Error, errors.Join(err))
		}
		return len(answer.Data.Result), nil
	}
	w.until("Prometheus", func() bool {
		w.count("leaf 1", 3, 12, 100_000_000)
		w.count("leaf 1", 3, 0, 50)
		n, err := ask(`rate(weft_port_errors_total{counter="SymbolErrorCounter",node="leaf 1",port="3"}[10s]) > 0`)
		return err == nil && n == 1
	})
	asked := 0
	for _, q := range queriesOf(t) {
		n, err := ask(q.query)
		if err != nil {
			t.Error(q.from, err)
		}
		if asked++; n == 0 && q.shows {
			t.Errorf("%s: no result: %s", q.from, q.query)
		}
	}
	w.until("an alert", func() bool {
		n, err := ask(`ALERTS{alertname="WeftPortErrors",counter="SymbolErrorCounter"}`)
		return err == nil && n == 1
	})
	if n, err := ask(`ALERTS{severity="critical"}`); err != nil || n != 0 {
		t.Errorf("%d urgent alerts of a sound subnet: %v", n, err)
	}
	t.Logf("%d queries", asked)
	if asked < 50 {
		t.Errorf("only %d queries", asked)
	}
}

// query is a query of a rule or a panel.
type query struct {
	from, query string
	shows       bool // a panel, which is not for faults alone
}

// faults are the panels that are empty while nothing is wrong, or until time has passed.
var faults = regexp.MustCompile(`Pairs without a path|Bandwidth|Time to repair|Events a minute`)

// queriesOf reads the queries of the rules and dashboards.
func queriesOf(t *testing.T) (list []query) {
	t.Helper()
	data, err := os.ReadFile("../../contrib/prometheus/weft.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)- alert: (\w+)\n *expr: (.*)$`).FindAllStringSubmatch(string(data), -1) {
		list = append(list, query{m[1], m[2], false})
	}
	boards, err := filepath.Glob("../../contrib/grafana/*.json")
	if err != nil {
		t.Fatal(err)
	}
	variables := strings.NewReplacer("$instance", ".*", "$node", ".*", "$__rate_interval", "10s")
	for _, path := range boards {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var board struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(data, &board); err != nil {
			t.Fatal(path, err)
		}
		for _, p := range board.Panels {
			for _, target := range p.Targets {
				list = append(list, query{filepath.Base(path) + ": " + p.Title, variables.Replace(target.Expr), !faults.MatchString(p.Title)})
			}
		}
	}
	return list
}
