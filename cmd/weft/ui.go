package main

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/internal/endpoints"
	"weft/study/page"
	"weft/ui"
)

const uiHelp = `Serve the page on this machine: look at fabrics in a browser.

The page draws a fabric, finds its parts, routes it and follows paths. FABRICs are open when it
starts; further ones are opened in the page, by dropping a file or typing a formula. Nothing leaves
this machine, and the page loads nothing from elsewhere.

--addr takes loopback addresses only, and there is no token: every user of this machine can reach
the page. weft sm --api serves the same page for a running manager, to other machines too.

Ctrl-C ends it. Exit status: 0 ended; 2 wrong usage or input; 3 the address cannot be used.`

func uiCmd() *cobra.Command {
	var flags cli.FabricFlags
	var addr string
	workers := runtime.GOMAXPROCS(0)
	cmd := &cobra.Command{
		Use:     "ui [FABRIC...]",
		Short:   "look at fabrics in a browser",
		Long:    uiHelp,
		Example: "  weft ui\n  weft ui 'rlft(8,3)' examples/psmn-x5.ibnetdiscover\n  weft ui --addr 127.0.0.1:9000 fabric.txt",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			host, port, err := net.SplitHostPort(addr)
			if err != nil {
				return fmt.Errorf("--addr %s: want HOST:PORT", addr)
			}
			if !endpoints.IsLocal(host) {
				return fmt.Errorf("--addr %s: the page has no token here, so only this machine may reach it: give 127.0.0.1:%s (weft sm --api serves it to others)", addr, port)
			}
			p := page.New(page.Options{
				Version: cli.Version, Clock: time.Now, Memory: cli.PeakRSS, Workers: workers, Questions: endpoints.NewQuestions(time.Now, nil),
			})
			for _, arg := range args {
				src, err := flags.Open(cmd, arg)
				if err == nil {
					err = p.Add(src, arg)
				}
				if err != nil {
					return err
				}
			}
			l, err := net.Listen("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
			if err != nil {
				return cli.Cannot(fmt.Errorf("--addr: %w", err))
			}
			fmt.Fprintf(cmd.OutOrStdout(), "the page is at http://%s/ (Ctrl-C ends it)\n", l.Addr())
			if err := endpoints.Serve(cmd.Context(), l, uiHandler(l.Addr(), p)); err != nil {
				return cli.Cannot(err)
			}
			return nil
		},
	}
	flags.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&addr, "addr", "127.0.0.1:8080", "serve at `HOST:PORT` of this machine; port 0 takes a free one")
	cli.JobsFlag(cmd, &workers)
	return cmd
}

// mostUIRequests is the maximum number of requests under way.
const mostUIRequests = 32

// uiHandler serves the page and its API at a loopback address.
func uiHandler(at net.Addr, p *page.Page) http.Handler {
	sites := endpoints.NewSites(at)
	files := ui.Handler()
	api := endpoints.Local(at, endpoints.Handler(append(p.Endpoints(), endpoints.Document)))
	return endpoints.Bounded(make(endpoints.Places, mostUIRequests), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if endpoints.IsAPI(r) {
			api.ServeHTTP(w, r)
			return
		}
		if status, err := sites.CheckHost(r); err != nil {
			endpoints.TurnAway(w, status, err)
			return
		}
		files.ServeHTTP(w, r)
	}))
}
