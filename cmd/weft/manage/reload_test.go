package manage

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/fabric"
	"weft/internal/configfile"
	"weft/route/levels"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/sm/tuning"
	"weft/sm/watch"
)

// lines are options of a configuration file, by name.
type lines map[string]string

// text returns the file, with other options in place of these.
func (l lines) text(others lines) (text string) {
	all := maps.Clone(l)
	maps.Copy(all, others)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text += name + ": " + all[name] + "\n"
	}
	return text
}

// atReload returns the options of a file, and by the name of each option that a reload may change
// those that give it a value which is not its default.
func atReload(t *testing.T) (base lines, changes map[string]lines) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	secret, old, other := file("secret", strings.Repeat("s", 32)), file("old", strings.Repeat("o", 32)), file("other", "* 5\n* 6\n0x1 7\n")
	partitions, guids := file("partitions", `Default=0x7fff, ipoib: ALL=limited; a=0x10: "host 1";`), file("guids", "0x1234\n")
	base = lines{"mkey-old-secret": "[" + secret + "]", "mkey-file": file("keys", "* 5\n* 6\n")} // for the way back
	changes = map[string]lines{
		"partition-enforce": {"partition-enforce": "in", "partitions": partitions}, "quarantine-strangers": {"quarantine-strangers": "true", "expect": "torus(4)"},
		"mkey-secret": {"mkey-secret": secret}, "mkey-old-secret": {"mkey-old-secret": "[" + secret + ", " + old + "]"}, "mkey-file": {"mkey-file": other},
		"mkey-protect": {"m-key": "5", "mkey-protect": "0"}, "mkey-lease": {"m-key": "5", "mkey-lease": "7s"}, "option": {"engine": "dfsssp", "option": "[paths=sssp]"},
		"counters-rate": {"counters": "5s", "counters-rate": "77"}, "cc-key": {"congestion-control": "on", "cc-key": "6"},
		"hook": {"hook": "/bin/sh"}, "hook-events": {"hook-events": "[error, node-missing]"}, "hook-limit": {"hook-limit": "3s"}, "port-metrics": {"port-metrics": "[switches]"},
		"time-zone": {"change-window": "[01:00-02:00]", "time-zone": "Asia/Kathmandu"},
		"api-token": nil, "api-tokens": nil, "api-cert": nil, "api-key": nil, // see TestRenewAPI
	}
	for name, value := range (lines{
		"interval": "3s", "rebalance-after": "9m", "moves-per-minute": "77", "job-interval": "7s", "job-moves": "77", "job-lanes": "4", "job-partitions": "[team*]", "no-moves": "[01:00-02:00]", "pause": "3s", "priority": "9", "sm-key": "77", "unproven": "true", "take-over": "true", "ask-roles": "true",
		"lids": dir + "/lids", "plan": dir + "/plan", "output": dir + "/output", "json": "true", "partitions": partitions, "drain": "[spine 1]", "expect": "torus(4)",
		"babbling-rate": "77", "babbling-port": "disable", "flaps": "2", "flaps-within": "3m", "quarantine": "7m", "keep-absent": "12", "m-key": "6", "engine": "dfsssp", "vls": "2", "seed": "5", "jobs": "1",
		"kind": "[storage=oss*]", "kinds": file("kinds", "storage oss*\n"), "cn-guids": guids, "io-guids": guids, "levels": file("levels", "default\nstorage share=3 sl=5\n"),
		"counters": "5s", "congestion-control": "on", "node-map": file("names", "0x1 one\n"),
		"link-speed": "..EDR", "link-width": "4x", "link-rules": file("rules", "spine *: width=1x\n"), "prefix-routes": file("routes", "* *\n"), "change-window": "[Mon-Fri 01:00-02:00]",
		"subnet-timeout": "20", "packet-life": "19", "head-of-queue-life": "17", "host-head-of-queue-life": "15", "stall-count": "3", "host-stall-count": "2",
	}) {
		changes[name] = lines{name: value}
	}
	return base, changes
}

// inForce is what a manager that stays does its work by.
type inForce struct {
	flags    map[string][]string
	cfg      terms.Config
	watch    terms.Watch
	settings terms.Settings // of the Runner
}

// differing names the fields that are not equal; those that hold functions by what they print.
func (a *inForce) differing(b *inForce) (names []string) {
	if !reflect.DeepEqual(a.flags, b.flags) {
		names = append(names, "flags")
	}
	for _, both := range [][2]any{{a.cfg, b.cfg}, {a.watch, b.watch}, {a.settings.Routing, b.settings.Routing}, {a.settings.Counters, b.settings.Counters}} {
		x, y := reflect.ValueOf(both[0]), reflect.ValueOf(both[1])
		for i := range x.NumField() {
			if !x.Type().Field(i).IsExported() {
				continue
			}
			if p, q := x.Field(i).Interface(), y.Field(i).Interface(); !reflect.DeepEqual(p, q) && fmt.Sprintf("%+v", p) != fmt.Sprintf("%+v", q) {
				names = append(names, fmt.Sprintf("%s: %.200v, and %.200v", x.Type().Field(i).Name, p, q))
			}
		}
	}
	return names
}

// reloading is a manager whose configuration file changes.
type reloading struct {
	*serving
	t       *testing.T
	file    string
	manager *watch.Manager
	last    *terms.Settings
}

// startReloading makes a manager with a configuration file. It is not started.
func startReloading(t *testing.T, text string) *reloading {
	t.Helper()
	r := &reloading{t: t, file: filepath.Join(t.TempDir(), "sm.yaml")}
	r.write(text)
	cmd, s := newSM()
	cmd.SetContext(t.Context())
	cmd.SetOut(new(strings.Builder))
	if err := cmd.Flags().Set("config", r.file); err != nil {
		t.Fatal(err)
	}
	given := givenFlags(cmd.Flags())
	if _, err := s.service.read(cmd, given); err != nil {
		t.Fatal(err)
	}
	runner, err := s.stayer(cmd)
	if err != nil {
		t.Fatal(err)
	}
	r.serving = newServing(cmd, given, &smState{})
	r.take(s, cmd.Flags())
	r.manager = watch.NewManager(runner.Config, runner.Watch)
	r.last = &terms.Settings{Routing: runner.Routing, Counters: runner.Counters}
	return r
}

func (r *reloading) write(text string) {
	r.t.Helper()
	if err := os.WriteFile(r.file, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// to changes the file and reloads it.
func (r *reloading) to(text string) {
	r.t.Helper()
	r.write(text)
	done := make(chan bool)
	go func() {
		r.reload(r.t.Context())
		close(done)
	}()
	select {
	case ev := <-r.asked:
		r.last = ev.Settings
		<-done
		r.manager.Step(time.Second, ev, nil)
	case <-done:
		r.t.Fatalf("refused: %s", r.cmd.OutOrStdout())
	}
}

// now returns what is in force.
func (r *reloading) now() inForce {
	out := inForce{flags: map[string][]string{}, cfg: r.manager.Successor(), watch: r.manager.Watch(), settings: terms.Settings{Routing: r.last.Routing, Counters: r.last.Counters}}
	out.cfg.History, out.cfg.Drains = terms.History{}, terms.Drains{} // not of the options alone
	for _, step := range out.settings.Routing.Chain {
		out.flags["its engines"] = append(out.flags["its engines"], fmt.Sprint(step.Engine.Name, step.Options))
	}
	out.settings.Routing.Chain = nil // it holds functions
	for _, f := range configfile.Options(r.flags) {
		out.flags[f.Name], _ = configfile.Values(f)
	}
	return out
}

// TestReloads: every option that a reload may change is in force after it as from a start with it,
// and after another reload everything is as before.
func TestReloads(t *testing.T) {
	base, changes := atReload(t)
	files := []string{"lids", "plan", "output", "json", "hook", "hook-events", "hook-limit", "port-metrics"} // of the shell alone
	for _, name := range slices.Concat(changeable, tuningOptions) {
		change, known := changes[name]
		if !known {
			t.Errorf("%s may change at a reload: give it another value here", name)
		}
		if change == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			here, there := base.text(nil), base.text(change)
			r := startReloading(t, here)
			before := r.now()
			r.to(there)
			now := r.now()
			if list := now.differing(&before); len(list) < 2 && !slices.Contains(files, name) {
				t.Errorf("nothing is new but %q", list)
			}
			want := startReloading(t, there).now()
			if list := now.differing(&want); len(list) > 0 {
				t.Errorf("in force, and from a start: %q", list)
			}
			r.to(here)
			now = r.now()
			if list := now.differing(&before); len(list) > 0 {
				t.Errorf("in force, and at first: %q", list)
			}
		})
	}
}

// TestInFiles: what has changed in a file that keeps its name is named at a reload.
func TestInFiles(t *testing.T) {
	var was terms.Config
	for name, set := range map[string]func(c *terms.Config){
		"partitions":     func(c *terms.Config) { c.Partitions = &terms.Partitioning{} },
		"levels":         func(c *terms.Config) { c.Levels = levels.Levels{{}} },
		"rules of links": func(c *terms.Config) { c.Tuning = &tuning.Settings{Links: tuning.Rules{{Node: "*"}}} },
		"prefix routes":  func(c *terms.Config) { c.Between.Prefixes = []sa.PrefixRoute{{Prefix: 1}} },
		"node-map":       func(c *terms.Config) { c.Names = map[fabric.GUID]string{1: "one"} },
		"M_Keys":         func(c *terms.Config) { c.Keys.One = 7 },
	} {
		next := was
		set(&next)
		if got := inFiles(&was, &next, nil); !slices.Equal(got, []string{name}) {
			t.Errorf("%s: %v", name, got)
		}
		if got := inFiles(&was, &next, []string{"partitions", "levels", "node-map", "link-rules", "prefix-routes", "m-key"}); len(got) > 0 {
			t.Errorf("%s, with its option: %v", name, got)
		}
	}
}
