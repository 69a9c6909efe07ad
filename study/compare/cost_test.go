package compare

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	costWeft = flag.String("cost-weft", "", "program weft whose engine auto TestCost measures")
	costList = flag.String("cost-list", "", "file of fabrics for TestCost, one a line")
	costDir  = flag.String("cost-in", "", "directory that these are in where they are files")
	costRows = flag.String("cost-rows", "", "file of the measured rows: those that it has are not measured again, others are added")
)

// TestCost measures what auto costs: CPU seconds of weft route with auto, and with the engine that
// auto chose. The seconds depend on the machine; their ratio does so little. It fails if auto costs
// more than eight times its choice and half a second, or in the median more than four times.
func TestCost(t *testing.T) {
	if *costWeft == "" {
		t.Skip("-cost-weft names no program")
	}
	list, err := os.ReadFile(*costList)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(*costRows)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	out, err := os.OpenFile(*costRows, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if len(have) == 0 {
		fmt.Fprintln(out, "fabric\tchosen\tauto_seconds\tengine_seconds\tratio")
	}
	var ratios []float64
	for fabric := range strings.Lines(string(list)) {
		if fabric, _, _ = strings.Cut(fabric, "#"); strings.TrimSpace(fabric) == "" || strings.Contains(string(have), "\n"+strings.TrimSpace(fabric)+"\t") {
			continue
		}
		fabric = strings.TrimSpace(fabric)
		auto, said := costOf(t, fabric, "auto")
		chosen := regexp.MustCompile(`auto:\s+(\S+):\s`).FindStringSubmatch(said)
		if chosen == nil {
			t.Fatalf("%s: no choice in %q", fabric, said)
		}
		engine, _ := costOf(t, fabric, chosen[1])
		fmt.Fprintf(out, "%s\t%s\t%.3f\t%.3f\t%.2f\n", fabric, chosen[1], auto, engine, auto/engine)
		ratios = append(ratios, auto/engine)
		if auto > max(.5, 8*engine) {
			t.Errorf("%s: %.3f s, %s alone %.3f s", fabric, auto, chosen[1], engine)
		}
	}
	slices.Sort(ratios)
	if n := len(ratios); n > 0 {
		t.Logf("%d fabrics: median %.2f, most %.2f", n, ratios[n/2], ratios[n-1])
		if ratios[n/2] > 4 {
			t.Error("more than four times in the median")
		}
	}
}

// costOf returns the CPU seconds of weft route, and what it says beside the report. Of short runs
// the least of three counts.
func costOf(t *testing.T, fabric, engine string) (seconds float64, said string) {
	for range 3 {
		cmd := exec.Command(*costWeft, "route", fabric, "-e", engine)
		cmd.Dir = *costDir
		var text strings.Builder
		cmd.Stderr = &text
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v: %s", fabric, err, text.String())
		}
		now := cmd.ProcessState.UserTime().Seconds() + cmd.ProcessState.SystemTime().Seconds()
		if seconds == 0 || now < seconds {
			seconds, said = now, text.String()
		}
		if seconds > .2 {
			break
		}
	}
	return seconds, said
}
