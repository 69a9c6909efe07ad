package state

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// disk is a directory as it would be after a power cut: of each file what was synced, and what was
// written since.
type disk struct {
	names   map[string]*inode // as programs see it
	synced  map[string]*inode // entries of the directory that a power cut leaves
	pending []entry           // changes of the directory that were not synced
}

// inode is a file.
type inode struct {
	live, synced []byte
	pending      []write // since it was synced
}

// write is a write that was not synced, or with data nil a truncation to a length.
type write struct {
	at   int64
	data []byte
}

// entry is a file that came under a name, or nil: the name is gone.
type entry struct {
	name string
	file *inode
	from string // renamed from this name; "": it was not
}

// event is what a system call has done to a disk.
type event struct {
	call string // "create", "remove", "rename", "write", "cut", "sync", "sync directory"
	name string
	from string // of "rename"
	write
}

// apply does a write.
func (w write) apply(data []byte) []byte {
	if w.data == nil {
		return append(slices.Clone(data[:min(len(data), int(w.at))]), make([]byte, max(0, int(w.at)-len(data)))...)
	}
	if end := int(w.at) + len(w.data); end > len(data) {
		data = append(slices.Clone(data), make([]byte, end-len(data))...)
	} else {
		data = slices.Clone(data)
	}
	copy(data[w.at:], w.data)
	return data
}

// apply does what a system call has done.
func (d *disk) apply(e event) {
	f := d.names[e.name]
	switch e.call {
	case "create":
		f = &inode{}
		d.names[e.name] = f
		d.pending = append(d.pending, entry{name: e.name, file: f})
	case "remove":
		delete(d.names, e.name)
		d.pending = append(d.pending, entry{name: e.name})
	case "rename":
		f = d.names[e.from]
		delete(d.names, e.from)
		d.names[e.name] = f
		d.pending = append(d.pending, entry{e.name, f, e.from})
	case "write", "cut":
		f.live = e.write.apply(f.live)
		f.pending = append(f.pending, e.write)
	case "sync":
		f.synced, f.pending = f.live, nil
	case "sync directory":
		d.synced, d.pending = maps.Clone(d.names), nil
	}
}

// sector is what a disk writes as a whole.
const sector = 512

// survives returns what a power cut leaves of a disk: of what was not synced nothing (share 0), all
// (share 1), or some sectors, and the first changes of the directory.
func (d *disk) survives(rng *rand.Rand, share float64) map[string][]byte {
	some := func() bool { return rng.Float64() < share }
	names := maps.Clone(d.synced)
	if names == nil {
		names = map[string]*inode{}
	}
	for _, e := range d.pending {
		if !some() {
			break
		}
		delete(names, e.from)
		if names[e.name] = e.file; e.file == nil {
			delete(names, e.name)
		}
	}
	out := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		data := names[name].synced
		for _, w := range names[name].pending {
			if w.data == nil {
				if some() {
					data = w.apply(data)
				}
				continue
			}
			for at := int64(0); at < int64(len(w.data)); {
				end := min(int64(len(w.data)), (w.at+at)/sector*sector+sector-w.at)
				if some() {
					data = write{w.at + at, w.data[at:end]}.apply(data)
				}
				at = end
			}
		}
		out[name] = data
	}
	return out
}

var (
	callLine  = regexp.MustCompile(`^(\d+) +(\w+)\((.*)\) += (-?\d+)`)
	resumed   = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)$`)
	hexString = regexp.MustCompile(`(?:\\x[0-9a-f]{2})+`)
	openedAt  = regexp.MustCompile(`^\d+<([^>]*)>`)
)

// readTrace reads what strace has seen of a directory, in the order in which the calls came back.
func readTrace(path, dir string) (events []event, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	begun := map[string]string{} // by thread: a call that has not come back
	there := map[string]bool{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		line := lines.Text()
		if head, ok := strings.CutSuffix(line, " <unfinished ...>"); ok {
			begun[strings.Fields(head)[0]] = head
			continue
		}
		if m := resumed.FindStringSubmatch(line); m != nil {
			line = begun[m[1]] + m[2]
		}
		m := callLine.FindStringSubmatch(line)
		if m == nil || m[4] == "-1" {
			continue
		}
		e, ok, err := parseCall(m[2], m[3], dir)
		if err != nil {
			return nil, fmt.Errorf("%w: %.200s", err, line)
		}
		switch {
		case !ok, e.call == "create" && there[e.name]:
			continue
		case e.call == "create", e.call == "remove":
			there[e.name] = e.call == "create"
		case e.call == "rename":
			there[e.name], there[e.from] = true, false
		}
		events = append(events, e)
	}
	return events, lines.Err()
}

// parseCall reads a system call with its arguments; false for one that changes nothing in the
// directory.
func parseCall(call, args, dir string) (e event, ok bool, err error) {
	parts := strings.Split(args, ", ") // strings are in hexadecimal
	text := func(i int) string { return unhex(strings.Trim(parts[i], `"`)) }
	number := func(i int) int64 {
		n, wrong := strconv.ParseInt(parts[i], 10, 64)
		if wrong != nil {
			err = wrong
		}
		return n
	}
	path := ""
	switch call {
	case "open", "openat":
		if !strings.Contains(args, "O_CREAT") {
			return e, false, nil
		}
		path, e.call = text(strings.Count(call, "at")), "create" // behind the directory, where one is named
	case "unlink", "unlinkat":
		path, e.call = text(strings.Count(call, "at")), "remove"
	case "rename", "renameat", "renameat2":
		first := strings.Count(call, "at")
		path, e.call, e.from = text(2*first+1), "rename", filepath.Base(text(first))
	default:
		m := openedAt.FindStringSubmatch(parts[0])
		if m == nil {
			return e, false, nil
		}
		path = unhex(m[1])
	}
	if path == dir && (call == "fsync" || call == "fdatasync") {
		return event{call: "sync directory"}, true, nil
	}
	name, inside := strings.CutPrefix(path, dir+"/")
	if !inside || strings.HasSuffix(name, "-shm") || strings.HasSuffix(name, "-lock") { // which a new start makes anew
		return e, false, nil
	}
	e.name = name
	switch call {
	case "open", "openat", "unlink", "unlinkat", "rename", "renameat", "renameat2":
	case "fsync", "fdatasync":
		e.call = "sync"
	case "ftruncate":
		e.call, e.at = "cut", number(1)
	case "pwrite64":
		e.call, e.write = "write", write{number(3), []byte(text(1))}
	case "write":
		e.call, e.write = "append", write{0, []byte(text(1))}
	default:
		return e, false, fmt.Errorf("%s is not known here", call)
	}
	return e, true, err
}

// unhex reads a string that strace has written in hexadecimal.
func unhex(text string) string {
	return hexString.ReplaceAllStringFunc(text, func(s string) string {
		b, err := hex.DecodeString(strings.ReplaceAll(s, `\x`, ""))
		if err != nil {
			return s
		}
		return string(b)
	})
}

// store writes files to a directory, which has no others then.
func store(dir string, files map[string][]byte) error {
	old, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), bytes.Clone(data), 0o644); err != nil {
			return err
		}
	}
	return nil
}
