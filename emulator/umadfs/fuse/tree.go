package fuse

import (
	"fmt"
	"path"
	"strings"
	"syscall"
)

// File is an open device. Its methods are called under the lock of Server.Do, and
// report errors of the system, 0 for success.
type File interface {
	// Read takes the next message, size bytes at most. EAGAIN says that there is
	// none; then the reader waits for Handle.Wake, or is told so.
	Read(size int) ([]byte, syscall.Errno)
	Write(b []byte) syscall.Errno
	// Ioctl does a call; arg is its argument, in and out.
	Ioctl(number uint32, arg []byte) syscall.Errno
	// Readable reports whether Read would give a message. Write never waits.
	Readable() bool
	Release()
}

// Opener opens a device, under the lock of Server.Do. EAGAIN says not now; then who
// opens waits until some file is released, or is told so.
type Opener func(h *Handle) (File, syscall.Errno)

// Node is a directory or a file of a Tree.
type Node struct {
	name     string
	id       uint64
	mode     uint32
	children []*Node
	text     func() string // of a text file
	open     Opener        // of a device
}

func (n *Node) dir() bool { return n.text == nil && n.open == nil }

func (n *Node) child(name string) *Node {
	for _, c := range n.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// Tree holds the files that a Server serves. The node with ID i is nodes[i-1]; the root has ID 1.
type Tree struct{ nodes []*Node }

// NewTree makes a tree with an empty root directory.
func NewTree() *Tree {
	return &Tree{nodes: []*Node{{id: 1, mode: 0o755}}}
}

// Text adds a file like those of sysfs, with the directories above it: what it holds
// is asked for when it is opened, under the lock of Server.Do. A newline is added.
func (t *Tree) Text(name string, text func() string) {
	n := t.add(name)
	n.mode, n.text = 0o444, text
}

// Device adds a file with behaviour, with the directories above it.
func (t *Tree) Device(name string, open Opener) {
	n := t.add(name)
	n.mode, n.open = 0o600, open
}

func (t *Tree) add(name string) *Node {
	dir, file := path.Split(name)
	at := t.nodes[0]
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		next := at.child(part)
		if next == nil {
			next = t.append(at, part)
			next.mode = 0o755
		}
		at = next
	}
	if at.child(file) != nil {
		panic(fmt.Sprintf("fuse: two files named %s", name))
	}
	return t.append(at, file)
}

func (t *Tree) append(dir *Node, name string) *Node {
	n := &Node{name: name, id: uint64(len(t.nodes)) + 1}
	t.nodes = append(t.nodes, n)
	dir.children = append(dir.children, n)
	return n
}

// node finds a node by ID, nil when there is none.
func (t *Tree) node(id uint64) *Node {
	if id == 0 || id > uint64(len(t.nodes)) {
		return nil
	}
	return t.nodes[id-1]
}
