package traffic

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"weft/fabric"
)

// Stream describes messages from one rank to another for a while.
type Stream struct {
	Src, Dst int32
	Gbps     float64 // mean rate of payload, in Gbit/s; 0: one after the other without pause
	Bytes    int64   // of a message; 0: the usual size
	Level    string  // level of service; "" for the first
	// Start and Stop bound the stream in time; a Stop of 0 means the end of the traffic.
	Start, Stop time.Duration
}

// ReadStreams reads a file of streams. A line is a source and a destination, and any of
// rate=GBIT/S, bytes=N, level=NAME, start=TIME and stop=TIME, separated by spaces. Hosts are named
// as in ReadFile. Errors have the form file:line: message.
func ReadStreams(name string, data []byte, g *fabric.Graph, hosts []int32) ([]Stream, error) {
	find := directory(g, hosts)
	return readLines(name, "streams", data, func(words []string) (Stream, error) { return readStream(words, find) })
}

// readStream parses the words of a line.
func readStream(words []string, find func(string) (int32, error)) (s Stream, err error) {
	if len(words) < 2 {
		return s, fmt.Errorf("want a source and a destination; got %d word", len(words))
	}
	if s.Src, err = find(words[0]); err != nil {
		return s, err
	}
	if s.Dst, err = find(words[1]); err != nil {
		return s, err
	}
	if s.Src == s.Dst {
		return s, fmt.Errorf("%s sends to itself", words[0])
	}
	for _, word := range words[2:] {
		if err := s.set(word); err != nil {
			return s, fmt.Errorf("%s: %w", word, err)
		}
	}
	if s.Stop > 0 && s.Stop <= s.Start {
		return s, fmt.Errorf("it stops at %v, but starts at %v", s.Stop, s.Start)
	}
	return s, nil
}

// set parses a setting of a stream.
func (s *Stream) set(word string) (err error) {
	name, value, _ := strings.Cut(word, "=")
	switch name {
	case "rate":
		if s.Gbps, err = strconv.ParseFloat(value, 64); err != nil || !(s.Gbps >= 1e-6 && s.Gbps <= 1e6) {
			return errors.New("want 0.000001 to 1000000 Gbit/s")
		}
	case "bytes":
		if s.Bytes, err = strconv.ParseInt(value, 10, 64); err != nil || s.Bytes < 1 || s.Bytes > maxMessageBytes {
			return fmt.Errorf("want 1 to %d", int64(maxMessageBytes))
		}
	case "level":
		if s.Level = value; value == "" {
			return errors.New("want the name of a level of service")
		}
	case "start":
		s.Start, err = streamTime(value, 0)
	case "stop":
		s.Stop, err = streamTime(value, 1)
	default:
		return errors.New("want rate=GBIT/S, bytes=N, level=NAME, start=TIME or stop=TIME")
	}
	return err
}

// streamTime parses a time that is not below least.
func streamTime(text string, least time.Duration) (time.Duration, error) {
	t, err := time.ParseDuration(text)
	if err != nil || t < least || t > time.Minute {
		return 0, errors.New("want a time up to 1m, with its unit (20us)")
	}
	return t, nil
}
