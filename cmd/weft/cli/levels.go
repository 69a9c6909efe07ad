package cli

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"weft/route/levels"
)

// LevelFlags holds the file of levels of service.
type LevelFlags struct{ File string }

func (l *LevelFlags) add(f *pflag.FlagSet) {
	f.StringVar(&l.File, "levels", "", "`FILE` with levels of service, which get lanes of their own and shares of busy links: lines NAME share=N and what belongs to the level (docs/levels.md)")
}

// read reads the file; nil if none is given.
func (l *LevelFlags) read() (levels.Levels, error) {
	if l.File == "" {
		return nil, nil
	}
	data, err := os.ReadFile(l.File)
	if err != nil {
		return nil, fmt.Errorf("--levels: %w", err)
	}
	list, err := levels.Read(l.File, data)
	if err != nil {
		return nil, fmt.Errorf("--levels %w", err)
	}
	return list, nil
}
