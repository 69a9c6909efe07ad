package state

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"weft/fabric"
	"weft/fabric/netfile"
	"weft/internal/fold"
	"weft/sm/terms"
)

// Plan describes a stored Plan.
type Plan struct {
	Version int64  `json:"version"`
	Time    string `json:"time"` // UTC, when it was first distributed
	Engine  string `json:"engine"`
	Verdict string `json:"verdict"` // the proof of the judge, in words
	Bytes   int    `json:"bytes"`
}

// LID is the LID range of a port.
type LID struct {
	PortGUID fabric.GUID `json:"port_guid"`
	First    fabric.LID  `json:"first_lid"`
	Last     fabric.LID  `json:"last_lid"`
	Gone     string      `json:"gone,omitempty"` // UTC, when the port disappeared
}

// Contents holds everything in a state file except the Plans themselves.
type Contents struct {
	LIDs   []LID           `json:"lids"` // in order of LIDs
	Plans  []Plan          `json:"plans"`
	Drains []string        `json:"drains"`     // switches and cables to drain
	Owned  Owned           `json:"partitions"` // of programs
	Jobs   int             `json:"jobs"`       // that run
	Subnet *Subnet         `json:"subnet"`     // the last discovered subnet; null before the first one
	Events []terms.LogLine `json:"events"`     // the last ones, oldest first
}

// Owned counts the partitions of programs.
type Owned struct {
	Version    string `json:"version"` // 0: no program ever wrote one
	Partitions int    `json:"partitions"`
	Members    int    `json:"members"`
}

// Subnet counts the discovered devices and links.
type Subnet struct {
	Time     string `json:"time"` // UTC
	Switches int    `json:"switches"`
	CAs      int    `json:"cas"`
	Links    int    `json:"links"`
}

// timeFormat is the format of times, the same as in the log.
const timeFormat = "2006-01-02T15:04:05.000Z"

func timeText(ms int64) string { return time.UnixMilli(ms).UTC().Format(timeFormat) }

// LastPlan returns the last distributed Plan with the bytes of planfile.Save; nil if none is
// stored.
func (s *Store) LastPlan() (p *Plan, data []byte, err error) {
	p = &Plan{}
	var ms int64
	err = s.one("SELECT version, time, engine, verdict, bytes FROM plans ORDER BY version DESC LIMIT 1", nil, &p.Version, &ms, &p.Engine, &p.Verdict, &data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, s.explain(err)
	}
	p.Time, p.Bytes = timeText(ms), len(data)
	return p, data, nil
}

// LastSubnet returns the last discovered subnet and its time; nil if none is stored.
func (s *Store) LastSubnet() (f *fabric.Fabric, at string, err error) {
	var ms int64
	var packed []byte
	err = s.one("SELECT time, netfile FROM subnet", nil, &ms, &packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", s.explain(err)
	}
	if f, err = unpack(packed); err != nil {
		return nil, "", fmt.Errorf("%s: the last discovered subnet: %w", s.path, err)
	}
	return f, timeText(ms), nil
}

// unpack decodes a compressed fabric.
func unpack(packed []byte) (*fabric.Fabric, error) {
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	data, err := netfile.Load("subnet", zip)
	if err != nil {
		return nil, err
	}
	f, _, err := netfile.Read("subnet", data, netfile.Options{})
	return f, err
}

// mostChanges is the maximum number of changes listed one by one.
const mostChanges = 20

// Changes lists the differences between the subnet at an earlier time and now.
func Changes(then *fabric.Fabric, at string, now *fabric.Fabric) (told []terms.Incident) {
	changes := fabric.Diff(then, now)
	for _, c := range changes[:min(len(changes), mostChanges)] {
		told = append(told, terms.Incident{Kind: terms.FabricChanged, Text: "since " + at + ": " + c.String()})
	}
	if more := len(changes) - len(told); more > 0 {
		told = append(told, terms.Incident{Kind: terms.FabricChanged, Text: fmt.Sprintf("since %s: and %d more changes", at, more)})
	}
	return told
}

// Contents reads the file's contents, with a maximum number of events, the last ones.
func (s *Store) Contents(events int) (*Contents, error) {
	c := &Contents{LIDs: []LID{}, Plans: []Plan{}, Drains: []string{}, Events: []terms.LogLine{}}
	for _, read := range []func() error{
		func() error { return s.readLIDs(c) },
		func() error { return s.readPlans(c) },
		func() error { return s.readEvents(c, events) },
		func() error { return s.readSubnet(c) },
	} {
		if err := read(); err != nil {
			return nil, s.explain(err)
		}
	}
	d, err := s.Drains()
	c.Drains = append(c.Drains, d.Now...)
	if err != nil {
		return c, err
	}
	o, err := s.Owned()
	c.Owned = Owned{Version: o.Version.String(), Partitions: len(o.List)}
	for i := range o.List {
		c.Owned.Members += len(o.List[i].Members)
	}
	if err != nil {
		return c, err
	}
	list, err := s.Jobs()
	c.Jobs = len(list)
	return c, err
}

// one reads a single row.
func (s *Store) one(query string, args []any, values ...any) error {
	s.use.Lock()
	defer s.use.Unlock()
	return s.db.QueryRow(query, args...).Scan(values...)
}

// each calls a function for every row of a query.
func (s *Store) each(row func(*sql.Rows) error, query string, args ...any) error {
	s.use.Lock()
	defer s.use.Unlock()
	rows, err := s.db.Query(query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *Store) readLIDs(c *Contents) error {
	return s.each(func(rows *sql.Rows) error {
		var guid, base, lmc int64
		var gone sql.NullInt64
		if err := rows.Scan(&guid, &base, &lmc, &gone); err != nil {
			return err
		}
		p := terms.PortLIDs{Base: fabric.LID(base), LMC: uint8(lmc)}
		l := LID{PortGUID: fabric.GUID(guid), First: p.Base, Last: p.Last()}
		if gone.Valid {
			l.Gone = timeText(gone.Int64)
		}
		c.LIDs = append(c.LIDs, l)
		return nil
	}, "SELECT port_guid, base, lmc, gone FROM lids ORDER BY base")
}

func (s *Store) readPlans(c *Contents) error {
	return s.each(func(rows *sql.Rows) error {
		var p Plan
		var ms int64
		if err := rows.Scan(&p.Version, &ms, &p.Engine, &p.Verdict, &p.Bytes); err != nil {
			return err
		}
		p.Time = timeText(ms)
		c.Plans = append(c.Plans, p)
		return nil
	}, "SELECT version, time, engine, verdict, length(bytes) FROM plans ORDER BY version")
}

func (s *Store) readEvents(c *Contents, most int) error {
	err := s.each(func(rows *sql.Rows) error {
		var ms int64
		var i terms.Incident
		var kind string
		var guid, port sql.NullInt64
		var name sql.NullString
		if err := rows.Scan(&ms, &kind, &i.Text, &guid, &name, &port); err != nil {
			return err
		}
		i.Kind, i.At = terms.IncidentKind(kind), terms.Place{Node: fabric.GUID(guid.Int64), Name: name.String, Port: int(port.Int64)}
		if !port.Valid {
			i.At.Port = -1
		}
		c.Events = append(c.Events, terms.LogLine{Time: timeText(ms), IncidentJSON: i.JSON()})
		return nil
	}, "SELECT time, code, text, node_guid, node_name, port FROM events ORDER BY number DESC LIMIT ?", most)
	slices.Reverse(c.Events)
	return err
}

func (s *Store) readSubnet(c *Contents) error {
	f, at, err := s.LastSubnet()
	if f == nil || err != nil {
		return err
	}
	c.Subnet = &Subnet{Time: at, Links: len(f.Links)}
	for i := range f.Nodes {
		switch f.Nodes[i].Type {
		case fabric.Switch:
			c.Subnet.Switches++
		case fabric.CA:
			c.Subnet.CAs++
		case fabric.Router:
		}
	}
	return nil
}

// Write prints the contents as text.
func (c *Contents) Write(out io.Writer) error {
	var b strings.Builder
	gone := 0
	for _, l := range c.LIDs {
		if l.Gone != "" {
			gone++
		}
	}
	fmt.Fprintf(&b, "LIDs of %d ports, %d of them missing; Plans stored: %d\n", len(c.LIDs), gone, len(c.Plans))
	if s := c.Subnet; s != nil {
		fmt.Fprintf(&b, "discovered at %s: %d switches, %d CAs, %d links\n", s.Time, s.Switches, s.CAs, s.Links)
	}
	rows := [][]string{}
	for _, p := range c.Plans {
		rows = append(rows, []string{fmt.Sprintf("Plan %d", p.Version), fmt.Sprintf("%s, engine %s, proven: %s, %d bytes", p.Time, p.Engine, p.Verdict, p.Bytes)})
	}
	for _, name := range c.Drains {
		rows = append(rows, []string{"to be drained", name})
	}
	for _, l := range c.LIDs {
		text := fmt.Sprintf("LID %d", l.First)
		if l.Last > l.First {
			text = fmt.Sprintf("LIDs %d to %d", l.First, l.Last)
		}
		if l.Gone != "" {
			text += ", missing since " + l.Gone
		}
		rows = append(rows, []string{l.PortGUID.String(), text})
	}
	b.WriteString(fold.Rows(rows))
	for _, e := range c.Events { // one line each, as in the log
		fmt.Fprintf(&b, "%s %s: %s\n", e.Time, e.Kind, e.Text)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
