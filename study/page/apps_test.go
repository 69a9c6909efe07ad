package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"weft/internal/endpoints"
)

// run asks for applications and returns the lines of the answer.
func (l *testLab) run(t *testing.T, ctx context.Context, path, body string) (status int, lines []Progress) {
	t.Helper()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, path+"/app", strings.NewReader(body))
	r.Header.Set("Content-Type", endpoints.JSON)
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	for dec := json.NewDecoder(bytes.NewReader(w.Body.Bytes())); ; {
		var line Progress
		if err := dec.Decode(&line); errors.Is(err, io.EOF) {
			return w.Code, lines
		} else if err != nil {
			t.Fatalf("%s: %v: %s", body, err, w.Body)
		}
		lines = append(lines, line)
	}
}

// TestApplications: a run has the figures of each job, its algorithm with the reason, and a
// picture; the same on one core and on two. A first result comes before the end.
func TestApplications(t *testing.T) {
	const body = `{"programs":["allreduce(ranks=8,size=1MiB)","checkpoint(ranks=8,storage=2,size=1MiB)@50us"],"placement":"random:3","engines":"updn"}`
	var before string
	for workers := 1; workers <= 2; workers++ {
		l := newTestLab(workers)
		status, lines := l.run(t, t.Context(), l.open(t, "rlft(8,2)"), body)
		last := lines[len(lines)-1]
		if status != http.StatusOK || last.Run == nil || !strings.HasPrefix(last.SVG, "<svg ") || !strings.Contains(last.SVG, "busiest links") {
			t.Fatalf("%d %.300v", status, lines)
		}
		jobs := last.Run.Jobs
		if len(jobs) != 2 || jobs[0].Operation.Algorithm != "ring" || jobs[0].Operation.Why == "" || jobs[1].StartNS != 50_000 || jobs[0].SlowDown < 1 || jobs[0].Cost < 1 || jobs[0].Bandwidth == nil {
			t.Errorf("%+v", jobs)
		}
		first := ""
		for _, line := range lines[:len(lines)-1] {
			first += line.Result
		}
		if lines[0].Now != "routing the fabric" || !strings.Contains(first, "the run ends at") {
			t.Errorf("%+v", lines[:len(lines)-1])
		}
		if before != "" && before != last.SVG {
			t.Error("the picture differs on two cores")
		}
		before = last.SVG
	}
}

// TestApplicationNetworks: each network runs what it can, and a schedule comes as a text.
func TestApplicationNetworks(t *testing.T) {
	l := newTestLab(1)
	at := l.open(t, "rlft(4,2)")
	const schedule = `"schedules":[{"name":"a.goal","text":"num_ranks 2\nrank 0 {\nl1: send 1000b to 1 tag 7\n}\nrank 1 {\nl1: recv 1000b from 0 tag 7\n}\n"}]`
	for _, body := range []string{
		`{"programs":["alltoall(size=4KiB)"],"network":"packets","engines":"updn","sends":"shared"}`,
		`{"programs":["training(data=8,layers=2,hidden=64)"],"engines":"updn","on_ports":true}`,
		`{"programs":["allreduce(ranks=8)"],"network":"ideal","costs":"o=200,S=65536"}`,
		`{"programs":["a.goal"],"engines":"updn",` + schedule + `}`,
		`{"programs":["a.goal"],"network":"ideal",` + schedule + `}`,
	} {
		status, lines := l.run(t, t.Context(), at, body)
		if run := lines[len(lines)-1].Run; status != http.StatusOK || run == nil || run.EndNS <= 0 || (lines[len(lines)-1].SVG == "") != (run.Network == onIdeal) {
			t.Errorf("%s: %d %.300v", body, status, lines)
		}
	}
}

// TestBadApplications: what is wrong is named. What is too large is refused before it runs, and no
// file is opened.
func TestBadApplications(t *testing.T) {
	l := newTestLab(1)
	small, large := l.open(t, "rlft(4,2)"), l.open(t, "rlft(16,3)")
	for _, c := range []struct{ at, body, says string }{
		{small, `{"programs":[]}`, "programs: want 1 to 8"},
		{small, `{"programs":["allreduc(size=1MiB)"]}`, "\"allreduc\" is no collective operation: known are allreduce"},
		{small, `{"programs":["allreduce(size=1MiB"]}`, "the closing ) is missing"},
		{small, `{"programs":["barrier@soon"]}`, "\"barrier@soon\": a time such as 2ms"},
		{small, `{"programs":["/etc/passwd"]}`, "is no collective operation"},
		{small, `{"programs":["apps_test.go"]}`, "is no collective operation"},
		{small, `{"programs":["trace.0.et"]}`, "is no collective operation"},
		{small, `{"programs":["a.goal"],"schedules":[{"name":"a.goal","text":"num_ranks 2\nrank 0 {\n x\n}\n"}]}`, "a.goal: line 3, column"},
		{small, `{"programs":["barrier"],"schedules":[{"name":"a","text":"` + strings.Repeat("x", mostSchedules+1) + `"}]}`, "schedules: more than 1048576 bytes"},
		{small, `{"programs":["barrier"],"placement":"file:/etc/passwd"}`, "placement: \"file:/etc/passwd\": want leaf"},
		{small, `{"programs":["barrier"],"placement":"random:"}`, "with a number as the seed"},
		{small, `{"programs":["barrier"],"network":"token ring"}`, "network: \"token ring\": want flows"},
		{small, `{"programs":["barrier"],"costs":"x=1"}`, "costs: \"x=1\""},
		{small, `{"programs":["barrier"],"sends":"lifo"}`, "sends: \"lifo\": the orders"},
		{small, `{"programs":["barrier"],"engines":"none"}`, "none"},
		{small, `{"programs":["barrier"],"network":"ideal"}`, "add ranks=N"},
		{small, `{"programs":["barrier","barrier"],"network":"ideal"}`, "give one program"},
		{small, `{"programs":["broadcast(ranks=100000)"],"network":"ideal"}`, "100000 ranks, more than 65536"},
		{large, `{"programs":["alltoall(size=1MiB,steps=100)"]}`, "alltoall(size=1MiB,steps=100): about 1.05e+08 messages, more than 1.68e+07"},
		{large, `{"programs":["alltoall(size=1MiB)"],"network":"packets"}`, "take the network flows"},
		{large, `{"programs":["alltoall(atonce,size=1KiB)"]}`, "MB of memory, more than 1074"},
	} {
		begun := time.Now()
		status, lines := l.run(t, t.Context(), c.at, c.body)
		if status != http.StatusBadRequest || len(lines) != 1 || !strings.Contains(lines[0].Error, c.says) {
			t.Errorf("%.100s: %d %.300v, want %s", c.body, status, lines, c.says)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%.100s: refused after %v", c.body, took)
		}
	}
	if status, lines := l.run(t, t.Context(), small, `{"programs":["allreduce(ranks=9)"],"engines":"updn"}`); status != http.StatusOK || !strings.Contains(lines[len(lines)-1].Error, "9 ranks on 8 places") {
		t.Errorf("%d %v", status, lines)
	}
}

// TestApplicationRole: a token that may only read runs nothing, not even by the Plan in force.
func TestApplicationRole(t *testing.T) {
	l := newTestLab(1)
	reader := endpoints.WithCaller(t.Context(), endpoints.Caller{Name: "reader"})
	if status, lines := l.run(t, reader, l.open(t, "rlft(4,2)"), `{"programs":["barrier"]}`); status != http.StatusForbidden || !strings.Contains(lines[0].Error, "token reader lacks the role jobs") {
		t.Errorf("%d %v", status, lines)
	}
}

// TestManagersApplications: beside a manager a run has less memory, and the Plan in force without
// other engines.
func TestManagersApplications(t *testing.T) {
	const large = `{"programs":["alltoall(atonce,ranks=450,size=1B)"],"network":"ideal"}`
	l := &testLab{handler: managed(t)}
	status, lines := l.run(t, t.Context(), "/v1/fabrics/subnet", large)
	if status != http.StatusBadRequest || !strings.Contains(lines[0].Error, "MB of memory, more than 268") {
		t.Errorf("%d %v", status, lines)
	}
	status, lines = l.run(t, t.Context(), "/v1/fabrics/subnet", `{"programs":["allreduce(size=64KiB)"]}`)
	if last := lines[len(lines)-1]; status != http.StatusOK || last.Run == nil || last.Run.Engine == "" || last.Run.Choice != nil {
		t.Errorf("%d %.300v", status, lines)
	}
}

// TestLateApplication: a run that takes too long ends, and the answer says so in words.
func TestLateApplication(t *testing.T) {
	l := newTestLab(1)
	at := l.open(t, "rlft(8,3)")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	status, lines := l.run(t, ctx, at, `{"programs":["alltoall(pairwise,size=64KiB,steps=800)"],"engines":"updn"}`)
	if last := lines[len(lines)-1]; status != http.StatusOK || last.Error != "no answer within 2m0s: run weft simulate app, which has no limit" {
		t.Errorf("%d %+v", status, lines)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("ended after %v", took)
	}
}
