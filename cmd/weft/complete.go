package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/fabric"
	"weft/fabric/source"
	"weft/lab/papers"
	"weft/mapping/job"
	"weft/study/flows"
	"weft/study/routing"
	"weft/study/show"
	"weft/study/whatif"
)

// completer returns the words that fit at the cursor, each with a summary after a tab.
type completer func(args []string, typed string) []cobra.Completion

// completeAll registers the completion of arguments and option values, by their names.
func completeAll(root *cobra.Command) {
	algorithms, _ := job.Algorithms()
	offers := map[string]completer{
		"engine": enginesBehindCommas, "engines": enginesBehindCommas, "behind": enginesBehindCommas,
		"option": engineOptions, "pattern": patterns, "paths": pathComputations, "names": assignments,
		"algorithm": fixed(algorithms), "mapper": hosts, "utility": hosts, "at": nodes,
		"fail": nodes, "drain": nodes, "move": nodes, "each": fixed(whatif.Kinds),
		"collision": fixed([]string{"packet", "circuit", "cut-through"}), "mode": fixed([]string{"master", "election", "parallel"}),
		"order":  fixed([]string{"auto", "random", "natural", "leaf"}),
		"colour": fixed([]string{show.ByLoad, show.ByLanes}),
	}
	for _, cmd := range root.Commands() {
		completeAll(cmd)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if _, done := cmd.GetFlagCompletionFunc(f.Name); offers[f.Name] != nil && !done {
				completeFlag(cmd, f.Name, offers[f.Name])
			}
		})
		switch {
		case takes(cmd, "FABRIC"), takes(cmd, "NETWORK"):
			cmd.ValidArgsFunction = formulaOrFile
		case takes(cmd, "FORMULA"):
			cmd.ValidArgsFunction = formulaOrFile
		case cmd.Name() == "reproduce":
			cmd.ValidArgsFunction = completer(paperNames).offer
		}
	}
}

// completeFlag registers the completion of an option's values.
func completeFlag(cmd *cobra.Command, name string, c completer) {
	if err := cmd.RegisterFlagCompletionFunc(name, c.offer); err != nil {
		panic(err) // the flag is there
	}
}

// takes reports whether a command has an argument of this name.
func takes(cmd *cobra.Command, argument string) bool {
	return regexp.MustCompile(`\b` + argument + `\b`).MatchString(cmd.Use)
}

// offer returns the words that begin with the typed text.
func (c completer) offer(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, word := range c(args, typed) {
		if strings.HasPrefix(strings.ToLower(word), strings.ToLower(typed)) {
			out = append(out, word)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// formulaOrFile offers files, and after the first letter formulas and named systems.
func formulaOrFile(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, e := range source.ListFormulas().Formulas {
		word := e.Name
		if e.Args != "" {
			word += "("
		}
		if typed != "" && strings.HasPrefix(word, typed) {
			out = append(out, word+"\t"+e.What)
		}
	}
	return out, cobra.ShellCompDirectiveDefault | cobra.ShellCompDirectiveNoSpace
}

func fixed(words []string) completer {
	return func([]string, string) []cobra.Completion { return words }
}

// listed returns the names of engines with their summaries.
func listed(list []routing.Engine) (words []cobra.Completion) {
	for _, e := range list {
		words = append(words, e.Name+"\t"+e.Summary)
	}
	return words
}

// behindCommas completes the last word of a comma-separated list.
func behindCommas(words []string) completer {
	return func(_ []string, typed string) (offered []cobra.Completion) {
		before := typed[:strings.LastIndexByte(typed, ',')+1]
		for _, word := range words {
			offered = append(offered, before+word)
		}
		return offered
	}
}

// enginesBehindCommas completes the last engine of a chain.
func enginesBehindCommas(args []string, typed string) []cobra.Completion {
	return behindCommas(listed(routing.ListEngines().Engines))(args, typed)
}

// engineOptions offers NAME= for each option of an engine, and switches of the FABRIC as values of
// an option that takes switches.
func engineOptions(args []string, typed string) (words []cobra.Completion) {
	name, _, valued := strings.Cut(typed, "=")
	for _, e := range routing.ListEngines().Engines {
		for _, o := range e.Options {
			_, list := o.Default.([]string)
			switch {
			case !valued:
				words = append(words, o.Name+"=\t"+e.Name+": "+o.Doc)
			case o.Name == name && (list || name == "root"):
				return prefixed(name+"=", switches(args, ""))
			}
		}
	}
	return words
}

func prefixed(prefix string, words []cobra.Completion) []cobra.Completion {
	for i := range words {
		words[i] = prefix + words[i]
	}
	return words
}

func patterns([]string, string) (words []cobra.Completion) {
	for _, p := range flows.ListPatterns().Patterns {
		words = append(words, p.Name+"\t"+p.Summary)
	}
	return words
}

func pathComputations([]string, string) []cobra.Completion {
	return listed(routing.ListEngines().Paths)
}

func assignments([]string, string) []cobra.Completion { return listed(routing.ListEngines().Names) }

func paperNames([]string, string) (words []cobra.Completion) {
	for _, p := range papers.All() {
		words = append(words, p.Name)
	}
	return words
}

func switches(args []string, _ string) []cobra.Completion {
	return descriptions(args, func(n *fabric.Node) bool { return n.Type == fabric.Switch })
}

func hosts(args []string, _ string) []cobra.Completion {
	return descriptions(args, func(n *fabric.Node) bool { return n.Type != fabric.Switch })
}

func nodes(args []string, _ string) []cobra.Completion {
	return descriptions(args, func(*fabric.Node) bool { return true })
}

// descriptions returns descriptions of nodes in the FABRIC already typed; for ambiguous
// descriptions it returns GUIDs.
func descriptions(args []string, want func(*fabric.Node) bool) (words []cobra.Completion) {
	if len(args) == 0 || args[0] == "-" {
		return nil
	}
	src, err := source.Open(args[0], source.Options{Partial: true})
	if err != nil {
		return nil
	}
	times := map[string]int{}
	for i := range src.Fabric.Nodes {
		times[src.Fabric.Nodes[i].Desc]++
	}
	for i := range src.Fabric.Nodes {
		switch n := &src.Fabric.Nodes[i]; {
		case !want(n):
		case n.Desc == "" || times[n.Desc] > 1:
			words = append(words, n.GUID.String()+"\t"+n.Desc)
		default:
			words = append(words, n.Desc+"\t"+n.GUID.String())
		}
	}
	return words
}
