package app

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"

	"weft/apps/chakra"
)

// traceName is the name of a file of a Chakra trace: PREFIX.RANK.et.
var traceName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*)\.([0-9]+)\.et$`) })

// openTrace reads a Chakra trace, given by the file of any rank. ok is false for other names.
func openTrace(text string) (p *Program, ok bool, err error) {
	name := traceName().FindStringSubmatch(text)
	if name == nil {
		return nil, false, nil
	}
	ranks, err := countFiles(name[1])
	if err != nil {
		return nil, true, err
	}
	var files []io.Reader
	for rank := range ranks {
		f, err := os.Open(name[1] + "." + strconv.Itoa(rank) + ".et")
		if err != nil {
			return nil, true, fmt.Errorf("%w: a trace has a file for each rank, from 0 on; there are %d files", err, ranks)
		}
		defer f.Close()
		files = append(files, f)
	}
	if _, err := os.Stat(text); err != nil {
		return nil, true, fmt.Errorf("%w; there are files for ranks 0 to %d", err, ranks-1)
	}
	s, leftOut, err := chakra.Read(files)
	if err != nil {
		return nil, true, fmt.Errorf("%s.*.et: %w", name[1], err)
	}
	return &Program{Name: text, schedule: s, leftOut: leftOut}, true, nil
}

// countFiles counts the files of a trace.
func countFiles(prefix string) (n int, err error) {
	list, err := os.ReadDir(filepath.Dir(prefix))
	for _, entry := range list {
		if name := traceName().FindStringSubmatch(entry.Name()); name != nil && name[1] == filepath.Base(prefix) {
			n++
		}
	}
	if err == nil && n == 0 {
		err = fmt.Errorf("there is no %s.0.et: a trace has a file for each rank, from 0 on", prefix)
	}
	return n, err
}
