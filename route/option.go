package route

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
)

// Option is one option of an engine. Its type is that of Default: int, bool,
// string or []string (written a;b;c, or given several times).
type Option struct {
	Name    string
	Default any
	Doc     string
	OneOf   []string // the allowed words of a string, if fixed
	Min     int      // least value of an int
	Max     int      // greatest value of an int

	Switches bool // its values other than the default name switches
}

// Relief is the option of engines whose complete paths may be moved (route/relief). Package planner
// does that, not the engine.
var Relief = Option{Name: "relief", Default: false, Doc: "at the end, move paths away from links where packets of many pairs meet, in random traffic and in shifts; no path grows longer"}

// Options are validated values of an engine's options, by name.
type Options map[string]any

// Int returns an int option.
func (o Options) Int(name string) int { return o[name].(int) }

// Bool returns a bool option.
func (o Options) Bool(name string) bool { return o[name].(bool) }

// String returns a string option.
func (o Options) String(name string) string { return o[name].(string) }

// List returns a []string option.
func (o Options) List(name string) []string { return o[name].([]string) }

// Parse validates option values given as text and fills in defaults for the others.
func (s *Spec) Parse(text map[string]string) (Options, error) {
	values := Options{}
	for _, o := range s.Options {
		values[o.Name] = o.Default
	}
	names := make([]string, 0, len(text))
	for name := range text {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		i := slices.IndexFunc(s.Options, func(o Option) bool { return o.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("route: engine %s has no option %q (it has: %s)", s.Name, name, s.optionNames())
		}
		v, err := s.Options[i].parse(text[name])
		if err != nil {
			return nil, fmt.Errorf("route: option %s of engine %s: %w", name, s.Name, err)
		}
		values[name] = v
	}
	return values, nil
}

// noSwitch is the error of an option that names no switch that is up, or several. It is a mistake
// in the request, not a *Refusal: another engine would ignore the request silently. Where the
// fabric must run in any case, and the switch may just have died, Chain.Present goes without it.
type noSwitch struct {
	Engine, Option string
	Err            error // names the switch
}

func (e *noSwitch) Error() string {
	return fmt.Sprintf("route: option %s of engine %s: %v", e.Option, e.Engine, e.Err)
}

// Unwrap returns the error that names the switch.
func (e *noSwitch) Unwrap() error { return e.Err }

// NamedSwitches finds the switches that an option of an engine names (see fabric.NameHelp), or
// returns an error. Adjacent names that are one description, split at its semicolons, count as
// one name.
func NamedSwitches(g *fabric.Graph, engine, option string, names []string) (found []int32, err error) {
	for name := range wholeNames(g, names) {
		s, err := g.FindSwitch(name)
		if err != nil {
			return nil, &noSwitch{Engine: engine, Option: option, Err: err}
		}
		found = append(found, s)
	}
	return found, nil
}

// wholeNames joins names that are one description, split at its semicolons.
func wholeNames(g *fabric.Graph, names []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(names) > 0 {
			n := len(names)
			for n > 1 && !slices.Contains(g.SwitchDesc, strings.Join(names[:n], ";")) {
				n--
			}
			if !yield(strings.Join(names[:n], ";")) {
				return
			}
			names = names[n:]
		}
	}
}

// CheckSwitches returns an error if options given as text name missing switches, so that the
// user learns of it before the engine runs.
func (s *Spec) CheckSwitches(g *fabric.Graph, text map[string]string) error {
	values, err := s.Parse(text)
	if err != nil {
		return err
	}
	for i := range s.Options {
		if _, err := NamedSwitches(g, s.Name, s.Options[i].Name, s.Options[i].switches(values)); err != nil {
			return err
		}
	}
	return nil
}

// present returns options given as text without the switches that CheckSwitches misses, and a
// *noSwitch for each of these. An option that names no other switch is left out.
func (s *Spec) present(g *fabric.Graph, text map[string]string) (map[string]string, []error) {
	values, err := s.Parse(text)
	if err != nil {
		return text, nil // the engine reports it
	}
	var missing []error
	for i := range s.Options {
		o := &s.Options[i]
		var up []string
		all := true
		for name := range wholeNames(g, o.switches(values)) {
			if _, err := g.FindSwitch(name); err != nil {
				missing, all = append(missing, &noSwitch{Engine: s.Name, Option: o.Name, Err: err}), false
			} else {
				up = append(up, name)
			}
		}
		if all {
			continue
		}
		if text = maps.Clone(text); len(up) > 0 {
			text[o.Name] = strings.Join(up, ";")
		} else {
			delete(text, o.Name)
		}
	}
	return text, missing
}

// switches returns the switches that an option names.
func (o *Option) switches(values Options) []string {
	if !o.Switches {
		return nil
	}
	names, ok := values[o.Name].([]string)
	if !ok && values[o.Name] != o.Default {
		return []string{values.String(o.Name)}
	}
	return names
}

func (s *Spec) optionNames() string {
	if len(s.Options) == 0 {
		return "none"
	}
	var names []string
	for _, o := range s.Options {
		names = append(names, o.Name)
	}
	return strings.Join(names, ", ")
}

// parse reads one value as the type of the default.
func (o *Option) parse(text string) (any, error) {
	switch o.Default.(type) {
	case int:
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number", text)
		}
		if v < o.Min || v > o.Max {
			return nil, fmt.Errorf("%d is out of range (%d to %d)", v, o.Min, o.Max)
		}
		return v, nil
	case bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return v, nil
	case []string:
		if text == "" {
			return []string(nil), nil
		}
		return fabric.SplitUnquoted(text, ";"), nil
	default:
		if len(o.OneOf) > 0 && !slices.Contains(o.OneOf, text) {
			return nil, fmt.Errorf("%q is unknown (one of: %s)", text, strings.Join(o.OneOf, ", "))
		}
		return text, nil
	}
}
