package check_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric/subnets"
	"weft/fabric/subnets/subnetstest"
	"weft/intersubnet"
	"weft/intersubnet/check"
	"weft/planner"
	"weft/planner/between"
	"weft/route/engine"
)

// routed routes a network by a method and a chain of engines, and returns it with and without
// layers.
func routed(t rapid.TB, n *subnets.Network, method intersubnet.Method, engines string) (layered, oneLayer *between.Result) {
	t.Helper()
	chain, err := engine.Parse(engines, nil)
	if err != nil {
		t.Fatal(err)
	}
	layered, oneLayer, err = between.Route(context.Background(), n, &between.Request{Request: intersubnet.Request{Method: method}, Local: planner.Request{Chain: chain, Workers: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return layered, oneLayer
}

func judge(t rapid.TB, p *intersubnet.Plan) *check.Report { return judgeSome(t, p, false) }

func judgeSome(t rapid.TB, p *intersubnet.Plan, hostsOnly bool) *check.Report {
	t.Helper()
	r, err := check.Judge(context.Background(), p, check.Options{Workers: 2, HostsOnly: hostsOnly})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPaperFabrics(t *testing.T) {
	for _, subnetCount := range []int{2, 3, 6} {
		n := subnetstest.Network(t, fmt.Sprintf("subnets(%d,racks72,routers=18,cables=4)", subnetCount))
		for _, method := range []intersubnet.Method{intersubnet.Baseline, intersubnet.ISSR, intersubnet.ISFR} {
			layered, one := routed(t, n, method, "auto")
			if layered == nil || one == nil {
				t.Fatal("no two results")
			}
			if len(one.Fallbacks) > 0 {
				t.Errorf("%d subnets, %s falls back: %+v", subnetCount, method, one.Fallbacks)
			}
			hosts := int64(72 * subnetCount)
			if r := judgeSome(t, one.Plan, true); !r.OK || r.Pairs != hosts*(hosts-72) || r.Hops != (check.Hops{Max: 4, Avg: 4, Routers: 1}) || r.VLs != 1 {
				t.Errorf("%d subnets, %s, hosts on one layer: %+v", subnetCount, method, r)
			}
			ends := int64(82 * subnetCount) // 10 switches each
			if r := judge(t, layered.Plan); !r.OK || r.Pairs != ends*(ends-82) || r.VLs != 2 {
				t.Errorf("%d subnets, %s, all on two layers: %+v", subnetCount, method, r)
			}
		}
	}
}

// Two trees whose leaves routers join deadlock on one layer: down to a leaf of one, over a router,
// and up from a leaf of the other.
func TestTreesJoinedAtLeaves(t *testing.T) {
	n := subnetstest.Network(t, "subnets(2,rlft(6,2),routers=2,on=leaves)")
	layered, one := routed(t, n, intersubnet.ISSR, "ftree")
	r := judge(t, one.Plan)
	if r.DeadlockFree || r.OK || len(r.Cycle) < 2 || r.Unreachable > 0 {
		t.Fatalf("no cycle: %+v", r)
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil || !strings.Contains(out.String(), "a cycle of") {
		t.Errorf("the cycle is not printed: %s", out.String())
	}
	if r := judge(t, layered.Plan); !r.OK || layered.Plan.Layers != 2 {
		t.Errorf("on layers: %+v", r)
	}
}

func TestChainAndMix(t *testing.T) {
	for _, text := range []string{
		"subnets(4,torus(3x3),shape=chain)",
		"subnets(4,rlft(4,2),shape=star,routers=1)",
		"subnets(rlft(6,2),torus(3x3,hosts=2))",
		"subnets(rlft(6,2),torus(4x4),irregular(switches=8,degree=4,hosts=16,seed=3),shape=chain,routers=3)",
	} {
		n := subnetstest.Network(t, text)
		for _, method := range []intersubnet.Method{intersubnet.Baseline, intersubnet.ISSR, intersubnet.ISFR} {
			layered, one := routed(t, n, method, "auto")
			result := layered
			if result == nil {
				result = one
			}
			if r := judge(t, result.Plan); !r.OK {
				t.Errorf("%s by %s: %+v", text, method, r)
			}
		}
	}
}
