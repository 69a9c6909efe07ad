package umadd

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"syscall"

	"weft/mad"
	"weft/wire"
)

// inode is a file or directory. Its number is its index in the tree plus 1, so that
// the root has 1.
type inode struct {
	name     string
	children []uint64 // of a directory
	dir      bool
	text     func() string // what a file of sysfs holds
}

// tree is the directory that is mounted; it does not change.
type tree []inode

// node is an inode by number, nil when there is none.
func (t tree) node(ino uint64) *inode {
	if ino == 0 || ino > uint64(len(t)) {
		return nil
	}
	return &t[ino-1]
}

// find finds a name in a directory, 0 when it is not there.
func (t tree) find(dir *inode, name string) uint64 {
	for _, c := range dir.children {
		if t[c-1].name == name {
			return c
		}
	}
	return 0
}

// add makes a file, and the directories above it, and gives its number.
func (t *tree) add(name string, text func() string) uint64 {
	at := uint64(1)
	if len(*t) == 0 {
		*t = append(*t, inode{dir: true})
	}
	dirs, file := path.Split(name)
	for d := range strings.SplitSeq(strings.Trim(dirs, "/"), "/") {
		next := t.find(t.node(at), d)
		if next == 0 {
			next = t.append(at, inode{name: d, dir: true})
		}
		at = next
	}
	return t.append(at, inode{name: file, text: text})
}

func (t *tree) append(dir uint64, n inode) uint64 {
	*t = append(*t, n)
	ino := uint64(len(*t))
	(*t)[dir-1].children = append((*t)[dir-1].children, ino)
	return ino
}

// deviceName is the adapter's name.
const deviceName = "weft0"

// plant makes the tree of a port; it gives the numbers of the device files.
func plant(port func() wire.Port) (t tree, umad, issm uint64) {
	fixed := func(s string) func() string { return func() string { return s } }
	umad, issm = t.add("dev/umad0", nil), t.add("dev/issm0", nil)
	p := port()
	const mads = "sys/class/infiniband_mad/"
	t.add(mads+"abi_version", fixed("5"))
	for _, dev := range []string{"umad0", "issm0"} {
		t.add(mads+dev+"/ibdev", fixed(deviceName))
		t.add(mads+dev+"/port", fixed(strconv.Itoa(int(p.Number))))
	}
	const ca = "sys/class/infiniband/" + deviceName + "/"
	t.add(ca+"node_type", fixed("1: CA"))
	t.add(ca+"node_guid", fixed(colons(p.NodeGUID)))
	t.add(ca+"sys_image_guid", fixed(colons(p.NodeGUID)))
	t.add(ca+"node_desc", fixed(p.Device))
	t.add(ca+"fw_ver", fixed("1.0.0"))
	t.add(ca+"hw_rev", fixed("0"))
	t.add(ca+"hca_type", fixed("emulated"))
	dir := ca + "ports/" + strconv.Itoa(int(p.Number)) + "/"
	now := func(name string, format func(p wire.Port) string) {
		t.add(dir+name, func() string { return format(port()) })
	}
	now("lid", func(p wire.Port) string { return fmt.Sprintf("0x%x", p.LID) })
	now("sm_lid", func(p wire.Port) string { return fmt.Sprintf("0x%x", p.SMLID) })
	now("lid_mask_count", func(p wire.Port) string { return strconv.Itoa(int(p.LMC)) })
	now("sm_sl", func(p wire.Port) string { return strconv.Itoa(int(p.SMSL)) })
	now("cap_mask", func(p wire.Port) string { return fmt.Sprintf("0x%08x", p.CapMask) })
	now("state", func(p wire.Port) string { return stateText(p.State, 4, "DOWN", "INIT", "ARMED", "ACTIVE") })
	now("phys_state", func(p wire.Port) string {
		return stateText(p.PhysState, mad.PhysLinkUp, "Sleep", "Polling", "Disabled", "PortConfigurationTraining", "LinkUp")
	})
	now("gids/0", func(p wire.Port) string { return colons(p.GIDPrefix) + ":" + colons(p.PortGUID) })
	for i := range 32 {
		now("pkeys/"+strconv.Itoa(i), func(p wire.Port) string {
			if i < len(p.PKeys) {
				return fmt.Sprintf("0x%04x", p.PKeys[i])
			}
			return "0x0000"
		})
	}
	t.add(dir+"rate", fixed("100 Gb/sec (4X EDR)"))
	t.add(dir+"link_layer", fixed("InfiniBand"))
	return t, umad, issm
}

func stateText(v uint8, most int, names ...string) string {
	if v < 1 || int(v) > most {
		return fmt.Sprintf("%d: unknown", v)
	}
	return fmt.Sprintf("%d: %s", v, names[v-1])
}

// colons is a GUID as sysfs has it.
func colons(g uint64) string {
	return fmt.Sprintf("%04x:%04x:%04x:%04x", g>>48, g>>32&0xFFFF, g>>16&0xFFFF, g&0xFFFF)
}

// attr is a node as the kernel wants it described: struct fuse_attr.
func (t tree) attr(ino uint64) []byte {
	b := make([]byte, 88)
	n := t.node(ino)
	mode, links := uint32(syscall.S_IFREG|0o444), uint32(1)
	switch {
	case n.dir:
		mode, links = syscall.S_IFDIR|0o755, 2
	case n.text == nil:
		mode = syscall.S_IFREG | 0o600
	default:
		native.PutUint64(b[8:], 4096) // as sysfs says of every file
	}
	native.PutUint64(b[0:], ino)
	native.PutUint32(b[60:], mode)
	native.PutUint32(b[64:], links)
	native.PutUint32(b[80:], 4096)
	return b
}

// list is a directory as READDIR wants it, from an entry on, in at most size bytes.
func (t tree) list(dir *inode, from uint64, size int) []byte {
	var out []byte
	for i, c := range dir.children {
		if uint64(i) < from {
			continue
		}
		n := &t[c-1]
		kind := uint32(syscall.DT_REG)
		if n.dir {
			kind = syscall.DT_DIR
		}
		entry := make([]byte, (24+len(n.name)+7)/8*8)
		native.PutUint64(entry[0:], c)
		native.PutUint64(entry[8:], uint64(i)+1)
		native.PutUint32(entry[16:], uint32(len(n.name)))
		native.PutUint32(entry[20:], kind)
		copy(entry[24:], n.name)
		if len(out)+len(entry) > size {
			break
		}
		out = append(out, entry...)
	}
	return out
}
