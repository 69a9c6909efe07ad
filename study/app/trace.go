package app

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"

	"weft/apps/chakra"
)

// traceName is the name of a file of a Chakra trace: PREFIX.RANK.et.
var traceName = regexp.MustCompile(`^(.*)\.[0-9]+\.et$`)

// openTrace reads a Chakra trace, given by the file of any rank. ok is false for other names.
func openTrace(text string) (p *Program, ok bool, err error) {
	name := traceName.FindStringSubmatch(text)
	if name == nil {
		return nil, false, nil
	}
	var files []io.Reader
	for {
		f, err := os.Open(name[1] + "." + strconv.Itoa(len(files)) + ".et")
		if err != nil {
			break
		}
		defer f.Close()
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, true, fmt.Errorf("%s: there is no %s.0.et: a trace has a file for each rank, from 0 on", text, name[1])
	}
	if _, err := os.Stat(text); err != nil {
		return nil, true, fmt.Errorf("%w; there are files for ranks 0 to %d", err, len(files)-1)
	}
	s, err := chakra.Read(files)
	if err != nil {
		return nil, true, fmt.Errorf("%s.*.et: %w", name[1], err)
	}
	return &Program{Name: text, schedule: s}, true, nil
}
