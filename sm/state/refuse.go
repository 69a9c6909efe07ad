package state

import (
	"errors"
	"fmt"
	"strings"
)

// Refused is the error for a file that stays unusable until a person changes something.
type Refused struct{ text string }

// Error implements error.
func (r *Refused) Error() string { return r.text }

// refuse returns a *Refused.
func refuse(format string, args ...any) error { return &Refused{fmt.Sprintf(format, args...)} }

// damage is the error for damaged contents.
type damage struct{ what string }

// Error implements error.
func (d *damage) Error() string { return "it is damaged (" + d.what + ")" }

// damaged returns the error for a damaged file.
func damaged(what string) error { return &damage{what} }

// refusal returns a *Refused with the remedies.
func (d *damage) refusal(path string) error {
	return refuse("%s: %s", d.Error(), instead(path))
}

// isDamage reports whether an error is about damaged contents.
func isDamage(err error) bool {
	if err == nil {
		return false
	}
	_, is := errors.AsType[*damage](err)
	return is || strings.Contains(err.Error(), "malformed")
}

// instead returns the remedies for a file that cannot be used.
func instead(path string) string {
	return fmt.Sprintf("put a backup back (weft sm state %s --restore COPY), or %s: ports in service then keep their LIDs", path, startEmpty(path))
}

// insteadOfCp returns the remedies for a file without its log.
func insteadOfCp(path string) string {
	return "a copy made by cp while the manager ran looks like this; weft sm state FILE --backup COPY makes a whole one: " + instead(path)
}

// startEmpty names the command that starts empty on purpose.
func startEmpty(path string) string {
	return fmt.Sprintf("start empty on purpose (weft sm state %s --start-empty)", path)
}
