package change

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/fabric"
	"weft/mapping"
)

// Event changes a network. A list of events is a text of lines
//
//	TIME link NODE PORT down|up
//	TIME node NODE down|up
//	TIME connect NODE PORT NODE PORT
//	TIME host NAME ADDRESS NODE PORT
//
// TIME is modelled and counts from the start (250ms, 1.5s). A name with blanks stands in double
// quotes. Ports count from 1. connect pulls the cables that are in its ports. # begins a comment.
type Event struct {
	At    time.Duration
	Where string // file:line
	words []string
}

// grammar holds the forms of events: the kinds of their words.
var grammar = map[string]string{
	"link":    "link NODE PORT down|up",
	"node":    "node NODE down|up",
	"connect": "connect NODE PORT NODE PORT",
	"host":    "host NAME ADDRESS NODE PORT",
}

// ReadEvents reads a list of events, which it sorts by time.
func ReadEvents(file string, r io.Reader) ([]Event, error) {
	var events []Event
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		where := fmt.Sprintf("%s:%d", file, n)
		words, err := split(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if len(words) == 0 {
			continue
		}
		at, err := time.ParseDuration(words[0])
		if err != nil || at < 0 {
			return nil, fmt.Errorf("%s: %q is not a time such as 250ms or 1.5s", where, words[0])
		}
		e := Event{At: at, Where: where, words: words[1:]}
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		events = append(events, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return events, nil
}

// split splits a line at blanks outside double quotes.
func split(line string) (words []string, err error) {
	for rest := strings.TrimSpace(line); rest != "" && rest[0] != '#'; rest = strings.TrimSpace(rest) {
		word, after, quoted := "", "", rest[0] == '"'
		if quoted {
			if word, after, quoted = strings.Cut(rest[1:], `"`); !quoted {
				return nil, fmt.Errorf("a quote is not closed: %s", rest)
			}
		} else if end := strings.IndexAny(rest, " \t"); end >= 0 {
			word, after = rest[:end], rest[end:]
		} else {
			word = rest
		}
		words, rest = append(words, word), after
	}
	return words, nil
}

// check returns an error unless an event has the words of its form.
func (e *Event) check() error {
	if len(e.words) == 0 {
		return fmt.Errorf("no event: want one of link, node, connect, host")
	}
	form, known := grammar[e.words[0]]
	if !known {
		return fmt.Errorf("%q is not an event: want one of link, node, connect, host", e.words[0])
	}
	want := strings.Fields(form)
	if len(e.words) != len(want) {
		return fmt.Errorf("want %q", form)
	}
	for i, w := range want {
		word := e.words[i]
		switch w {
		case "PORT":
			if n, err := strconv.ParseUint(word, 10, 8); err != nil || n == 0 {
				return fmt.Errorf("%q is not a port: ports count from 1", word)
			}
		case "ADDRESS":
			if n, err := strconv.ParseUint(word, 0, 64); err != nil || n == 0 {
				return fmt.Errorf("%q is not an address such as 0x1234", word)
			}
		case "down|up":
			if word != "down" && word != "up" {
				return fmt.Errorf("want down or up, not %q", word)
			}
		}
	}
	return nil
}

// String returns the event in its written form.
func (e *Event) String() string { return strings.Join(e.words, " ") }

// apply returns the fabric after the event.
func (e *Event) apply(f *fabric.Fabric) (*fabric.Fabric, error) {
	f = f.Clone()
	switch e.words[0] {
	case "link":
		end, err := endOf(f, e.words[1], e.words[2])
		if err != nil {
			return nil, err
		}
		link := f.Nodes[end.Node].Ports[end.Port].Link
		if link == fabric.NoLink {
			return nil, fmt.Errorf("port %d of %s has no cable", end.Port, e.words[1])
		}
		f.SetLinkDown(link, e.words[3] == "down")
	case "node":
		node, err := f.FindNode(e.words[1])
		if err != nil {
			return nil, err
		}
		f.SetNodeDown(node, e.words[2] == "down")
	case "connect":
		a, err := endOf(f, e.words[1], e.words[2])
		if err != nil {
			return nil, err
		}
		b, err := endOf(f, e.words[3], e.words[4])
		if err != nil {
			return nil, err
		}
		return connect(f, a, b)
	case "host":
		address, _ := strconv.ParseUint(e.words[2], 0, 64)
		host, err := f.AddNode(fabric.CA, fabric.GUID(address), 1, e.words[1])
		if err != nil {
			return nil, err
		}
		b, err := endOf(f, e.words[3], e.words[4])
		if err != nil {
			return nil, err
		}
		return connect(f, fabric.End{Node: host, Port: 1}, b)
	}
	return f, nil
}

func endOf(f *fabric.Fabric, name, port string) (fabric.End, error) {
	node, err := f.FindNode(name)
	if err != nil {
		return fabric.End{}, err
	}
	p, _ := strconv.Atoi(port)
	if p > f.Nodes[node].NumPorts() {
		return fabric.End{}, fmt.Errorf("%s has %d ports, not %d", name, f.Nodes[node].NumPorts(), p)
	}
	return fabric.End{Node: node, Port: uint8(p)}, nil
}

// connect pulls the cables in two ports, and wires the ports together.
func connect(f *fabric.Fabric, a, b fabric.End) (*fabric.Fabric, error) {
	if a == b {
		return nil, fmt.Errorf("port %d of %s cannot be wired to itself", a.Port, f.NodeName(a.Node))
	}
	f = f.Without(nil, func(id fabric.LinkID) bool {
		l := &f.Links[id]
		return l.A == a || l.A == b || l.B == a || l.B == b
	})
	_, err := f.Connect(a, b, 4, fabric.SDR)
	return f, err
}

// Epoch is a network between two events.
type Epoch struct {
	From    time.Duration
	Network *mapping.Network
	Events  []Event // that began it
}

// Timeline returns the networks that events make of a fabric, in order.
func Timeline(f *fabric.Fabric, events []Event) ([]Epoch, error) {
	n, err := mapping.FromFabric(f)
	if err != nil {
		return nil, err
	}
	epochs := []Epoch{{Network: n}}
	for _, e := range events {
		if f, err = e.apply(f); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Where, err)
		}
		if n, err = mapping.FromFabric(f); err != nil {
			return nil, fmt.Errorf("%s: %w", e.Where, err)
		}
		last := &epochs[len(epochs)-1]
		if last.From == e.At {
			last.Network, last.Events = n, append(last.Events, e)
			continue
		}
		epochs = append(epochs, Epoch{From: e.At, Network: n, Events: []Event{e}})
	}
	return epochs, nil
}
