package netfile

import (
	"bytes"
	"io"

	"weft/fabric/netfile/lines"
)

// Load reads a topology file into memory. It stops at a line too long for any format. Errors come
// from in, or are of type *Error.
func Load(name string, in io.Reader) ([]byte, error) {
	var (
		data  []byte
		begin int // of the last line
	)
	for chunk := make([]byte, lines.MaxLine); ; {
		n, err := io.ReadFull(in, chunk)
		data = append(data, chunk[:n]...)
		if i := bytes.LastIndexByte(chunk[:n], '\n'); i >= 0 {
			begin = len(data) - n + i + 1
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return data, nil
		case err != nil:
			return nil, err
		case len(data)-begin > lines.MaxLine && detectBeginning(data) == nil:
			return nil, lines.TooLong(name, 1+bytes.Count(data[:begin], []byte("\n")))
		}
	}
}
