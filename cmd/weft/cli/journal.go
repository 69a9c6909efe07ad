package cli

import (
	"fmt"
	"os"

	"github.com/coreos/go-systemd/v22/journal"

	"weft/sm/terms"
)

// JournalPrefix returns the prefix that tells journald the severity of a line (sd-daemon(3)).
func JournalPrefix(s terms.Severity) string { return fmt.Sprintf("<%d>", s) }

// StdoutIsJournal reports whether journald reads standard output.
func StdoutIsJournal() bool {
	is, err := journal.StdoutIsJournalStream()
	return err == nil && is
}

// ErrorPrefix returns the severity of an error message, if journald reads standard error and only
// then.
func ErrorPrefix() string {
	if os.Getenv("JOURNAL_STREAM") == "" {
		return ""
	}
	if is, err := journal.StderrIsJournalStream(); err != nil || !is {
		return ""
	}
	return JournalPrefix(terms.Error)
}
