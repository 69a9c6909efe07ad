package manage

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"weft/internal/configfile"
)

// TestPrintConfig: all options are printed with what they are for; taken out of their comments they
// are a file that sets the defaults.
func TestPrintConfig(t *testing.T) {
	var out bytes.Buffer
	cmd, s := newSM()
	cmd.SetOut(&out)
	if err := s.printConfig(cmd); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "# ") {
			line = line[1:]
		}
		lines = append(lines, line)
	}
	file, err := configfile.Parse("printed", []byte(strings.Join(lines, "")))
	if err != nil {
		t.Fatal(err)
	}
	again, _ := newSM()
	if err := file.Apply(again.Flags()); err != nil {
		t.Fatal(err)
	}
	for _, f := range configfile.Options(cmd.Flags()) {
		want, _ := configfile.Values(f)
		if got, _ := configfile.Values(again.Flags().Lookup(f.Name)); !slices.Equal(got, want) || !again.Flags().Lookup(f.Name).Changed {
			t.Errorf("%s: %q, the default is %q", f.Name, got, want)
		}
		if _, usage := pflag.UnquoteUsage(f); !strings.Contains(out.String(), usage) {
			t.Errorf("%s: it is not said what for", f.Name)
		}
	}
}

// TestRereadRouting: every option that changes routes may change while the manager runs.
func TestRereadRouting(t *testing.T) {
	for _, name := range rerouting {
		if !slices.Contains(changeable, name) {
			t.Errorf("%s changes routes and cannot change", name)
		}
	}
}

// TestWrongSecret: the error about a secret with a wrong form does not have it, and says what is
// wrong.
func TestWrongSecret(t *testing.T) {
	for _, name := range secretOptions {
		path := filepath.Join(t.TempDir(), "sm.yaml")
		if err := os.WriteFile(path, []byte("engine: updn\n"+name+": 0x4711gg\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd, s := newSM()
		s.service.config = path
		_, err := s.service.read(cmd, nil)
		if err == nil || strings.Contains(err.Error(), "4711") || !strings.Contains(err.Error(), "sm.yaml:2: "+name+": SECRET: want ") {
			t.Error(err)
		}
	}
}
