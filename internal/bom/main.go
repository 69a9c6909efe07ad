package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bom:", err)
		os.Exit(1)
	}
}

// run writes the list that the arguments name.
func run(w io.Writer, args []string) error {
	if len(args) != 2 || args[0] != "sbom" && args[0] != "licences" {
		return errors.New("want sbom PROGRAM or licences PROGRAM")
	}
	info, err := buildinfo.ReadFile(args[1])
	if err != nil {
		return err
	}
	if args[0] == "sbom" {
		return writeBOM(w, info)
	}
	return writeLicences(w, info)
}

// component is an entry of a bill of materials.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// writeBOM writes a bill of materials in the format CycloneDX 1.5.
func writeBOM(w io.Writer, info *debug.BuildInfo) error {
	list := []component{{"library", "std", info.GoVersion, "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		list = append(list, component{"library", m.Path, m.Version, "pkg:golang/" + m.Path + "@" + m.Version})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Format     string      `json:"bomFormat"`
		Spec       string      `json:"specVersion"`
		Version    int         `json:"version"`
		Components []component `json:"components"`
	}{"CycloneDX", "1.5", 1, list})
}

// writeLicences writes the licences of weft, Go and all linked modules.
func writeLicences(w io.Writer, info *debug.BuildInfo) error {
	root, err := goOutput("env", "GOROOT")
	if err != nil {
		return err
	}
	folders := [][2]string{{"weft", "."}, {"Go " + info.GoVersion, root}}
	for _, m := range info.Deps {
		dir, err := goOutput("list", "-m", "-f", "{{.Dir}}", m.Path)
		if err != nil {
			return err
		}
		folders = append(folders, [2]string{m.Path + " " + m.Version, dir})
	}
	for _, f := range folders {
		texts, err := licencesIn(f[1])
		if err != nil {
			return fmt.Errorf("%s: %w", f[0], err)
		}
		if _, err := fmt.Fprintf(w, "==== %s ====\n\n%s\n", f[0], strings.Join(texts, "\n\n")); err != nil {
			return err
		}
	}
	return nil
}

// licencesIn reads the files of a folder that hold a licence. A module without any is an error.
func licencesIn(dir string) (texts []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		is := slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"}, func(word string) bool { return strings.HasPrefix(upper, word) })
		if !is || e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, strings.TrimSpace(string(data)))
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("no licence in %s", dir)
	}
	return texts, nil
}

// goOutput runs the go command.
func goOutput(args ...string) (string, error) {
	out, err := exec.Command("go", args...).Output()
	return strings.TrimSpace(string(out)), err
}
