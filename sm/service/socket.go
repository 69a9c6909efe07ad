package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Usual is where a manager is looked for unless somebody says otherwise.
const Usual = "/run/weft/sm.sock"

// Listen makes a Unix socket that only its owner can open. One that is there and that nobody answers at is removed; anything else
// there is an error.
func Listen(path string) (net.Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	// The socket must not be open to others before its mode is set.
	dir, err := os.MkdirTemp(filepath.Dir(path), ".weft.*")
	if err != nil {
		return nil, fmt.Errorf("a socket %s cannot be made: %w", path, err)
	}
	defer os.Remove(dir)
	private := filepath.Join(dir, "s")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: private})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err = os.Chmod(private, 0o600); err == nil {
		err = os.Link(private, path) // fails where another manager was faster
	}
	os.Remove(private)
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	return &unlinking{listener, path}, nil
}

// unlinking is a listener that removes its socket when it is closed.
type unlinking struct {
	net.Listener
	path string
}

// Close implements net.Listener.
func (u *unlinking) Close() error {
	err := u.Listener.Close()
	if err == nil {
		os.Remove(u.path)
	}
	return err
}

// removeStale removes a socket that nobody answers at.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&os.ModeSocket == 0:
		return fmt.Errorf("%s is there and is no socket: name another one", path)
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		_ = c.Close()
		return fmt.Errorf("a manager answers at %s: end it, or name another socket", path)
	} else if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%s is there, and it is not known whether a manager answers there: %w", path, err)
	}
	return os.Remove(path)
}

// Serve serves a handler until ctx ends, and then lets requests under way end for a second.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{
		Handler: http.MaxBytesHandler(h, 1<<16), ReadHeaderTimeout: patience, ReadTimeout: patience, IdleTimeout: time.Minute,
		MaxHeaderBytes: 1 << 14,
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(late) != nil {
			_ = server.Close()
		}
	})
	err := server.Serve(l)
	if stop() { // it ends by itself
		return err
	}
	<-ended
	return nil
}

// NoAnswer is the error of a socket that no manager answers at.
type NoAnswer struct {
	Socket string
	Err    error
}

func (e *NoAnswer) Error() string {
	return fmt.Sprintf("no manager answers at %s: %v (weft sm --socket PATH makes a socket)", e.Socket, e.Err)
}

// Unwrap returns the cause.
func (e *NoAnswer) Unwrap() error { return e.Err }

// Client asks the manager at a socket.
type Client struct {
	socket string
	http   http.Client
}

// NewClient makes a Client; Close ends it.
func NewClient(socket string) *Client {
	return &Client{socket, http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
	}}}
}

// Close ends what a Client keeps open.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Do sends a request and returns the body of the answer, which must be closed.
func (c *Client) Do(ctx context.Context, method, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://weft"+path, nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return nil, &NoAnswer{c.socket, err}
	}
	if resp.StatusCode >= http.StatusOK && resp.StatusCode < http.StatusMultipleChoices {
		return resp.Body, nil
	}
	defer func() { _ = resp.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	var f failure
	if json.Unmarshal(said, &f) != nil || f.Error == "" {
		f.Error = resp.Status
	}
	return nil, errors.New(f.Error)
}

// Get asks for a JSON object.
func (c *Client) Get(ctx context.Context, method, path string, into any) error {
	body, err := c.Do(ctx, method, path)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	return json.NewDecoder(body).Decode(into)
}
