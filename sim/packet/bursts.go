package packet

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Bursts let a stream alternate between sending and silence.
type Bursts struct {
	On, Off Time // lengths; On 0: no bursts
	Drawn   bool // the lengths are means of an exponential distribution
}

// length draws the length of the next burst or silence.
func (d *drawing) length(b *Bursts, usual Time) Time {
	if b.Drawn {
		return d.about(usual)
	}
	return usual
}

// enterBursts draws a stream's starting point in its bursts and silences, and returns the time
// until its first message.
func (d *drawing) enterBursts(b *Bursts, gap Time) (wait Time) {
	at := Time(d.share() * float64(b.On+b.Off))
	d.left = d.length(b, b.On)
	switch {
	case at >= b.On && b.Drawn:
		wait = d.length(b, b.Off)
	case at >= b.On:
		wait = b.On + b.Off - at
	case !b.Drawn:
		d.left = b.On - at
	}
	return wait + d.inBursts(b, Time(d.share()*float64(gap)))
}

// inBursts returns the time until a stream has been sending for the given time. The stream's clock
// stops during silence, so that it sends On / (On+Off) of its rate without silence, however long a
// message takes.
func (d *drawing) inBursts(b *Bursts, sending Time) (wait Time) {
	for sending > d.left && wait < 1<<60 {
		wait += d.left + d.length(b, b.Off)
		sending -= d.left
		d.left = d.length(b, b.On)
	}
	d.left -= sending
	return min(wait+sending, 1<<60)
}

// ParseBursts parses "" for no bursts, or on=TIME,off=TIME,drawn=yes (or no); off is 0 if left out.
func ParseBursts(text string) (b Bursts, err error) {
	if text == "" {
		return b, nil
	}
	b.Drawn = true
	for setting := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(setting, "=")
		switch name {
		case "on":
			b.On, err = burstTime(value)
		case "off":
			b.Off, err = burstTime(value)
		case "drawn":
			if b.Drawn = value == "yes"; !b.Drawn && value != "no" {
				err = errors.New("want yes or no")
			}
		default:
			err = errors.New("want on=TIME, off=TIME or drawn=no")
		}
		if err != nil {
			return b, fmt.Errorf("%s: %w", setting, err)
		}
	}
	if b.On == 0 {
		return b, errors.New("want on=TIME")
	}
	return b, nil
}

// burstTime parses a length.
func burstTime(text string) (Time, error) {
	d, err := time.ParseDuration(text)
	if err == nil && (d < 100*time.Nanosecond || d > time.Second) {
		err = errors.New("want 100ns to 1s")
	}
	return Time(d) * Nanosecond, err
}
