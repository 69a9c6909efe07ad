package routing

import (
	"fmt"
	"io"
	"strings"

	"weft/internal/fold"
	"weft/route"
	"weft/route/engine"
	"weft/route/engine/pathset"
	"weft/route/names"
	"weft/route/paths"
)

// Engines is the document of `weft route --engines --json`.
type Engines struct {
	Engines []Engine `json:"engines"`
	Paths   []Engine `json:"paths"` // path computations, for --paths
	Names   []Engine `json:"names"` // LID assignments, for --names
}

// Engine describes an engine, a path computation or a LID assignment.
type Engine struct {
	Name    string   `json:"name"`
	Summary string   `json:"summary"`
	Paper   string   `json:"paper"`
	Cost    string   `json:"cost"`
	Lanes   string   `json:"lanes,omitempty"` // of engines
	Options []Option `json:"options"`
}

// Option is an option of an engine with its default.
type Option struct {
	Name    string `json:"name"`
	Default any    `json:"default"` // a text, a number, a truth value or a list of texts
	Doc     string `json:"doc"`
}

// ListEngines lists all engines, path computations and LID assignments.
func ListEngines() *Engines {
	out := &Engines{}
	for _, s := range append([]*route.Spec{engine.AutoSpec()}, engine.All()...) {
		out.Engines = append(out.Engines, Engine{s.Name, s.Summary, s.Paper, s.Cost, s.Lanes, optionsOf(s.Options)})
	}
	for _, a := range paths.All() {
		out.Paths = append(out.Paths, Engine{a.Name, a.Summary, a.Paper, a.Cost, "", optionsOf(pathset.Options(a))})
	}
	for _, s := range names.Schemes() {
		out.Names = append(out.Names, Engine{s.Name, s.Summary, s.Paper, s.Cost, "", optionsOf(s.Options)})
	}
	return out
}

func optionsOf(options []route.Option) []Option {
	out := []Option{}
	for _, o := range options {
		out = append(out, Option{o.Name, o.Default, o.Doc})
	}
	return out
}

// Write prints the lists for people.
func (l *Engines) Write(w io.Writer) error {
	var b strings.Builder
	for _, list := range []struct {
		title   string
		engines []Engine
	}{
		{"", l.Engines},
		{"\nPath computations (--paths, or --engine PATHS+NAMES):\n\n", l.Paths},
		{"\nLID assignments (--names):\n\n", l.Names},
	} {
		b.WriteString(list.title)
		for i, e := range list.engines {
			if i > 0 {
				b.WriteByte('\n')
			}
			e.write(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (e *Engine) write(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n", e.Name, fold.Text(len(e.Name)+2, e.Summary))
	for _, fact := range [][2]string{{"paper", e.Paper}, {"cost", e.Cost}, {"lanes", e.Lanes}} {
		if fact[1] != "" {
			fmt.Fprintf(w, "  %-5s  %s\n", fact[0], fold.Text(9, fact[1]))
		}
	}
	for _, o := range e.Options {
		value := fmt.Sprint(o.Default)
		if list, ok := o.Default.([]string); ok {
			value = strings.Join(list, ";")
		}
		fmt.Fprintf(w, "  -O %s=%s\n       %s\n", o.Name, value, fold.Text(7, o.Doc))
	}
}
