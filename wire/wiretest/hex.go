package wiretest

import (
	"bytes"
	"encoding/hex"
	"strings"
)

// ParseHex reads the test vectors' form: hexadecimal bytes, and lines starting with
// # as comments.
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
