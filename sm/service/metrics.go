package service

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"weft/sm/terms"
	"weft/sm/watch"
	"weft/sm/watch/starting"
	"weft/sm/watch/tally"
	"weft/wire/mad"
)

// Metrics serves metrics of the manager and its process for Prometheus: GET /metrics. They follow
// its conventions: base units, a unit in each name, _total for counters, _info for labels alone.
// Every series exists from the start, with 0; only series of single links come and go.
func (s *Service) Metrics() http.Handler {
	all := prometheus.NewRegistry()
	all.MustRegister(figures{s}, portCollector{s}, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector())
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(all, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	return mux
}

// figures collects metrics from the last Snapshot.
type figures struct{ s *Service }

// figure is a metric with its labels and its function of a Snapshot.
type figure struct {
	*prometheus.Desc
	kind   prometheus.ValueType
	values func(f *shown, add func(value float64, labels ...string))
}

// newFigure returns a figure.
func newFigure(kind prometheus.ValueType, name, help string, values func(*shown, func(float64, ...string)), labels ...string) figure {
	return figure{prometheus.NewDesc("weft_sm_"+name, help, labels, nil), kind, values}
}

// count returns a figure of a counter.
func count(name, help string, value func(t *tally.Tally) int) figure {
	return newFigure(prometheus.CounterValue, name, help, func(f *shown, add func(float64, ...string)) { add(float64(value(&f.Tally))) })
}

// ofJobs returns a figure of jobs.
func ofJobs(kind prometheus.ValueType, name, help string, value func(r *starting.Report) int) figure {
	return newFigure(kind, name, help, func(f *shown, add func(float64, ...string)) {
		if f.Routed == nil {
			add(0)
			return
		}
		add(float64(value(&f.Routed.Jobs)))
	})
}

// inForce returns a figure of the Plan in force, 0 until a round has brought the subnet up.
func inForce(name, help string, value func(f *InForce) float64) figure {
	return newFigure(prometheus.GaugeValue, name, help, func(f *shown, add func(float64, ...string)) {
		if i := newInForce(f); i != nil {
			add(value(i))
			return
		}
		add(0)
	})
}

// smps returns a figure of SMPs by method and attribute.
func smps(name, help string, value func(n terms.Count) int) figure {
	return newFigure(prometheus.CounterValue, name, help, func(f *shown, add func(float64, ...string)) {
		for _, n := range f.Tally.AllSMPs() {
			add(float64(value(n)), n.Method, n.Attribute)
		}
	}, "method", "attribute")
}

// truth returns 1 for true and 0 for false.
func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// allFigures lists the metrics.
var allFigures = []figure{
	newFigure(prometheus.GaugeValue, "role", "Role of the manager: 1 for its present role, 0 for the others.", roles, "role"),
	newFigure(prometheus.GaugeValue, "contested", "1 if another manager writes to our ports again after a repair, else 0.", func(f *shown, add func(float64, ...string)) { add(truth(f.Contested != "")) }),
	newFigure(prometheus.GaugeValue, "planning_better", "1 while a better Plan than the one in force is being planned, else 0.", func(f *shown, add func(float64, ...string)) { add(truth(f.Routed != nil && f.Routed.Planning != nil)) }),
	newFigure(prometheus.GaugeValue, "engine_info", "Requested engines, and the engine whose routes are in force; always 1.", engines, "asked", "active"),
	count("light_sweeps_total", "Light sweeps: each asks every switch whether a port has changed.", func(t *tally.Tally) int { return t.LightSweeps }),
	count("heavy_sweeps_total", "Heavy sweeps: each asks all nodes and ports.", func(t *tally.Tally) int { return t.HeavySweeps }),
	newFigure(prometheus.CounterValue, "rounds_total", "Rounds, by outcome; a round discovers, routes, proves and programs the subnet.", rounds, "outcome"),
	count("repairs_total", "Rounds that repaired the routing in force instead of computing a new one.", func(t *tally.Tally) int { return t.Repairs }),
	count("repaired_entries_total", "Entries of forwarding tables that repairs have moved.", func(t *tally.Tally) int { return t.Moved }),
	ofJobs(prometheus.GaugeValue, "jobs", "Jobs that run.", func(r *starting.Report) int { return len(r.Jobs) }),
	ofJobs(prometheus.CounterValue, "jobs_started_total", "Jobs that have started.", func(r *starting.Report) int { return r.Count.Started }),
	ofJobs(prometheus.CounterValue, "jobs_ended_total", "Jobs that have ended.", func(r *starting.Report) int { return r.Count.Ended }),
	ofJobs(prometheus.CounterValue, "job_turns_total", "Turns in which entries could move for jobs that have started.", func(r *starting.Report) int { return r.Count.Turns }),
	ofJobs(prometheus.CounterValue, "job_entries_total", "Entries of forwarding tables moved for jobs that have started.", func(r *starting.Report) int { return r.Count.Moved }),
	ofJobs(prometheus.GaugeValue, "job_entries_last", "Entries of forwarding tables that the last of these turns moved.", func(r *starting.Report) int { return r.Count.Last }),
	count("spread_entries_total", "Entries of forwarding tables moved to less loaded links, other than by repairs.", func(t *tally.Tally) int { return t.Spread }),
	count("written_blocks_total", "Blocks of forwarding tables that were written and acknowledged.", func(t *tally.Tally) int { return t.Blocks }),
	smps("smp_requests_total", "Completed SMP requests: answered, refused or given up.", func(n terms.Count) int { return n.Requests }),
	smps("smps_sent_total", "Sent SMPs, including retries.", func(n terms.Count) int { return n.Sent }),
	smps("smps_retried_total", "SMPs sent again for lack of an answer.", func(n terms.Count) int { return max(0, n.Sent-n.Requests) }),
	smps("smps_failed_total", "SMP requests refused or never answered.", func(n terms.Count) int { return n.Failed }),
	newFigure(prometheus.CounterValue, "traps_total", "Received traps, by number; other: all numbers unknown to the specification.", traps, "trap"),
	newFigure(prometheus.CounterValue, "datagrams_dropped_total", "Received datagrams without effect, by reason.", dropped, "reason"),
	newFigure(prometheus.CounterValue, "queries_total", "Queries of hosts and tools, by attribute and outcome: answered, refused, or busy (to be repeated).", queries, "attribute", "outcome"),
	newFigure(prometheus.GaugeValue, "registrations", "Registrations with subnet administration, by kind: services, subscriptions, multicast groups, members of groups.", registered, "kind"),
	newFigure(prometheus.GaugeValue, "mlids", "Multicast LIDs that the tables of all switches support.", mlids),
	newFigure(prometheus.GaugeValue, "mlids_used", "Multicast LIDs in use. Groups share them when they become scarce.", func(f *shown, add func(float64, ...string)) { add(float64(f.Clients.MLIDsUsed)) }),
	newFigure(prometheus.CounterValue, "over_share_total", "Requests refused because the port holds its share, by kind: services, subscriptions, groups, members of groups.", overShare, "kind"),
	newFigure(prometheus.CounterValue, "reports_total", "Reports to subscribers, by outcome: acknowledged, unanswered, or dropped because too many were waiting.", reports, "outcome"),
	newFigure(prometheus.GaugeValue, "standbys", "Standby managers with a copy of LIDs, services and subscriptions.", func(f *shown, add func(float64, ...string)) { add(float64(f.Clients.Standbys)) }),
	newFigure(prometheus.GaugeValue, "last_round_incidents", "Incidents of the last round, by code: obstacles and oddities.", incidents, "code"),
	newFigure(prometheus.GaugeValue, "round_pending", "1 if a change waits for its round, or a round is under way; else 0.", pending),
	newFigure(prometheus.GaugeValue, "last_good_round_timestamp_seconds", "End of the last round that brought the subnet up, in seconds since 1970; 0 before the first one.", lastGood),
	newFigure(prometheus.GaugeValue, "nodes", "Nodes in the subnet as routed, by type.", nodes, "type"),
	inForce("links", "Links in the subnet as routed.", func(f *InForce) float64 { return float64(f.Links) }),
	inForce("drained_parts", "Drained switches and cables, without traffic.", func(f *InForce) float64 { return float64(len(f.Drained)) }),
	newFigure(prometheus.GaugeValue, "parts_to_drain", "Switches and cables to drain, present or not.", func(f *shown, add func(float64, ...string)) { add(float64(len(f.Drains))) }),
	newFigure(prometheus.GaugeValue, "disabled_ports", "Disabled switch ports, by this manager or by others.", func(f *shown, add func(float64, ...string)) { add(float64(len(f.Disabled))) }),
	count("quarantines_total", "Links put in quarantine because they came back too often.", func(t *tally.Tally) int { return t.Quarantines }),
	newFigure(prometheus.GaugeValue, "quarantined_links", "Links in quarantine now.", func(f *shown, add func(float64, ...string)) { add(float64(len(f.Held))) }),
	newFigure(prometheus.GaugeValue, "quarantined_link_returns", "How often a link in quarantine came back before; 50 links at most.", held(func(_ *shown, l *watch.HeldLink) float64 { return float64(l.Returns) }), "link"),
	newFigure(prometheus.GaugeValue, "quarantined_link_release_timestamp_seconds", "When a link in quarantine is used again unless it changes before, in seconds since 1970; 0 while it is down; 50 links at most.", held(released), "link"),
	inForce("worst_link_load_paths", "Host-to-host paths on the channel with the most of them.", func(f *InForce) float64 { return float64(f.MaxLoad) }),
	newFigure(prometheus.GaugeValue, "fresh_bandwidth_ratio", "Share of a fresh routing's effective bisection bandwidth that the routes in force deliver, as last measured; absent before.", bandwidthShare),
	inForce("proven", "1 if the judge has proven the routes in force, else 0.", func(f *InForce) float64 { return truth(f.Proven) }),
	newFigure(prometheus.GaugeValue, "unreachable_pairs", "Pairs of hosts without a path by the tables that switches hold; absent if unknown.", unreachable),
	inForce("failed_rounds", "Rounds since the routes in force were written, if they all failed.", func(f *InForce) float64 { return float64(f.Failed) }),
	inForce("complete", "1 if the last round brought the subnet up and left nothing out, else 0.", func(f *InForce) float64 { return truth(f.State == terms.Up) }),
}

func bandwidthShare(f *shown, add func(float64, ...string)) {
	if f.Share != nil {
		add(f.Share.Of())
	}
}

func roles(f *shown, add func(float64, ...string)) {
	for _, r := range []terms.Role{terms.Looking, terms.Master, terms.StandBy, terms.NotActive, terms.Gone} {
		add(truth(f.Role == r), string(r))
	}
}

func engines(f *shown, add func(float64, ...string)) {
	active := ""
	if i := newInForce(f); i != nil {
		active = i.Engine
	}
	add(1, strings.Join(f.Engines, ","), active)
}

func rounds(f *shown, add func(float64, ...string)) {
	for state, n := range f.Tally.RoundsBy() {
		add(float64(n), strings.ToLower(string(state)))
	}
}

func traps(f *shown, add func(float64, ...string)) {
	for number, n := range f.Tally.TrapsBy() {
		name := "other"
		if number != 0 {
			name = strconv.FormatUint(number, 10)
		}
		add(float64(n), name)
	}
}

func dropped(f *shown, add func(float64, ...string)) {
	n := &f.Tally.Dropped
	add(float64(n.Unheeded), "unheeded")
	add(float64(n.Malformed), "malformed")
	add(float64(n.Stray), "stray")
	add(float64(n.Overflow), "overflow")
}

func queries(f *shown, add func(float64, ...string)) {
	list := slices.Clone(f.Queries)
	for _, name := range append(mad.ClassSA.AttributeNames(), "other") {
		if !slices.ContainsFunc(list, func(n terms.QueryCount) bool { return n.Attribute == name }) {
			list = append(list, terms.QueryCount{Attribute: name})
		}
	}
	for _, n := range list {
		add(float64(n.Answered), n.Attribute, "answered")
		add(float64(n.Refused), n.Attribute, "refused")
		add(float64(n.Busy), n.Attribute, "busy")
	}
}

func registered(f *shown, add func(float64, ...string)) {
	add(float64(f.Clients.Services), "services")
	add(float64(f.Clients.Subscriptions), "subscriptions")
	add(float64(f.Clients.Groups), "groups")
	add(float64(f.Clients.Members), "members")
}

func mlids(f *shown, add func(float64, ...string)) { add(float64(f.Clients.MLIDs)) }

func overShare(f *shown, add func(float64, ...string)) {
	n := &f.Clients.Refused
	add(float64(n.Services), "services")
	add(float64(n.Subscriptions), "subscriptions")
	add(float64(n.Groups), "groups")
	add(float64(n.Members), "members")
}

func reports(f *shown, add func(float64, ...string)) {
	add(float64(f.Clients.Reports.Acknowledged), "acknowledged")
	add(float64(f.Clients.Reports.Unanswered), "unanswered")
	add(float64(f.Clients.Reports.Dropped), "dropped")
}

func incidents(f *shown, add func(float64, ...string)) {
	by := map[terms.IncidentKind]int{}
	if f.Last != nil {
		for i := range f.Last.Report.Incidents {
			by[f.Last.Report.Incidents[i].Kind]++
		}
	}
	for _, code := range terms.OfRounds {
		add(float64(by[code]), string(code))
	}
}

func pending(f *shown, add func(float64, ...string)) {
	is := f.UnderWay != nil
	for _, d := range f.Due {
		is = is || strings.HasPrefix(d.What, "a round")
	}
	add(truth(is))
}

func unreachable(f *shown, add func(float64, ...string)) {
	if i := newInForce(f); i != nil && i.Unreachable != nil {
		add(float64(*i.Unreachable))
	}
}

// mostHeld is the maximum number of links in quarantine that have series of their own.
const mostHeld = 50

// held returns the values of links in quarantine.
func held(value func(f *shown, l *watch.HeldLink) float64) func(*shown, func(float64, ...string)) {
	return func(f *shown, add func(float64, ...string)) {
		for i := range f.Held[:min(len(f.Held), mostHeld)] {
			add(value(f, &f.Held[i]), text(strings.TrimPrefix(f.Held[i].Name, "the link ")))
		}
	}
}

// released returns when a link is released from quarantine.
func released(f *shown, l *watch.HeldLink) float64 {
	if l.Release == terms.Never {
		return 0
	}
	return float64(f.at(l.Release).Unix())
}

func lastGood(f *shown, add func(float64, ...string)) {
	if f.InForce == nil {
		add(0)
		return
	}
	add(float64(f.at(f.InForce.Ended).UnixMilli()) / 1000)
}

func nodes(f *shown, add func(float64, ...string)) {
	i := newInForce(f)
	if i == nil {
		i = &InForce{}
	}
	add(float64(i.Switches), "switch")
	add(float64(i.CAs), "ca")
	add(float64(i.Routers), "router")
}

// Describe implements prometheus.Collector.
func (figures) Describe(to chan<- *prometheus.Desc) {
	for i := range allFigures {
		to <- allFigures[i].Desc
	}
	for i := range counterFigures {
		to <- counterFigures[i].Desc
	}
	for i := range allTimes {
		to <- allTimes[i].Desc
	}
	for i := range serviceFigures {
		to <- serviceFigures[i].Desc
	}
}

// Collect implements prometheus.Collector. All values come from the same Snapshot.
func (c figures) Collect(to chan<- prometheus.Metric) {
	now := c.s.shown.Load()
	for _, list := range [][]figure{allFigures, counterFigures} {
		for i := range list {
			f := &list[i]
			f.values(now, func(value float64, labels ...string) {
				to <- prometheus.MustNewConstMetric(f.Desc, f.kind, value, labels...)
			})
		}
	}
	for i := range allTimes {
		to <- allTimes[i].metric(&now.Tally)
	}
	for i := range serviceFigures {
		f := &serviceFigures[i]
		f.values(c.s, func(value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(f.Desc, f.kind, value, labels...)
		})
	}
}
