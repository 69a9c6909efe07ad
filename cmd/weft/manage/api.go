package manage

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"weft/internal/endpoints"
	"weft/sm/service"
)

// apiFlags holds the options of the HTTP API over TCP.
type apiFlags struct {
	address, token, tokens, cert, key string
}

func (a *apiFlags) add(f *pflag.FlagSet) {
	f.StringVar(&a.address, "api", "", "serve programs over HTTP at `HOST:PORT`; they need the token of --api-token. :PORT for this machine only; another HOST needs --api-cert")
	f.StringVar(&a.token, "api-token", "", "`FILE` whose first line is the token of --api; readable only by its owner; SIGHUP reads it again")
	f.StringVar(&a.tokens, "api-tokens", "", "`FILE` with further tokens of --api, a line of NAME ROLES TOKEN each (roles: read, operate, partitions, jobs, all); readable only by its owner; SIGHUP reads it again")
	f.StringVar(&a.cert, "api-cert", "", "`FILE` with certificates (PEM) for --api over TLS; SIGHUP reads it again")
	f.StringVar(&a.key, "api-key", "", "`FILE` with the private key (PEM) of --api-cert")
}

// check returns an error for options that do not fit together.
func (a *apiFlags) check() error {
	switch {
	case a.address == "" && (a.token != "" || a.tokens != "" || a.cert != "" || a.key != ""):
		return errors.New("--api-token, --api-tokens, --api-cert and --api-key need --api")
	case a.address == "":
		return nil
	case a.token == "" && a.tokens == "":
		return errors.New("--api needs a token: give --api-token FILE or --api-tokens FILE")
	case (a.cert == "") != (a.key == ""):
		return errors.New("--api-cert and --api-key need each other")
	}
	if _, _, err := a.secrets(); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(a.address)
	if err != nil {
		return fmt.Errorf("--api %s: want HOST:PORT, or :PORT for this machine only", a.address)
	}
	if a.cert == "" && !endpoints.IsLocal(host) {
		return fmt.Errorf("--api %s: the token would cross the network unencrypted: give --api-cert and --api-key, or leave out the host", a.address)
	}
	return nil
}

// readTokens reads the tokens of both files.
func (a *apiFlags) readTokens() (list []service.Token, err error) {
	if a.tokens != "" {
		if list, err = service.ReadTokens(a.tokens); err != nil {
			return nil, fmt.Errorf("--api-tokens: %w", err)
		}
	}
	if a.token == "" {
		return list, nil
	}
	text, err := service.ReadToken(a.token)
	if err != nil {
		return nil, fmt.Errorf("--api-token: %w", err)
	}
	one := service.OneToken(text)
	for _, t := range list {
		if t.Name == one[0].Name || t.Text == text {
			return nil, fmt.Errorf("--api-tokens: %s: token %s has the name or the text of the token of --api-token", a.tokens, t.Name)
		}
	}
	return append(one, list...), nil
}

// secrets reads the tokens, and the certificate if one is given.
func (a *apiFlags) secrets() (tokens []service.Token, cert *tls.Certificate, err error) {
	if tokens, err = a.readTokens(); err != nil || a.cert == "" {
		return tokens, nil, err
	}
	key, err := readPrivate(a.key, allOthers, math.MaxInt32)
	if err != nil {
		return nil, nil, fmt.Errorf("--api-key: %w", err)
	}
	chain, err := os.ReadFile(a.cert)
	if err != nil {
		return nil, nil, fmt.Errorf("--api-cert: %w", err)
	}
	pair, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, nil, fmt.Errorf("--api-cert: %w", err)
	}
	return tokens, &pair, nil
}

// apiServer is the listener of the API over TCP. Its tokens and certificate can be replaced.
type apiServer struct {
	net.Listener
	guard *service.Guard
	cert  atomic.Pointer[tls.Certificate] // nil: without TLS
}

// listen opens the listener.
func (a *apiFlags) listen() (*apiServer, error) {
	tokens, cert, err := a.secrets()
	if err != nil {
		return nil, err
	}
	l, err := listenTCP(a.address)
	if err != nil {
		return nil, err
	}
	s := &apiServer{Listener: l, guard: service.NewGuard(tokens, l.Addr(), time.Now)}
	s.cert.Store(cert)
	if cert != nil {
		s.Listener = tls.NewListener(l, &tls.Config{
			MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
			GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.cert.Load(), nil },
		})
	}
	return s, nil
}

// renew reads tokens and certificate again and uses them. It returns the changes. It is an error to
// switch TLS on or off, or to replace a valid certificate by one that is not.
func (s *apiServer) renew(a *apiFlags) (changed []string, err error) {
	tokens, cert, err := a.secrets()
	if err != nil {
		return nil, err
	}
	was := s.cert.Load()
	if (was == nil) != (cert == nil) {
		return nil, errors.New("api-cert: restart the manager to switch TLS on or off")
	}
	if cert != nil && !slices.EqualFunc(was.Certificate, cert.Certificate, bytes.Equal) {
		if err = worse(was, cert, time.Now()); err != nil {
			err = fmt.Errorf("api-cert: %s: %w", a.cert, err)
		} else {
			s.cert.Store(cert)
			changed = append(changed, "the certificate of api")
		}
	}
	if s.guard.Renew(tokens) {
		changed = append(changed, "the tokens of api")
	}
	return changed, err
}
