package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"weft/internal/racing"
)

var update = flag.Bool("update", false, "rewrite the golden output in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"weft": func() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs every command as a user would: arguments in, exit status and
// output out. The race detector sees those of the manager alone: the others start
// goroutines only in packages that have race tests of their own.
func TestScripts(t *testing.T) {
	scripts := "*.txtar"
	if racing.Small() {
		scripts = "sm*.txtar"
	}
	files, err := filepath.Glob(filepath.Join("testdata/script", scripts))
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			here, err := os.Getwd()
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", here+"/../../examples")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": cmdStatus,
		},
	})
}

// cmdStatus runs `status N weft ARGS...` and requires exit status N.
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = string(rune('0' + exit.ExitCode()))
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}
