package umad

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"weft/wire"
	"weft/wire/mad"
)

// site is a port with its devices.
type site struct {
	sys        fs.FS
	ca         string
	port       uint8
	umad, issm string // device names; issm may be missing
}

// findSites lists the InfiniBand ports with a umad device, by device number.
func findSites(sys fs.FS) ([]site, error) {
	abi, err := readUint(sys, "infiniband_mad/abi_version", 10, 32)
	if err != nil {
		return nil, fmt.Errorf("umad: no user MAD devices (is the module ib_umad loaded?): %w", err)
	}
	if abi < ABIVersion {
		return nil, fmt.Errorf("umad: the kernel's ABI has version %d, want %d", abi, ABIVersion)
	}
	devices, err := fs.ReadDir(sys, "infiniband_mad")
	if err != nil {
		return nil, fmt.Errorf("umad: %w", err)
	}
	names := make([]string, 0, len(devices))
	for _, d := range devices {
		names = append(names, d.Name())
	}
	slices.SortFunc(names, byNumber)
	var sites []site
	issm := map[string]string{} // by CA and port
	for _, name := range names {
		dir := path.Join("infiniband_mad", name)
		ca, err := readText(sys, path.Join(dir, "ibdev"))
		if err != nil {
			continue // not a device
		}
		port, err := readUint(sys, path.Join(dir, "port"), 10, 8)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, "issm") {
			issm[fmt.Sprint(ca, port)] = name
		} else if strings.HasPrefix(name, "umad") {
			sites = append(sites, site{sys: sys, ca: ca, port: uint8(port), umad: name})
		}
	}
	for i := range sites {
		sites[i].issm = issm[fmt.Sprint(sites[i].ca, sites[i].port)]
	}
	return slices.DeleteFunc(sites, func(s site) bool { return !s.infiniband() }), nil
}

// byNumber orders umad2 before umad10.
func byNumber(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// infiniband reports whether the port has a queue pair 0; ports of RoCE and iWARP have none.
func (s *site) infiniband() bool {
	node, err := readText(s.sys, s.caPath("node_type"))
	if err != nil || node == "" || node[0] < '1' || node[0] > '3' {
		return false
	}
	layer, err := readText(s.sys, s.portPath("link_layer"))
	return err != nil || layer == "InfiniBand"
}

func (s *site) caPath(file string) string { return path.Join("infiniband", s.ca, file) }

func (s *site) portPath(file string) string {
	return path.Join("infiniband", s.ca, "ports", strconv.Itoa(int(s.port)), file)
}

// choose returns the port named by the options, or the best matching one: Active, else with a
// physical link, else not disabled.
func choose(sites []site, o Options) (site, error) {
	var best *site
	bestRank := -1
	for i := range sites {
		s := &sites[i]
		if o.CA != "" && o.CA != s.ca || o.Port != 0 && o.Port != s.port {
			continue
		}
		p, err := s.read()
		if err != nil {
			return site{}, err
		}
		if o.GUID != 0 && o.GUID != p.PortGUID {
			continue
		}
		rank := 0
		switch {
		case p.State == mad.PortActive:
			rank = 3
		case p.PhysState == mad.PhysLinkUp:
			rank = 2
		case p.PhysState != mad.PhysDisabled:
			rank = 1
		}
		if rank > bestRank {
			best, bestRank = s, rank
		}
	}
	if best == nil {
		return site{}, fmt.Errorf("umad: no InfiniBand port fits (wanted CA %q, port %d, GUID 0x%x; there are %d ports)",
			o.CA, o.Port, o.GUID, len(sites))
	}
	return *best, nil
}

// read reads the current state of the port.
func (s *site) read() (wire.Port, error) {
	var errs []error
	number := func(file string, base, bits int) uint64 {
		v, err := readUint(s.sys, s.portPath(file), base, bits)
		errs = append(errs, err)
		return v
	}
	node, err := readUint(s.sys, s.caPath("node_guid"), 16, 64)
	errs = append(errs, err)
	p := wire.Port{
		Device:    s.ca,
		Number:    s.port,
		NodeGUID:  node,
		LID:       uint16(number("lid", 0, 16)),
		SMLID:     uint16(number("sm_lid", 0, 16)),
		LMC:       uint8(number("lid_mask_count", 10, 8)),
		SMSL:      uint8(number("sm_sl", 10, 8)),
		State:     uint8(number("state", 10, 8)),
		PhysState: uint8(number("phys_state", 10, 8)),
		CapMask:   uint32(number("cap_mask", 0, 32)),
	}
	p.IsSM = p.CapMask&mad.CapIsSM != 0
	gid, err := readText(s.sys, s.portPath("gids/0"))
	errs = append(errs, err)
	if g, err := mad.ParseGID(gid); err == nil {
		p.GIDPrefix, p.PortGUID = mad.GIDPrefix.Get(g[:]), mad.GIDGUID.Get(g[:])
	} else if gid != "" {
		errs = append(errs, fmt.Errorf("umad: %s: %w", s.portPath("gids/0"), err))
	}
	for i := 0; ; i++ {
		key, err := readUint(s.sys, s.portPath("pkeys/"+strconv.Itoa(i)), 0, 16)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		errs = append(errs, err)
		p.PKeys = append(p.PKeys, uint16(key))
	}
	return p, errors.Join(errs...)
}

func readText(sys fs.FS, file string) (string, error) {
	b, err := fs.ReadFile(sys, file)
	if err != nil {
		return "", fmt.Errorf("umad: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}

// readUint reads a number: the text before a colon followed by a space ("4: ACTIVE"), without the
// colons of a GUID.
func readUint(sys fs.FS, file string, base, bits int) (uint64, error) {
	s, err := readText(sys, file)
	if err != nil {
		return 0, err
	}
	s, _, _ = strings.Cut(s, ": ")
	v, err := strconv.ParseUint(strings.ReplaceAll(s, ":", ""), base, bits)
	if err != nil {
		return 0, fmt.Errorf("umad: %s holds %q, which is not a number of %d bits", file, s, bits)
	}
	return v, nil
}
