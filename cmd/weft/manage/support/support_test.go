package support

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestConfig: the configuration in an archive has no secret, also if its option is misspelt.
func TestConfig(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sm.yaml")
	if err := os.WriteFile(path, []byte("m-key: 0x77 # mine\nmkey: 0x88\nengine: updn\nstate: /s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &bundle{names: newNames(), flags: &flags{config: path, secrets: []string{"m-key"}, isOption: func(name string) bool { return slices.Contains([]string{"m-key", "engine", "state"}, name) }}}
	if state := b.addConfig(); state != "/s" || len(b.files) != 1 {
		t.Fatal(state, b.missing)
	}
	text := string(b.files[0].data)
	if strings.Contains(text, "0x") || strings.Contains(text, "mine") || !strings.Contains(text, "engine: updn") || !strings.Contains(text, "mkey: UNKNOWN OPTION") {
		t.Error(text)
	}
	b.names.add("node", "engine")
	b.names.add("node", "/s")
	if hidden, err := b.files[0].hide(b.names, b.files[0].data); err != nil || string(hidden) != strings.Replace(text, "state: /s", "state: node-2", 1) {
		t.Errorf("%v: %s", err, hidden)
	}
}
