package service

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/internal/endpoints"
	"weft/sm/terms"
)

// pipes is a listener whose connections are in memory and hold no byte: what is not read is not
// sent.
type pipes struct{ calls chan net.Conn }

func (p *pipes) Accept() (net.Conn, error) {
	conn, ok := <-p.calls
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p *pipes) Close() error {
	close(p.calls)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Net: "unix", Name: "pipes"} }

// dial makes a connection.
func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.calls <- there
	return here
}

// serveInMemory serves a handler; end must be called. It is for a synctest bubble.
func serveInMemory(t *testing.T, h http.Handler) (p *pipes, end func()) {
	t.Helper()
	p = &pipes{make(chan net.Conn)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- endpoints.Serve(ctx, p, h) }()
	return p, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestTimes: who sends or reads slowly is let go of after a while, without anything having been
// done for him; who waits for a manager that does not decide is told.
func TestTimes(t *testing.T) {
	for _, c := range []struct {
		name, sent string
		reads      bool
		status     int // 0: no answer
		within     time.Duration
	}{
		{"nothing", "", true, 0, patience},
		{"half a head", "POST /v1/resweep HTTP/1.1\r\nHost: x\r\n", true, 0, patience},
		{"no body", "POST /v1/resweep HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", true, http.StatusRequestTimeout, patience},
		{"half a body", "POST /v1/whatif HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{", true, http.StatusRequestTimeout, patience},
		{"a chunk that is none", "POST /v1/resweep HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", true, http.StatusBadRequest, 0},
		{"no decision", "POST /v1/drain?name=x HTTP/1.1\r\nHost: x\r\n\r\n", true, http.StatusServiceUnavailable, patience + time.Minute},
		{"no next request", "GET /v1/status HTTP/1.1\r\nHost: x\r\n\r\n", true, http.StatusOK, time.Minute},
		{"never reads", "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", false, 0, endpoints.LongestRequest},
		{"never reads what it follows", "GET /v1/events?follow=true HTTP/1.1\r\nHost: x\r\n\r\n", false, 0, patience},
		{"a HEAD of what could be followed", "HEAD /v1/events?follow=true HTTP/1.1\r\nHost: x\r\n\r\n", true, http.StatusOK, time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, a := newService(0)
				s.opt.Clock, a.decide = time.Now, nil
				s.Show(master())
				s.Tell(terms.Incident{Kind: terms.Started})
				p, end := serveInMemory(t, s.Handler())
				defer end()
				conn, begun := p.dial(), time.Now()
				go func() { _, _ = io.WriteString(conn, c.sent) }()
				if !c.reads {
					time.Sleep(c.within + time.Second)
				}
				answer, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: strings.Fields(c.sent + " GET")[0]})
				switch {
				case err != nil && c.status != 0:
					t.Fatal(err)
				case err == nil && answer.StatusCode != c.status:
					t.Fatalf("%s, want %d", answer.Status, c.status)
				case err == nil:
					_, _ = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close()
					_, err = conn.Read(make([]byte, 1))
				}
				if took := time.Since(begun); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) || took > c.within+time.Second {
					t.Errorf("after %v: %v", took, err)
				}
				if len(s.callers.of(httptest.NewRequest(http.MethodGet, "/", http.NoBody)).requests)+len(s.followers) > 0 {
					t.Error("it still has its place")
				}
				if drains := strings.Contains(c.sent, "/v1/drain"); len(a.list) > 0 != drains {
					t.Errorf("asked %v", a.list)
				}
			})
		})
	}
}

// TestConnections: of too many connections the oldest ones are closed that no request is being
// answered on. Who follows the log is not disturbed, and who asks is answered.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newService(0)
		s.opt.Clock = time.Now
		s.Show(master())
		s.Tell(terms.Incident{Kind: terms.Started})
		p, end := serveInMemory(t, s.Handler())
		defer end()
		follower := p.dial()
		go func() { _, _ = io.WriteString(follower, "GET /v1/events?follow=true HTTP/1.1\r\nHost: x\r\n\r\n") }()
		lines, err := http.ReadResponse(bufio.NewReader(follower), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = lines.Body.Close() }()
		synctest.Wait()
		const more = 50
		idle := make([]net.Conn, 256+more)
		for i := range idle {
			idle[i] = p.dial()
			if i%2 == 0 {
				_, _ = io.WriteString(idle[i], "GET /v1/status HTTP/1.1\r\nX-")
			}
		}
		synctest.Wait()
		for i, conn := range idle {
			_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
			_, err := conn.Read(make([]byte, 1))
			if closed := errors.Is(err, io.EOF); closed != (i <= more) { // the follower has a place too
				t.Fatalf("connection %d of %d: %v", i, len(idle), err)
			}
		}
		conn := p.dial()
		go func() { _, _ = io.WriteString(conn, "GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") }()
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		if answer.StatusCode != http.StatusOK {
			t.Error(answer.Status)
		}
		s.Tell(terms.Incident{Kind: terms.TrapCame})
		s.End()
		if all, err := io.ReadAll(lines.Body); err != nil || strings.Count(string(all), "\n") != 2 {
			t.Errorf("%v, %s", err, all)
		}
		for _, conn := range append(idle, conn, follower) {
			_ = conn.Close()
		}
	})
}
