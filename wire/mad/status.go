package mad

import (
	"fmt"
	"strings"
)

// Status is the status of an answer: common bits 7..0, bits of the class 15..8.
type Status uint16

// The statuses that are numbers, not bits (13.4.7); the second group is the SA's (15.2.2).
const (
	StatusOK           Status = 0
	StatusBusy         Status = 0x0001
	StatusRedirect     Status = 0x0002
	StatusBadVersion   Status = 0x0004
	StatusBadMethod    Status = 0x0008
	StatusBadAttribute Status = 0x000C // the method does not exist for this attribute
	StatusBadField     Status = 0x001C

	StatusNoResources            Status = 0x0100
	StatusRequestInvalid         Status = 0x0200
	StatusNoRecords              Status = 0x0300
	StatusTooManyRecords         Status = 0x0400
	StatusInvalidGID             Status = 0x0500
	StatusInsufficientComponents Status = 0x0600
	StatusDenied                 Status = 0x0700
	StatusPrioritySuggested      Status = 0x0800
)

var (
	fieldErrors = [8]string{1: "bad version", "method not supported", "method and attribute not supported together", 7: "invalid field"}
	saErrors    = [...]string{
		1: "no resources", "request invalid", "no records", "too many records", "invalid GID",
		"insufficient components", "denied", "priority suggested",
	}
)

// String describes the status as the SA defines it. Bits 15..8 have names for that class only;
// other classes used by weft never set them.
func (s Status) String() string {
	if s == 0 {
		return "ok"
	}
	var said []string
	say := func(words string) {
		if words != "" {
			said = append(said, words)
		}
	}
	if s&StatusBusy != 0 {
		say("busy")
	}
	if s&StatusRedirect != 0 {
		say("redirect")
	}
	code := s >> 2 & 7
	if fieldErrors[code] == "" && code != 0 {
		say(fmt.Sprintf("reserved code %d", code))
	}
	say(fieldErrors[code])
	if high := int(s >> 8); high < len(saErrors) {
		say(saErrors[high])
	} else {
		say(fmt.Sprintf("class status 0x%02x", high))
	}
	if s&0xE0 != 0 {
		say(fmt.Sprintf("reserved bits 0x%02x", uint16(s&0xE0)))
	}
	return strings.Join(said, ", ")
}

// nameOr returns the declared name of v, or the number.
func nameOr(f Field, v uint64) string {
	if name := f.decl.ValueName(v); name != "" {
		return name
	}
	return fmt.Sprintf("0x%02x", v)
}
