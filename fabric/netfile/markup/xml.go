// Package markup reads and writes networks in XML: GraphML, and the reports of opareport, the tool
// of Omni-Path fabrics.
//
// Sources: the GraphML specification (graphml.graphdrawing.org), files of the Internet Topology Zoo
// and of networkx; for opareport the printing and parsing code of opa-ff (cornelisnetworks/opa-ff,
// Topology/snapshot.c, Topology/topology.c, opareport.c).
package markup

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"weft/fabric/netfile/lines"
)

// document reads XML element by element. It expands only the five entities of XML itself.
type document struct {
	lines.Messages
	decoder *xml.Decoder
}

// element is an element of XML, with the children that fill was told to read.
type element struct {
	name     string
	line     int // where its start tag ends
	attrs    []xml.Attr
	text     string
	children []element
}

const (
	mostDepth    = 16      // of elements that fill reads
	longestStart = 1 << 16 // bytes before the first element
)

func newDocument(name string, data []byte) *document {
	d := &document{Messages: lines.Messages{File: name}, decoder: xml.NewDecoder(bytes.NewReader(data))}
	d.decoder.CharsetReader = charset
	return d
}

// charset accepts texts that are UTF-8 too.
func charset(label string, input io.Reader) (io.Reader, error) {
	if strings.EqualFold(label, "us-ascii") || strings.EqualFold(label, "ascii") {
		return input, nil
	}
	return nil, fmt.Errorf("text in %s (convert it to UTF-8)", lines.Printable(label))
}

// rootOf returns the name of the first element of a file, "" if the file is not XML.
func rootOf(data []byte) string {
	data = bytes.TrimLeft(bytes.TrimPrefix(data[:min(len(data), longestStart)], []byte("\uFEFF")), " \t\r\n")
	if len(data) == 0 || data[0] != '<' {
		return ""
	}
	e, err := newDocument("", data).next()
	if err != nil || e == nil {
		return ""
	}
	return e.name
}

func (d *document) token() (xml.Token, error) {
	t, err := d.decoder.Token()
	at, _ := d.decoder.InputPos()
	if bad, ok := errors.AsType[*xml.SyntaxError](err); ok {
		text := bad.Msg
		if text == "unexpected EOF" {
			text = "the file ends early"
		}
		return nil, d.Errorf(bad.Line, "not valid XML: %s", lines.Printable(text))
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, d.Errorf(at, "not valid XML: %s", lines.Printable(strings.TrimPrefix(err.Error(), "xml: ")))
	}
	return t, err
}

// next returns the next element, without its content; nil at the end of the file. Unless fill is
// called, the children of the element follow.
func (d *document) next() (*element, error) {
	for {
		t, err := d.token()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if start, ok := t.(xml.StartElement); ok {
			return d.open(start)
		}
	}
}

// each calls read for each element of the document, from the outside in. Children that read has
// taken with fill are not met again.
func (d *document) each(read func(*element) error) error {
	for {
		e, err := d.next()
		if err != nil || e == nil {
			return err
		}
		if err := read(e); err != nil {
			return err
		}
	}
}

func (d *document) open(start xml.StartElement) (*element, error) {
	at, _ := d.decoder.InputPos()
	for _, a := range start.Attr {
		if len(a.Value) > lines.MaxLine {
			return nil, lines.TooLong(d.File, at)
		}
	}
	return &element{name: start.Name.Local, line: at, attrs: start.Attr}, nil
}

// fill reads the rest of an element: its text, and its children of these names at all depths.
func (d *document) fill(e *element, names ...string) error { return d.fillAt(e, names, 1) }

func (d *document) fillAt(e *element, names []string, depth int) error {
	if depth > mostDepth {
		return d.Errorf(e.line, "elements inside each other over %d deep", mostDepth)
	}
	var text []byte
	for {
		t, err := d.token()
		if errors.Is(err, io.EOF) {
			return d.Errorf(e.line, "not valid XML: the file ends in this element")
		}
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.EndElement:
			e.text = string(text)
			return nil
		case xml.CharData:
			if text = append(text, t...); len(text) > lines.MaxLine {
				return lines.TooLong(d.File, e.line)
			}
		case xml.StartElement:
			if !slices.Contains(names, t.Name.Local) {
				if err := d.skip(); err != nil {
					return err
				}
				continue
			}
			child, err := d.open(t)
			if err != nil {
				return err
			}
			if err := d.fillAt(child, names, depth+1); err != nil {
				return err
			}
			e.children = append(e.children, *child)
		}
	}
}

// skip reads the rest of an element that nobody asked for.
func (d *document) skip() error {
	for depth := 1; depth > 0; {
		t, err := d.token()
		if err != nil {
			return err
		}
		switch t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

// attr returns an attribute, "" if there is none.
func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// child returns the first child of a name, nil if there is none.
func (e *element) child(name string) *element {
	for i := range e.children {
		if e.children[i].name == name {
			return &e.children[i]
		}
	}
	return nil
}

// value returns the text of the first child of a name, without blanks around it.
func (e *element) value(name string) string {
	if c := e.child(name); c != nil {
		return strings.Trim(c.text, " \t\r\n\x00")
	}
	return ""
}
