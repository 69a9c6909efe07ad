package service

import (
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"weft/internal/endpoints"
	"weft/sm/partition"
	"weft/sm/terms"
	"weft/wire/mad"
)

// PartitionSet is the whole set of partitions that programs own.
type PartitionSet struct {
	Partitions []NumberedPartition `json:"partitions"`
}

// NumberedPartition is a partition of a program, with its P_Key.
type NumberedPartition struct {
	PKey int `json:"p_key"`
	PartitionBody
}

// PartitionBody is a program's description of a partition.
type PartitionBody struct {
	Name    string   `json:"name,omitempty"`
	Flags   []string `json:"flags,omitempty"` // as in the file: indx0, sl=N, groups such as ipoib,mtu=4096
	Members []string `json:"members"`         // as in the file, with = and the membership: 0x0002c90300001234=full
}

// MemberList is a list of members that join or leave a partition.
type MemberList struct {
	Members []string `json:"members"` // as in the file, with = and the membership: 0x0002c90300001234=full
}

// Written says what a write has changed. Ports get their P_Keys in the round that begins at once.
type Written struct {
	Version    string `json:"version"` // of the partitions of programs, from now on
	Changed    bool   `json:"changed"` // false: all was so already
	Partitions int    `json:"partitions"`
	Joined     int    `json:"joined"`            // members
	Left       int    `json:"left"`              // members
	Others     int    `json:"changed_members"`   // members with another membership
	Warning    string `json:"warning,omitempty"` // what the write has not achieved
}

var (
	keyParameter     = endpoints.Parameter{Name: "p_key", Kind: endpoints.PKey, About: "a P_Key such as 0x0010; the membership bit does not count", Needed: true}
	versionParameter = endpoints.Parameter{Name: "version", Kind: endpoints.Name, About: "the version that was read: refused with 412 if another write came first; without it, any"}
	forceParameter   = endpoints.Parameter{Name: "force", Kind: endpoints.Truth, About: "true: do it although it takes away much"}

	ofWrites = []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusServiceUnavailable}
)

// partitionWrites lists the endpoints that write partitions.
func (s *Service) partitionWrites() []endpoints.Endpoint {
	return []endpoints.Endpoint{
		s.writeEndpoint(http.MethodPut, "/v1/partitions", "Make these the partitions of programs, all of them. Without force, refused if it empties a partition, takes the manager out of one, or drops more than a tenth of all members.", partition.Reconcile, reflect.TypeFor[PartitionSet]()),
		s.writeEndpoint(http.MethodPut, "/v1/partitions/{p_key}", "Make a partition so, whether it is there or not. Without force, refused as a whole set is.", partition.Put, reflect.TypeFor[PartitionBody]()),
		s.writeEndpoint(http.MethodDelete, "/v1/partitions/{p_key}", "Delete a partition.", partition.Delete, nil),
		s.writeEndpoint(http.MethodPost, "/v1/partitions/{p_key}/add", "Add members to a partition; those that are there get this membership.", partition.Add, reflect.TypeFor[MemberList]()),
		s.writeEndpoint(http.MethodPost, "/v1/partitions/{p_key}/remove", "Remove members from a partition, whatever their membership.", partition.Remove, reflect.TypeFor[MemberList]()),
	}
}

// mostSet is the maximum size of a body of a write, in bytes: a whole set of partitions is larger
// than all else.
const mostSet = 8 << 20

// writeEndpoint returns an endpoint that writes partitions.
func (s *Service) writeEndpoint(method, path, about string, deed partition.Deed, body reflect.Type) endpoints.Endpoint {
	e := endpoints.Endpoint{
		Method: method, Path: path, About: about, Parameters: []endpoints.Parameter{versionParameter, forceParameter}, Body: body, MostBody: mostSet, Answer: reflect.TypeFor[Written](),
		Media: endpoints.JSON, Status: http.StatusOK, Refusals: ofWrites, Needs: endpoints.MayPartition,
		Serve: func(w http.ResponseWriter, r *http.Request) { s.writePartitions(deed, w, r) },
	}
	if strings.Contains(path, "{") {
		e.Parameters, e.Refusals = append([]endpoints.Parameter{keyParameter}, e.Parameters...), ofWrites[1:]
	}
	return e
}

// pKeyOf parses a P_Key without its membership bit; 0 if it is none.
func pKeyOf(text string) uint16 {
	key, err := strconv.ParseUint(text, 0, 16)
	if err != nil {
		return 0
	}
	return uint16(key) &^ mad.PKeyFull
}

// writePartitions serves a write of partitions.
func (s *Service) writePartitions(deed partition.Deed, w http.ResponseWriter, r *http.Request) {
	q := &partition.Write{Deed: deed, Version: r.URL.Query().Get("version"), Force: r.URL.Query().Get("force") == "true"}
	release, ok := s.roomFor(w, r)
	if !ok {
		return
	}
	defer release()
	var err error
	key := pKeyOf(r.PathValue("p_key"))
	var body []byte
	if deed != partition.Delete {
		if body, ok = endpoints.JSONBody(w, r); !ok {
			return
		}
	}
	switch deed {
	case partition.Reconcile:
		var given PartitionSet
		err = endpoints.ReadJSON(body, &given)
		for i := range given.Partitions {
			if err == nil {
				err = addPartition(q, given.Partitions[i].PKey, &given.Partitions[i].PartitionBody)
			}
		}
	case partition.Put:
		var given PartitionBody
		if err = endpoints.ReadJSON(body, &given); err == nil {
			err = addPartition(q, int(key), &given)
		}
	case partition.Add, partition.Remove:
		var given MemberList
		if err = endpoints.ReadJSON(body, &given); err == nil {
			err = addPartition(q, int(key), &PartitionBody{Members: given.Members})
		}
	default:
		q.Of = partition.Partitions{{Key: key}}
	}
	if err != nil {
		endpoints.Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if d, ok := s.write(w, r, q); ok {
		done := &d.wrote.Done
		endpoints.Answer(w, http.StatusOK, &Written{done.Version.String(), done.Partitions > 0, done.Partitions, done.Added, done.Removed, done.Changed, d.warning})
	}
}

// addPartition adds a partition to a Write.
func addPartition(q *partition.Write, key int, given *PartitionBody) error {
	if key < 0 || key > 0xFFFF {
		return errors.New("p_key: want 1 to 32767")
	}
	p := partition.Partition{Key: uint16(key) &^ mad.PKeyFull, Name: given.Name}
	if err := partition.ParseFlags(&p, given.Flags); err != nil {
		return err
	}
	if len(given.Members) > partition.MostMembers {
		return errors.New("too many members")
	}
	for _, text := range given.Members {
		m, err := partition.ParseMember(text)
		if err != nil {
			return err
		}
		p.Members = append(p.Members, m)
	}
	q.Of = append(q.Of, p)
	return nil
}

// write passes a Write to the manager and waits for its decision. If it is refused, it answers.
func (s *Service) write(w http.ResponseWriter, r *http.Request, q *partition.Write) (d decision, ok bool) {
	q.By = by(r)
	if s.opt.Enforce != nil {
		e := s.opt.Enforce()
		q.In, q.Out = e.In, e.Out
	}
	d, ok = s.await(w, r, func(tag uint64) *terms.Event {
		return &terms.Event{Kind: terms.WritePartitions, Tag: tag, Write: q}
	})
	if ok && d.err != nil {
		endpoints.Refuse(w, statusOf(d.err), d.err.Error())
		return d, false
	}
	return d, ok && d.wrote != nil
}

// statusOf returns the status for a refused write.
func statusOf(err error) int {
	refused, ok := errors.AsType[*partition.Refusal](err)
	switch {
	case !ok:
	case refused.Why == partition.Invalid:
		return http.StatusBadRequest
	case refused.Why == partition.Outdated:
		return http.StatusPreconditionFailed
	case refused.Why == partition.Missing:
		return http.StatusNotFound
	}
	return http.StatusConflict
}

// partitions answers with the partitions that the next round puts in force.
func partitions(s *Service, w http.ResponseWriter, _ *http.Request) {
	now := s.inForce(w)
	if now == nil {
		return
	}
	endpoints.Answer(w, http.StatusOK, partitionsOf(now))
}

// partitionsOf lists partitions for people and programs.
func partitionsOf(now *shown) *Partitions {
	wanted, held := now.Routed.Wanted, now.Routed.Partitions
	out := &Partitions{Version: wanted.Owned().Version.String(), Pending: wanted.Listed() != held, Partitions: []Partition{}}
	p := wanted.Listed()
	if p == nil {
		return out
	}
	unmatched := map[uint16][]Unmatched{}
	for _, u := range now.Routed.Unmatched {
		if held != nil && u.Part < len(held.Partitions) {
			key := held.Partitions[u.Part].Key
			unmatched[key] = append(unmatched[key], Unmatched{u.Member, u.Why, u.Away})
		}
	}
	out.In, out.Out = p.In, p.Out
	for i := range p.Partitions {
		out.Partitions = append(out.Partitions, shownPartition(&p.Partitions[i], unmatched[p.Partitions[i].Key]))
	}
	for i := range p.Hidden {
		to := shownPartition(&p.Hidden[i], nil)
		to.Hidden = true
		out.Partitions = append(out.Partitions, to)
	}
	return out
}

// ownerNames are the words for owners.
var ownerNames = [...]string{partition.TheFile: "file", partition.Programs: "program", partition.Nobody: "none"}

func shownPartition(p *partition.Partition, unmatched []Unmatched) Partition {
	to := Partition{Name: p.Name, PKey: int(p.Key), Owner: ownerNames[p.Owner], Flags: p.Flags(), Members: make([]string, 0, len(p.Members)), Unmatched: append([]Unmatched{}, unmatched...)}
	for j := range p.Members {
		to.Members = append(to.Members, p.Members[j].String())
	}
	return to
}
