package emulator

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weft/fabric"
)

// CommandHelp describes the commands of Do.
const CommandHelp = `  link NODE PORT down|up            pull the cable of a port, or plug it in again
  link NODE PORT flap DURATION      pull it, and plug it in again after DURATION
  link NODE PORT speeds SPEED,...   from its next training on it comes up at these speeds only; "all" undoes it
  link NODE PORT impair SETTING...  disturb this link; "none" undoes it
  connect NODE PORT NODE PORT       cable two ports with each other, also of one node; old cables are removed
  node NODE down|up                 switch a node off or on; it comes back without LIDs and tables
  node NODE reboot DURATION         switch it off, and on again after DURATION
  node NODE silent|answer           its management agents stop answering, or answer again
  node NODE slow DURATION           its management agents answer after DURATION
  node NODE ports N                 its NodeInfo reports N ports
  node NODE guid GUID               it reports this node GUID, even if another node has it
  impair SETTING...                 disturb all links; "none" undoes it
  count NODE PORT COUNTER N         add N to a counter (bit of CounterSelect, 0 to 15)

NODE is a GUID, a description or a unique part of one, in double quotes if it contains
spaces. NODE PORT can also be written NODE[PORT]. DURATION is 250ms or 2s, for example.
SETTING is loss=P, duplicate=P or late=P (probabilities 0 to 1), lateby=DURATION or
delay=DURATION.
`

var errCommand = errors.New("emulator: no such command (help lists them)")

// Do executes one command of an operator: a fault, or its end. CommandHelp lists them.
func (s *Subnet) Do(line string) error {
	words, err := splitWords(line)
	if err != nil {
		return err
	}
	c := command{s: s, words: words}
	switch c.word() {
	case "link":
		c.link()
	case "connect":
		c.connect()
	case "node":
		c.node()
	case "impair":
		if i := c.impairment(); c.err == nil {
			c.err = s.Impair(*i)
		}
	case "count":
		e := c.end()
		counter, by := c.number(15), c.number(1<<32-1)
		c.act(func() error { return s.Count(e, int(counter), by) })
	default:
		c.err = errCommand
	}
	return c.err
}

// command reads words in order; after an error it does nothing.
type command struct {
	s     *Subnet
	words []string
	err   error
}

// splitWords splits a line at blanks outside double quotes, and drops the quotes.
func splitWords(line string) (words []string, err error) {
	word, inWord, quoted := "", false, false
	for i := range len(line) {
		switch c := line[i]; {
		case c == '"':
			inWord, quoted = true, !quoted
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			if inWord {
				words = append(words, word)
			}
			word, inWord = "", false
		default:
			word, inWord = word+string(c), true
		}
	}
	if quoted {
		return nil, fmt.Errorf("emulator: a quote is not closed: %s", line)
	}
	if inWord {
		words = append(words, word)
	}
	return words, nil
}

// word returns the next word, "" after the last.
func (c *command) word() string {
	if len(c.words) == 0 {
		return ""
	}
	w := c.words[0]
	c.words = c.words[1:]
	return w
}

// act executes a command once all its words are read.
func (c *command) act(do func() error) {
	if c.err == nil && len(c.words) > 0 {
		c.err = fmt.Errorf("emulator: unexpected %q at the end of the command", c.words[0])
	}
	if c.err == nil {
		c.err = do()
	}
}

func (c *command) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("emulator: "+format, args...)
	}
}

func (c *command) nodeID() fabric.NodeID {
	w := c.word()
	id, err := c.s.fab.FindNode(w)
	if err != nil {
		c.fail("%w", err)
	}
	return id
}

func (c *command) number(limit uint64) uint64 {
	w := c.word()
	v, err := strconv.ParseUint(w, 0, 64)
	if err != nil || v > limit {
		c.fail("%q is not a number from 0 to %d", w, limit)
	}
	return v
}

func (c *command) duration() time.Duration {
	w := c.word()
	d, err := time.ParseDuration(w)
	if err != nil || d < 0 {
		c.fail("%q is not a duration such as 250ms", w)
	}
	return d
}

// end reads NODE PORT, or both in one word as NODE[PORT] or NODE/PORT.
func (c *command) end() fabric.End {
	at, err := c.s.fab.FindPlace(c.word())
	if err != nil {
		c.fail("%w", err)
	}
	if at.Whole {
		at.Port = uint8(c.number(fabric.MaxPorts))
	}
	return at.End
}

func (c *command) link() {
	id := fabric.NoLink
	if e := c.end(); c.err == nil {
		id, c.err = c.s.LinkAt(e)
	}
	switch w := c.word(); w {
	case "down", "up":
		c.act(func() error { return c.s.SetLinkDown(id, w == "down") })
	case "flap":
		d := c.duration()
		c.act(func() error { return c.s.Flap(id, d) })
	case "impair":
		none := len(c.words) == 1 && c.words[0] == "none"
		i := c.impairment()
		if none {
			i = nil
		}
		c.act(func() error { return c.s.ImpairLink(id, i) })
	case "speeds":
		only := c.speeds()
		c.act(func() error { return c.s.LimitLink(id, only) })
	default:
		c.fail("%q: want down, up, flap, speeds or impair", w)
	}
}

// speeds reads a list of speeds; all gives none.
func (c *command) speeds() (list []fabric.Speed) {
	w := c.word()
	for word := range strings.SplitSeq(w, ",") {
		s, ok := fabric.ParseSpeed(word)
		if !ok && w != "all" {
			c.fail("%q is no speed such as EDR", word)
		}
		if ok {
			list = append(list, s)
		}
	}
	return list
}

func (c *command) connect() {
	a := c.end()
	b := c.end()
	c.act(func() error {
		_, err := c.s.Connect(a, b, 0, fabric.SpeedUnknown)
		return err
	})
}

func (c *command) node() {
	id := c.nodeID()
	switch w := c.word(); w {
	case "down", "up":
		c.act(func() error { return c.s.SetNodeDown(id, w == "down") })
	case "silent", "answer":
		c.act(func() error { return c.s.SetSilent(id, w == "silent") })
	case "reboot":
		d := c.duration()
		c.act(func() error { return c.s.Reboot(id, d) })
	case "slow":
		d := c.duration()
		c.act(func() error { return c.s.SetSlow(id, d) })
	case "ports":
		n := c.number(255)
		c.act(func() error { return c.s.SetNumPorts(id, uint8(n)) })
	case "guid":
		text := c.word()
		guid, err := fabric.ParseGUID(text)
		if err != nil {
			c.fail("%w", err)
		}
		c.act(func() error { return c.s.SetGUID(id, guid) })
	default:
		c.fail("%q: want down, up, reboot, silent, answer, slow, ports or guid", w)
	}
}

// impairment reads settings up to the end of the command.
func (c *command) impairment() *Impairment {
	i := &Impairment{}
	if len(c.words) == 0 {
		c.fail("no setting: want loss=P, duplicate=P, late=P, lateby=DURATION, delay=DURATION or none")
	}
	for len(c.words) > 0 && c.err == nil {
		w := c.word()
		key, value, _ := strings.Cut(w, "=")
		var err error
		switch key {
		case "loss":
			i.Loss, err = strconv.ParseFloat(value, 64)
		case "duplicate":
			i.Duplicate, err = strconv.ParseFloat(value, 64)
		case "late":
			i.Late, err = strconv.ParseFloat(value, 64)
		case "lateby":
			i.LateBy, err = time.ParseDuration(value)
		case "delay":
			i.Delay, err = time.ParseDuration(value)
		case "none":
			*i = Impairment{}
		default:
			c.fail("%q is no setting of a link", w)
		}
		if err != nil {
			c.fail("%q: not a number or duration", w)
		}
	}
	return i
}
