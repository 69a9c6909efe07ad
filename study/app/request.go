package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"weft/apps/collective"
	"weft/apps/goal"
	"weft/apps/machine"
	"weft/apps/program"
	"weft/apps/script"
	"weft/apps/training"
	"weft/fabric"
	"weft/sim/traffic"
)

// Program is a schedule, a collective operation or a training step.
type Program struct {
	Name      string
	StartNS   float64 // when it starts, in nanoseconds
	leftOut   string  // what was not read of a trace
	schedule  *program.Schedule
	operation *collective.Spec
	training  *training.Spec
}

// namesOfAll names the programs of a run.
func namesOfAll(jobs []*Program) string {
	names := make([]string, len(jobs))
	for i, p := range jobs {
		names[i] = p.Name
	}
	return strings.Join(names, " + ")
}

// OpenAll reads programs that run at once. Each may end with @TIME, its start.
func OpenAll(texts []string, d collective.Defaults) ([]*Program, error) {
	return openAll(texts, func(text string) bool { _, missing := os.Stat(text); return missing == nil },
		func(name string) (*Program, error) { return Open(name, d) })
}

// OpenTexts is OpenAll without files: each program is a line, or the name of a text that is a GOAL
// schedule.
func OpenTexts(texts []string, schedules map[string]string, d collective.Defaults) ([]*Program, error) {
	return openAll(texts, func(text string) bool { _, is := schedules[text]; return is },
		func(name string) (*Program, error) {
			text, is := schedules[name]
			if !is {
				return OpenLine(name, d)
			}
			s, err := goal.Read(strings.NewReader(text))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return &Program{Name: name, schedule: s}, nil
		})
}

// openAll reads programs by a function. An @ in the name of a file begins no time.
func openAll(texts []string, isFile func(string) bool, open func(string) (*Program, error)) (jobs []*Program, err error) {
	for _, text := range texts {
		name, at, later := cutLast(text, "@")
		if isFile(text) {
			name, later = text, false
		}
		start := time.Duration(0)
		if later {
			if start, err = time.ParseDuration(at); err != nil || start < 0 || start > latestStart {
				return nil, fmt.Errorf("%q: a time such as 2ms, up to %.0f h, is expected after @", text, latestStart.Hours())
			}
		}
		p, err := open(name)
		if err != nil {
			return nil, err
		}
		p.StartNS = float64(start.Nanoseconds())
		jobs = append(jobs, p)
	}
	return jobs, nil
}

// latestStart is the latest start of a program. No run is longer than 26 days.
const latestStart = 20 * 24 * time.Hour

// cutLast cuts a text at the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// OpenLine reads a program in one line: a collective operation such as allreduce(ring,size=1GiB),
// or a training step such as training(tensor=8,pipeline=4). Defaults apply to options that it
// leaves out.
func OpenLine(text string, d collective.Defaults) (*Program, error) {
	if training.Is(text) {
		s, err := training.Parse(text, d.Ranks)
		return &Program{Name: text, training: &s}, err
	}
	s, err := collective.Parse(text, d)
	return &Program{Name: text, operation: &s}, err
}

// CheckLine returns an error for a program in one line that no number of ranks can run; it tries
// several.
func CheckLine(text string) (first error) {
	for _, ranks := range []int{64, 4096, 1 << 18} {
		_, err := OpenLine(text, collective.Defaults{Ranks: ranks, Group: 8})
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

// Open reads a program: one in a line, a GOAL schedule in a file, or a Chakra trace.
func Open(text string, d collective.Defaults) (*Program, error) {
	if p, ok, err := openTrace(text); ok {
		return p, err
	}
	p, err := OpenLine(text, d)
	if err == nil || training.Is(text) {
		return p, err
	}
	if strings.Contains(text, "(") || !strings.ContainsAny(text, "./") {
		if _, missing := os.Stat(text); missing != nil {
			return nil, fmt.Errorf("%w; a schedule is given by the name of its file", err)
		}
	}
	f, err := os.Open(text)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := goal.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return &Program{Name: text, schedule: s}, nil
}

// Ranks returns the number of ranks.
func (p *Program) Ranks() int {
	if p.training != nil {
		return p.training.Ranks()
	}
	if p.operation != nil {
		return p.operation.Ranks
	}
	return p.schedule.Shape().Ranks
}

// start returns a run of the program. explain says why it stopped before its end.
func (p *Program) start() (run program.Program, explain func(waiting []machine.Wait) program.Stuck, err error) {
	unknown := func([]machine.Wait) program.Stuck { return program.Stuck{} }
	switch {
	case p.operation != nil:
		o, err := collective.New(*p.operation)
		return o, unknown, err
	case p.training != nil:
		step, err := training.New(*p.training)
		if err != nil {
			return nil, nil, err
		}
		return script.New(step), unknown, nil
	}
	r := p.schedule.Start()
	return r, func(waiting []machine.Wait) program.Stuck {
		pending := make([]program.Pending, len(waiting))
		for i, w := range waiting {
			pending[i] = program.Pending{Rank: w.Rank, ID: w.Op.ID}
		}
		return r.Explain(pending)
	}, nil
}

// ParseCosts reads costs such as L=1000,o=200,g=0,G=1,O=0,S=65536. Costs that the text leaves out
// stay.
func ParseCosts(text string, costs machine.Parameters) (machine.Parameters, error) {
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		key, value, _ := strings.Cut(word, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 || n > 1e12 {
			return costs, fmt.Errorf("%q: want one of L, o, g, G, O, S, and a whole number of nanoseconds, nanoseconds per byte, or bytes", word)
		}
		switch t := machine.Time(n); key {
		case "L":
			costs.Latency = t
		case "o":
			costs.Overhead = t
		case "g":
			costs.Gap = t
		case "G":
			costs.GapPerByte = t
		case "O":
			costs.OverheadPerByte = t
		case "S":
			costs.Eager = n
		default:
			return costs, fmt.Errorf("%q: the costs are L, o, g, G, O and S", word)
		}
	}
	return costs, nil
}

// Write writes the program as a GOAL schedule, as text or binary.
func (p *Program) Write(w io.Writer, binary bool) (err error) {
	s := p.schedule
	if p.training != nil {
		return errors.New("a training step cannot be written as a schedule: its ranks decide while they run")
	}
	if p.operation != nil {
		if s, err = p.operation.Schedule(); err != nil {
			return err
		}
	}
	if binary {
		return goal.WriteBinary(w, s)
	}
	return goal.WriteText(w, s)
}

// DefaultsOf returns the defaults of operations on a fabric: a rank for each server or host port,
// and with placement rail the ports of a server as a group.
func DefaultsOf(g *fabric.Graph, onPorts bool, placement string) collective.Defaults {
	servers := traffic.ServersOf(g)
	if servers != nil && !onPorts {
		return collective.Defaults{Ranks: len(servers.Ports)}
	}
	var d collective.Defaults
	for h := range int32(g.NumHosts) {
		if g.IsHost(h) {
			d.Ranks++
		}
	}
	if servers == nil || placement != "rail" {
		return d
	}
	d.Group = len(servers.Ports[0])
	for _, ports := range servers.Ports {
		if len(ports) != d.Group {
			d.Group = 0
		}
	}
	return d
}

// SetSends reads the order of sends: pair, port or shared. An empty text is the usual one.
func (r *Request) SetSends(text string) error {
	if err := r.Sends.UnmarshalText([]byte(text)); err != nil {
		return fmt.Errorf("sends: %w", err)
	}
	return nil
}

// SetPlacement takes an order of ranks. For file:NAME it reads the file.
func (r *Request) SetPlacement(text string) error {
	r.Placement = text
	name, ok := strings.CutPrefix(text, "file:")
	if !ok {
		return nil
	}
	data, err := os.ReadFile(name)
	r.Placement, r.File = "file", string(data)
	return err
}
