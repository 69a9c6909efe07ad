package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"weft/emulator/live"
)

// Listen serves Handler at a Unix socket that only its owner can open. stop ends that and removes
// the socket.
func Listen(path string, l *live.Live) (stop func(), err error) {
	// Others must not be able to open the socket before its mode is set.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".control.*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(dir)
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("%s exists: is another subnet running? Remove it if not", path)
	}
	private := filepath.Join(dir, "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: private})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err = os.Chmod(private, 0o600); err == nil {
		err = os.Rename(private, path)
	}
	if err != nil {
		_ = listener.Close()
		os.Remove(private)
		return nil, err
	}
	server := &http.Server{Handler: Handler(l), ReadHeaderTimeout: 10 * time.Second}
	go server.Serve(listener) //nolint:errcheck // ends with ErrServerClosed
	return func() {
		_ = server.Close()
		os.Remove(path)
	}, nil
}

// NoAnswer is the error for a socket without an answering subnet.
type NoAnswer struct {
	Socket string
	Err    error
}

func (e *NoAnswer) Error() string { return fmt.Sprintf("no subnet answers at %s: %v", e.Socket, e.Err) }

// Unwrap returns the cause.
func (e *NoAnswer) Unwrap() error { return e.Err }

// Request sends a command to the subnet at a socket, or asks for its state, lfts, sl2vl, fabric or
// help, and writes the answer to out. A shell has already split the words of the command.
func Request(ctx context.Context, socket string, words []string, out io.Writer) error {
	client := http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
	}}
	defer client.CloseIdleConnections()
	text := quoteWords(words)
	method, path, body := http.MethodPost, "/do", io.Reader(strings.NewReader(text))
	switch text {
	case "state", "lfts", "sl2vl", "fabric", "help":
		method, path, body = http.MethodGet, "/"+text, nil
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://weft"+path, body)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		if failure, ok := errors.AsType[*url.Error](err); ok {
			err = failure.Err
		}
		return &NoAnswer{socket, err}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
		return errors.New(strings.TrimSpace(string(said)))
	}
	_, err = io.Copy(out, resp.Body)
	return err
}

// quoteWords joins the words of a command. Words with blanks get back the quotes that a shell
// removed; a command in one word has its own.
func quoteWords(words []string) string {
	if len(words) == 1 {
		return words[0]
	}
	quoted := slices.Clone(words)
	for i, w := range words {
		if strings.ContainsAny(w, " \t") && !strings.Contains(w, `"`) {
			quoted[i] = `"` + w + `"`
		}
	}
	return strings.Join(quoted, " ")
}
