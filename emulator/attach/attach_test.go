package attach_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"weft/emulator/attach"
	"weft/fabric/gen"
)

func noEnv(string) string { return "" }

func TestParse(t *testing.T) {
	target, err := attach.Parse("emulate:torus(3x3,hosts=1)", noEnv)
	if err != nil || target.Fabric != "torus(3x3,hosts=1)" {
		t.Errorf("fabric %q (%v)", target.Fabric, err)
	}
	for text, want := range map[string]string{
		"carrier-pigeon:": "unknown medium",
		"emulate:":        "the FABRIC is missing",
		"umad:mlx5_0/x":   "is not a port number",
		"ibsim:udp:":      "no host is named",
	} {
		if _, err := attach.Parse(text, noEnv); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// Open looks for the subnet that was named, in its medium.
func TestOpen(t *testing.T) {
	for text, want := range map[string]string{
		"ibsim:weft-nobody-serves-this": "connection refused",
		"umad:no-such-device/1":         "no user MAD devices",
	} {
		target, err := attach.Parse(text, noEnv)
		if err != nil {
			t.Fatal(err)
		}
		for wait := 50 * time.Millisecond; ; wait *= 2 { // it may be over before Open has looked
			ctx, cancel := context.WithTimeoutCause(t.Context(), wait, errors.New("nobody"))
			_, err = target.Open(ctx, attach.Options{Sys: fstest.MapFS{}})
			cancel()
			if err == nil || strings.Contains(err.Error(), want) || wait > 10*time.Second {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestEmulate(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	tr, err := attach.Emulate(f, func() time.Duration { return 0 })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tr.Close() }()
	if p, err := tr.Port(t.Context()); err != nil || !strings.HasPrefix(p.Device, `"host 0"`) || p.Number != 1 {
		t.Errorf("attached to %s port %d (%v)", p.Device, p.Number, err)
	}
}
