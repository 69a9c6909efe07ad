package service

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"weft/fabric"
	"weft/internal/fold"
	"weft/route/levels"
	"weft/sm/congestion"
	"weft/sm/sa"
	"weft/sm/terms"
	"weft/sm/watch"
)

// Status is the JSON document of a manager's state.
type Status struct {
	Version  string     `json:"version"`
	Run      string     `json:"run"`     // changes when the manager is started again: lines of the log are numbered in it
	Seconds  float64    `json:"seconds"` // since the manager started
	Role     terms.Role `json:"role"`
	Other    string     `json:"other_manager,omitempty"` // the manager that is master, or may be
	Contest  string     `json:"contested,omitempty"`     // who writes to our ports besides us, in words; absent if nobody does
	GUID     string     `json:"port_guid,omitempty"`     // of the manager's port
	PortName string     `json:"port_name,omitempty"`     // its node and number
	Priority uint8      `json:"priority"`
	Asked    []string   `json:"engines_asked"`
	InForce  *InForce   `json:"in_force,omitempty"` // the routing that the devices hold
	UnderWay *Round     `json:"round_under_way,omitempty"`
	Last     *Round     `json:"last_round,omitempty"` // the last complete round
	// Planning says that a better Plan than the one in force is being planned; absent if none is.
	Planning *Planning          `json:"better_plan_under_way,omitempty"`
	Due      []Due              `json:"due"`                     // planned actions
	Drains   []string           `json:"drains"`                  // switches and cables to drain, present or not
	ToDrain  []string           `json:"drain_names"`             // the same, by the names of people
	Held     []string           `json:"quarantine"`              // links in quarantine, by name
	Reasons  []HeldLink         `json:"quarantined_links"`       // the same links, with the reason
	Disabled []string           `json:"disabled_ports"`          // disabled switch ports
	Forcing  *Forcing           `json:"forced_speeds,omitempty"` // absent if no link waits for a speed, is tried or got back what it had
	Jobs     JobCounts          `json:"jobs"`
	Differs  []string           `json:"differs"` // differences between our files and options and those of the (former) master, in words
	Sweeps   Sweeps             `json:"sweeps"`
	SMPs     []terms.Count      `json:"smps"`    // since the start
	Queries  []terms.QueryCount `json:"queries"` // of hosts and tools to subnet administration, since the start
	Clients  terms.Registered   `json:"clients"` // their registrations with subnet administration
	// Congestion says how many switches and adapters have congestion control configured; absent if
	// weft does not configure it.
	Congestion *congestion.Report `json:"congestion_control,omitempty"`
	State      *StateFile         `json:"state_file,omitempty"` // absent without one
	History    *HistoryFile       `json:"history_file,omitempty"`
	// Certificate is when the certificate of the API expires, UTC; absent without TLS.
	Certificate string               `json:"api_certificate_until,omitempty"`
	Incidents   []terms.IncidentJSON `json:"incidents"` // obstacles and oddities of the last round
}

// StateFile is the file of --state.
type StateFile struct {
	File    string   `json:"file"`
	Stored  bool     `json:"stored"`            // everything is stored
	Problem string   `json:"problem,omitempty"` // why not; it is tried again every second
	CopyOf  string   `json:"copy_of,omitempty"` // the manager started on a backup made at this time, UTC
	Drains  []string `json:"drains_at_start"`   // switches and cables that the file drained at the start
}

// InForce is the Plan that the devices hold. If rounds after it failed, the state, the proof and
// the counts are about its tables on the subnet as the last round found it.
type InForce struct {
	Since        string           `json:"since"` // end of the round that brought it up, UTC
	Round        int              `json:"round"`
	State        terms.State      `json:"state"`         // of the subnet now: how the last round ended
	Failed       int              `json:"failed_rounds"` // since then, without a new Plan in force
	Engine       string           `json:"engine"`
	Proven       bool             `json:"proven"`
	DeadlockFree string           `json:"deadlock_free"`     // the judge's words
	Unreachable  *int64           `json:"unreachable_pairs"` // pairs of hosts without a path; null: unknown
	MaxLoad      int64            `json:"max_load"`          // paths of pairs of hosts on the channel with the most
	VLs          int              `json:"vls"`
	Levels       []levels.Summary `json:"levels"` // levels of service; none if all traffic is alike
	SMLID        fabric.LID       `json:"sm_lid"`
	Switches     int              `json:"switches"`
	Servers      int              `json:"servers"` // machines; a server may have several CAs
	CAs          int              `json:"cas"`
	Routers      int              `json:"routers"`
	Links        int              `json:"links"`
	Drained      []string         `json:"drained"` // drained parts without traffic
	// Bandwidth compares the Plan with a fresh routing; absent before the first measurement.
	Bandwidth *Bandwidth `json:"bandwidth,omitempty"`
}

// Bandwidth is the effective bisection bandwidth of the Plan in force beside that of a fresh
// routing by the same engine, on the same random bisections.
type Bandwidth struct {
	Runs   int     `json:"runs"`      // random bisections
	Ours   float64 `json:"ebb"`       // of the Plan in force: 1 is the full rate of every host
	Fresh  float64 `json:"fresh_ebb"` // of a fresh routing
	Share  float64 `json:"share"`     // of the fresh routing's, 1 at most
	Former bool    `json:"former"`    // measured before the last change of the Plan
}

// Round is a bring-up.
type Round struct {
	Number  int         `json:"number"` // from 1 on
	Why     string      `json:"why"`
	Begun   string      `json:"begun"`            // UTC
	Seconds float64     `json:"seconds"`          // its time so far
	Phase   string      `json:"phase,omitempty"`  // of one under way
	State   terms.State `json:"state,omitempty"`  // how it ended
	Engine  string      `json:"engine,omitempty"` // the engine that ran
	Kept    string      `json:"kept,omitempty"`   // the fate of the Plan in force, in words
	Refused []string    `json:"refused"`          // engines before it, with their reasons
	Blocks  int         `json:"blocks"`           // forwarding-table blocks written and acknowledged
}

// Planning is the planning of a better Plan than the one in force.
type Planning struct {
	Begun   string  `json:"begun"`   // UTC
	Seconds float64 `json:"seconds"` // its time so far, with the time in which it rests
}

// Due is a planned action of a manager.
type Due struct {
	What    string  `json:"what"`
	Seconds float64 `json:"seconds"` // time from now; 0: as soon as possible
	// Window is the change window that it waits for, in words; absent if it waits for none.
	Window string `json:"waits_for,omitempty"`
}

// Forcing counts the links whose speeds or widths are forced, by their state.
type Forcing struct {
	Waiting int          `json:"waiting"`  // links that wait for a trial
	Bound   int          `json:"only_way"` // links that stay as they are: they are the only way to a switch
	Trying  []string     `json:"trying"`   // links in a trial
	Failed  []FailedLink `json:"taken_back"`
	Stopped bool         `json:"stopped"` // no more links are tried until a reload
}

// FailedLink is a link that got back its former speeds.
type FailedLink struct {
	Link string `json:"link"`
	Why  string `json:"why"`
}

// newForcing describes the links; nil if nothing is to be said.
func newForcing(routed *watch.Routed) *Forcing {
	if routed == nil || routed.Forcing == nil {
		return nil
	}
	r := routed.Forcing
	out := &Forcing{Waiting: r.Waiting, Bound: r.Bound, Trying: append([]string{}, r.Trying...), Failed: []FailedLink{}, Stopped: r.Stopped}
	for _, f := range r.Failed {
		out.Failed = append(out.Failed, FailedLink{f.Name, f.Why})
	}
	return out
}

// add adds lines for the links.
func (f *Forcing) add(lines *rows) {
	if f == nil {
		return
	}
	stopped := ""
	if f.Stopped {
		stopped = "; no more are tried until a reload"
	}
	lines.add("forced speeds", "%d links wait, %d are the only way to a switch, %d are tried, %d got back what they had%s", f.Waiting, f.Bound, len(f.Trying), len(f.Failed), stopped)
	for _, name := range f.Trying {
		lines.add("", "tried: %s", name)
	}
	for _, l := range f.Failed {
		lines.add("", "taken back: %s: %s", l.Link, l.Why)
	}
}

// JobCounts counts jobs, and what moved for them.
type JobCounts struct {
	Running int `json:"running"`
	Waiting int `json:"waiting"` // of them, those whose turn is still to come
	Turns   int `json:"turns"`   // for jobs that started, since the start of the manager
	Last    int `json:"last"`    // entries of forwarding tables that moved in the last turn
	Moved   int `json:"moved"`   // entries that moved in all turns
	// Copies counts the copies of the lanes for jobs. The lanes of the paths are one; 1: no others.
	Copies  int    `json:"copies"`
	NoLanes string `json:"no_lanes,omitempty"` // why there are no others, if job-lanes asks for them
}

// newJobCounts counts the jobs.
func newJobCounts(routed *watch.Routed, in *watch.Round) (n JobCounts) {
	if n.Copies = 1; routed == nil {
		return n
	}
	r := &routed.Jobs
	n.Copies, n.NoLanes = len(routed.Plan.JobLanes)+1, in.Report.Routing.NoJobLanes
	for i := range r.Jobs {
		if r.Jobs[i].Turn == nil {
			n.Waiting++
		}
	}
	n.Running, n.Turns, n.Last, n.Moved = len(r.Jobs), r.Count.Turns, r.Count.Last, r.Count.Moved
	return n
}

// Sweeps counts sweeps and traps.
type Sweeps struct {
	Light int `json:"light"` // sweeps with one SMP per switch
	Heavy int `json:"heavy"` // sweeps of all nodes and ports
	Traps int `json:"traps"` // traps received
}

// Status returns the manager's current state.
func (s *Service) Status() *Status {
	now, shown := s.opt.Clock(), s.shown.Load()
	tally := &shown.Tally
	out := &Status{
		Version: s.opt.Version, Run: s.run, Seconds: now.Sub(s.begun).Seconds(), Role: shown.Role, Other: shown.Other, Contest: shown.Contested, Priority: shown.Priority,
		Asked: append([]string{}, shown.Engines...), Due: []Due{}, Drains: append([]string{}, shown.Drains...), ToDrain: append([]string{}, shown.ToDrain...), Held: []string{}, Reasons: []HeldLink{},
		Disabled: append([]string{}, shown.Disabled...), Forcing: newForcing(shown.Routed), Jobs: newJobCounts(shown.Routed, shown.InForce),
		Differs: append([]string{}, shown.Differs...), SMPs: append([]terms.Count{}, tally.SMPs()...),
		Sweeps: Sweeps{tally.LightSweeps, tally.HeavySweeps, 0}, Incidents: []terms.IncidentJSON{}, Queries: append([]terms.QueryCount{}, shown.Queries...),
		Clients: shown.Clients, Congestion: shown.Congestion,
	}
	if s.opt.State != nil {
		out.State = s.opt.State()
	}
	out.History = s.historyFile()
	if at := s.certificate(); !at.IsZero() {
		out.Certificate = utc(at)
	}
	if shown.Port != 0 {
		out.GUID = shown.Port.String()
		if shown.PortName.GUID != 0 {
			out.PortName = shown.PortName.String()
		}
	}
	for i := range shown.Held {
		out.Held = append(out.Held, shown.Held[i].Name)
		out.Reasons = append(out.Reasons, newHeldLink(shown, &shown.Held[i]))
	}
	for _, n := range tally.Traps {
		out.Sweeps.Traps += n
	}
	for _, d := range shown.Due {
		out.Due = append(out.Due, Due{d.What, max(0, shown.at(d.At).Sub(now).Seconds()), d.Window})
	}
	out.InForce = newInForce(shown)
	if r := shown.UnderWay; r != nil {
		out.UnderWay = newRound(shown, r)
		out.UnderWay.Seconds = now.Sub(shown.at(r.Begun)).Seconds()
	}
	if shown.Routed != nil && shown.Routed.Planning != nil {
		p := shown.Routed.Planning
		out.Planning = &Planning{utc(shown.at(p.Since)), now.Sub(shown.at(p.Since)).Seconds()}
	}
	if r := shown.Last; r != nil {
		out.Last = newRound(shown, r)
		for i := range r.Report.Incidents {
			out.Incidents = append(out.Incidents, r.Report.Incidents[i].JSON())
		}
	}
	return out
}

// utc formats a time.
func utc(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// newInForce describes the Plan in force; nil until a round has brought the subnet up.
func newInForce(s *shown) *InForce {
	if s.InForce == nil {
		return nil
	}
	r := s.InForce.Report
	out := &InForce{
		Since: utc(s.at(s.InForce.Ended)), Round: s.InForce.Number, State: r.State, Engine: r.Routing.Engine, VLs: r.Routing.VLs, SMLID: r.LIDs.SM,
		Switches: r.Found.Switches, CAs: r.Found.CAs, Routers: r.Found.Routers, Links: r.Found.Links, Drained: append([]string{}, r.Drained...),
	}
	if out.Levels = []levels.Summary{}; s.Routed != nil {
		if s.Routed.Servers != nil {
			out.Servers = s.Routed.Servers()
		}
		out.Levels = append(out.Levels, levels.Summarise(s.Routed.Graph, s.Routed.Plan)...)
	}
	if b := s.Share; b != nil {
		out.Bandwidth = &Bandwidth{b.Runs, b.Ours, b.Fresh, b.Of(), s.FormerShare}
	}
	check := r.Routing.Check
	if r.Find(terms.KeptClosed) != nil || r.Find(terms.HalfWritten) != nil { // what was proven is not what they hold
		check = nil
	}
	if n := failedSince(s); n > 0 {
		last := s.Last.Report
		out.State, out.Failed, check = last.State, n, last.Routing.Held
		if f := last.Found; f.Switches > 0 {
			out.Switches, out.CAs, out.Routers, out.Links = f.Switches, f.CAs, f.Routers, f.Links
		}
	}
	if out.DeadlockFree = unknown; check != nil {
		lost := check.HostPairs.Unreachable + check.HostPairs.Disconnected
		out.Proven, out.DeadlockFree, out.MaxLoad, out.Unreachable = check.OK, check.DeadlockFree.String(), check.Load.Max, &lost
	}
	return out
}

// unknown stands for a verdict that the judge cannot give.
const unknown = "unknown"

// failedSince returns the number of rounds since the Plan came into force, if the last one put
// no other in its place. A round that was stopped tells nothing.
func failedSince(s *shown) int {
	if s.Last == nil || s.Last.Number <= s.InForce.Number || s.Last.Report.State == terms.Interrupted {
		return 0
	}
	return s.Last.Number - s.InForce.Number
}

// newRound describes a round.
func newRound(s *shown, r *watch.Round) *Round {
	out := &Round{Number: r.Number, Why: r.Why, Begun: utc(s.at(r.Begun)), Phase: r.Phase, Refused: []string{}, Seconds: (r.Ended - r.Begun).Seconds()}
	if p := r.Report; p != nil {
		out.State, out.Engine, out.Kept, out.Blocks = p.State, p.Routing.Engine, p.Routing.Kept, p.Written.Blocks
		out.Refused = append(out.Refused, p.Routing.Refused...)
	}
	return out
}

// rows are the lines of a status as text: name and value.
type rows [][]string

// add adds a line.
func (r *rows) add(name, format string, args ...any) {
	*r = append(*r, []string{name, fmt.Sprintf(format, args...)})
}

// Write prints the status as text.
func (s *Status) Write(w io.Writer) error {
	var lines rows
	s.addManager(&lines)
	s.addSubnet(&lines)
	s.addRounds(&lines)
	s.addCounts(&lines)
	var b strings.Builder
	b.WriteString(fold.Rows(lines))
	for _, i := range s.Incidents {
		fmt.Fprintf(&b, "%s: %s\n", i.Kind, i.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// addState adds a line if something is unusual about the state file.
func (s *Status) addState(lines *rows) {
	f := s.State
	if f == nil {
		return
	}
	if !f.Stored {
		lines.add("not stored", "%s (%s)", f.File, f.Problem)
	}
	if f.CopyOf != "" {
		lines.add("state", "started on a copy made at %s", f.CopyOf)
	}
	for _, name := range f.Drains {
		lines.add("from the state", "%s was drained at the start", name)
	}
}

// addManager adds the manager itself.
func (s *Status) addManager(lines *rows) {
	lines.add("role", "%s; the manager has run for %s", s.Role, seconds(s.Seconds))
	if s.Other != "" {
		lines.add("other manager", "%s, the master or a candidate", s.Other)
	}
	if s.Contest != "" {
		lines.add("contested", "%s", s.Contest)
	}
	if s.GUID != "" {
		port := s.GUID
		if s.PortName != "" {
			port += " at " + s.PortName
		}
		lines.add("port", "%s, priority %d", port, s.Priority)
	}
	lines.add("engine asked", "%s", strings.Join(s.Asked, ","))
	if s.Certificate != "" {
		lines.add("API certificate", "valid until %s", s.Certificate)
	}
}

// addSubnet adds the Plan in force and the drained parts.
func (s *Status) addSubnet(lines *rows) {
	if f := s.InForce; f != nil {
		lines.add("in force", "engine %s since %s: %s", f.Engine, f.Since, f.State)
		if p := s.Planning; p != nil {
			lines.add("better Plan", "being planned for %s", seconds(p.Seconds))
		}
		if f.Failed > 0 {
			lines.add("rounds failed", "%d since then: switches hold the old tables", f.Failed)
		}
		if f.Unreachable != nil && *f.Unreachable > 0 {
			lines.add("unreachable", "%d pairs of hosts", *f.Unreachable)
		}
		lines.add("proven", "%s", f.proof())
		servers := ""
		if f.Servers > 0 && f.Servers != f.CAs {
			servers = fmt.Sprintf(" (%s)", fold.Count(f.Servers, "server", "servers"))
		}
		lines.add("subnet", "%d switches, %d CAs%s, %d routers, %d links; the subnet manager has LID %d", f.Switches, f.CAs, servers, f.Routers, f.Links, f.SMLID)
		lines.add("worst link", "%s between hosts; %s", fold.Count(f.MaxLoad, "path", "paths"), fold.Count(f.VLs, "lane", "lanes"))
		if b := f.Bandwidth; b != nil {
			former := ""
			if b.Former {
				former = ", measured before the last change"
			}
			lines.add("bandwidth", "%.1f %% of a fresh routing's (ebb %.3f of %.3f)%s", 100*b.Share, b.Ours, b.Fresh, former)
		}
		for i := range f.Levels {
			lines.add("level "+f.Levels[i].Name, "%s", &f.Levels[i])
		}
		for _, name := range f.Drained {
			lines.add("drained", "%s", name)
		}
	} else {
		lines.add("in force", "nothing yet from this manager")
	}
	names := s.Drains
	if len(s.ToDrain) == len(s.Drains) {
		names = s.ToDrain
	}
	for _, name := range names {
		lines.add("to drain", "%s", name)
	}
	s.addState(lines)
	if h := s.History; h != nil && h.Problem != "" {
		lines.add("no history", "%s", h.Problem)
	} else if h != nil && h.From != "" {
		lines.add("history", "of counters, from %s to %s (weft sm links --at)", h.From, h.To)
	}
	for i := range s.Reasons {
		lines.add("in quarantine", "%s", &s.Reasons[i])
	}
	for _, name := range s.Disabled {
		lines.add("disabled", "%s", name)
	}
	s.Forcing.add(lines)
	if j := s.Jobs; j.Running > 0 {
		text := fmt.Sprintf("%d run, %d wait for their turn", j.Running, j.Waiting)
		if j.Turns > 0 {
			text += fmt.Sprintf("; the last of %s moved %s", fold.Count(j.Turns, "turn", "turns"), fold.Count(j.Last, "entry", "entries"))
		}
		if j.Copies > 1 {
			text += fmt.Sprintf("; %d copies of the lanes", j.Copies)
		}
		lines.add("jobs", "%s", text)
	}
	if s.Jobs.NoLanes != "" {
		lines.add("jobs", "share the lanes of the paths: %s", s.Jobs.NoLanes)
	}
	for _, text := range s.Differs {
		lines.add("differs", "%s", text)
	}
}

// addRounds adds the round under way, the last round, and planned actions.
func (s *Status) addRounds(lines *rows) {
	if r := s.UnderWay; r != nil {
		lines.add("round under way", "%d, %s, for %s: %s", r.Number, r.Phase, seconds(r.Seconds), r.Why)
	}
	if r := s.Last; r != nil {
		lines.add("last round", "%d, %s in %s: %s", r.Number, r.State, seconds(r.Seconds), r.Why)
		for _, e := range r.Refused {
			lines.add("", "refused: %s", e)
		}
		if r.Kept != "" {
			lines.add("", "old Plan %s", r.Kept)
		}
	}
	for i, d := range s.Due {
		name := ""
		if i == 0 {
			name = "next"
		}
		waits := ""
		if d.Window != "" {
			waits = ", which waits for " + d.Window
		}
		lines.add(name, "in %s %s%s", seconds(d.Seconds), d.What, waits)
	}
}

// addCounts adds the counts since the start.
func (s *Status) addCounts(lines *rows) {
	lines.add("sweeps", "%d light, %d heavy; %d traps", s.Sweeps.Light, s.Sweeps.Heavy, s.Sweeps.Traps)
	sent, failed := 0, 0
	for _, n := range s.SMPs {
		sent, failed = sent+n.Sent, failed+n.Failed
	}
	lines.add("SMPs", "%d sent, %d requests failed", sent, failed)
	lines.add("queries", "%s", s.queries())
	lines.add("clients", "%s", s.clients())
	if c := s.Congestion; c != nil {
		lines.add("congestion control", "%d switches and %d adapter ports configured; %d devices without it, %d silent, %d with other settings, %d waiting", c.Switches, c.Adapters, c.Without, c.Silent, c.NotTaken, c.Waiting)
	}
	if s.Role == terms.Master {
		lines.add("groups", "%s", s.groups())
	}
	lines.add("incidents", "%d", len(s.Incidents))
}

// queries summarises queries by answer, with the most frequent attributes.
func (s *Status) queries() string {
	var all terms.QueryCount
	by := slices.Clone(s.Queries)
	slices.SortStableFunc(by, func(a, b terms.QueryCount) int { return cmp.Compare(b.Answered, a.Answered) })
	var most []string
	for _, n := range by {
		all.Answered, all.Refused, all.Busy = all.Answered+n.Answered, all.Refused+n.Refused, all.Busy+n.Busy
		if n.Answered > 0 && len(most) < 3 {
			most = append(most, fmt.Sprintf("%d %s", n.Answered, n.Attribute))
		}
	}
	text := fmt.Sprintf("%d answered", all.Answered)
	if len(most) > 0 {
		text += " (most: " + strings.Join(most, ", ") + ")"
	}
	return text + fmt.Sprintf(", %d refused, %d busy", all.Refused, all.Busy)
}

// clients summarises registrations and their copies.
func (s *Status) clients() string {
	c := &s.Clients
	if s.Role == terms.StandBy {
		if c.InStep {
			return "copy of the master's state complete"
		}
		if c.Rejected > 0 {
			return "no copy of the master's state: other managers have another mkey-secret or sm-key"
		}
		return "no copy of the master's state"
	}
	return fmt.Sprintf("%d services, %d subscriptions; reports: %d acknowledged, %d unanswered, %d dropped; %s with a copy", c.Services, c.Subscriptions,
		c.Reports.Acknowledged, c.Reports.Unanswered, c.Reports.Dropped, fold.Count(c.Standbys, "standby", "standbys"))
}

// groups summarises multicast groups, their limit, and what ports were refused.
func (s *Status) groups() string {
	c := &s.Clients
	text := fmt.Sprintf("%d, with %d members; %d of %d multicast LIDs in use", c.Groups, c.Members, c.MLIDsUsed, c.MLIDs)
	if n := c.Refused; n != (sa.RefusedCounts{}) {
		text += fmt.Sprintf("; refused over a port's share: %d groups, %d members, %d services, %d subscriptions", n.Groups, n.Members, n.Services, n.Subscriptions)
	}
	return text
}

// proof summarises the judge's verdict.
func (f *InForce) proof() string {
	if f.Proven {
		return "yes, deadlock-free: " + f.DeadlockFree
	}
	switch {
	case f.Unreachable != nil:
	case f.Failed > 0:
		return "unknown: the old tables were not judged on the subnet as it is now"
	default:
		return "unknown: some switches do not hold the tables that were proven"
	}
	return "no"
}

// seconds formats a duration.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}
