// Package client sends requests to a running weft sm over its Unix socket or TCP, as served by
// package sm/service:
//
//	c := client.Unix("/run/weft/sm.sock")
//	defer c.Close()
//	status, err := c.Status(ctx)
//
// Errors are *NoAnswer if no manager answers, or not within 40 s (WhatIf waits longer), and
// *Refused with the manager's words.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"weft/sm/perf"
	"weft/sm/service"
	"weft/sm/telemetry"
	"weft/sm/terms"
	"weft/study/whatif"
)

// NoAnswer is the error if no manager answers.
type NoAnswer struct {
	At  string
	Err error
}

func (e *NoAnswer) Error() string {
	return fmt.Sprintf("no manager answers at %s: %v (weft sm --socket PATH creates the socket)", e.At, e.Err)
}

// Unwrap returns the cause.
func (e *NoAnswer) Unwrap() error { return e.Err }

// Refused is the error of a refused request.
type Refused struct {
	Status int // HTTP status
	Text   string
}

func (e *Refused) Error() string { return e.Text }

// Client sends requests to a manager. It is safe for concurrent use.
type Client struct {
	at, base, token string
	http            http.Client
	longest         time.Duration // timeout of an answer
}

// Unix returns a Client of a Unix socket. Close it after use.
func Unix(socket string) *Client {
	return &Client{at: socket, base: "http://weft", longest: service.Longest, http: http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
	}}}
}

// TCP returns a Client of a URL, http://HOST:PORT or https://HOST:PORT, with a token. trust
// configures the trusted certificates, nil for the system's.
func TCP(base, token string, trust *tls.Config) *Client {
	return &Client{at: base, base: base, token: token, longest: service.Longest, http: http.Client{Transport: &http.Transport{TLSClientConfig: trust}}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// do sends a request. The body of the answer must be closed.
func (c *Client) do(ctx context.Context, method, path string, body any) (*http.Response, error) {
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, sent)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return nil, &NoAnswer{c.at, err}
	}
	if resp.StatusCode >= http.StatusOK && resp.StatusCode < http.StatusMultipleChoices {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16))
	var failure struct{ Error string }
	if json.Unmarshal(said, &failure) != nil || failure.Error == "" {
		failure.Error = resp.Status
	}
	return nil, &Refused{resp.StatusCode, failure.Error}
}

// within limits the time for an answer.
func within(ctx context.Context, longest time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, longest, fmt.Errorf("no answer within %v", longest))
}

// get requests a JSON object with the usual timeout.
func get[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	ctx, cancel := within(ctx, c.longest)
	defer cancel()
	return wait[T](ctx, c, method, path, body)
}

// wait requests a JSON object until ctx ends.
func wait[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	resp, err := c.do(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	into := new(T)
	return into, json.NewDecoder(resp.Body).Decode(into)
}

// file requests a file.
func (c *Client) file(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := within(ctx, c.longest)
	defer cancel()
	resp, err := c.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	return io.ReadAll(resp.Body)
}

// Status returns the state of the manager.
func (c *Client) Status(ctx context.Context) (*service.Status, error) {
	return get[service.Status](ctx, c, http.MethodGet, "/v1/status", nil)
}

// Plan returns the Plan in force and its verdict.
func (c *Client) Plan(ctx context.Context) (*service.PlanInForce, error) {
	return get[service.PlanInForce](ctx, c, http.MethodGet, "/v1/plan", nil)
}

// Plans lists the stored Plans.
func (c *Client) Plans(ctx context.Context) (*service.Plans, error) {
	return get[service.Plans](ctx, c, http.MethodGet, "/v1/plans", nil)
}

// PlanFile returns a stored Plan, as a file for weft check --plan.
func (c *Client) PlanFile(ctx context.Context, version int64) ([]byte, error) {
	return c.file(ctx, "/v1/plans/"+strconv.FormatInt(version, 10))
}

// Fabric returns the subnet in force, as ibnetdiscover prints it.
func (c *Client) Fabric(ctx context.Context) ([]byte, error) { return c.file(ctx, "/v1/fabric") }

// Links returns the last report on the counters of ports.
func (c *Client) Links(ctx context.Context) (*perf.Report, error) {
	return get[perf.Report](ctx, c, http.MethodGet, "/v1/links", nil)
}

// At returns the hot links of a moment in the last hour.
func (c *Client) At(ctx context.Context, at time.Time) (*telemetry.Moment, error) {
	return get[telemetry.Moment](ctx, c, http.MethodGet, "/v1/hot?at="+url.QueryEscape(at.UTC().Format(time.RFC3339Nano)), nil)
}

// Ports calls line for each port with its counters; with follow again after each round of readings,
// until the manager ends.
func (c *Client) Ports(ctx context.Context, follow bool, line func(*service.PortCounts) error) error {
	resp, err := c.do(ctx, http.MethodGet, "/v1/ports?follow="+strconv.FormatBool(follow), nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	for dec := json.NewDecoder(resp.Body); ; {
		var p service.PortCounts
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := line(&p); err != nil {
			return err
		}
	}
}

// Metrics returns the metrics of the manager, as Prometheus reads them.
func (c *Client) Metrics(ctx context.Context) ([]byte, error) { return c.file(ctx, "/metrics") }

// Partitions returns the partitions in force.
func (c *Client) Partitions(ctx context.Context) (*service.Partitions, error) {
	return get[service.Partitions](ctx, c, http.MethodGet, "/v1/partitions", nil)
}

// Writing says how partitions are written.
type Writing struct {
	Version string // the version that was read, so that no other write comes between; "": any
	Force   bool   // even if it takes away much
}

// query returns the path of a write.
func (o Writing) query(path string) string {
	q := url.Values{}
	if o.Version != "" {
		q.Set("version", o.Version)
	}
	if o.Force {
		q.Set("force", "true")
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// SetPartitions makes a set the partitions of programs, all of them.
func (c *Client) SetPartitions(ctx context.Context, set *service.PartitionSet, o Writing) (*service.Written, error) {
	return get[service.Written](ctx, c, http.MethodPut, o.query("/v1/partitions"), set)
}

// PutPartition makes a partition so, whether it is there or not.
func (c *Client) PutPartition(ctx context.Context, pKey uint16, to *service.PartitionBody, o Writing) (*service.Written, error) {
	return get[service.Written](ctx, c, http.MethodPut, o.query(partitionPath(pKey)), to)
}

// DeletePartition deletes a partition.
func (c *Client) DeletePartition(ctx context.Context, pKey uint16, o Writing) (*service.Written, error) {
	return get[service.Written](ctx, c, http.MethodDelete, o.query(partitionPath(pKey)), nil)
}

// AddMembers adds members, such as 0x0002c90300001234=full, to a partition.
func (c *Client) AddMembers(ctx context.Context, pKey uint16, members []string, o Writing) (*service.Written, error) {
	return get[service.Written](ctx, c, http.MethodPost, o.query(partitionPath(pKey)+"/add"), &service.MemberList{Members: members})
}

// RemoveMembers removes members from a partition.
func (c *Client) RemoveMembers(ctx context.Context, pKey uint16, members []string, o Writing) (*service.Written, error) {
	return get[service.Written](ctx, c, http.MethodPost, o.query(partitionPath(pKey)+"/remove"), &service.MemberList{Members: members})
}

func partitionPath(pKey uint16) string { return fmt.Sprintf("/v1/partitions/0x%04x", pKey) }

// WhatIf returns the effects of changes, without making them.
func (c *Client) WhatIf(ctx context.Context, changes ...whatif.Change) (*whatif.Answer, error) {
	ctx, cancel := within(ctx, service.LongestWhatIf)
	defer cancel()
	return wait[whatif.Answer](ctx, c, http.MethodPost, "/v1/whatif", whatif.Question{Changes: changes})
}

// Resweep asks the manager to discover the whole subnet again.
func (c *Client) Resweep(ctx context.Context) (*service.Asked, error) {
	return get[service.Asked](ctx, c, http.MethodPost, "/v1/resweep", nil)
}

// Rebalance asks the manager to compute all routes afresh.
func (c *Client) Rebalance(ctx context.Context) (*service.Asked, error) {
	return get[service.Asked](ctx, c, http.MethodPost, "/v1/rebalance", nil)
}

// Drain asks the manager to take a switch or a cable out of use.
func (c *Client) Drain(ctx context.Context, name string) (*service.Asked, error) {
	return get[service.Asked](ctx, c, http.MethodPost, "/v1/drain?name="+url.QueryEscape(name), nil)
}

// Undrain asks the manager to use a switch or a cable again.
func (c *Client) Undrain(ctx context.Context, name string) (*service.Asked, error) {
	return get[service.Asked](ctx, c, http.MethodPost, "/v1/undrain?name="+url.QueryEscape(name), nil)
}

// Position is a position in the log: a run of the manager, and the last line read. The zero value
// is the start.
type Position struct {
	Run    string
	Number uint64
}

// Events calls line for each log line after a position, with the line's own position. It ends when
// line returns an error or after the last line; with follow when the manager ends. A Client can
// resume from the last position. If the manager has restarted, Events starts with the first line of
// the new run.
func (c *Client) Events(ctx context.Context, from Position, follow bool, line func(Position, *terms.LogLine) error) error {
	q := url.Values{"since": {strconv.FormatUint(from.Number, 10)}, "follow": {strconv.FormatBool(follow)}}
	if from.Run != "" {
		q.Set("run", from.Run)
	}
	if !follow {
		var cancel context.CancelFunc
		ctx, cancel = within(ctx, c.longest)
		defer cancel()
	}
	resp, err := c.do(ctx, http.MethodGet, "/v1/events?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	run := resp.Header.Get(service.RunHeader)
	for dec := json.NewDecoder(resp.Body); ; {
		var l terms.LogLine
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := line(Position{run, l.Number}, &l); err != nil {
			return err
		}
	}
}

// Jobs lists the jobs that run.
func (c *Client) Jobs(ctx context.Context) (*service.Jobs, error) {
	return get[service.Jobs](ctx, c, http.MethodGet, "/v1/jobs", nil)
}

// StartJob tells of a job that starts.
func (c *Client) StartJob(ctx context.Context, id string, j *service.JobBody) (*service.JobsWritten, error) {
	return get[service.JobsWritten](ctx, c, http.MethodPut, "/v1/jobs/"+url.PathEscape(id), j)
}

// EndJob tells of a job that has ended.
func (c *Client) EndJob(ctx context.Context, id string) (*service.JobsWritten, error) {
	return get[service.JobsWritten](ctx, c, http.MethodDelete, "/v1/jobs/"+url.PathEscape(id), nil)
}

// SetJobs tells of all jobs that run.
func (c *Client) SetJobs(ctx context.Context, all *service.JobSet) (*service.JobsWritten, error) {
	return get[service.JobsWritten](ctx, c, http.MethodPut, "/v1/jobs", all)
}
