package service

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

// Bounds of a server.
const (
	mostConnections = 256
	mostBody        = 1 << 16
	mostHeader      = 1 << 14

	// longest bounds the time from the head of a request to the end of its answer: its body may come, the manager may decide and the answer may be read in patience each.
	// What takes longer says so by a deadline of its own.
	longest = 3 * patience

	// Longest and LongestWhatIf bound how long a client waits for an answer.
	Longest       = longest + patience
	LongestWhatIf = mostTime + Longest
)

// Serve serves a handler until ctx ends, and then lets requests under way end for a second. What bodies, heads, connections and times may be is bounded.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	c := connections{most: mostConnections}
	server := &http.Server{
		Handler: c.mark(http.MaxBytesHandler(h, mostBody)), ReadHeaderTimeout: patience, ReadTimeout: patience, WriteTimeout: longest, IdleTimeout: time.Minute,
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
	if stop() { // it ends by itself
		return err
	}
	<-ended
	return nil
}

// complaints writes what net/http has to say to standard error, but for what anybody can have it say without a token.
type complaints struct{}

func (complaints) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("TLS handshake error")) {
		return len(line), nil
	}
	return os.Stderr.Write(line)
}

// connections bounds the connections of a server: of too many the oldest is closed on which no request is being answered, so that who sends nothing, or
// slowly, keeps nobody out.
type connections struct {
	most int

	mu   sync.Mutex
	open []*connection // the oldest first
}

// connection is one of a server.
type connection struct {
	net.Conn
	busy bool // a request is being answered
}

// ofRequest is the key of the connection in the context of its requests.
type ofRequest struct{}

// add takes a connection in, and closes one where there are too many: it is for http.Server.ConnContext.
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

// cut closes a connection without a word, for which one of TLS could wait.
func cut(conn net.Conn) {
	if under, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = under.NetConn()
	}
	_ = conn.Close()
}

// changed forgets a connection that has ended: it is for http.Server.ConnState.
func (c *connections) changed(conn net.Conn, state http.ConnState) {
	if state != http.StateClosed {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = slices.DeleteFunc(c.open, func(o *connection) bool { return o.Conn == conn })
}

// mark makes a Handler that tells while a request is being answered.
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
