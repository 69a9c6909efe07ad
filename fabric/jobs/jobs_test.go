package jobs

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/fabric/gen"
)

// cluster returns a fabric with the servers node001.site to node006.site, two adapters each.
func cluster(t testing.TB) *fabric.Graph {
	t.Helper()
	f := fabric.New("cluster")
	add := func(kind fabric.NodeType, guid fabric.GUID, ports int, desc string) fabric.NodeID {
		id, err := f.AddNode(kind, guid, ports, desc)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	leaf := add(fabric.Switch, 1, 36, "leaf")
	for i := range 12 {
		// The GUIDs of second adapters are far from those of the first ones.
		guid := fabric.GUID(0x100*(1+i/2) + 0x10000*(i%2))
		id := add(fabric.CA, guid, 1, fmt.Sprintf("node%03d.site mlx5_%d", 1+i/2, i%2))
		if _, err := f.Connect(fabric.End{Node: id, Port: 1}, fabric.End{Node: leaf, Port: uint8(1 + i)}, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	add(fabric.Switch, 2, 36, "spare")
	for i := range fabric.GUID(2) {
		id := add(fabric.CA, 0x50000+i, 1, "MT4115 ConnectX4")
		if _, err := f.Connect(fabric.End{Node: id, Port: 1}, fabric.End{Node: leaf, Port: uint8(20 + i)}, 4, fabric.EDR); err != nil {
			t.Fatal(err)
		}
	}
	return f.Compile()
}

// told writes jobs with the GUIDs of their ports' nodes.
func told(g *fabric.Graph, jobs []Job) string {
	var b strings.Builder
	for i := range jobs {
		fmt.Fprintf(&b, "%s:", jobs[i].String())
		for _, h := range jobs[i].Hosts {
			fmt.Fprintf(&b, " %x", uint64(g.EndNodeGUID[h]))
		}
		b.WriteString(";")
	}
	return b.String()
}

// TestRead reads each form.
func TestRead(t *testing.T) {
	g := cluster(t)
	x := NewFinder(g)
	for name, c := range map[string]struct{ text, want string }{
		"own":       {"# jobs\n\nb node002,node001.site # comment\na\tnode[003-004]\r\n", "a: 300 10300 400 10400;b: 200 10200 100 10100;"},
		"users":     {"12 bob node001\n9 eve node002\n", "9 (eve): 200 10200;12 (bob): 100 10100;"},
		"columns":   {"JOBID USER NODELIST\n7 bob node001\n8 eve \n7_1 bob node002\n", "7 (bob): 100 10100;7_1 (bob): 200 10200;"},
		"guid":      {"a 0x0000000000000100,0x0000000000050000", "a: 100 10100 50000;"},
		"none":      {"", ""},
		"header":    {"JOBID NODELIST USER\n", ""},
		"not last":  {"JOBID NODELIST ST\n1 node001 R\n2 node002 CG\n3 node003 S\n", "1: 100 10100;2: 200 10200;"},
		"own ID":    {"JOBID node001\n", "JOBID: 100 10100;"},
		"JSON":      {`{"meta": {"x": [1]}, "jobs": [{"job_id": 7, "user_name": "bob", "job_state": ["RUNNING"], "nodes": "node[001-002]"}]}`, "7 (bob): 100 10100 200 10200;"},
		"old JSON":  {`{"jobs": [{"job_id": 7, "job_state": "RUNNING", "array_job_id": null, "array_task_id": "", "nodes": "node001"}, {"job_id": 8, "job_state": "COMPLETED", "nodes": "x"}]}`, "7: 100 10100;"},
		"array":     {`{"jobs": [{"job_id": 7, "job_state": ["RUNNING", "CONFIGURING"], "array_job_id": {"set": true, "number": 5}, "array_task_id": {"set": true, "number": 0}, "nodes": "node001"}]}`, "5_0: 100 10100;"},
		"no array":  {`{"jobs": [{"job_id": 7, "job_state": ["COMPLETING"], "array_job_id": {"set": true, "number": 0}, "array_task_id": {"set": false, "number": 0}, "nodes": "node001"}]}`, "7: 100 10100;"},
		"het":       {`{"jobs": [{"job_id": 8, "job_state": ["RUNNING"], "het_job_id": {"set": true, "number": 7}, "het_job_offset": {"set": true, "number": 1}, "nodes": "node001"}]}`, "7+1: 100 10100;"},
		"no het":    {`{"jobs": [{"job_id": 8, "job_state": ["RUNNING"], "het_job_id": {"set": true, "number": 0}, "het_job_offset": {"set": true, "number": 0}, "nodes": "node001"}]}`, "8: 100 10100;"},
		"pending":   {`{"jobs": [{"job_id": 7, "job_state": ["PENDING"], "nodes": ""}]}`, ""},
		"usual out": {squeueUsual, "4711 (bob): 100 10100 200 10200;4713 (eve): 300 10300;"},
	} {
		jobs, err := x.Read("f", []byte(c.text))
		if got := told(g, jobs); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

const squeueUsual = `             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)
              4711     batch my run 1      bob  R       1:02      2 node[001-002]
              4712     batch  run (2)      bob PD       0:00      2 (Nodes required for job are DOWN, DRAINED or reserved)
              4713     batch    solve      eve CG       0:10      1 node003
              4714     batch    solve      eve PD       0:00      1
              4715     batch    solve      eve PD       0:00      1 (Priority)
`

// TestReadRefuses: errors name the line.
func TestReadRefuses(t *testing.T) {
	x := NewFinder(cluster(t))
	for text, want := range map[string]string{
		"a node001\nb node009":         `f:2: job b: no host of the fabric is called "node009"; the first is called "node001"`,
		"a node001\n\na node002":       "f:3: job a is listed twice, first on line 1",
		"a node001,node001":            `f:1: job a: node "node001" comes twice`,
		"a node001,0x0000000000000100": `f:1: job a: node "0x0000000000000100" comes twice`,
		"a MT4115":                     `f:1: job a: no host of the fabric is called "MT4115"; the first is called "node001"`,
		"a node[001":                   "f:1: job a: node list \"node[001\": a closing ] is missing",
		"a":                            `f:1: "a": want NAME NODES`,
		"a b c d":                      `f:1: "a b c d": want NAME NODES`,
		"JOBID USER NODELIST\n1 2 3 4": "f:2: 4 words under 3 columns",
		"JOBID USER ST NODELIST\n1 2":  "f:2: 2 words under 4 columns",
		"JOBID NODELIST USER\n1 2":     "f:2: 2 words under 3 columns",
		"{":                            "f:1: the JSON object is cut off",
		"{\"jobs\":\n[{}":              "f:2: the JSON object is cut off",
		"{}":                           `f:1: JSON without a list "jobs"`,
		`{"jobs": 7}`:                  `f:1: JSON without a list "jobs"`,
		"{\n\"jobs\": [{\"job_id\": \"x\"}, {\"user_name\": 7}]}": "f:2: ",
		"{\n\"jobs\":\n\n[,]}": "f:4: ",
		"{} x":                 `f:1: JSON without a list "jobs"`,
		"{\"jobs\": []}\nx":    "f:2: text after the JSON object",
		"{\n\"jobs\": [{\"job_state\": \"RUNNING\",\n\"nodes\": \"x\"}]}": `f:3: job 0: no host of the fabric is called "x"`,
	} {
		if _, err := x.Read("f", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	if _, err := x.Find("MT4115 ConnectX4"); err == nil || !strings.Contains(err.Error(), "several hosts are called") {
		t.Errorf("a name of two adapters: %v", err)
	}
}

// TestEmpty: a fabric without hosts has no example of a name.
func TestEmpty(t *testing.T) {
	if _, err := NewFinder(fabric.New("none").Compile()).Find("a"); err == nil || !strings.Contains(err.Error(), "the fabric has no hosts") {
		t.Error(err)
	}
}

// TestTextIsRead: what Text writes is what Read reads, on fabrics of several kinds.
func TestTextIsRead(t *testing.T) {
	graphs := []*fabric.Graph{cluster(t)}
	for _, formula := range []string{"rlft(4,2)", "rail(4,3,2)"} {
		f, err := gen.Parse(formula)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, f.Compile())
	}
	rapid.Check(t, func(t *rapid.T) {
		g := graphs[rapid.IntRange(0, len(graphs)-1).Draw(t, "graph")]
		x := NewFinder(g)
		var jobs []Job
		for i := range rapid.IntRange(1, 4).Draw(t, "jobs") {
			j := Job{Name: fmt.Sprint("job", i), User: rapid.SampledFrom([]string{"", "bob"}).Draw(t, "user")}
			servers := map[int32]bool{}
			for _, h := range rapid.SliceOfN(rapid.Int32Range(0, int32(g.NumHosts)-1), 1, 5).Draw(t, "hosts") {
				servers[x.Server(h)] = true
			}
			for server := range servers {
				hosts, err := x.Find(x.Name(server))
				if err != nil || slices.ContainsFunc(hosts, func(h int32) bool { return x.Server(h) != server }) {
					t.Fatalf("server %d: %v, %v", server, hosts, err)
				}
				j.Hosts = append(j.Hosts, hosts...)
			}
			slices.Sort(j.Hosts)
			jobs = append(jobs, j)
		}
		again, err := x.Read("again", []byte(x.Text(jobs)))
		for i := range again {
			slices.Sort(again[i].Hosts)
		}
		if err != nil || told(g, again) != told(g, jobs) {
			t.Fatalf("%s is read as %s: %v", x.Text(jobs), told(g, again), err)
		}
	})
}

// FuzzRead: any text is read or refused with its place, and no host comes twice in a job.
func FuzzRead(f *testing.F) {
	g := cluster(f)
	x := NewFinder(g)
	for _, text := range []string{
		"a node[001-002]\n", squeueUsual, "JOBID USER NODELIST\n1 2 node001", `{"jobs": [{"job_id": {"set": true, "number": 7}, "job_state": ["RUNNING"], "nodes": "node001"}]}`,
		`{"jobs": null}`, "JOBID NODELIST\n(1)", `{"jobs": [null, 7]}`, `{"jobs": [{"job_state": 1, "array_task_id": true}]}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		jobs, err := x.Read("f", []byte(text))
		if err != nil && !strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%q: error %v", text, err)
		}
		for i := range jobs {
			hosts := slices.Clone(jobs[i].Hosts)
			slices.Sort(hosts)
			if len(hosts) == 0 || len(slices.Compact(hosts)) != len(jobs[i].Hosts) {
				t.Errorf("%q: job %s has %d host ports", text, jobs[i].Name, len(jobs[i].Hosts))
			}
		}
	})
}

// TestOn: a Finder that follows a network through faults and new names finds the same as one that
// is made anew, and reads no names again where only switches differ.
func TestOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, err := gen.Parse("rlft(4,2)")
		if err != nil {
			t.Fatal(err)
		}
		find := (*Finder)(nil).On(f.Compile())
		for range 4 {
			link := rapid.IntRange(0, len(f.Links)-1).Draw(t, "link")
			if rapid.Bool().Draw(t, "down") {
				f.Links[link].Down = !f.Links[link].Down
			} else if n := &f.Nodes[f.Links[link].A.Node]; n.Type == fabric.CA {
				n.Desc = rapid.SampledFrom([]string{"host 1", "n1 mlx5_0", "n1 mlx5_1", "n2.site"}).Draw(t, "name")
			}
			g := f.Compile()
			fresh := NewFinder(g)
			was := find
			find = find.On(g)
			if find.g != g || find.first != fresh.first || !maps.Equal(find.byName, fresh.byName) || !reflect.DeepEqual(find.servers.List, fresh.servers.List) {
				t.Fatalf("%+v, want %+v", find, fresh)
			}
			for h := range int32(g.NumHosts) {
				if find.Server(h) != fresh.Server(h) || find.List([]int32{h}) != fresh.List([]int32{h}) {
					t.Fatalf("host port %d", h)
				}
			}
			if slices.Equal(was.g.EndGUID[:was.g.NumHosts], g.EndGUID[:g.NumHosts]) && slices.Equal(was.g.EndDesc[:was.g.NumHosts], g.EndDesc[:g.NumHosts]) != (find.servers == was.servers) {
				t.Fatal("names are read again")
			}
		}
	})
}

// TestSameHosts: Graphs with and without a cable between switches have the same hosts; one with
// another port GUID or name has not.
func TestSameHosts(t *testing.T) {
	f, err := gen.Parse("rlft(4,2)|fail(links=1,seed=1)")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := gen.Parse("rlft(4,2)")
	if err != nil {
		t.Fatal(err)
	}
	a, b := whole.Compile(), f.Compile()
	if a.NumChannels == b.NumChannels || !SameHosts(a, b) {
		t.Error("a lost cable changes the hosts")
	}
	guid, name := *b, *b
	guid.EndGUID, name.EndDesc = slices.Clone(b.EndGUID), slices.Clone(b.EndDesc)
	guid.EndGUID[3]++
	name.EndDesc[3] += "x"
	if SameHosts(a, &guid) || SameHosts(a, &name) {
		t.Error("another port GUID or name is not noticed")
	}
}
