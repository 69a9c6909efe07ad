package endpoints

import (
	"bytes"
	"context"
	stdlog "log"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"
)

// Patience bounds a client's time to send a body or to read a line, and a request's wait for the
// manager.
const Patience = 10 * time.Second

// Limits of a server.
const (
	mostConnections = 256
	mostHeader      = 1 << 14

	// UsualBody is the maximum size of a body, in bytes, where an endpoint has no limit of its own.
	UsualBody = 1 << 16

	// LongestRequest bounds the time from a request's header to the end of its answer: Patience
	// each for the body, the work and the client's reading. Longer answers set their own deadline.
	LongestRequest = 3 * Patience
)

// Serve serves a handler until ctx ends; requests under way then have a second left. It limits
// headers, connections and times.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	c := connections{most: mostConnections}
	server := &http.Server{
		Handler: c.mark(h), ReadHeaderTimeout: Patience, ReadTimeout: Patience, WriteTimeout: LongestRequest, IdleTimeout: time.Minute,
		MaxHeaderBytes: mostHeader, DisableGeneralOptionsHandler: true, ConnContext: c.add, ConnState: c.changed, ErrorLog: stdlog.New(complaints{}, "weft: ", 0),
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
	if stop() { // the server has failed
		return err
	}
	<-ended
	return nil
}

// complaints writes errors of net/http to standard error, unless anybody can cause them without a
// token.
type complaints struct{}

func (complaints) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("TLS handshake error")) {
		return len(line), nil
	}
	return os.Stderr.Write(line)
}

// connections limits a server's connections. Beyond the limit it closes the oldest one without a
// request under way, so that silent or slow clients keep nobody out.
type connections struct {
	most int

	mu   sync.Mutex
	open []*connection // oldest first
}

// connection is a connection of a server.
type connection struct {
	net.Conn
	busy bool // a request is under way
}

// ofRequest is the context key of a request's connection.
type ofRequest struct{}

// add adds a connection, and closes another one beyond the limit. Use as http.Server.ConnContext.
func (c *connections) add(ctx context.Context, conn net.Conn) context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.open) >= c.most {
		oldest := slices.IndexFunc(c.open, func(o *connection) bool { return !o.busy })
		if oldest < 0 {
			cut(conn)
			return ctx
		}
		cut(c.open[oldest].Conn)
		c.open = slices.Delete(c.open, oldest, oldest+1)
	}
	one := &connection{Conn: conn}
	c.open = append(c.open, one)
	return context.WithValue(ctx, ofRequest{}, one)
}

// cut closes a connection without TLS's closing message, which might block.
func cut(conn net.Conn) {
	if under, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = under.NetConn()
	}
	_ = conn.Close()
}

// changed removes a closed connection. Use as http.Server.ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = slices.DeleteFunc(c.open, func(o *connection) bool { return o.Conn == conn })
}

// mark wraps a Handler, and marks connections as busy during requests.
func (c *connections) mark(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if one, ok := r.Context().Value(ofRequest{}).(*connection); ok {
			c.setBusy(one, true)
			defer c.setBusy(one, false)
		}
		h.ServeHTTP(w, r)
	})
}

func (c *connections) setBusy(one *connection, busy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one.busy = busy
}
