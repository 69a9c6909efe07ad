package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"weft/route/levels"
)

// levelFlags name the levels of service.
type levelFlags struct{ file string }

func (l *levelFlags) add(f *pflag.FlagSet) {
	f.StringVar(&l.file, "levels", "", "file of levels of service, which get lanes of their own and shares of busy links: a line NAME share=N each, with what belongs to it (docs/levels.md)")
}

// read reads the file, nil where none is named.
func (l *levelFlags) read() (levels.Levels, error) {
	if l.file == "" {
		return nil, nil
	}
	data, err := os.ReadFile(l.file)
	if err != nil {
		return nil, fmt.Errorf("--levels: %w", err)
	}
	list, err := levels.Read(l.file, data)
	if err != nil {
		return nil, fmt.Errorf("--levels %w", err)
	}
	return list, nil
}
