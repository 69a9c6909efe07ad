package page

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/apps/collective"
	"weft/apps/machine"
	"weft/fabric"
	"weft/internal/endpoints"
	"weft/internal/par"
	"weft/study/app"
)

// Application asks for a run of applications, all at once.
type Application struct {
	Programs  []string   `json:"programs"`            // as in allreduce(ring,size=1GiB), or the name of a schedule; @2ms at the end begins later
	Network   string     `json:"network,omitempty"`   // flows, packets, or ideal: without the fabric; empty: flows
	Placement string     `json:"placement,omitempty"` // of ranks: leaf, spread, rail or random:SEED; empty: leaf
	OnPorts   bool       `json:"on_ports,omitempty"`  // a rank is a host port, not a server
	Costs     string     `json:"costs,omitempty"`     // of messages, as in o=200,S=65536
	Sends     string     `json:"sends,omitempty"`     // order in which messages leave a rank: pair, port or shared; empty: pair
	Schedules []Schedule `json:"schedules,omitempty"`
	Routing
}

// Schedule is a GOAL schedule.
type Schedule struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// The networks of applications.
const (
	byFlows   = "flows"
	byPackets = "packets"
	onIdeal   = "ideal"
)

// Limits of applications. Runs of so many messages or packets would not end in time.
const (
	mostPrograms      = 8
	mostFormula       = 300 // bytes
	mostSchedules     = 1 << 20
	mostMessages      = 1 << 24
	mostPackets       = 1 << 27
	mostMemory        = 1 << 30 // bytes
	mostManagerMemory = 1 << 28 // beside a manager
)

// Check returns errors that hold on any fabric.
func (q *Application) Check() error {
	if len(q.Programs) == 0 || len(q.Programs) > mostPrograms {
		return fmt.Errorf("programs: want 1 to %d", mostPrograms)
	}
	for _, text := range q.Programs {
		if len(text) > mostFormula {
			return fmt.Errorf("programs: %.40q… has more than %d bytes", text, mostFormula)
		}
	}
	bytes := 0
	for _, s := range q.Schedules {
		if bytes += len(s.Text); !endpoints.IsName(s.Name) {
			return errors.New("schedules: want names without control characters")
		}
	}
	order, seed, drawn := strings.Cut(q.Placement, ":")
	_, noSeed := strconv.ParseUint(seed, 10, 64)
	switch {
	case bytes > mostSchedules:
		return fmt.Errorf("schedules: more than %d bytes: weft simulate app has no limit", mostSchedules)
	case !slices.Contains([]string{"", byFlows, byPackets, onIdeal}, q.Network):
		return fmt.Errorf("network: %.40q: want flows, packets or ideal", q.Network)
	case q.Network == onIdeal && len(q.Programs) > 1:
		return errors.New("network: the ideal one has no places to share: give one program")
	case !slices.Contains([]string{"", "leaf", "spread", "rail"}, q.Placement) && (order != "random" || !drawn || noSeed != nil):
		return fmt.Errorf("placement: %.40q: want leaf, spread, rail or random:SEED, with a number as the seed", q.Placement)
	}
	if _, err := app.ParseCosts(q.Costs, machine.Usual); err != nil {
		return fmt.Errorf("costs: %w", err)
	}
	if err := new(app.Request).SetSends(q.Sends); err != nil {
		return err
	}
	return q.Routing.Check()
}

// needs returns the role for a run, which takes a core for a while with any routing.
func (*Application) needs() endpoints.Role { return endpoints.MayCompute }

// request reads the programs for a fabric, or with nil for the ideal network. It refuses runs that
// are too large.
func (q *Application) request(g *fabric.Graph, memory float64) (*app.Request, error) {
	req := app.Usual()
	req.Packets, req.OnPorts, req.Record, req.Placement = q.Network == byPackets, q.OnPorts, g != nil, cmp.Or(q.Placement, req.Placement)
	schedules := map[string]string{}
	for _, s := range q.Schedules {
		schedules[s.Name] = s.Text
	}
	var d collective.Defaults
	if g != nil {
		d = app.DefaultsOf(g, q.OnPorts, req.Placement)
	}
	var err error
	if req.Costs, err = app.ParseCosts(q.Costs, req.Costs); err != nil {
		return nil, err
	}
	if err = req.SetSends(q.Sends); err != nil {
		return nil, err
	}
	if req.Jobs, err = app.OpenTexts(q.Programs, schedules, d); err != nil {
		return nil, fmt.Errorf("programs: %w", err)
	}
	size, err := req.Size(g)
	if err != nil {
		return nil, fmt.Errorf("programs: %w", err)
	}
	name, ranks := strings.Join(q.Programs, " + "), 0
	for _, p := range req.Jobs {
		ranks += p.Ranks()
	}
	switch {
	case ranks > usualLimits.Nodes:
		return nil, fmt.Errorf("programs: %s: %d ranks, more than %d: weft simulate app has no limit", name, ranks, usualLimits.Nodes)
	case size.Messages > mostMessages:
		return nil, fmt.Errorf("programs: %s: about %.3g messages, more than %.3g: give fewer ranks or steps, or run weft simulate app, which has no limit", name, size.Messages, float64(mostMessages))
	case size.Packets > mostPackets:
		return nil, fmt.Errorf("programs: %s: about %.3g packets, more than %.3g: take the network flows, or run weft simulate app, which has no limit", name, size.Packets, float64(mostPackets))
	case size.Memory > memory:
		return nil, fmt.Errorf("programs: %s: about %.0f MB of memory, more than %.0f: give fewer ranks or an algorithm with fewer messages at once, or run weft simulate app, which has no limit",
			name, size.Memory/1e6, memory/1e6)
	}
	return &req, nil
}

// Progress is a line of the answer about applications.
type Progress struct {
	Now    string   `json:"now,omitempty"`    // what the server does
	Share  float64  `json:"share,omitempty"`  // how much of the run is done
	Result string   `json:"result,omitempty"` // a first result
	Error  string   `json:"error,omitempty"`  // why there will be no run: the last line
	Run    *app.Run `json:"run,omitempty"`    // the last line otherwise
	SVG    string   `json:"svg,omitempty"`    // with it: what ranks and links did over time
}

// lineInterval is the least time between two lines with progress.
const lineInterval = time.Second

// app returns the endpoint that runs applications.
func (p *Page) app() endpoints.Endpoint {
	e := asked(p, fabricPath+"/app", "Run applications on a fabric, as weft simulate app does: lines with progress and first results, and at last the run with its picture.",
		func(w http.ResponseWriter, r *http.Request, h *Held, q *Application) {
			p.opt.Questions.Stream(w, r, "run weft simulate app, which has no limit", func() (func(context.Context, func(any)) (any, error), error) {
				g, memory := h.graph, float64(mostMemory)
				if h.inForce != nil {
					memory = mostManagerMemory
				}
				if q.Network == onIdeal {
					g = nil
				}
				req, err := q.request(g, memory)
				if err != nil {
					return nil, err
				}
				return func(ctx context.Context, tell func(any)) (any, error) { return p.run(ctx, h, q, req, tell) }, nil
			})
		})
	e.Answer, e.Media, e.MostBody = reflect.TypeFor[Progress](), endpoints.Lines, 4*mostSchedules
	return e
}

// run runs applications and tells how far it is.
func (p *Page) run(ctx context.Context, h *Held, q *Application, req *app.Request, tell func(any)) (*Progress, error) {
	if q.Network == onIdeal {
		run, err := app.Ideal(ctx, req.Jobs[0], req.Costs)
		return &Progress{Run: run}, err
	}
	tell(&Progress{Now: "routing the fabric"})
	routing, err := p.routedBy(ctx, h, &q.Routing)
	if err != nil {
		return nil, err
	}
	var done par.Progress
	var last time.Time
	req.Workers = p.opt.Workers
	req.News = app.News{
		Now: func(what string) {
			if now := p.opt.Clock(); now.Sub(last) >= lineInterval {
				last = now
				_, share := done.Share()
				tell(&Progress{Now: what, Share: share})
			}
		},
		Result: func(line string) { tell(&Progress{Result: line}) },
	}
	begun := p.opt.Clock()
	run, err := app.On(par.WithProgress(ctx, &done), h.graph, routing, req)
	if err != nil {
		return nil, err
	}
	run.Seconds = p.opt.Clock().Sub(begun).Seconds()
	var b bytes.Buffer
	err = run.Pictures.WriteSVG(&b)
	return &Progress{Run: run, SVG: b.String()}, err
}
