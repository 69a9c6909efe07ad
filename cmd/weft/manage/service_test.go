package manage

import (
	"net"
	"strings"
	"testing"
)

// TestMetricsAddress: without a host metrics are for this machine alone.
func TestMetricsAddress(t *testing.T) {
	l, err := listenTCP(":0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		t.Errorf("it listens at %s", l.Addr())
	}
	if _, err := listenTCP("9461"); err == nil || !strings.Contains(err.Error(), "want HOST:PORT") {
		t.Error(err)
	}
}
