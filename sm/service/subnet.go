package service

import (
	"bytes"
	"net/http"
	"strconv"

	"weft/fabric/netfile/discovery"
	"weft/internal/endpoints"
	"weft/judge/quality"
	"weft/route"
)

// RunHeader is the header of /v1/events that identifies the run of the manager.
const RunHeader = "Weft-Run"

// PlanInForce is the Plan that the devices hold, with the judge's verdict.
type PlanInForce struct {
	Round   int             `json:"round"` // round that brought it up
	Since   string          `json:"since"` // end of that round, UTC
	Engine  string          `json:"engine"`
	Recipe  route.Recipe    `json:"recipe"`            // engine, options and LIDs of the Plan
	Choice  string          `json:"choice,omitempty"`  // how auto chose the engine
	Kept    string          `json:"kept,omitempty"`    // the fate of the previous Plan, in words
	NotTold []string        `json:"not_told"`          // settings of the Plan that hosts learn from path records only
	Verdict *quality.Report `json:"verdict,omitempty"` // of the judge, as in weft check --json
}

// Plan describes a stored Plan.
type Plan struct {
	Version int64  `json:"version"`
	Time    string `json:"time"` // UTC, when it was first distributed
	Engine  string `json:"engine"`
	Verdict string `json:"verdict"` // the proof of the judge, in words
	Bytes   int    `json:"bytes"`
}

// Plans lists the stored Plans, oldest first.
type Plans struct {
	Plans []Plan `json:"plans"`
}

// Partitions lists the partitions of the file and of programs.
type Partitions struct {
	Version    string      `json:"version"`      // of the partitions of programs; 0 if none was ever written
	Pending    bool        `json:"pending"`      // ports get what has changed in the round that begins or is under way
	Partitions []Partition `json:"partitions"`   // empty if all ports are full members of the default partition
	In         bool        `json:"enforced_in"`  // switches drop packets that enter from a port of another partition
	Out        bool        `json:"enforced_out"` // switches drop packets that would leave to a port of another partition
}

// Partition is a set of ports that may talk to each other.
type Partition struct {
	Name    string   `json:"name"`
	PKey    int      `json:"p_key"`            // without the membership bit
	Owner   string   `json:"owner"`            // file, program, or none: the default partition where no file names it
	Hidden  bool     `json:"hidden,omitempty"` // it is of a program and without effect: the file names its P_Key too
	Flags   []string `json:"flags"`            // as in the file: indx0, sl=N, groups such as ipoib,mtu=4096
	Members []string `json:"members"`          // as in the file: a port GUID, a pattern of descriptions, ALL ..., with = and the membership

	Unmatched []Unmatched `json:"unmatched"` // members that select no port of the subnet
}

// Unmatched is a member of a partition that selects no port.
type Unmatched struct {
	Member string `json:"member"` // as in the file
	Why    string `json:"why"`    // in words
	Away   bool   `json:"away"`   // the port was there before and is missing now
}

// inForce returns the current state. Without a Plan in force it answers and returns nil.
func (s *Service) inForce(w http.ResponseWriter) *shown {
	now := s.shown.Load()
	if now.InForce == nil || now.Routed == nil {
		endpoints.Refuse(w, http.StatusConflict, "this manager has not written any routes yet")
		return nil
	}
	return now
}

func planInForce(s *Service, w http.ResponseWriter, _ *http.Request) {
	now := s.inForce(w)
	if now == nil {
		return
	}
	r := &now.InForce.Report.Routing
	out := PlanInForce{
		Round: now.InForce.Number, Since: utc(now.at(now.InForce.Ended)), Engine: r.Engine, Recipe: now.Routed.Plan.Recipe,
		Choice: r.Choice, Kept: r.Kept, NotTold: append([]string{}, r.NotTold...), Verdict: r.Check,
	}
	endpoints.Answer(w, http.StatusOK, &out)
}

func plans(s *Service, w http.ResponseWriter, r *http.Request) {
	out := Plans{Plans: []Plan{}}
	if s.opt.Plans != nil {
		release, ok := s.takeLarge(w, r)
		if !ok {
			return
		}
		defer release()
		list, err := s.opt.Plans()
		if err != nil {
			endpoints.Refuse(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		out.Plans = append(out.Plans, list...)
	}
	endpoints.Answer(w, http.StatusOK, &out)
}

func planFile(s *Service, w http.ResponseWriter, r *http.Request) {
	version, _ := strconv.ParseInt(r.PathValue("version"), 10, 64) // dispatch has checked that it is a number
	release, ok := s.takeLarge(w, r)
	if !ok {
		return
	}
	defer release()
	var data []byte
	if s.opt.PlanFile != nil {
		var err error
		if data, err = s.opt.PlanFile(version); err != nil {
			endpoints.Refuse(w, http.StatusServiceUnavailable, err.Error())
			return
		}
	}
	if data == nil {
		endpoints.Refuse(w, http.StatusNotFound, "this version is not stored: see /v1/plans")
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(data) // the client may have gone
}

func fabricFile(s *Service, w http.ResponseWriter, r *http.Request) {
	now := s.inForce(w)
	if now == nil {
		return
	}
	release, ok := s.takeLarge(w, r)
	if !ok {
		return
	}
	defer release()
	var b bytes.Buffer
	if err := discovery.WriteIBNetDiscover(&b, now.Routed.Fabric); err != nil {
		endpoints.Refuse(w, http.StatusConflict, err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = b.WriteTo(w)
}
