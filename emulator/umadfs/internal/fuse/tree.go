package fuse

import (
	"fmt"
	"path"
	"strings"
	"syscall"
)

// File is an open device. Its methods are called under the lock of Server.Do. They return system
// errors, 0 for success.
type File interface {
	// Read takes the next message, at most size bytes. EAGAIN means that there is none; then the
	// reader waits for Handle.Wake, or gets EAGAIN. With another error, the bytes still go into the
	// reader's buffer, as far as /proc lets the server write there.
	Read(size int) ([]byte, syscall.Errno)
	Write(b []byte) syscall.Errno
	// Ioctl executes an ioctl; arg is its argument, in and out.
	Ioctl(number uint32, arg []byte) syscall.Errno
	// Readable reports whether Read would return a message. Write never waits.
	Readable() bool
	Release()
}

// Opener opens a device, under the lock of Server.Do. EAGAIN means not now; then the opener waits
// until some file is released, or gets EAGAIN.
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

// Text adds a file like in sysfs, with the directories above it. Its content is computed when it is
// opened, under the lock of Server.Do. A newline is added.
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

// node finds a node by ID, nil if there is none.
func (t *Tree) node(id uint64) *Node {
	if id == 0 || id > uint64(len(t.nodes)) {
		return nil
	}
	return t.nodes[id-1]
}
