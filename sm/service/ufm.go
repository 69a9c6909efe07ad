package service

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/sm/partition"
)

// ufmPath begins the paths of UFM's REST interface. weft answers the calls that the UFM plug-in of
// ib-kubernetes makes. The plug-in sends a name and a password: the name of a token, and the token.
const ufmPath = "/ufmRest/"

// isUFM reports whether a request is for UFM's interface.
func isUFM(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, ufmPath) }

// ufmPKey is a request for GUIDs of a partition. Other keys do not matter.
type ufmPKey struct {
	PKey       string   `json:"pkey"`
	Index0     bool     `json:"index0"`
	IPoIB      bool     `json:"ip_over_ib"`
	Membership string   `json:"membership"`
	GUIDs      []string `json:"guids"`
}

// ufmListed is a partition in a list.
type ufmListed struct {
	Name  string    `json:"partition"`
	IPoIB bool      `json:"ip_over_ib"`
	GUIDs []ufmGUID `json:"guids,omitempty"`
}

type ufmGUID struct {
	GUID       string `json:"guid"`
	Membership string `json:"membership"`
	Index0     bool   `json:"index0"`
}

// ufm serves UFM's interface.
func (s *Service) ufm(w http.ResponseWriter, r *http.Request) {
	at := r.Method + " " + strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, ufmPath), "/")
	switch at {
	case "GET app/ufm_version":
		endpoints.Answer(w, http.StatusOK, map[string]string{"ufm_release_version": "weft " + s.opt.Version})
	case "GET resources/pkeys":
		if now := s.inForce(w); now != nil {
			endpoints.Answer(w, http.StatusOK, listForUFM(now, r.URL.Query().Get("guids_data") == "true"))
		}
	case "POST resources/pkeys":
		s.writeForUFM(partition.Add, w, r)
	case "POST actions/remove_guids_from_pkey":
		s.writeForUFM(partition.Remove, w, r)
	default:
		endpoints.Refuse(w, http.StatusNotFound, "weft has of UFM's interface: GET app/ufm_version, GET and POST resources/pkeys, POST actions/remove_guids_from_pkey")
	}
}

// listForUFM lists partitions by P_Key, with their single ports if these are wanted.
func listForUFM(now *shown, guids bool) map[string]*ufmListed {
	out := map[string]*ufmListed{}
	p := now.Routed.Wanted
	if p == nil {
		return out
	}
	for i := range p.Partitions {
		from := &p.Partitions[i]
		to := &ufmListed{Name: p.Partitions.NameOf(i)}
		for j := range from.Groups {
			to.IPoIB = to.IPoIB || from.Groups[j].Broadcast
		}
		for j := range from.Members {
			m := &from.Members[j]
			if !guids || m.Who != partition.OnePort {
				continue
			}
			as := "full"
			if m.As == partition.Limited {
				as = "limited"
			}
			to.GUIDs = append(to.GUIDs, ufmGUID{fmt.Sprintf("%016x", uint64(m.GUID)), as, from.IndexZero})
		}
		out[fmt.Sprintf("0x%04x", from.Key)] = to
	}
	return out
}

// writeForUFM adds GUIDs to a partition, which is made if it is missing, or removes them.
func (s *Service) writeForUFM(deed partition.Deed, w http.ResponseWriter, r *http.Request) {
	if !endpoints.May(w, r, endpoints.MayPartition) {
		return
	}
	release, ok := s.roomFor(w, r)
	if !ok {
		return
	}
	defer release()
	body, ok := endpoints.JSONBody(w, r)
	if !ok {
		return
	}
	var given ufmPKey
	if err := json.Unmarshal(body, &given); err != nil {
		endpoints.Refuse(w, http.StatusBadRequest, "the body: "+err.Error())
		return
	}
	q, err := given.write(deed)
	if err != nil {
		endpoints.Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if _, ok := s.write(w, r, q); ok {
		endpoints.Answer(w, http.StatusOK, struct{}{})
	}
}

// write converts a request.
func (g *ufmPKey) write(deed partition.Deed) (*partition.Write, error) {
	p := partition.Partition{Key: pKeyOf(g.PKey), IndexZero: g.Index0}
	if p.Key == 0 {
		return nil, fmt.Errorf("pkey: %.20q is no P_Key: want 0x0001 to 0x7fff", g.PKey)
	}
	if g.IPoIB {
		p.Groups = []partition.Group{{Broadcast: true}}
	}
	as := map[string]partition.Membership{"": partition.Full, "full": partition.Full, "limited": partition.Limited}[g.Membership]
	if as == 0 {
		return nil, fmt.Errorf("membership: %.20q: want full or limited", g.Membership)
	}
	if len(g.GUIDs) > partition.MostMembers {
		return nil, fmt.Errorf("guids: %d: too many", len(g.GUIDs))
	}
	for _, text := range g.GUIDs {
		guid, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(text), "0x"), 16, 64)
		if err != nil || guid == 0 {
			return nil, fmt.Errorf("guids: %.30q is no GUID: want 16 hexadecimal digits", text)
		}
		p.Members = append(p.Members, partition.Member{Who: partition.OnePort, GUID: fabric.GUID(guid), As: as})
	}
	// UFM makes a partition that is missing, and takes GUIDs out of none without complaint.
	return &partition.Write{Deed: deed, Create: true, Of: partition.Partitions{p}}, nil
}
