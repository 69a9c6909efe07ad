package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"

	"github.com/spf13/pflag"

	"weft/sm/service"
)

// apiFlags say how programs ask over TCP.
type apiFlags struct {
	address, token, cert, key string
}

func (a *apiFlags) add(f *pflag.FlagSet) {
	f.StringVar(&a.address, "api", "", "serve programs over HTTP at HOST:PORT, those that know --api-token; :PORT for this machine alone, another HOST only with --api-cert")
	f.StringVar(&a.token, "api-token", "", "file whose first line is the token of --api; only its owner may read it")
	f.StringVar(&a.cert, "api-cert", "", "file of certificates (PEM) for --api over TLS")
	f.StringVar(&a.key, "api-key", "", "file of the key (PEM) of --api-cert")
}

// check refuses what does not go together.
func (a *apiFlags) check() error {
	switch {
	case a.address == "" && (a.token != "" || a.cert != "" || a.key != ""):
		return errors.New("--api-token, --api-cert and --api-key go with --api")
	case a.address == "":
		return nil
	case a.token == "":
		return errors.New("--api: name a file of a token too, --api-token FILE")
	case (a.cert == "") != (a.key == ""):
		return errors.New("--api-cert and --api-key go together")
	}
	if _, _, err := a.secrets(); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(a.address)
	if err != nil {
		return fmt.Errorf("--api %s: want HOST:PORT, or :PORT for this machine alone", a.address)
	}
	if a.cert == "" && !service.IsLocal(host) {
		return fmt.Errorf("--api %s: the token would cross the network in the clear: give --api-cert and --api-key, or leave the host out", a.address)
	}
	return nil
}

// secrets reads the token, and the certificate where one is named.
func (a *apiFlags) secrets() (token string, cert *tls.Certificate, err error) {
	if token, err = service.ReadToken(a.token); err != nil {
		return "", nil, fmt.Errorf("--api-token: %w", err)
	}
	if a.cert == "" {
		return token, nil, nil
	}
	pair, err := tls.LoadX509KeyPair(a.cert, a.key)
	if err != nil {
		return "", nil, fmt.Errorf("--api-cert: %w", err)
	}
	return token, &pair, nil
}

// listen listens, and puts what asks for the token before a Handler.
func (a *apiFlags) listen(h http.Handler) (net.Listener, http.Handler, error) {
	token, cert, err := a.secrets()
	if err != nil {
		return nil, nil, err
	}
	l, err := listenTCP(a.address)
	if err != nil {
		return nil, nil, err
	}
	guard := service.NewGuard(token, l.Addr())
	if cert != nil {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}})
	}
	return l, guard.Protect(h), nil
}
