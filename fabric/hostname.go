package fabric

import (
	"regexp"
	"strings"
)

// The words of a description that name a device of a machine. Some can be cut off a longer word, as
// in "n12-mlx5_0".
var (
	device = regexp.MustCompile(`(?i)^((hca|hfi)-?\d*|(mlx\d+|rdma)_(ib|bond_?)?\d+(_bond)?|hfi\d+_\d+|ib[ops]?\d+\w*|` +
		`(mthca|qib|ipath|irdma|ocrdma|i40iw|bnxt_re|bnxt_re_bond|cxgb\d_|hns_|rxe|siw|ionic_|mana_|efa_|erdma_)\d+|roce[ops]\w+|rdma[ops]\w+)$`)
	joinedDevice = regexp.MustCompile(`(?i)^(.*[^-_.,;@|])[-_.,;@|]+((?:hca|hfi)-?\d+|mlx\d+_(?:ib|bond_?)?\d+|hfi1_\d+)$`)
)

// The texts of drivers, firmware and installers.
var (
	// The driver qib writes "Intel Infiniband HCA n12", its older brother "QLogic Infiniband HCA n12".
	driverPrefix = regexp.MustCompile(`(?i)^(intel|qlogic) infiniband hca `)
	product      = regexp.MustCompile(`(?i)^(mt\d{4,}\b.*|.*\bmellanox technologies\b.*|.*\bnvidia (corporation|technologies)\b.*)$`)
	productWords = regexp.MustCompile(`(?i)^(connect-?(x|ib)[-\w]*( .*)?|bluefield[-\w]*( .*)?|infinihost.*|\(?[\w-]+ (.* )?(hca|adapter)\b.*)$`)
	everyMachine = regexp.MustCompile(`(?i)^(\W*|\W*(none|null|nil|unknown|unset|undefined|unnamed|n/a)\W*|` +
		`(localhost\d?|hostname|host|server|ubuntu|debian|linux|centos|rocky|alma|almalinux|rhel|redhat|fedora|sles|opensuse|bluefield|dpu|archiso|livecd|unassigned-hostname)(\.local|\.localdomain\d?)?)$`)
	// An adapter with an operating system of its own has its machine's name and this, by custom.
	ownSystem = regexp.MustCompile(`(?i)[-_.]?(bf|bf\d|dpu|bluefield|snic)[-_]?\d*$`)
)

// HostAndDevice cuts a description of a channel adapter into the name of its machine and the device,
// as in "n12 mlx5_0". What the description does not hold is "".
func HostAndDevice(desc string) (host, dev string) {
	desc = driverPrefix.ReplaceAllString(strings.TrimSpace(desc), "")
	words := strings.FieldsFunc(desc, func(r rune) bool { return r <= ' ' || r == '/' || r == ':' })
	at := len(words) - 1
	for at >= 0 && !device.MatchString(words[at]) {
		at--
	}
	switch {
	case at > 0: // what follows describes the device
		words, dev = words[:at], words[at]
	case at == 0:
		words, dev = words[1:], words[0]
	case len(words) > 0:
		last := len(words) - 1
		if cut := joinedDevice.FindStringSubmatch(words[last]); cut != nil {
			words[last], dev = cut[1], cut[2]
			at = 1
		}
	}
	host = strings.Trim(strings.Join(words, " "), `"'`)
	if everyMachine.MatchString(host) || product.MatchString(host) || at <= 0 && productWords.MatchString(host) {
		host = ""
	}
	return host, dev
}

// shortName cuts the domain off a host name. An IP address has none.
func shortName(host string) string {
	short, _, _ := strings.Cut(host, ".")
	if strings.Trim(short, "0123456789") == "" {
		return host
	}
	return short
}

// machineOf returns the name of the machine that holds an adapter with an operating system of its
// own, "" if the name does not end like that of one.
func machineOf(host string) string {
	if at := ownSystem.FindStringIndex(host); at != nil {
		return host[:at[0]]
	}
	return ""
}
