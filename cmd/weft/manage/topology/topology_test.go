package topology

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"weft/fabric"
	"weft/fabric/gen"
	"weft/sm/terms"
)

// tree returns 4 leaves of 4 hosts: leaf N has hosts 4N to 4N+3.
func tree(t *testing.T) *fabric.Fabric {
	t.Helper()
	f, err := gen.Parse("tree(8,16)")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func without(f *fabric.Fabric, descs ...string) *fabric.Fabric {
	return f.Without(func(id fabric.NodeID) bool { return slices.Contains(descs, f.Nodes[id].Desc) }, nil)
}

func settings(t *testing.T, flags Flags, keep int) *Settings {
	t.Helper()
	if flags.Format == "" {
		flags.Format = formats[0]
	}
	s, err := flags.Read(nil, keep)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// update is a round.
func update(t *testing.T, k *keeper, s *Settings, f *fabric.Fabric) string {
	t.Helper()
	if err := k.Take(s, f); err != nil {
		t.Fatal(err)
	}
	done, err := k.Write(&cobra.Command{}, s)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// listed returns the hosts on disk.
func listed(t *testing.T, s *Settings) []string {
	t.Helper()
	data, err := s.onDisk()
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.strict(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return all[0].Hosts()
}

// hostsButFor returns host0 to host15 without some, sorted as text.
func hostsButFor(gone ...string) (names []string) {
	for i := range 16 {
		if name := fmt.Sprint("host", i); !slices.Contains(gone, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestOnlyWhereItChanged: the file is written once, again if somebody removes it or hosts change,
// and not for the same subnet.
func TestOnlyWhereItChanged(t *testing.T) {
	for _, format := range formats {
		s := settings(t, Flags{Path: filepath.Join(t.TempDir(), "topology"), Format: format}, 0)
		whole := tree(t)
		var k keeper
		if done := update(t, &k, s, without(whole, "host 7")); !strings.Contains(done, "15 hosts; ") {
			t.Errorf("%s: %q", format, done)
		}
		before, _ := os.Stat(s.Path)
		if done := update(t, &k, s, without(whole, "host 7")); done != "" {
			t.Errorf("%s: written again: %q", format, done)
		}
		if after, _ := os.Stat(s.Path); !os.SameFile(before, after) {
			t.Errorf("%s: replaced", format)
		}
		if done := update(t, &k, s, whole); !strings.Contains(done, "16 hosts, new: host7") {
			t.Errorf("%s: %q", format, done)
		}
		if err := os.Remove(s.Path); err != nil {
			t.Fatal(err)
		}
		if done := update(t, &k, s, whole); !strings.Contains(done, "16 hosts") {
			t.Errorf("%s: %q", format, done)
		}
		if got := listed(t, s); !slices.Equal(got, hostsButFor()) {
			t.Errorf("%s: %v", format, got)
		}
	}
}

// TestNeverHalfAFabric: while a leaf restarts, or hosts are off, the file stays as it is, also over
// a restart of the manager, with and without its state, in all formats. After so many rounds it
// forgets them.
func TestNeverHalfAFabric(t *testing.T) {
	whole := tree(t)
	half := without(whole, "leaf 1", "host 4", "host 5", "host 6", "host 7", "host 9")
	for _, format := range formats {
		s := settings(t, Flags{Path: filepath.Join(t.TempDir(), "topology"), Format: format}, 0)
		var k keeper
		update(t, &k, s, whole)
		text, _ := s.onDisk()
		if done := update(t, &k, s, half); done != "" {
			t.Errorf("%s: %s", format, done)
		}
		restarted := &keeper{}
		restarted.Remember(whole, s)
		if done := update(t, restarted, s, half); done != "" {
			t.Errorf("%s, restarted with the state: %s", format, done)
		}
		stateless := &keeper{} // the order of lines may change, not the hosts
		update(t, stateless, s, half)
		if got := listed(t, s); !slices.Equal(got, hostsButFor()) {
			t.Errorf("%s, restarted without the state: %v", format, got)
		}
		if update(t, stateless, s, whole); format != "slurm-yaml" {
			if now, _ := s.onDisk(); !bytes.Equal(now, text) {
				t.Errorf("%s: all are back, and the file is another:\n%s", format, now)
			}
		}
		s.Keep = 2
		short := &keeper{}
		for range 3 {
			update(t, short, s, half)
		}
		if got := listed(t, s); !slices.Equal(got, hostsButFor("host4", "host5", "host6", "host7", "host9")) {
			t.Errorf("%s: after two rounds %v", format, got)
		}
	}
}

// TestNamesOfHosts: a host without a name for a while keeps its own; the node map wins; a host that
// is called by its GUID first, and by name later, is listed once.
func TestNamesOfHosts(t *testing.T) {
	s := settings(t, Flags{Path: filepath.Join(t.TempDir(), "topology")}, 0)
	whole := tree(t)
	i := slices.IndexFunc(whole.Nodes, func(n fabric.Node) bool { return n.Desc == "host 3" })
	unnamed := whole.Without(nil, nil)
	unnamed.Nodes[i].Desc = "MT4123 ConnectX6   Mellanox Technologies"
	var k keeper
	update(t, &k, s, unnamed)
	if got := listed(t, s); !slices.Contains(got, "H-"+whole.Nodes[i].GUID.String()[2:]) {
		t.Errorf("got %v", got)
	}
	restarted := &keeper{}
	for _, f := range []*fabric.Fabric{whole, unnamed} {
		update(t, restarted, s, f)
		if got := listed(t, s); !slices.Equal(got, hostsButFor()) {
			t.Errorf("got %v", got)
		}
	}
	named, err := (&Flags{Path: s.Path, Format: s.format.Name}).Read(map[fabric.GUID]string{whole.Nodes[i].GUID: "three"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if done := update(t, restarted, named, unnamed); !strings.Contains(done, "new: three, dropped: host3") {
		t.Errorf("%q", done)
	}
}

// TestWhatIsNotWritten: no file of others is replaced, none without hosts is written, and options
// that do not fit are errors.
func TestWhatIsNotWritten(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "own")
	if err := os.WriteFile(own, []byte("SwitchName=a Nodes=n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags Flags
		want  string
	}{
		{Flags{Path: own, Format: "slurm"}, "own is no topology file of weft sm: move it away"},
		{Flags{Path: dir, Format: "slurm"}, "is no topology file of weft sm"},
		{Flags{Path: "x", Format: "dot"}, "--topology-format dot: want one of slurm, slurm-block, slurm-yaml"},
		{Flags{Format: "slurm-yaml"}, "need --topology FILE"},
	} {
		if _, err := c.flags.Read(nil, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.flags, err, c.want)
		}
	}
	s := settings(t, Flags{Path: filepath.Join(dir, "topology")}, 0)
	var k keeper
	if err := k.Take(s, fabric.New("nothing")); err == nil || !strings.Contains(err.Error(), "no host to list") {
		t.Errorf("an empty subnet: %v", err)
	}
	update(t, &k, s, tree(t))
	if err := os.WriteFile(s.Path, []byte("SwitchName=a Nodes=n1\n"), 0o600); err != nil { // an operator takes it over
		t.Fatal(err)
	}
	if err := k.Take(s, without(tree(t), "host 1")); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Write(&cobra.Command{}, s); err == nil || !strings.Contains(err.Error(), "no topology file of weft sm") {
		t.Errorf("an operator's file: %v", err)
	}
}

// TestTwoWriters: a master and the standby that takes over write to one folder at once. Whoever
// reads finds a whole file of one of them.
func TestTwoWriters(t *testing.T) {
	s := settings(t, Flags{Path: filepath.Join(t.TempDir(), "topology")}, 0)
	whole := tree(t)
	subnets := []*fabric.Fabric{whole, without(whole, "host 2")}
	first := &keeper{}
	update(t, first, s, whole)
	var writers sync.WaitGroup
	for i := range 2 {
		writers.Go(func() {
			for n := range 20 {
				k := &keeper{}
				k.path = s.Path // a file of hosts that are gone for good
				if err := k.Take(s, subnets[(i+n)%2]); err != nil {
					t.Error(err)
				}
				if _, err := k.Write(&cobra.Command{}, s); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 100 {
		if got := listed(t, s); len(got) != 16 && len(got) != 15 {
			t.Fatalf("%d hosts", len(got))
		}
	}
	writers.Wait()
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(s.Path), ".*")); len(left) > 0 {
		t.Errorf("half-written files are left: %v", left)
	}
}

// TestRunnerTriesAgain: a folder that is missing is told once, and the file is there soon after the
// folder is, without another round. A change of the settings needs no round either.
func TestRunnerTriesAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "later")
	s := settings(t, Flags{Path: filepath.Join(dir, "topology")}, 0)
	told := make(chan terms.Incident, 100)
	r := newRunner(&cobra.Command{}, func(i terms.Incident) { told <- i })
	r.retry = time.Millisecond
	r.start()
	defer r.End()
	r.Round(s, tree(t))
	if i := <-told; i.Kind != terms.FileFailed || !strings.Contains(i.Text, "no such file") {
		t.Errorf("told %v", i)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if i := <-told; i.Kind != terms.TopologyWritten || !strings.Contains(i.Text, "16 hosts") {
		t.Errorf("told %v", i)
	}
	flags := Flags{Path: s.Path}
	flags.Slurm.Hosts = "host[0-3]"
	r.Round(settings(t, flags, 0), nil)
	if i := <-told; i.Kind != terms.TopologyWritten || !strings.Contains(i.Text, "4 hosts, dropped: host[4-15]") {
		t.Errorf("told %v", i)
	}
}

// TestTheLastRoundCounts: rounds that come while a file server hangs do not wait, and the last one
// is written at the end.
func TestTheLastRoundCounts(t *testing.T) {
	s := settings(t, Flags{Path: filepath.Join(t.TempDir(), "topology")}, 0)
	r := newRunner(&cobra.Command{}, func(terms.Incident) {})
	whole := tree(t)
	r.Round(s, without(whole, "host 1"))
	r.Round(s, without(whole, "host 2"))
	r.Round(s, without(whole, "host 3"))
	r.start()
	r.End()
	if got := listed(t, s); !slices.Equal(got, hostsButFor("host3")) {
		t.Errorf("got %v", got)
	}
}

// TestAFolderThatComesLater: the folder of the file is mounted after the manager has started. What
// the file lists and is not there stays.
func TestAFolderThatComesLater(t *testing.T) {
	dir := t.TempDir()
	whole := tree(t)
	half := without(whole, "leaf 1", "host 4", "host 5", "host 6", "host 7", "host 9")
	s := settings(t, Flags{Path: filepath.Join(dir, "slurm", "topology")}, 0)
	mounted := settings(t, Flags{Path: filepath.Join(dir, "topology")}, 0)
	update(t, &keeper{}, mounted, whole)
	var k keeper
	if err := k.Take(s, half); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Write(&cobra.Command{}, s); err == nil {
		t.Fatal("written into a folder that is not there")
	}
	if err := os.Mkdir(filepath.Dir(s.Path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(mounted.Path, s.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Write(&cobra.Command{}, s); err != nil {
		t.Fatal(err)
	}
	if got := listed(t, s); !slices.Equal(got, hostsButFor()) {
		t.Errorf("got %v", got)
	}
}

// TestMovedHosts: the event names the hosts that hang on another switch now, and a manager that
// starts with a node name map that it did not have before lists no host twice.
func TestMovedHosts(t *testing.T) {
	s := settings(t, Flags{Path: filepath.Join(t.TempDir(), "topology")}, 0)
	whole := tree(t)
	var k keeper
	update(t, &k, s, without(whole, "host 15"))
	moved := without(whole, "host 15")
	three := slices.IndexFunc(moved.Nodes, func(n fabric.Node) bool { return n.Desc == "host 3" })
	fifteen := slices.IndexFunc(whole.Nodes, func(n fabric.Node) bool { return n.Desc == "host 15" })
	at := whole.Peer(fabric.End{Node: fabric.NodeID(fifteen), Port: 1})
	leaf, _ := moved.NodeByGUID(whole.Nodes[at.Node].GUID)
	from := moved.Peer(fabric.End{Node: fabric.NodeID(three), Port: 1})
	if err := moved.MoveCable(from, fabric.End{Node: leaf, Port: at.Port}); err != nil {
		t.Fatal(err)
	}
	if done := update(t, &k, s, moved); !strings.Contains(done, "15 hosts, moved: host3; ") {
		t.Errorf("%q", done)
	}
	names := map[fabric.GUID]string{}
	for i := range whole.Nodes {
		if n := &whole.Nodes[i]; n.Type == fabric.Switch {
			names[n.GUID] = "sw-" + strings.ReplaceAll(n.Desc, " ", "")
		} else {
			names[n.GUID] = "node-" + strings.TrimPrefix(n.Desc, "host ")
		}
	}
	named, err := (&Flags{Path: s.Path, Format: s.format.Name}).Read(names, 0)
	if err != nil {
		t.Fatal(err)
	}
	next := &keeper{}
	for range 2 {
		update(t, next, named, without(moved, "leaf 2", "host 8", "host 9", "host 10", "host 11"))
		got := listed(t, named)
		if len(got) != 15 || !slices.Contains(got, "node-8") || !slices.Contains(got, "node-3") {
			t.Errorf("%d hosts: %v", len(got), got)
		}
	}
	update(t, &keeper{}, named, without(moved, "leaf 2", "host 8", "host 9", "host 10", "host 11"))
	if got := listed(t, named); len(got) != 15 {
		t.Errorf("%d hosts: %v", len(got), got)
	}
}

// TestRemovedIsForgotten: without the file, a manager that starts lists what is there alone. One
// that runs writes the file again as it was: perhaps only its folder was away.
func TestRemovedIsForgotten(t *testing.T) {
	s := settings(t, Flags{Path: filepath.Join(t.TempDir(), "topology")}, 0)
	whole := tree(t)
	var k keeper
	update(t, &k, s, whole)
	if err := os.Remove(s.Path); err != nil {
		t.Fatal(err)
	}
	update(t, &k, s, without(whole, "host 3"))
	if got := listed(t, s); !slices.Equal(got, hostsButFor()) {
		t.Errorf("got %v", got)
	}
	if err := os.Remove(s.Path); err != nil {
		t.Fatal(err)
	}
	update(t, &keeper{}, s, without(whole, "host 3"))
	if got := listed(t, s); !slices.Equal(got, hostsButFor("host3")) {
		t.Errorf("got %v", got)
	}
}
