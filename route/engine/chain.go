package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"weft/fabric"
	"weft/route"
	"weft/route/engine/pathset"
	"weft/route/names"
	"weft/route/paths"
)

// ChainHelp explains --engine in help texts.
const ChainHelp = `--engine auto, the default, tries the engines that cannot deadlock and uses the one that delivers
the most bandwidth. The output names it, says why, and gives the figures of the runner-up. If you
name one engine and it refuses the fabric, nothing is routed (exit status 3). A chain lists several
engines, each followed by its options: ftree,switches=none,auto. The first one that does not refuse
is used, and the output lists the refusals. weft route --engines lists all engines and options.`

// Parse reads engines separated by commas, each followed by its options NAME=VALUE:
// "ftree,switches=none,dfsssp"; commas in double quotes do not separate. "all" stands for every
// engine that is not only for a paper's figures, Auto for the best one. Further options, NAME=VALUE
// or ENGINE.NAME=VALUE, go to all of these engines that have them; an option of none of them is an
// error. A list grows with each further value.
func Parse(list string, options []string) (route.Chain, error) {
	chain, err := parseList(list)
	if err != nil {
		return nil, err
	}
	for _, text := range options {
		if err := add(chain, text); err != nil {
			return nil, err
		}
	}
	return chain, check(chain)
}

// ChainOf returns the engine of a Plan's Recipe, with the given options or else the Recipe's. It
// returns a chain for the Recipe of a Plan whose planes have different engines.
func ChainOf(recipe *route.Recipe, options []string) (route.Chain, error) {
	chain, err := Parse(recipe.Engine(), options)
	if err == nil && len(options) == 0 && len(recipe.Options) > 0 {
		chain[0].Options = maps.Clone(recipe.Options)
		err = check(chain)
	}
	return chain, err
}

func parseList(list string) (chain route.Chain, err error) {
	if list == "all" {
		for _, spec := range All() {
			if !spec.PaperOnly {
				chain = append(chain, route.Step{Engine: spec})
			}
		}
		return chain, nil
	}
	for _, word := range fabric.SplitUnquoted(list, ",") {
		word = strings.TrimSpace(word)
		name, value, isOption := strings.Cut(word, "=")
		switch {
		case isOption && len(chain) == 0:
			return nil, fmt.Errorf("option %s has no engine before it", word)
		case isOption:
			if err := set(&chain[len(chain)-1], name, value); err != nil {
				return nil, err
			}
		default:
			spec, err := find(word)
			if err != nil {
				return nil, err
			}
			chain = append(chain, route.Step{Engine: spec})
		}
	}
	return chain, nil
}

// add gives an option to all engines that have it, or to the engine that it names.
func add(c route.Chain, text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("option %q is not NAME=VALUE", text)
	}
	owner, option, owned := strings.Cut(name, ".")
	if !owned {
		owner, option = "", name
	}
	found := false
	for i := range c {
		if (owner == "" || isCalled(c[i].Engine, owner)) && hasOption(c[i].Engine, option) {
			if err := set(&c[i], option, value); err != nil {
				return err
			}
			found = true
		}
	}
	if !found {
		return fmt.Errorf("option %s: none of the named engines has it%s (weft route --engines)", text, owners(option))
	}
	return nil
}

// set gives an engine an option; an unknown one is an error.
func set(s *route.Step, name, value string) error {
	i := slices.IndexFunc(s.Engine.Options, func(o route.Option) bool { return o.Name == name })
	if i < 0 {
		_, err := s.Engine.Parse(map[string]string{name: value})
		return err
	}
	if s.Options == nil {
		s.Options = map[string]string{}
	}
	if _, list := s.Engine.Options[i].Default.([]string); list && s.Options[name] != "" {
		value = s.Options[name] + ";" + value
	}
	s.Options[name] = value
	return nil
}

// check parses the values of all options.
func check(c route.Chain) error {
	for _, step := range c {
		if _, err := step.Engine.Parse(step.Options); err != nil {
			return err
		}
	}
	return nil
}

func find(name string) (*route.Spec, error) {
	if name == Auto {
		return AutoSpec(), nil
	}
	spec, err := Find(name)
	if err != nil && !strings.Contains(name, "+") {
		err = fmt.Errorf("%w, and %s", err, Auto)
	}
	return spec, err
}

// isCalled reports whether a name is an engine's, or that of one of its two stages.
func isCalled(spec *route.Spec, name string) bool {
	first, second, _ := strings.Cut(spec.Name, "+")
	return name == spec.Name || name == first || name == second
}

// owners says which engines and stages have an option, "" for none.
func owners(option string) string {
	var all []string
	note := func(what, name string, options []route.Option) {
		if slices.ContainsFunc(options, func(o route.Option) bool { return o.Name == option }) {
			all = append(all, what+name)
		}
	}
	for _, s := range All() {
		note("--engine ", s.Name, s.Options)
	}
	for _, a := range paths.All() {
		note("--paths ", a.Name, pathset.Options(a))
	}
	note("--paths ", "FILE", pathset.FileOptions())
	for _, s := range names.Schemes() {
		note("--names ", s.Name, s.Options)
	}
	if len(all) == 0 {
		return ""
	}
	return "; it goes with " + strings.Join(all, ", ")
}

func hasOption(spec *route.Spec, name string) bool {
	return slices.ContainsFunc(spec.Options, func(o route.Option) bool { return o.Name == name })
}
