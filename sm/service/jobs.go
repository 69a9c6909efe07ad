package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"weft/fabric"
	"weft/fabric/jobs"
	"weft/internal/endpoints"
	"weft/internal/hostlist"
	"weft/judge/jobload"
	"weft/route"
	"weft/route/joblanes"
	"weft/sm/terms"
	"weft/sm/watch"
	"weft/sm/watch/starting"
)

// Jobs lists the jobs that run, and counts them since the start of the manager.
type Jobs struct {
	Jobs    []Job `json:"jobs"`      // that run, the oldest first
	Started int   `json:"started"`   // jobs
	Ended   int   `json:"ended"`     // jobs
	Turns   int   `json:"turns"`     // for jobs that started; all that start within job-interval have one turn
	Moved   int   `json:"moved"`     // entries of forwarding tables, in all turns
	Last    int   `json:"last"`      // entries that moved in the last turn
	Turning bool  `json:"under_way"` // a turn is being planned, or waits for its round
	// Copies counts the copies of the lanes that jobs are spread over. The lanes of the paths are
	// one; 1: there are no others. NoLanes says why, if job-lanes asks for more.
	Copies  int    `json:"copies"`
	NoLanes string `json:"no_lanes,omitempty"`
}

// Job is a job that runs.
type Job struct {
	ID      string   `json:"id"`
	User    string   `json:"user,omitempty"`
	Nodes   string   `json:"nodes"`             // a list of Slurm: those that were found at the start
	Count   int      `json:"count"`             // number of these nodes
	Unknown []string `json:"unknown,omitempty"` // nodes that were not found at the start, 20 at most
	Began   string   `json:"began"`             // UTC; "" of a partition
	Turn    *JobTurn `json:"turn,omitempty"`    // absent: still to come
	Copy    int      `json:"copy"`              // of the lanes, for packets between its nodes; 0: the lanes of the paths
	SLs     []uint8  `json:"sls,omitempty"`     // of these packets; absent: as without jobs
	// Partition says that the job is a partition (option job-partitions).
	Partition bool `json:"partition,omitempty"`
}

// JobTurn says what moved for jobs that started.
type JobTurn struct {
	Jobs  int    `json:"jobs"`          // jobs that had this turn together
	Moved int    `json:"moved"`         // entries of forwarding tables, for all of them
	Why   string `json:"why,omitempty"` // why no more moved
}

// JobBody describes a job that starts.
type JobBody struct {
	User  string `json:"user,omitempty"`
	Nodes string `json:"nodes"` // a list of Slurm, node[001-064]; a node is known by its host name or a node GUID
}

// NumberedJob is a job with its ID.
type NumberedJob struct {
	ID string `json:"id"`
	JobBody
}

// JobSet lists all jobs that run.
type JobSet struct {
	Jobs []NumberedJob `json:"jobs"`
	// Age says how many seconds the list may be old, 60 at most: jobs that have started or ended
	// within them stay as they are. 0: the list is right.
	Age int `json:"age,omitempty"`
	// Among is the beginning of all IDs of the list, such as the name of a cluster with a colon:
	// jobs with other IDs stay as they are. "": the list replaces all jobs.
	Among string `json:"among,omitempty"`
}

// JobsWritten says what a start, an end or a list of jobs has changed.
type JobsWritten struct {
	Changed int      `json:"changed"`           // jobs that started or ended by it; 0: all was so already
	Running int      `json:"running"`           // jobs, from now on
	Newer   int      `json:"newer,omitempty"`   // jobs that differ from the list and stay: they have started or ended within its age
	Unknown []string `json:"unknown,omitempty"` // nodes that are not in the subnet, 20 at most
	Warning string   `json:"warning,omitempty"` // what the write has not achieved
}

// SharedChannels says which jobs share channels between switches, by the routing in force.
type SharedChannels struct {
	jobload.Report
	Jobs []JobShares `json:"jobs"`
}

// JobShares holds the channels of a job.
type JobShares struct {
	ID string `json:"id"`
	jobload.Job
	With    []string          `json:"with"`              // jobs that it shares channels with
	Fullest []fabric.PortName `json:"fullest,omitempty"` // from and to: the first channel with largest_pairs
	Pair    []fabric.PortName `json:"pair,omitempty"`    // two of its host ports: the first sends to the second over it
}

const (
	mostJobText = 64 // bytes of an ID or a user
	mostUnknown = 20 // nodes that are named
)

var jobParameter = endpoints.Parameter{Name: "id", Kind: endpoints.Name, About: "the ID of the job in the batch system", Needed: true}

// jobEndpoints lists the endpoints of jobs.
func (s *Service) jobEndpoints() []endpoints.Endpoint {
	write := func(method, path, about string, body reflect.Type, serve handle) endpoints.Endpoint {
		e := endpoints.Endpoint{
			Method: method, Path: path, About: about, Body: body, Answer: reflect.TypeFor[JobsWritten](), Media: endpoints.JSON, Status: http.StatusOK,
			Refusals: []int{http.StatusConflict, http.StatusServiceUnavailable}, Needs: endpoints.MayCompute, Serve: s.on(serve),
		}
		if strings.Contains(path, "{") {
			e.Parameters = []endpoints.Parameter{jobParameter}
		}
		if body != nil {
			e.MostBody, e.Refusals = mostSet, append(e.Refusals, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType)
		}
		return e
	}
	return []endpoints.Endpoint{
		{
			Method: http.MethodGet, Path: "/v1/jobs", About: "The jobs that run, and what moved for each at its start.",
			Answer: reflect.TypeFor[Jobs](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusConflict}, Serve: s.on(listJobs),
		},
		{
			Method: http.MethodGet, Path: "/v1/jobs/shares", About: "Which jobs share channels with which, by the routing in force.",
			Answer: reflect.TypeFor[SharedChannels](), Media: endpoints.JSON, Status: http.StatusOK, Refusals: []int{http.StatusConflict, http.StatusServiceUnavailable},
			Needs: endpoints.MayCompute, Serve: s.on(jobShares),
		},
		write(http.MethodPut, "/v1/jobs/{id}", "A job starts on some nodes. Repeated, nothing changes; with other nodes, the job has those.", reflect.TypeFor[JobBody](), startJob),
		write(http.MethodDelete, "/v1/jobs/{id}", "A job has ended. Nothing changes if it does not run.", nil, endJob),
		write(http.MethodPut, "/v1/jobs", "These are all jobs that run: others have ended, new ones start.", reflect.TypeFor[JobSet](), setJobs),
	}
}

// listJobs lists the jobs that run.
func listJobs(s *Service, w http.ResponseWriter, _ *http.Request) {
	now := s.inForce(w)
	if now == nil {
		return
	}
	r := &now.Routed.Jobs
	out := Jobs{
		Jobs: make([]Job, 0, len(r.Jobs)), Started: r.Count.Started, Ended: r.Count.Ended, Turns: r.Count.Turns, Moved: r.Count.Moved, Last: r.Count.Last, Turning: r.Planning,
		Copies: len(now.Routed.Plan.JobLanes) + 1, NoLanes: now.InForce.Report.Routing.NoJobLanes,
	}
	for i := range r.Jobs {
		j := &r.Jobs[i]
		to := Job{ID: j.ID, User: j.User, Nodes: j.Nodes, Count: j.Count, Unknown: j.Unknown, Copy: j.Copy, SLs: slsOf(now.Routed.Plan, j.Copy), Partition: j.OfPartition}
		if j.Began != 0 {
			to.Began = utc(time.Unix(j.Began, 0))
		}
		if j.Turn != nil {
			to.Turn = &JobTurn{j.Turn.Jobs, j.Turn.Moved, j.Turn.Why}
		}
		out.Jobs = append(out.Jobs, to)
	}
	endpoints.Answer(w, http.StatusOK, &out)
}

// jobShares counts the channels of jobs.
func jobShares(s *Service, w http.ResponseWriter, r *http.Request) {
	now := s.inForce(w)
	if now == nil {
		return
	}
	s.opt.Questions.Serve(w, r, "ask weft check --jobs", func() (func(context.Context) (any, error), error) {
		return func(ctx context.Context) (any, error) {
			list, find := now.Routed.Jobs.Jobs, s.finder(now.Routed.Graph)
			hosts := make([][]int32, len(list))
			for i := range list {
				hosts[i], _, _ = find.Match(list[i].Nodes) // it was a list when the job began
			}
			plan, err := withJobs(ctx, now.Routed, find)
			if err != nil {
				return nil, err
			}
			count, err := jobload.Count(ctx, now.Routed.Graph, plan, hosts)
			if err != nil {
				return nil, err
			}
			out := &SharedChannels{Report: *count, Jobs: []JobShares{}}
			for i := range count.Jobs {
				to := JobShares{ID: list[i].ID, Job: count.Jobs[i], With: []string{}}
				if pair := to.Job.Pair; pair != nil {
					g := now.Routed.Graph
					to.Fullest, to.Pair = g.ChannelPorts(to.Job.Fullest), []fabric.PortName{g.EndName(pair[0]), g.EndName(pair[1])}
				}
				for _, j := range to.Beside {
					to.With = append(to.With, list[j].ID)
				}
				out.Jobs = append(out.Jobs, to)
			}
			return out, nil
		}, nil
	})
}

// slsOf returns the SLs of a copy of a Plan's lanes.
func slsOf(plan *route.Plan, copied int) (list []uint8) {
	if copied <= 0 || copied > len(plan.JobLanes) || plan.SL == nil {
		return nil
	}
	for set := plan.SL.InUse(); set != 0; set &= set - 1 {
		list = append(list, plan.JobLanes[copied-1][bits.TrailingZeros16(set)])
	}
	return list
}

// withJobs returns the Plan with the SLs that pairs of jobs have.
func withJobs(ctx context.Context, r *watch.Routed, find *jobs.Finder) (*route.Plan, error) {
	if len(r.Plan.JobLanes) == 0 {
		return r.Plan, nil
	}
	ask := &joblanes.Request{Only: []int{}}
	for _, c := range starting.Claims(find, r.Jobs.Jobs) {
		ask.Hosts, ask.Given = append(ask.Hosts, c.Hosts), append(ask.Given, c.Copy)
	}
	if len(ask.Hosts) == 0 {
		return r.Plan, nil
	}
	plan, _, err := joblanes.Give(ctx, r.Graph, r.Plan, ask)
	return plan, err
}

// finder returns the Finder of a Graph.
func (s *Service) finder(g *fabric.Graph) *jobs.Finder {
	find := s.find.Load().On(g)
	s.find.Store(find)
	return find
}

func startJob(s *Service, w http.ResponseWriter, r *http.Request) {
	var given JobBody
	now, release, ok := s.jobRequest(w, r, &given)
	if !ok {
		return
	}
	defer release()
	j, _, err := s.newJob(now, r.PathValue("id"), &given)
	if err != nil {
		endpoints.Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.writeJobs(w, r, &terms.JobWrite{Start: j}, j.Unknown)
}

func endJob(s *Service, w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if err := checkJobText("id", id); err != nil {
		endpoints.Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.writeJobs(w, r, &terms.JobWrite{End: id}, nil)
}

func setJobs(s *Service, w http.ResponseWriter, r *http.Request) {
	var given JobSet
	now, release, ok := s.jobRequest(w, r, &given)
	if !ok {
		return
	}
	defer release()
	if given.Jobs == nil { // a body that is cut short must not end all jobs
		endpoints.Refuse(w, http.StatusBadRequest, "jobs: want a list of all jobs that run; [] if none does")
		return
	}
	if len(given.Jobs) > starting.MostJobs {
		endpoints.Refuse(w, http.StatusBadRequest, fmt.Sprintf("more than %d jobs", starting.MostJobs))
		return
	}
	age := time.Duration(given.Age) * time.Second
	if given.Age < 0 || age > starting.MostAge {
		endpoints.Refuse(w, http.StatusBadRequest, fmt.Sprintf("age %d: want 0 to %.0f seconds", given.Age, starting.MostAge.Seconds()))
		return
	}
	q, met := &terms.JobWrite{Whole: true, Age: age, Among: given.Among}, map[string]bool{}
	var unknown []string
	nodes := 0
	for i := range given.Jobs {
		j, named, err := s.newJob(now, given.Jobs[i].ID, &given.Jobs[i].JobBody)
		nodes += named
		switch {
		case nodes > starting.MostNodes: // beyond, finding them takes a core for long
			err = fmt.Errorf("the jobs up to here have over %d nodes", starting.MostNodes)
		case err == nil && !strings.HasPrefix(j.ID, given.Among):
			err = fmt.Errorf("its ID does not begin with %q (among)", given.Among)
		case err == nil && met[j.ID]:
			err = errors.New("it is listed twice")
		case errors.Is(err, errNoNode): // such as a job of login nodes
			unknown = append(unknown, j.Unknown...)
			continue
		}
		if err != nil {
			endpoints.Refuse(w, http.StatusBadRequest, fmt.Sprintf("job %.*s: %v", mostJobText, given.Jobs[i].ID, err))
			return
		}
		met[j.ID], unknown = true, append(unknown, j.Unknown...)
		q.All = append(q.All, *j)
	}
	s.writeJobs(w, r, q, unknown[:min(len(unknown), mostUnknown)])
}

// jobRequest reads the body of a request. If that fails it answers.
func (s *Service) jobRequest(w http.ResponseWriter, r *http.Request, into any) (now *shown, release func(), ok bool) {
	if now = s.inForce(w); now == nil {
		return nil, nil, false
	}
	if release, ok = s.roomFor(w, r); !ok {
		return nil, nil, false
	}
	body, ok := endpoints.JSONBody(w, r)
	if ok {
		if err := endpoints.ReadJSON(body, into); err != nil {
			endpoints.Refuse(w, http.StatusBadRequest, err.Error())
			ok = false
		}
	}
	if !ok {
		release()
	}
	return now, release, ok
}

// errNoNode is the error of a job without a node in the subnet.
var errNoNode = errors.New("none of its nodes is in the subnet")

// newJob returns a job that starts now, and the number of nodes that its list names. With errNoNode
// the job is returned all the same.
func (s *Service) newJob(now *shown, id string, given *JobBody) (j *terms.Job, named int, err error) {
	if err := cmp.Or(checkJobText("id", id), checkJobText("user", cmp.Or(given.User, "-"))); err != nil {
		return nil, 0, err
	}
	if strings.ContainsFunc(given.Nodes, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return nil, 0, errors.New("nodes: want a list without control characters")
	}
	find := s.finder(now.Routed.Graph)
	hosts, unknown, err := find.Match(given.Nodes)
	if err != nil {
		return nil, 0, fmt.Errorf("nodes: %w", err)
	}
	servers := map[int32]bool{}
	for _, h := range hosts {
		servers[find.Server(h)] = true
	}
	named = len(servers) + len(unknown)
	away, unknown := awayOf(now.Routed.Jobs.Jobs, id, unknown)
	unknown = unknown[:min(len(unknown), mostUnknown)]
	for i, name := range unknown {
		if len(name) > mostJobText {
			unknown[i] = strings.ToValidUTF8(name[:mostJobText], "") + "..."
		}
	}
	j = &terms.Job{ID: id, User: given.User, Nodes: find.List(hosts), Count: len(servers) + len(away), Unknown: unknown, Began: s.opt.Clock().Unix()}
	if len(away) > 0 {
		present, _ := hostlist.Expand(j.Nodes) // none if no node is there
		j.Nodes = hostlist.Compress(append(present, away...))
	}
	switch {
	case j.Count > 0:
		return j, named, nil
	case named == 0:
		return nil, 0, errors.New("nodes: want a list of nodes such as node[001-064]")
	}
	return j, named, fmt.Errorf("%w: %s", errNoNode, strings.Join(unknown, ","))
}

// awayOf splits names: away are nodes of a running job, others are not. So a repeated start does
// not change a job whose node is away for a moment.
func awayOf(running []terms.Job, id string, names []string) (away, others []string) {
	i := slices.IndexFunc(running, func(j terms.Job) bool { return j.ID == id })
	if i < 0 || len(names) == 0 {
		return nil, names
	}
	nodes, _ := hostlist.Expand(running[i].Nodes) // it was a list when the job began
	has := map[string]bool{}
	for _, name := range nodes {
		has[name] = true
	}
	for _, name := range names {
		if has[name] {
			away = append(away, name)
		} else {
			others = append(others, name)
		}
	}
	slices.Sort(away)
	return slices.Compact(away), others
}

// checkJobText checks an ID or a user.
func checkJobText(what, text string) error {
	if text == "" || len(text) > mostJobText || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`/\"'`+"`", r) }) {
		return fmt.Errorf("%s %q: want 1 to %d printable characters without blanks, quotes and slashes", what, text[:min(len(text), mostJobText)], mostJobText)
	}
	return nil
}

// writeJobs passes a request to the manager and answers. unknown are nodes that were not found.
func (s *Service) writeJobs(w http.ResponseWriter, r *http.Request, q *terms.JobWrite, unknown []string) {
	q.By = by(r)
	d, ok := s.await(w, r, func(tag uint64) *terms.Event { return &terms.Event{Kind: terms.WriteJobs, Tag: tag, Jobs: q} })
	switch {
	case !ok:
	case d.err != nil:
		endpoints.Refuse(w, http.StatusConflict, d.err.Error())
	case d.jobs == nil: // it is no answer to this
		refuseLate(w, context.DeadlineExceeded)
	default:
		endpoints.Answer(w, http.StatusOK, &JobsWritten{d.jobs.Changed, d.jobs.Running, d.jobs.Newer, unknown, d.warning})
	}
}
