package fattree

import (
	"fmt"
	"testing"
	"os"
	"strings"
	"time"

	"weft/lab"
)

func TestProbe(t *testing.T) {
	s := &lab.Setup{Workers: 2, Seed: 1}
	for _, f := range strings.Fields(os.Getenv("NETS")) {
		g, err := lab.Graph(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range strings.Fields(os.Getenv("ENGINES")) {
			t0 := time.Now()
			tr, err := s.Route(t.Context(), g, lab.Routing{Engine: e, MaxVLs: 15})
			if err != nil {
				t.Fatal(err)
			}
			if tr.Refused != "" {
				fmt.Println(f, e, tr.Refused)
				continue
			}
			t1 := time.Now()
			a, err := inOrder(t.Context(), tr, allHosts)
			if err != nil {
				t.Fatal(err)
			}
			t2 := time.Now()
			b, _ := independent(t.Context(), tr, allHosts)
			fmt.Printf("%s %s max %d inorder %.4f least %.4f indep %.4f  %v %v %v vls %d %s\n", f, e, tr.Report.Load.Max, a.hosts, a.least, b.hosts, t1.Sub(t0).Round(time.Millisecond), t2.Sub(t1).Round(time.Millisecond), time.Since(t2).Round(time.Millisecond), tr.Plan.VLs, tr.Deadlock())
		}
	}
}
