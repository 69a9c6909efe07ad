package fabric

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// The words of a description that name a device of a machine, and a longer word that ends with one,
// as in "n12-mlx5_0".
var (
	device = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(hca-?\d*|hfi-?\d+|(mlx\d+|rdma)_(ib|bond_?)?\d+(_bond)?|hfi\d+_\d+|ib[ops]?\d+\w*|` +
			`(mthca|qib|ipath|irdma|ocrdma|i40iw|bnxt_re|bnxt_re_bond|cxgb\d_|hns_|rxe|siw|ionic_|mana_|efa_|erdma_)\d+|roce[ops]\w+|rdma[ops]\w+)$`)
	})
	joinedDevice = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(.*[^-_.,;@|])[-_.,;@|]+(hca-?\d+|mlx\d+_(?:ib|bond_?)?\d+|hfi1_\d+)$`)
	})
)

// An adapter with an operating system of its own has its machine's name and this, by custom.
var ownSystem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)[-_.]?(bf|bf\d|dpu|bluefield|snic)[-_]?\d*$`) })

// The driver qib writes "Intel Infiniband HCA n12", its older brother "QLogic Infiniband HCA n12".
var driverPrefixes = []string{"Intel Infiniband HCA ", "QLogic Infiniband HCA "}

// everyMachine lists the names that installers give to every machine, without a domain.
var everyMachine = map[string]bool{
	"": true, "none": true, "null": true, "nil": true, "unknown": true, "unset": true, "undefined": true, "unnamed": true, "n/a": true,
	"localhost": true, "localhost4": true, "localhost6": true, "hostname": true, "host": true, "server": true, "unassigned-hostname": true,
	"ubuntu": true, "debian": true, "linux": true, "centos": true, "rocky": true, "alma": true, "almalinux": true, "rhel": true,
	"redhat": true, "fedora": true, "sles": true, "opensuse": true, "archiso": true, "livecd": true, "bluefield": true, "dpu": true,
}

// HostAndDevice cuts a description of a channel adapter into the name of its machine and the
// device, as in "n12 mlx5_0". What the description does not hold is "".
func HostAndDevice(desc string) (host, dev string) {
	for _, prefix := range driverPrefixes {
		desc = strings.TrimPrefix(desc, prefix)
	}
	words := strings.FieldsFunc(desc, func(r rune) bool { return r <= ' ' || r == '/' || r == ':' })
	at := len(words) - 1
	for at >= 0 && !isDevice(words[at]) {
		at--
	}
	switch {
	case at > 0: // what follows describes the device
		words, dev = words[:at], words[at]
	case at == 0:
		words, dev = words[1:], words[0]
	case len(words) > 0:
		last := len(words) - 1
		if !strings.Contains(words[last], "_") && !strings.HasSuffix(strings.TrimRight(words[last], "-0123456789"), "a") {
			break // the search would cost more than this
		}
		if cut := joinedDevice().FindStringSubmatch(words[last]); cut != nil {
			words[last], dev = cut[1], cut[2]
			at = 1
		}
	}
	host = strings.Trim(strings.Join(words, " "), `"'`)
	lower := strings.TrimFunc(strings.ToLower(host), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if isEveryMachine(lower) || isProduct(lower, at > 0) {
		host = ""
	}
	return host, dev
}

// isDevice reports whether a word names a device. Most words need no search.
func isDevice(word string) bool {
	last := word[len(word)-1]
	digits := word[0] > '9' && strings.ContainsAny(word, "0123456789")
	return (digits || last == 'a' || last == 'A') && device().MatchString(word)
}

// isEveryMachine reports whether installers give a name to every machine.
func isEveryMachine(name string) bool {
	local, found := strings.CutSuffix(strings.TrimRight(name, "46"), ".localdomain")
	return everyMachine[name] || everyMachine[strings.TrimSuffix(name, ".local")] || found && everyMachine[local]
}

// isProduct reports whether a text describes an adapter: it is the firmware's. Before a device some
// words are rather a host name.
func isProduct(text string, beforeDevice bool) bool {
	first, _, _ := strings.Cut(text, " ")
	number, isType := strings.CutPrefix(first, "mt")
	switch {
	case isType && len(number) >= 4 && strings.Trim(number, "0123456789") == "":
		return true
	case strings.Contains(text, "mellanox technologies"), strings.Contains(text, "nvidia corporation"):
		return true
	case beforeDevice:
		return false
	}
	for _, prefix := range []string{"connectx", "connect-x", "connectib", "connect-ib", "bluefield", "infinihost"} {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return strings.HasSuffix(text, " hca") || strings.Contains(text, " hca ") || strings.HasSuffix(text, " adapter")
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
// own, "" if the name, in lower case, does not end like that of one. Most names need no search.
func machineOf(host string) string {
	end := strings.TrimRight(host, "0123456789-_")
	if !strings.HasSuffix(end, "bf") && !strings.HasSuffix(end, "dpu") && !strings.HasSuffix(end, "bluefield") && !strings.HasSuffix(end, "snic") {
		return ""
	}
	if at := ownSystem().FindStringIndex(host); at != nil {
		return host[:at[0]]
	}
	return ""
}
