package main

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"weft"
	"weft/cmd/weft/cli"
	"weft/cmd/weft/sweeps"
	"weft/internal/endpoints"
	"weft/study/page"
	"weft/ui"
)

const uiHelp = `Serve the page on this machine: look at fabrics in a browser.

The page draws a fabric, finds its parts, routes it and follows paths. FABRICs are open when it
starts; further ones are opened in the page, by dropping a file or typing a formula. Nothing leaves
this machine, and the page loads nothing from elsewhere.

--store names a sweep for the view Lab: a file of weft lab sweep -o or merge, or a folder of weft lab
freeze. It is read once, when weft ui starts.

--addr takes loopback addresses only, and there is no token: every user of this machine can reach
the page. weft sm --api serves the same page for a running manager, to other machines too.

Ctrl-C ends it. Exit status: 0 ended; 2 wrong usage or input; 3 the address cannot be used.`

func uiCmd() *cobra.Command {
	var flags cli.FabricFlags
	var addr string
	var stores []string
	workers := runtime.GOMAXPROCS(0)
	cmd := &cobra.Command{
		Use:     "ui [FABRIC...]",
		Short:   "look at fabrics in a browser",
		Long:    uiHelp,
		Example: "  weft ui\n  weft ui 'rlft(8,3)' examples/psmn-x5.ibnetdiscover\n  weft ui --store results.db\n  weft ui --addr 127.0.0.1:9000 fabric.txt",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			host, port, err := net.SplitHostPort(addr)
			if err != nil {
				return fmt.Errorf("--addr %s: want HOST:PORT", addr)
			}
			if !endpoints.IsLocal(host) {
				return fmt.Errorf("--addr %s: the page has no token here, so only this machine may reach it: give 127.0.0.1:%s (weft sm --api serves it to others)", addr, port)
			}
			questions := endpoints.NewQuestions(time.Now, nil)
			p := page.New(page.Options{Version: cli.Version, Clock: time.Now, Memory: cli.PeakRSS, Workers: workers, Questions: questions, Glossary: weft.Glossary})
			for _, arg := range args {
				src, err := flags.Open(cmd, arg)
				if err == nil {
					err = p.Add(src, arg)
				}
				if err != nil {
					return err
				}
			}
			lab := sweeps.Browser(questions, workers)
			for _, store := range stores {
				if err := sweeps.OpenStore(lab, store); err != nil {
					return fmt.Errorf("--store: %w", err)
				}
			}
			l, err := net.Listen("tcp", net.JoinHostPort(cmp.Or(host, "127.0.0.1"), port))
			if err != nil {
				return cli.Cannot(fmt.Errorf("--addr: %w", err))
			}
			fmt.Fprintf(cmd.OutOrStdout(), "the page is at http://%s/ (Ctrl-C ends it)\n", l.Addr())
			if err := endpoints.Serve(cmd.Context(), l, uiHandler(l.Addr(), append(p.Endpoints(), lab.Endpoints()...))); err != nil {
				return cli.Cannot(err)
			}
			return nil
		},
	}
	flags.Add(cmd)
	f := cmd.Flags()
	f.StringVar(&addr, "addr", "127.0.0.1:8080", "serve at `HOST:PORT` of this machine; port 0 takes a free one")
	f.StringArrayVar(&stores, "store", nil, "show the sweep in `STORE`, as weft lab stats reads it; can be repeated")
	cli.JobsFlag(cmd, &workers)
	return cmd
}

// mostUIRequests is the maximum number of requests under way.
const mostUIRequests = 32

// uiHandler serves the page and its API at a loopback address.
func uiHandler(at net.Addr, questions []endpoints.Endpoint) http.Handler {
	sites := endpoints.NewSites(at)
	files := ui.Handler()
	api := endpoints.Local(at, endpoints.Handler(append(questions, endpoints.Document)))
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
