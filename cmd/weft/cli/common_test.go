package cli

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/spf13/cobra"
)

// TestInputThatDoesNotEnd: a command that waits for its FABRIC can be interrupted.
func TestInputThatDoesNotEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	t.Cleanup(func() { _ = feed.Close() })
	cmd := &cobra.Command{}
	cmd.SetContext(ctx)
	cmd.SetIn(in)
	done := make(chan error)
	go func() {
		_, err := new(FabricFlags).Open(cmd, "-")
		done <- err
	}()
	if _, err := feed.Write([]byte("#\n")); err != nil { // it reads
		t.Fatal(err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want %v", err, context.Canceled)
	}
}
