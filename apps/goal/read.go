package goal

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"

	"weft/apps/program"
)

// Read reads a schedule, as text or binary; either may be compressed with gzip. Errors of a text
// name line and column; a circle of waiting operations is an error that names them.
func Read(in io.Reader) (*program.Schedule, error) {
	b := bufio.NewReaderSize(in, 1<<16)
	head, err := b.Peek(8)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		b = bufio.NewReaderSize(z, 1<<16)
		if head, err = b.Peek(8); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
	}
	if len(head) == 8 {
		switch binary.LittleEndian.Uint64(head) {
		case magic:
			return readBinary(b)
		case usedUp:
			return nil, errors.New("LogGOPSim has used up this binary schedule: make it again from its text")
		}
	}
	return readText(b)
}
