package umad

import "testing"

func TestParseOptions(t *testing.T) {
	for text, want := range map[string]Options{
		"":         {},
		"mlx5_0":   {CA: "mlx5_0"},
		"mlx5_0/2": {CA: "mlx5_0", Port: 2},
		"/1":       {Port: 1},
	} {
		got, err := ParseOptions(text)
		if err != nil || got.CA != want.CA || got.Port != want.Port {
			t.Errorf("%q: %q port %d (%v)", text, got.CA, got.Port, err)
		}
	}
	for _, text := range []string{"mlx5_0/x", "mlx5_0/256", "/-1", "mlx5_0/"} {
		if _, err := ParseOptions(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
