package traffic

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"weft/fabric"
)

// Message is one message between ranks at a given time.
type Message struct {
	At       time.Duration
	Src, Dst int32
	Bytes    int64
}

// maxMessages and maxMessageBytes limit a file of messages.
const (
	maxMessages     = 1 << 22
	maxMessageBytes = 1 << 40
)

// ReadMessages reads a file of messages. A line is the time (12.5us), the source, the destination
// and the bytes, separated by spaces; lines may come in any order. Hosts are named as in ReadFile.
// Errors have the form file:line: message.
func ReadMessages(name string, data []byte, g *fabric.Graph, hosts []int32) ([]Message, error) {
	find := directory(g, hosts)
	return readLines(name, "messages", data, func(words []string) (Message, error) { return readMessage(words, find) })
}

// readLines parses the words of every line that is not empty with read; at most maxMessages lines.
// what describes the content of a line in errors.
func readLines[T any](name, what string, data []byte, read func(words []string) (T, error)) ([]T, error) {
	var list []T
	line := 0
	for text := range strings.SplitSeq(string(data), "\n") {
		line++
		words, err := split(text)
		if err == nil && len(words) == 0 {
			continue
		}
		var entry T
		if err == nil {
			entry, err = read(words)
		}
		if err == nil && len(list) == maxMessages {
			err = fmt.Errorf("more than %d %s", maxMessages, what)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		list = append(list, entry)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no %s", name, what)
	}
	return list, nil
}

// readMessage parses the words of a line.
func readMessage(words []string, find func(string) (int32, error)) (m Message, err error) {
	if len(words) != 4 {
		return m, fmt.Errorf("want a time, a source, a destination and bytes; got %d words", len(words))
	}
	if m.At, err = time.ParseDuration(words[0]); err != nil || m.At < 0 || m.At > time.Minute {
		return m, fmt.Errorf("%q is no time from 0 to 1m, with its unit (12.5us)", words[0])
	}
	if m.Src, err = find(words[1]); err != nil {
		return m, err
	}
	if m.Dst, err = find(words[2]); err != nil {
		return m, err
	}
	if m.Src == m.Dst {
		return m, fmt.Errorf("%s sends to itself", words[1])
	}
	if m.Bytes, err = strconv.ParseInt(words[3], 10, 64); err != nil || m.Bytes < 1 || m.Bytes > maxMessageBytes {
		return m, fmt.Errorf("%q bytes: want 1 to %d", words[3], int64(maxMessageBytes))
	}
	return m, nil
}
