package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"weft/cmd/weft/manage/hook"
	"weft/sm/service"
)

// printsConfig reads a file of options as weft sm does, and checks them.
func printsConfig(t *testing.T, path string) *pflag.FlagSet {
	t.Helper()
	cmd, _, err := newRoot("sm").Find([]string{"sm"})
	if err != nil {
		t.Fatal(err)
	}
	cmd.SetOut(&strings.Builder{})
	if err := cmd.ParseFlags([]string{"--config", path, "--print-config"}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.RunE(cmd, nil); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return cmd.Flags()
}

// TestContrib: the configuration that is handed out is right, and fits the unit.
func TestContrib(t *testing.T) {
	flags := printsConfig(t, "../../contrib/sm.yaml")
	unit, err := os.ReadFile("../../contrib/weft-sm.service")
	if err != nil {
		t.Fatal(err)
	}
	socket, state := flags.Lookup("socket").Value.String(), flags.Lookup("state").Value.String()
	if socket != service.UsualSocket || filepath.Dir(socket) != "/run/weft" || filepath.Dir(state) != "/var/lib/weft" {
		t.Errorf("%s, %s", socket, state)
	}
	for _, line := range []string{"Type=notify", "RuntimeDirectory=weft", "StateDirectory=weft", "StateDirectoryMode=0700", "RequiresMountsFor=/var/lib/weft", "RestartPreventExitStatus=2", "ExecReload=/bin/kill -HUP $MAINPID"} {
		if !slices.Contains(strings.Split(string(unit), "\n"), line) {
			t.Errorf("the unit has no %s", line)
		}
	}
	for _, bars := range []string{"NoExecPaths", "~@process", "ExecPaths", "TasksMax", "RestrictFileSystems"} { // would stop the program of --hook
		if strings.Contains(string(unit), bars) {
			t.Errorf("the unit has %s", bars)
		}
	}
	example, err := filepath.Abs("../../contrib/on-event")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&hook.Options{Program: example, Limit: time.Second}).Check(); err != nil {
		t.Error(err)
	}
	if out, err := exec.Command("sh", "-n", example).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	start := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/weft (.*)$`).FindStringSubmatch(string(unit))
	if start == nil {
		t.Fatal("the unit starts nothing")
	}
	parses(t, strings.Fields(start[1]))
}

// parses has the command line of a document parsed.
func parses(t *testing.T, words []string) {
	t.Helper()
	cmd, rest, err := newRoot().Find(words)
	if err == nil {
		if err = cmd.ParseFlags(rest); err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
	}
	if err != nil {
		t.Errorf("%v: %v", words, err)
	}
}

// TestServicePage: the configurations of docs/service.md are right, and its commands are there.
func TestServicePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/service.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	for _, b := range blocks {
		path := filepath.Join(t.TempDir(), "sm.yaml")
		if err := os.WriteFile(path, []byte(b[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		printsConfig(t, path)
	}
	commands := 0
	for _, b := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for line := range strings.Lines(b[1]) {
			if words := shellWords(t, line); len(words) > 1 && words[0] == "weft" {
				parses(t, words[1:])
				commands++
			}
		}
	}
	if len(blocks) < 2 || commands < 6 {
		t.Errorf("%d configurations, %d commands", len(blocks), commands)
	}
}
