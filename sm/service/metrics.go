package service

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"weft/sm/terms"
	"weft/sm/watch"
)

// Metrics serves metrics of the manager and its process for Prometheus: GET /metrics.
func (s *Service) Metrics() http.Handler {
	all := prometheus.NewRegistry()
	all.MustRegister(figures{s}, stateFigure{s}, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector())
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
func count(name, help string, value func(t *watch.Tally) int) figure {
	return newFigure(prometheus.CounterValue, name, help, func(f *shown, add func(float64, ...string)) { add(float64(value(&f.Tally))) })
}

// inForce returns a figure of the Plan in force, absent until a round has brought the subnet up.
func inForce(name, help string, value func(f *InForce) float64) figure {
	return newFigure(prometheus.GaugeValue, name, help, func(f *shown, add func(float64, ...string)) {
		if i := newInForce(f); i != nil {
			add(value(i))
		}
	})
}

// smps returns a figure of SMPs by method and attribute.
func smps(name, help string, value func(n terms.Count) int) figure {
	return newFigure(prometheus.CounterValue, name, help, func(f *shown, add func(float64, ...string)) {
		for _, n := range f.Tally.SMPs() {
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
	newFigure(prometheus.GaugeValue, "role_info", "Role of the manager: 1 for its present role, 0 for the others.", roles, "role"),
	newFigure(prometheus.GaugeValue, "contested", "1 if another manager writes to our ports again after a repair, else 0.", func(f *shown, add func(float64, ...string)) { add(truth(f.Contested != "")) }),
	newFigure(prometheus.GaugeValue, "engine_info", "Requested engines, and the engine whose routes are in force; always 1.", engines, "asked", "active"),
	count("light_sweeps_total", "Light sweeps: each asks every switch whether a port has changed.", func(t *watch.Tally) int { return t.LightSweeps }),
	count("heavy_sweeps_total", "Heavy sweeps: each asks all nodes and ports.", func(t *watch.Tally) int { return t.HeavySweeps }),
	newFigure(prometheus.CounterValue, "rounds_total", "Rounds, by outcome; a round discovers, routes, proves and programs the subnet.", rounds, "outcome"),
	count("repairs_total", "Rounds that repaired the routing in force instead of computing a new one.", func(t *watch.Tally) int { return t.Repairs }),
	count("repaired_entries_total", "Entries of forwarding tables that repairs have moved.", func(t *watch.Tally) int { return t.Moved }),
	count("written_blocks_total", "Blocks of forwarding tables that were written and acknowledged.", func(t *watch.Tally) int { return t.Blocks }),
	smps("smp_requests_total", "Completed SMP requests: answered, refused or given up.", func(n terms.Count) int { return n.Requests }),
	smps("smps_sent_total", "Sent SMPs, including retries.", func(n terms.Count) int { return n.Sent }),
	smps("smps_retried_total", "SMPs sent again for lack of an answer.", func(n terms.Count) int { return max(0, n.Sent-n.Requests) }),
	smps("smps_failed_total", "SMP requests refused or never answered.", func(n terms.Count) int { return n.Failed }),
	newFigure(prometheus.CounterValue, "traps_total", "Received traps, by number; other: all numbers unknown to the specification.", traps, "trap"),
	newFigure(prometheus.CounterValue, "datagrams_dropped_total", "Received datagrams without effect, by reason.", dropped, "reason"),
	newFigure(prometheus.CounterValue, "queries_total", "Queries of hosts and tools, by attribute and outcome: answered, refused, or busy (to be repeated).", queries, "attribute", "outcome"),
	newFigure(prometheus.GaugeValue, "registered", "Registrations with subnet administration, by kind: services, subscriptions, multicast groups, members of groups.", registered, "kind"),
	newFigure(prometheus.GaugeValue, "mlids", "Multicast LIDs that the tables of all switches support.", mlids),
	newFigure(prometheus.GaugeValue, "mlids_used", "Multicast LIDs in use. Groups share them when they become scarce.", func(f *shown, add func(float64, ...string)) { add(float64(f.Clients.MLIDsUsed)) }),
	newFigure(prometheus.CounterValue, "over_share_total", "Requests refused because the port holds its share, by kind: services, subscriptions, groups, members of groups.", overShare, "kind"),
	newFigure(prometheus.CounterValue, "reports_total", "Reports to subscribers, by outcome: acknowledged, unanswered, or dropped because too many were waiting.", reports, "outcome"),
	newFigure(prometheus.GaugeValue, "standbys", "Standby managers with a copy of LIDs, services and subscriptions.", func(f *shown, add func(float64, ...string)) { add(float64(f.Clients.Standbys)) }),
	newFigure(prometheus.GaugeValue, "incidents", "Incidents of the last round: obstacles and oddities.", incidents),
	newFigure(prometheus.GaugeValue, "pending_changes", "1 if a change waits for its round, or a round is under way; else 0.", pending),
	newFigure(prometheus.GaugeValue, "last_good_round_timestamp_seconds", "End of the last round that brought the subnet up, in seconds since 1970.", lastGood),
	newFigure(prometheus.GaugeValue, "nodes", "Nodes in the subnet as routed, by type.", nodes, "type"),
	inForce("links", "Links in the subnet as routed.", func(f *InForce) float64 { return float64(f.Links) }),
	inForce("drained", "Drained switches and cables, without traffic.", func(f *InForce) float64 { return float64(len(f.Drained)) }),
	newFigure(prometheus.GaugeValue, "drains", "Switches and cables to drain, present or not.", func(f *shown, add func(float64, ...string)) { add(float64(len(f.Drains))) }),
	newFigure(prometheus.GaugeValue, "disabled_ports", "Disabled switch ports, by this manager or by others.", func(f *shown, add func(float64, ...string)) { add(float64(len(f.Disabled))) }),
	inForce("worst_link_load_paths", "Host-to-host paths on the channel with the most of them.", func(f *InForce) float64 { return float64(f.MaxLoad) }),
	inForce("proven", "1 if the judge has proven the routes in force, else 0.", func(f *InForce) float64 { return truth(f.Proven) }),
	newFigure(prometheus.GaugeValue, "unreachable_pairs", "Pairs of hosts without a path by the tables that switches hold; absent if unknown.", unreachable),
	inForce("failed_rounds", "Rounds since the routes in force were written, if they all failed.", func(f *InForce) float64 { return float64(f.Failed) }),
	inForce("complete", "1 if the last round brought the subnet up and left nothing out, else 0.", func(f *InForce) float64 { return truth(f.State == terms.Up) }),
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
	for _, n := range f.Queries {
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
	if f.Last != nil {
		add(float64(len(f.Last.Report.Incidents)))
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

func lastGood(f *shown, add func(float64, ...string)) {
	if f.InForce != nil {
		add(float64(f.at(f.InForce.Ended).UnixMilli()) / 1000)
	}
}

func nodes(f *shown, add func(float64, ...string)) {
	if i := newInForce(f); i != nil {
		add(float64(i.Switches), "switch")
		add(float64(i.CAs), "ca")
		add(float64(i.Routers), "router")
	}
}

// Describe implements prometheus.Collector.
func (figures) Describe(to chan<- *prometheus.Desc) {
	for i := range allFigures {
		to <- allFigures[i].Desc
	}
	for i := range counterFigures {
		to <- counterFigures[i].Desc
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
}

// stateFigure collects whether the state file is written.
type stateFigure struct{ s *Service }

var stored = prometheus.NewDesc("weft_sm_state_stored", "1 if everything is in the state file, 0 if it cannot be written; absent without a state file.", nil, nil)

// Describe implements prometheus.Collector.
func (stateFigure) Describe(to chan<- *prometheus.Desc) { to <- stored }

// Collect implements prometheus.Collector.
func (c stateFigure) Collect(to chan<- prometheus.Metric) {
	if c.s.opt.State == nil {
		return
	}
	if f := c.s.opt.State(); f != nil {
		to <- prometheus.MustNewConstMetric(stored, prometheus.GaugeValue, truth(f.Stored))
	}
}
