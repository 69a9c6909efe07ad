package subnets

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/fabric"
	"weft/fabric/netfile/lines"
)

// File lists subnets and the routers between them. As text:
//
//	weft subnets 1
//	subnet "A" 0xfec0000000000001 rlft(36,2)
//	subnet "B" 0xfec0000000000002 other.ibnetdiscover
//	router "R" 0x0200005200000100
//	port 1 "A" 0x0200005300000019 7
//	port 2 "B" "spine 3" 36
//
// A subnet has a name, a prefix and a FABRIC argument. A port belongs to the router above it:
// number, subnet, and the switch (GUID or description, as in the FABRIC) and switch port that it is
// cabled to. Routers in a FABRIC need no lines: ports of one node GUID in several subnets are one
// router. Lines that begin with # are comments.
type File struct {
	Subnets []SubnetLine
	Routers []RouterLine
}

// SubnetLine is one subnet of a File.
type SubnetLine struct {
	Name   string
	Prefix Prefix
	Fabric string
	Line   int // in the file, 0 for a formula
}

// RouterLine is one router of a File.
type RouterLine struct {
	Name  string
	GUID  fabric.GUID
	Ports []PortLine
	Line  int
}

// PortLine is a cable between a router and a switch.
type PortLine struct {
	Number     uint8
	Subnet     string
	Switch     string
	SwitchPort uint8
	Line       int
}

// header begins every file.
const header = "weft subnets 1"

// Limits of a File.
const (
	MaxSubnets = 4096
	MaxPorts   = 1 << 20 // of all routers
	maxLine    = 1 << 16
)

// IsFile reports whether a text is a File.
func IsFile(data []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(data, []byte("\uFEFF")), []byte("\n"))
	return strings.TrimSpace(string(line)) == header
}

// Read reads a File. Errors are of type *lines.Error.
func Read(name string, data []byte) (*File, error) {
	if !IsFile(data) {
		return nil, &lines.Error{File: name, Line: 1, Msg: fmt.Sprintf("the first line is not %q", header)}
	}
	r := reader{f: &File{}, subnets: map[string]bool{}, prefixes: map[Prefix]bool{}}
	rest := bytes.TrimPrefix(data, []byte("\uFEFF"))
	for at := 1; len(rest) > 0; at++ {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		text := strings.TrimSpace(string(line))
		if at == 1 || text == "" || text[0] == '#' {
			continue
		}
		err := error(nil)
		if len(line) > maxLine {
			err = fmt.Errorf("a line of more than %d bytes", maxLine)
		} else {
			err = r.line(text, at)
		}
		if err != nil {
			return nil, &lines.Error{File: name, Line: at, Msg: err.Error()}
		}
	}
	if len(r.f.Subnets) == 0 {
		return nil, &lines.Error{File: name, Msg: "no subnet is named: want lines such as subnet \"A\" 0xfec0000000000001 rlft(36,2)"}
	}
	return r.f, nil
}

// reader reads a File line by line, and remembers the names and prefixes so far.
type reader struct {
	f        *File
	subnets  map[string]bool
	prefixes map[Prefix]bool
	ports    int
}

func (r *reader) line(text string, at int) error {
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "subnet":
		return r.subnet(rest, at)
	case "router":
		return r.router(rest, at)
	case "port":
		return r.port(rest, at)
	}
	return fmt.Errorf("a line begins with subnet, router or port, not %q", word)
}

// field splits the next field off a line: a word, or a text in double quotes with Go's syntax.
func field(rest string) (field, after string, err error) {
	if rest == "" {
		return "", "", fmt.Errorf("the line ends early")
	}
	if rest[0] != '"' {
		field, after, _ = strings.Cut(rest, " ")
		return field, strings.TrimSpace(after), nil
	}
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return "", "", fmt.Errorf("a quote is not closed, or what it holds is not text: %s", rest)
	}
	after = rest[len(quoted):]
	if after != "" && after[0] != ' ' {
		return "", "", fmt.Errorf("want a blank after %s", quoted)
	}
	field, err = strconv.Unquote(quoted)
	return field, strings.TrimSpace(after), err
}

func (r *reader) subnet(rest string, at int) error {
	name, rest, err := field(rest)
	if err != nil {
		return err
	}
	word, text, err := field(rest)
	if err != nil {
		return err
	}
	guid, err := fabric.ParseGUID(word)
	prefix := Prefix(guid)
	switch {
	case err != nil:
		return fmt.Errorf("subnet %q: %q is no prefix (want up to 16 hexadecimal digits)", name, word)
	case name == "":
		return fmt.Errorf("a subnet has no name")
	case r.subnets[name]:
		return fmt.Errorf("subnet %q is there twice", name)
	case r.prefixes[prefix]:
		return fmt.Errorf("subnet %q: prefix %s has another subnet", name, prefix)
	case text == "":
		return fmt.Errorf("subnet %q has no FABRIC", name)
	case len(r.f.Subnets) == MaxSubnets:
		return fmt.Errorf("more than %d subnets", MaxSubnets)
	}
	r.subnets[name], r.prefixes[prefix] = true, true
	r.f.Subnets = append(r.f.Subnets, SubnetLine{name, prefix, text, at})
	return nil
}

func (r *reader) router(rest string, at int) error {
	name, rest, err := field(rest)
	if err != nil {
		return err
	}
	word, rest, err := field(rest)
	if err != nil {
		return err
	}
	guid, err := fabric.ParseGUID(word)
	switch {
	case err != nil || guid == 0:
		return fmt.Errorf("router %q: %q is not a GUID (want up to 16 hexadecimal digits, not 0)", name, word)
	case name == "":
		return fmt.Errorf("a router has no name")
	case rest != "":
		return fmt.Errorf("router %q: %q is too much", name, rest)
	}
	r.f.Routers = append(r.f.Routers, RouterLine{Name: name, GUID: guid, Line: at})
	return nil
}

func (r *reader) port(rest string, at int) error {
	var words [4]string
	var err error
	for i := range words {
		if words[i], rest, err = field(rest); err != nil {
			return fmt.Errorf("%w: want port NUMBER SUBNET SWITCH PORT", err)
		}
	}
	number, err1 := strconv.ParseUint(words[0], 10, 8)
	port, err2 := strconv.ParseUint(words[3], 10, 8)
	switch {
	case len(r.f.Routers) == 0:
		return fmt.Errorf("a port with no router above it")
	case err1 != nil || number < 1 || number > fabric.MaxPorts:
		return fmt.Errorf("port %q: want a number from 1 to %d", words[0], fabric.MaxPorts)
	case err2 != nil || port < 1 || port > fabric.MaxPorts:
		return fmt.Errorf("port %q of the switch: want a number from 1 to %d", words[3], fabric.MaxPorts)
	case !r.subnets[words[1]]:
		return fmt.Errorf("no subnet above is called %q", words[1])
	case words[2] == "":
		return fmt.Errorf("a switch without a name")
	case rest != "":
		return fmt.Errorf("%q is too much", rest)
	case r.ports == MaxPorts:
		return fmt.Errorf("more than %d router ports", MaxPorts)
	}
	last := &r.f.Routers[len(r.f.Routers)-1]
	if slices.ContainsFunc(last.Ports, func(p PortLine) bool { return p.Number == uint8(number) }) {
		return fmt.Errorf("router %q has two ports %d", last.Name, number)
	}
	r.ports++
	last.Ports = append(last.Ports, PortLine{uint8(number), words[1], words[2], uint8(port), at})
	return nil
}

// Write writes a File for Read.
func (f *File) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, header)
	for _, s := range f.Subnets {
		fmt.Fprintf(out, "subnet %q %s %s\n", s.Name, s.Prefix, s.Fabric)
	}
	for _, r := range f.Routers {
		fmt.Fprintf(out, "router %q %s\n", r.Name, r.GUID)
		for _, p := range r.Ports {
			fmt.Fprintf(out, "port %d %q %q %d\n", p.Number, p.Subnet, p.Switch, p.SwitchPort)
		}
	}
	return out.Flush()
}
