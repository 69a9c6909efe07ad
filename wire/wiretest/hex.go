package wiretest

import (
	"bytes"
	"encoding/hex"
	"strings"
)

// ParseHex parses test vectors: hexadecimal bytes, with comments on lines that begin with #.
func ParseHex(text []byte) ([]byte, error) {
	var digits strings.Builder
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("#")) {
			for field := range bytes.FieldsSeq(line) {
				digits.Write(field)
			}
		}
	}
	return hex.DecodeString(digits.String())
}
