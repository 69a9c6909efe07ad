package service

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"weft/fabric"
	"weft/internal/endpoints"
	"weft/sm/partition"
	"weft/sm/terms"
	"weft/sm/watch"
)

// tokensOfTest are one for each role, and their names.
var tokensOfTest = []Token{
	{"graf", endpoints.MayRead, strings.Repeat("r", 20)},
	{"ops", endpoints.MayOperate, strings.Repeat("o", 20)},
	{"k8s", endpoints.MayPartition, strings.Repeat("p", 20)},
	{"slurm", endpoints.MayCompute, strings.Repeat("j", 20)},
	{"root", endpoints.MayEverything, strings.Repeat("a", 20)},
	{"both", endpoints.MayPartition, strings.Repeat("b", 20)},
}

// keeper is a manager that keeps partitions alone.
type keeper struct {
	*Service
	has  *terms.Partitioning
	told []string // who wrote
}

// newKeeper returns a Service of a keeper, with a Guard.
func newKeeper() (*keeper, http.Handler) {
	s, a := newService(0)
	k := &keeper{Service: s}
	a.decide = func(ev *terms.Event) {
		if ev.Write == nil {
			s.Decide(ev.Tag, ev.Name, "", nil)
			k.told = append(k.told, cmp.Or(ev.By, ev.Name))
			return
		}
		next, done, err := k.has.Write(ev.Write, &partition.Port{GUID: 1, Type: fabric.CA, Manager: true})
		if k.told = append(k.told, ev.Write.By); err == nil {
			k.has = next
			s.DecideWrite(ev.Tag, &terms.Wrote{Owned: next.Owned(), Done: done}, "", nil)
			k.show()
			return
		}
		s.DecideWrite(ev.Tag, nil, "", err)
	}
	k.show()
	return k, NewGuard(tokensOfTest, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, time.Now).Protect(s.Handler(), nil)
}

func (k *keeper) show() {
	now := master()
	now.Routed = &watch.Routed{Wanted: k.has, Partitions: k.has.Listed()}
	k.Show(now)
}

// send sends a request, with a token or as UFM's clients do.
func send(h http.Handler, t *Token, basic bool, method, target, body string) (status int, answer string) {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost"
	if body != "" {
		r.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	switch {
	case basic:
		r.SetBasicAuth(t.Name, t.Text)
	case t != nil:
		r.Header.Set("Authorization", "Bearer "+t.Text)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestRoles: a token does what its roles say, on every path of the document and of UFM, and
// nothing else. The socket may do everything.
func TestRoles(t *testing.T) {
	k, h := newKeeper()
	type path struct {
		method, path string
		needs        endpoints.Role
	}
	list := []path{{"GET", ufmPath + "app/ufm_version", endpoints.MayRead}, {"GET", ufmPath + "resources/pkeys", endpoints.MayRead}, {"POST", ufmPath + "resources/pkeys", endpoints.MayPartition}, {"POST", ufmPath + "actions/remove_guids_from_pkey", endpoints.MayPartition}}
	writes := 0
	for _, e := range k.endpoints() {
		list = append(list, path{e.Method, strings.NewReplacer("{p_key}", "0x10", "{version}", "3").Replace(e.Path), e.Needs})
		if e.Method != http.MethodGet && e.Needs == endpoints.MayRead {
			t.Errorf("%s %s: a token that may only read may do it", e.Method, e.Path)
		}
		if e.Method != http.MethodGet {
			writes++
		}
	}
	if writes < 10 {
		t.Errorf("%d endpoints change something", writes)
	}
	for _, p := range list {
		k.Show(&watch.Snapshot{Role: terms.Master})
		if p.path == "/v1/drain" || p.path == "/v1/undrain" {
			p.path += "?name=x"
		}
		for i := range tokensOfTest {
			token := &tokensOfTest[i]
			k.Show(&watch.Snapshot{Role: terms.Master})
			status, answer := send(h, token, false, p.method, p.path, "")
			if refused := status == http.StatusForbidden; refused != (token.Role&p.needs != p.needs) || status == http.StatusUnauthorized {
				t.Errorf("%s: %s %s: %d %s", token.Name, p.method, p.path, status, answer)
			}
		}
		if status, _ := send(k.Handler(), nil, false, p.method, p.path, ""); status == http.StatusForbidden || status == http.StatusUnauthorized {
			t.Errorf("the socket: %s %s: %d", p.method, p.path, status)
		}
	}
}

// TestWhoAsked: each request that changes something tells the manager the name of its token.
func TestWhoAsked(t *testing.T) {
	k, h := newKeeper()
	root := &tokensOfTest[4]
	for _, r := range [][3]string{
		{"POST", "/v1/drain?name=x"},
		{"POST", "/v1/undrain?name=x"},
		{"POST", "/v1/resweep"},
		{"POST", "/v1/rebalance"},
		{"PUT", "/v1/partitions/0x10", `{"members":[]}`},
		{"PUT", "/v1/partitions?force=true", `{"partitions":[]}`},
		{"DELETE", "/v1/partitions/0x10"},
		{"POST", ufmPath + "resources/pkeys", `{"pkey":"0x10","guids":["5"]}`},
		{"POST", "/v1/partitions/0x10/add", `{"members":["6=full"]}`},
		{"POST", "/v1/partitions/0x10/remove", `{"members":["6=full"]}`},
	} {
		before := len(k.told)
		status, answer := send(h, root, strings.HasPrefix(r[1], ufmPath), r[0], r[1], r[2])
		if status/100 != 2 || len(k.told) != before+1 || !strings.Contains(k.told[before], "token root") {
			t.Errorf("%s %s: %d %s, told %q", r[0], r[1], status, answer, k.told[before:])
		}
	}
}

// TestWriting: partitions are written, read back, and refused with the status of each reason.
func TestWriting(t *testing.T) {
	_, h := newKeeper()
	token := &tokensOfTest[2]
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/v1/partitions", "", 200, `"version": "0"`},
		{"PUT", "/v1/partitions/0x8010?version=0", `{"name":"storage","flags":["ipoib,mtu=4096"],"members":["0x5=full","ALL_CAS=limited"]}`, 200, `"joined": 2`},
		{"PUT", "/v1/partitions/16", `{"name":"storage","flags":["ipoib,mtu=4096"],"members":["ALL_CAS=limited","5=full"]}`, 200, `"changed": false`},
		{"GET", "/v1/partitions", "", 200, `"ipoib,mtu=4096"`},
		{"GET", "/v1/partitions", "", 200, `"owner": "program"`},
		{"POST", "/v1/partitions/0x10/add", `{"members":["6=full","7=both"]}`, 200, `"joined": 2`},
		{"POST", "/v1/partitions/0x10/remove", `{"members":["7=full","9=full"]}`, 200, `"left": 1`},
		{"POST", "/v1/partitions/0x11/add", `{"members":["6=full"]}`, 404, "no partition 0x0011"},
		{"POST", "/v1/partitions/0x10/add", `{"members":["6"]}`, 400, "want a membership too: 6=full"},
		{"POST", "/v1/partitions/0x10/add", `{"members":["host=full"]}`, 400, "is not a member"},
		{"POST", "/v1/partitions/0/add", `{"members":[]}`, 400, "a P_Key such as"},
		{"PUT", "/v1/partitions/0x10?version=0", `{"members":[]}`, 412, "another write came first"},
		{"PUT", "/v1/partitions/0x10", `{"members":[]}`, 409, "add force"},
		{"PUT", "/v1/partitions", `{"partitions":[]}`, 409, "drops 3 of all 3 members"},
		{"PUT", "/v1/partitions", `{"partitions":[{"p_key":70000,"members":[]}]}`, 400, "p_key"},
		{"PUT", "/v1/partitions", `{"partitions":[{"p_key":-1,"members":[]}]}`, 400, "p_key"},
		{"PUT", "/v1/partitions", `{"partitions":[],"all":true}`, 400, "unknown field"},
		{"PUT", "/v1/partitions", `[`, 400, "the body"},
		{"PUT", "/v1/partitions?force=yes", `{"partitions":[]}`, 400, "force"},
		{"PUT", "/v1/partitions?force=true", `{"partitions":[{"p_key":2,"members":["1=full"]}]}`, 200, `"left": 3`},
		{"DELETE", "/v1/partitions/2", "", 409, "manager's own port"},
		{"DELETE", "/v1/partitions/2?force=true", "", 200, `"version": "5-`},
		{"DELETE", "/v1/partitions/2", "", 200, `"changed": false`},
		{"POST", "/v1/partitions", `{}`, 405, "want the method"},
	} {
		if status, answer := send(h, token, false, c.method, c.path, c.body); status != c.status || !strings.Contains(answer, c.want) {
			t.Errorf("%s %s %s: %d %s, want %d %s", c.method, c.path, c.body, status, answer, c.status, c.want)
		}
	}
}

// TestTwoTokens: of tokens that write at once on the same version, one wins and every other is
// told. Without a version all are done.
func TestTwoTokens(t *testing.T) {
	k, h := newKeeper()
	for round := range 20 {
		version := k.has.Owned().Version.String()
		var won, told sync.Map
		var all sync.WaitGroup
		for i, token := range []*Token{&tokensOfTest[2], &tokensOfTest[5], &tokensOfTest[4]} {
			all.Go(func() {
				status, answer := send(h, token, false, "PUT", "/v1/partitions/0x10?force=true&version="+version, fmt.Sprintf(`{"members":["%d=full"]}`, 100*round+i+2))
				switch {
				case status == 200:
					won.Store(i, true)
				case status == 412 && strings.Contains(answer, "another write came first"):
					told.Store(i, true)
				default:
					t.Errorf("%d %s", status, answer)
				}
			})
		}
		all.Wait()
		count := func(m *sync.Map) (n int) {
			m.Range(func(any, any) bool { n++; return true })
			return n
		}
		if count(&won) != 1 || count(&told) != 2 {
			t.Fatalf("%d won, %d were told", count(&won), count(&told))
		}
	}
}

// TestUFM: the calls of ib-kubernetes's UFM plug-in, as its version 1.2 of 2026 makes them: paths,
// bodies, basic authentication, and the status 200 that it demands. The package plugged of
// TestPlugin runs the plug-in itself.
func TestUFM(t *testing.T) {
	k, h := newKeeper()
	token, reader := &tokensOfTest[2], &tokensOfTest[0]
	add := func(key string, guids ...string) string {
		list, _ := json.Marshal(guids)
		return fmt.Sprintf(`{"pkey": "%s", "index0": true, "ip_over_ib": true, "membership": "full", "guids": %s}`, key, list)
	}
	for _, c := range []struct {
		by           *Token
		method, path string
		body         string
		status       int
	}{
		{token, "GET", "app/ufm_version", "", 200},
		{token, "POST", "resources/pkeys", add("0x7FFE", "02000000deadbeef", "0200000000000001"), 200},
		{token, "POST", "resources/pkeys", add("0x7FFE", "02000000deadbeef"), 200}, // again
		{token, "POST", "resources/pkeys", add("0x0001", "0x0200000000000001"), 200},
		{token, "POST", "actions/remove_guids_from_pkey", `{"pkey": "0x7FFE", "guids": ["0200000000000001"]}`, 200},
		{token, "POST", "actions/remove_guids_from_pkey", `{"pkey": "0x0666", "guids": ["0200000000000001"]}`, 200}, // of none
		{token, "POST", "resources/pkeys", add("0x0000", "1"), 400},
		{token, "POST", "resources/pkeys", add("0x0002", "no GUID"), 400},
		{token, "POST", "resources/pkeys", add("0x0002", "0"), 400},
		{token, "POST", "resources/pkeys", `{"pkey":"0x2","membership":"both","guids":[]}`, 400},
		{token, "POST", "resources/pkeys", `{`, 400},
		{token, "POST", "resources/pkeys", "", 415},
		{reader, "POST", "resources/pkeys", add("0x0002", "1"), 403},
		{&Token{Name: "k8s", Text: reader.Text}, "POST", "resources/pkeys", add("0x0002", "1"), 401},
		{&Token{Name: "graf", Text: token.Text}, "POST", "resources/pkeys", add("0x0002", "1"), 401},
		{token, "GET", "resources/systems", "", 404},
	} {
		if status, answer := send(h, c.by, true, c.method, ufmPath+c.path, c.body); status != c.status {
			t.Errorf("%s %s: %d %s, want %d", c.path, c.body, status, answer, c.status)
		}
	}
	_, answer := send(h, token, true, "GET", ufmPath+"resources/pkeys/?guids_data=true", "")
	var list map[string]struct {
		GUIDs []struct{ GUID string } `json:"guids"`
		IPoIB bool                    `json:"ip_over_ib"`
	}
	if err := json.Unmarshal([]byte(answer), &list); err != nil {
		t.Fatal(err)
	}
	if p := list["0x7ffe"]; len(list) != 3 || len(p.GUIDs) != 1 || p.GUIDs[0].GUID != "02000000deadbeef" || !p.IPoIB || len(list["0x0001"].GUIDs) != 1 || len(list["0x7fff"].GUIDs) != 0 {
		t.Errorf("%s", answer)
	}
	if !k.has.Owned().List[1].IndexZero {
		t.Error("the P_Key is not to be at index 0")
	}
	if status, _ := send(h, token, true, "GET", "/v1/status", ""); status != 401 {
		t.Errorf("basic authentication elsewhere: %d", status)
	}
	k.Show(&watch.Snapshot{Role: terms.StandBy, Other: "the master"})
	if status, answer := send(h, token, true, "POST", ufmPath+"resources/pkeys", add("0x0001", "5")); status != 409 || !strings.Contains(answer, "ask the master, the master") {
		t.Errorf("a standby: %d %s", status, answer)
	}
}

// TestLargeSets: a set of 100,000 members is taken, one beyond the limit of bodies is not, and
// other paths keep their small limit.
func TestLargeSets(t *testing.T) {
	_, h := newKeeper()
	body := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("0x%016x=full", i+2)
		}
		text, _ := json.Marshal(PartitionSet{[]NumberedPartition{{2, PartitionBody{Members: list}}}})
		return string(text)
	}
	token := &tokensOfTest[4]
	if status, answer := send(h, token, false, "PUT", "/v1/partitions", body(100_000)); status != 200 || !strings.Contains(answer, `"joined": 100000`) {
		t.Errorf("%d %.300s", status, answer)
	}
	if status, answer := send(h, token, false, "PUT", "/v1/partitions", strings.Repeat(" ", mostSet+1)); status != 413 {
		t.Errorf("%d %.300s", status, answer)
	}
	if status, answer := send(h, token, false, "POST", "/v1/whatif", strings.Repeat(" ", endpoints.UsualBody+1)); status != 413 {
		t.Errorf("%d %.300s", status, answer)
	}
}

// TestReadTokens: each line is a token; whatever is wrong is told with its line, and no token is in
// the text.
func TestReadTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	long := strings.Repeat("x", 19)
	read := func(text string) ([]Token, error) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ReadTokens(path)
	}
	got, err := read("# comment\n\na read " + long + "1\r\nb\toperate,partitions " + long + "2\nc all,jobs " + long + "3")
	want := []Token{{"a", endpoints.MayRead, long + "1"}, {"b", endpoints.MayOperate | endpoints.MayPartition, long + "2"}, {"c", endpoints.MayEverything, long + "3"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for text, say := range map[string]string{
		"": "no token", "# x": "no token", "a " + long + "1": "tokens:1: 2 words", "\na write " + long + "1": "tokens:2: the second word is no role",
		"a read, " + long + "1": "no role", "a read " + long: "too short", "a/b read " + long + "1": "no name", "a read " + long + "1\na read " + long + "2": "tokens:2: an earlier line has the same name",
		"a read " + long + "1\nb read " + long + "1": "the same token", "a read " + long + "é": "too short", strings.Repeat("#\n", mostTokens): "more than",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), say) || strings.Contains(err.Error(), long) {
			t.Errorf("%.40q: %v, want %s", text, err, say)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTokens(path); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("%v", err)
	}
}

// TestRenewOne: a token that is replaced is let go of; requests of others go on.
func TestRenewOne(t *testing.T) {
	g := NewGuard(tokensOfTest, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, time.Now)
	ended := map[string]<-chan struct{}{}
	var started, all sync.WaitGroup
	h := g.Protect(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		started.Done()
		<-r.Context().Done()
	}), nil)
	for i := range tokensOfTest {
		done := make(chan struct{})
		ended[tokensOfTest[i].Name] = done
		started.Add(1)
		all.Go(func() {
			send(h, &tokensOfTest[i], false, "GET", "/", "")
			close(done)
		})
	}
	started.Wait()
	next := slices.Clone(tokensOfTest)
	next[1].Role = endpoints.MayRead
	if !g.Renew(next) || g.Renew(next) {
		t.Error("what is another token is not told")
	}
	<-ended["ops"]
	select {
	case <-ended["k8s"]:
		t.Error("a token that stays is let go of")
	default:
	}
	g.Renew(nil)
	all.Wait()
	if status, _ := send(h, &tokensOfTest[0], false, "GET", "/", ""); status != 401 {
		t.Errorf("%d", status)
	}
}
