package netfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/batch"
	"weft/fabric/netfile/cabling"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/drawing"
	"weft/fabric/netfile/lines"
	"weft/fabric/netfile/markup"
	"weft/fabric/netfile/own"
	"weft/fabric/netfile/simulators"
	"weft/internal/spelling"
)

// Format is a topology file format. Functions that the format lacks are nil.
type Format struct {
	Name    string // name in options and reports
	Summary string // for help texts
	Ending  string // usual ending of file names, or ""

	Tells Tells // what its files tell, and do not

	// begins recognises a file by its beginning, marks by a line that only this format has.
	begins func(data []byte) bool
	marks  func(line []byte) bool

	read  func(name string, data []byte, opt Options) (*fabric.Fabric, []Warning, error)
	write func(w io.Writer, f *fabric.Fabric, opt Options) ([]Warning, error)
}

// Tells describes the contents of all files of a format.
type Tells struct {
	Names     bool // nodes are known by name: their GUIDs were made up
	HostPorts bool // a host is known by the GUID of its port: each port is a node
	UpOnly    bool // ports and nodes without a cable are not listed
}

// TellsOf returns the contents of all files of a format, by its name.
func TellsOf(format string) Tells {
	for i := range formats {
		if formats[i].Name == format {
			return formats[i].Tells
		}
	}
	return Tells{} // a formula
}

// Options apply to reading and writing files.
type Options struct {
	// Systems holds the .ibnl system definitions that topo files refer to. When
	// nil, only systems of a single well known chip can be named.
	Systems fs.FS
	Partial bool // also read files that lack a part of the network
	// Disputed also reads files whose lines name different cables for one port, as Partial does.
	// None of these cables is used.
	Disputed bool
	Slurm    batch.SlurmOptions
}

// formats lists the topology file formats, in the order of help texts, completion and recognition.
var formats = []Format{
	{
		Name: "ibnetdiscover", Summary: "output of ibnetdiscover and ibdiagnet, net files of ibsim", Ending: "ibnetdiscover",
		marks: discovery.IsIBNetDiscover, read: noOptions(discovery.ReadIBNetDiscover), write: noWarnings(discovery.WriteIBNetDiscover),
	},
	{
		Name: "lst", Summary: "subnet.lst of OpenSM, .lst of ibdiagnet", Ending: "lst",
		marks: discovery.IsLST, read: noOptions(discovery.ReadLST),
	},
	{
		Name: "net_dump", Summary: ".net_dump of ibdiagnet", Ending: "net_dump",
		Tells: Tells{HostPorts: true, UpOnly: true},
		marks: discovery.IsNetDump, read: noOptions(discovery.ReadNetDump),
	},
	{
		Name: "db_csv", Summary: "ibdiagnet2.db_csv of ibdiagnet", Ending: "db_csv",
		marks: discovery.IsDBCSV, read: noOptions(discovery.ReadDBCSV),
	},
	{
		Name: "port_list", Summary: "output of ibnetdiscover -p", Ending: "txt",
		Tells: Tells{HostPorts: true, UpOnly: true},
		marks: discovery.IsPortList, read: noOptions(discovery.ReadPortList),
	},
	{
		Name: "node_list", Summary: "output of ibnetdiscover -l: nodes without cables (with --partial)", Ending: "txt",
		marks: discovery.IsNodeList, read: noOptions(discovery.ReadNodeList),
	},
	{
		Name: "ndt", Summary: "network description table of UFM, the planned cables (CSV)", Ending: "csv",
		Tells:  Tells{Names: true, UpOnly: true},
		begins: cabling.BeginsNDT, marks: cabling.IsNDT, read: noOptions(cabling.ReadNDT),
	},
	{
		Name: "topo", Summary: "topology file of ibutils, with its .ibnl files", Ending: "topo",
		Tells: Tells{Names: true},
		marks: cabling.IsTopo,
		read: func(name string, data []byte, opt Options) (*fabric.Fabric, []Warning, error) {
			return cabling.ReadTopo(name, data, opt.Systems)
		},
	},
	{
		Name: "orcs", Summary: "input of the simulator ORCS, a directed graph of Graphviz", Ending: "dot",
		Tells:  Tells{Names: true, UpOnly: true},
		begins: drawing.IsDigraph, read: noOptions(drawing.ReadORCSNetwork),
	},
	{
		Name: "graphml", Summary: "GraphML, of networkx, yEd and the Topology Zoo: hosts by attribute or degree", Ending: "graphml",
		Tells:  Tells{Names: true},
		begins: markup.IsGraphML, read: noOptions(markup.ReadGraphML), write: noWarnings(markup.WriteGraphML),
	},
	{
		Name: "opareport", Summary: "output of opareport of Omni-Path: -o snapshot, topology, or links -x", Ending: "xml",
		begins: markup.IsOPAReport, read: noOptions(markup.ReadOPAReport),
	},
	{
		Name: "topograph", Summary: "model of NVIDIA's topograph: a tree of switches, and blocks of nodes", Ending: "yaml",
		Tells: Tells{Names: true, UpOnly: true},
		marks: batch.IsTopograph, read: noOptions(batch.ReadTopograph),
		write: func(w io.Writer, f *fabric.Fabric, opt Options) ([]Warning, error) {
			return batch.WriteTopograph(w, f, opt.Slurm)
		},
	},
	{
		Name: "json", Summary: "weft's own format: everything that is known", Ending: "json",
		begins: own.IsJSON, read: noOptions(own.ReadJSON), write: noWarnings(own.WriteJSON),
	},
	{
		Name: "dot", Summary: "undirected graph of Graphviz, to be drawn", Ending: "dot",
		write: noWarnings(drawing.WriteDot),
	},
	{
		Name: "slurm", Summary: "topology.conf of Slurm's topology/tree", Ending: "conf",
		write: func(w io.Writer, f *fabric.Fabric, opt Options) ([]Warning, error) {
			return batch.WriteSlurm(w, f, opt.Slurm)
		},
	},
	{
		Name: "slurm-block", Summary: "topology.conf of Slurm's topology/block (Slurm 23.11 and later)", Ending: "conf",
		write: func(w io.Writer, f *fabric.Fabric, opt Options) ([]Warning, error) {
			return batch.WriteSlurmBlocks(w, f, opt.Slurm)
		},
	},
	{
		Name: "slurm-yaml", Summary: "topology.yaml of Slurm, a tree for each plane (Slurm 25.05 and later)", Ending: "yaml",
		write: func(w io.Writer, f *fabric.Fabric, opt Options) ([]Warning, error) {
			return batch.WriteSlurmYAML(w, f, opt.Slurm)
		},
	},
	{
		Name: "ns3", Summary: "topology file of HPCC's programs on ns-3", Ending: "txt",
		write: withWarnings(simulators.WriteNS3),
	},
	{
		Name: "htsim", Summary: "topology file of htsim's fat-tree, for whole trees only", Ending: "topo",
		write: withWarnings(simulators.WriteHTSim),
	},
	{
		Name: "ned", Summary: "network of OMNeT++, for modules of any model", Ending: "ned",
		write: withWarnings(simulators.WriteNED),
	},
}

func noOptions(read func(string, []byte) (*fabric.Fabric, []Warning, error)) func(string, []byte, Options) (*fabric.Fabric, []Warning, error) {
	return func(name string, data []byte, _ Options) (*fabric.Fabric, []Warning, error) {
		return read(name, data)
	}
}

func noWarnings(write func(io.Writer, *fabric.Fabric) error) func(io.Writer, *fabric.Fabric, Options) ([]Warning, error) {
	return func(w io.Writer, f *fabric.Fabric, _ Options) ([]Warning, error) { return nil, write(w, f) }
}

func withWarnings(write func(io.Writer, *fabric.Fabric) ([]Warning, error)) func(io.Writer, *fabric.Fabric, Options) ([]Warning, error) {
	return func(w io.Writer, f *fabric.Fabric, _ Options) ([]Warning, error) { return write(w, f) }
}

// Readable lists the formats for Read.
func Readable() []Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f Format) bool { return f.read == nil })
}

// Writable lists the formats for Format.Write.
func Writable() []Format {
	return slices.DeleteFunc(slices.Clone(formats), func(f Format) bool { return f.write == nil })
}

// Names lists the names of formats, as in "json, dot".
func Names(list []Format) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return strings.Join(names, ", ")
}

// FindWritable finds a format by its name.
func FindWritable(name string) (*Format, error) {
	for i := range formats {
		if formats[i].Name == name && formats[i].write != nil {
			return &formats[i], nil
		}
	}
	var names []string
	for _, f := range Writable() {
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("no format is called %q%s (one of: %s)", name, spelling.Hint(name, names), strings.Join(names, ", "))
}

// Write writes a fabric in a format of Writable. Warnings name what the file cannot hold or a
// program may misread.
func (f *Format) Write(w io.Writer, fab *fabric.Fabric, opt Options) ([]Warning, error) {
	return f.write(w, fab, opt)
}

// Read reads a topology file in the format found by Detect. The name is for messages and becomes
// the fabric's name. Errors are of type *Error.
func (f *Format) Read(name string, data []byte, opt Options) (*fabric.Fabric, []Warning, error) {
	fab, warnings, err := f.read(name, data, opt)
	if f.marks != nil {
		if line := cutLine(data, err); line > 0 {
			fab, warnings, err = f.readCut(name, data, opt, line, err)
		}
		warnings = append(warnings, cutOff(name, data)...)
	}
	if err == nil {
		err = refuseLost(warnings, opt)
	}
	if err != nil {
		return nil, nil, err
	}
	return fab, lostFirst(warnings), nil
}

// Read reads a topology file in any format.
func Read(name string, data []byte, opt Options) (*fabric.Fabric, []Warning, error) {
	f, err := Detect(name, data)
	if err != nil {
		return nil, nil, err
	}
	return f.Read(name, data, opt)
}

// Detect recognises the format of a topology file by its beginning, or by the first line that only
// one format has. Errors are of type *Error.
func Detect(name string, data []byte) (*Format, error) {
	if f := detectBeginning(data); f != nil {
		return f, nil
	}
	var found *Format
	err := lines.Each(name, data, lines.WithoutComments(func(line []byte, at int) error {
		for i := range formats {
			if f := &formats[i]; f.marks != nil && f.marks(line) {
				found = f
				return errFound
			}
		}
		if what := notTopology(line); what != "" {
			return lines.Errorf(name, at, "%s, not a topology file", what)
		}
		return nil
	}))
	switch {
	case found != nil:
		return found, nil
	case err != nil:
		return nil, err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, lines.Errorf(name, 0, "the file is empty")
	}
	return nil, lines.Errorf(name, 0, "not a topology file in a known format (%s)", Names(Readable()))
}

// detectBeginning recognises a format by the beginning of a file; nil if no format matches. Only
// the lines of other formats have a bound.
func detectBeginning(data []byte) *Format {
	for i := range formats {
		if f := &formats[i]; f.begins != nil && f.begins(data) {
			return f
		}
	}
	return nil
}

// errFound ends a search of lines that has succeeded.
var errFound = errors.New("found")

// notTopology names other types of files that are easily mistaken.
func notTopology(line []byte) string {
	for _, k := range []struct{ prefix, what string }{
		{"SYSTEM ", "an ibnl system definition (give it with --ibnl)"},
		{"TOPSYSTEM ", "an ibnl system definition (give it with --ibnl)"},
		{"Unicast lids", "forwarding tables (weft check --lfts takes them)"},
		{"dump_ucast_routes: ", "forwarding tables (weft check --lfts takes them)"},
		{"osm_ucast_mgr_dump_ucast_routes: ", "forwarding tables (weft check --lfts takes them)"},
		{"Multicast mlids", "multicast forwarding tables"},
		{"SwitchName=", "a Slurm topology.conf"},
		{"- topology:", "a Slurm topology.yaml"},
		{"<?xml", "XML, but neither GraphML nor a report of opareport"},
		{"graph ", "a Graphviz graph"},
		{"\x1f\x8b", "compressed by gzip (unpack it first)"},
		{"BZh", "compressed by bzip2 (unpack it first)"},
		{"\xfd7zXZ", "compressed by xz (unpack it first)"},
		{"\x28\xb5\x2f\xfd", "compressed by zstd (unpack it first)"},
		{"\xff\xfe", "text in UTF-16 (convert it to UTF-8)"},
		{"\xfe\xff", "text in UTF-16 (convert it to UTF-8)"},
	} {
		if bytes.HasPrefix(line, []byte(k.prefix)) {
			return k.what
		}
	}
	return ""
}
