package sm

import (
	"errors"
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"weft/fabric/netfile"
	"weft/internal/peer"
	"weft/sm/smtest"
	"weft/wire/mad"
)

var allTools = flag.Bool("all-tools", false, "compare all commands of infiniband-diags, not only the most telling ones")

// TestTools: on ibsim, the commands of infiniband-diags do against weft what they do against
// OpenSM. (The test of this name in emulator/umadfs runs more of them.)
func TestTools(t *testing.T) {
	// These ask by routes that begin at a LID, which ibsim does not answer; by names, of which a
	// table has the first two; for a server; or end now and then in the preload library.
	left := []string{
		"iblinkinfo -G", "ibportstate", "smpquery -c", "saquery --src-to-dst host", "ibqueryerrors",
		"vendstat", "ibsysstat", "ibping",
	}
	wants := func(c *peer.Tool) bool {
		return (c.Often || *allTools) && !slices.ContainsFunc(left, func(l string) bool { return strings.HasPrefix(c.Command, l) })
	}
	f := smtest.Formula(t, "rlft(4,2)")
	s := simulate(t, f)
	g := f.Compile()
	host := nodeID(g.EndNodeGUID[g.NumHosts-1])
	end := s.OpenSM("-R", "updn")
	theirs := s.tools(host, wants)
	end()
	defer s.administer("updn", 0)()
	peer.Compare(t, theirs, s.tools(host, wants), map[string]int{
		"ibstatus":              255, // it reads sysfs
		"perfquery -D {host} 1": 0, "perfquery -E {host} 1": 0, "perfquery --vloppackets {host} 1": 0,
	})
}

// tools runs commands at a host.
func (s *simulator) tools(host string, wants func(*peer.Tool) bool) peer.Outcomes {
	s.tb.Helper()
	env := s.Env
	defer func() { s.Env = env }()
	s.Env = append(slices.Clone(env), "SIM_HOST="+host)
	f, _, err := netfile.Read("ibnetdiscover", s.Run("ibnetdiscover"), netfile.Options{})
	if err != nil {
		s.tb.Fatal(err)
	}
	at := peer.Places{}
	for name, node := range map[string]string{"0": "host 7", "": "host 6", "leaf": "leaf 1"} {
		id, err := f.FindNode(node)
		if err != nil {
			s.tb.Fatal(err)
		}
		n := &f.Nodes[id]
		port := &n.Ports[0]
		if name == "leaf" {
			at["leaf"], at["leafguid"] = fmt.Sprint(port.LID), fmt.Sprintf("%016x", uint64(n.GUID))
			continue
		}
		port = &n.Ports[1]
		at["host"+name], at["guid"+name] = fmt.Sprint(port.LID), fmt.Sprintf("%016x", uint64(port.GUID))
		at["gid"+name] = fmt.Sprint(mad.MakeGID(mad.DefaultGIDPrefix, uint64(port.GUID)))
	}
	return peer.RunTools(at, wants, func(args []string) peer.Outcome {
		said, err := s.TryRun(args[0], args[1:]...)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return peer.Outcome{Out: string(said), Status: exit.ExitCode()}
		}
		return peer.Outcome{Out: string(said)}
	})
}
