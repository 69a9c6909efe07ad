package manage

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/configfile"
	"weft/sm/terms"
)

// keyFlags holds the options for M_Keys.
type keyFlags struct {
	secret string
	former []string
	known  string
	lease  time.Duration
	others os.FileMode // bits of the mode that files of keys must not have
}

// usualLease is the default time that a port stays protected after an access with a wrong key, if
// no manager shows the right one.
const usualLease = time.Minute

// add adds the flags. --mkey-protect is stored in keys directly.
func (k *keyFlags) add(cmd *cobra.Command, keys *terms.Keys) {
	k.others = groupAndAll
	f := cmd.Flags()
	f.StringVar(&k.secret, "mkey-secret", "", "`FILE` with a secret of at least 16 bytes; the M_Key of each port is derived from it and the port's GUID; the same for all managers of a subnet")
	f.StringArrayVar(&k.former, "mkey-old-secret", nil, "`FILE` with an earlier secret; ports with its keys get new ones, or none without --mkey-secret and --m-key; can be repeated")
	f.StringVar(&k.known, "mkey-file", "", "`FILE` with M_Keys that ports may have, one line for each: port GUID, or * for any port, and key; such ports get our keys, or none as for --mkey-old-secret")
	f.Uint8Var(&keys.Protect, "mkey-protect", 1, "M_KeyProtectBits `N` of ports with an M_Key. 0: all may read the key; 1: all may read everything else; 2 or 3: nothing is readable without it (with --mkey-secret: needs --state or --expect)")
	f.DurationVar(&k.lease, "mkey-lease", usualLease, "M_KeyLeasePeriod: how long a port stays protected after an access with a wrong M_Key if its manager is gone; 0: forever")
}

// read reads the files and checks the values. one is the key of --m-key for all ports.
func (k *keyFlags) read(keys *terms.Keys, one uint64) error {
	keys.One = one
	seconds := (k.lease + time.Second - 1) / time.Second
	switch {
	case one != 0 && k.secret != "":
		return errors.New("give --m-key (one M_Key for all ports) or --mkey-secret (one for each port), not both")
	case keys.Protect > 3:
		return fmt.Errorf("--mkey-protect %d: want 0 to 3", keys.Protect)
	case k.lease < 0 || seconds > math.MaxUint16:
		return fmt.Errorf("--mkey-lease %v: want 0 to %d s", k.lease, math.MaxUint16)
	}
	keys.Lease = uint16(seconds)
	var err error
	if k.secret != "" {
		if keys.Secret, err = readSecret("--mkey-secret", k.secret, k.others); err != nil {
			return err
		}
	}
	keys.Former = nil
	for _, path := range k.former {
		secret, err := readSecret("--mkey-old-secret", path, k.others)
		if err != nil {
			return err
		}
		keys.Former = append(keys.Former, secret)
	}
	if k.known == "" {
		return nil
	}
	data, err := readPrivate(k.known, k.others, math.MaxInt32)
	if err != nil {
		return fmt.Errorf("--mkey-file: %w", err)
	}
	if keys.Known, keys.Others, err = terms.ReadKeys(k.known, data); err != nil {
		return fmt.Errorf("--mkey-file %w", err)
	}
	return nil
}

// errOldKeys refuses a change of keys without the old ones: after a restart in the middle of the
// change some ports could not be reached.
var errOldKeys = errors.New("--mkey-secret and --m-key: the previous secret or key is not given, so after a restart ports without a new key could not be reached: give the old secret in --mkey-old-secret, an old --m-key as a line \"* KEY\" in --mkey-file")

// checkHiding refuses a protection under which ports hide their GUIDs, if nothing tells a restarted
// manager which port is where.
func (s *smFlags) checkHiding() error {
	if s.keys.secret != "" && s.config.Keys.Protect > 1 && s.state.path == "" && s.expect == "" {
		return fmt.Errorf("--mkey-protect %d with --mkey-secret: a port that does not answer without its M_Key does not tell the GUID that its key is derived from, so after a restart weft must know which port is where: give --state or --expect, or use protection 0 or 1", s.config.Keys.Protect)
	}
	return nil
}

// leastSecret is the least length of a secret in bytes: it must be harder to guess than a key of 8
// bytes.
const leastSecret = 16

// readSecret reads a secret: the file without surrounding blanks and line ends.
func readSecret(flag, path string, others os.FileMode) ([]byte, error) {
	data, err := readPrivate(path, others, configfile.MostBytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	secret := bytes.TrimSpace(data)
	if len(data) > configfile.MostBytes {
		return nil, fmt.Errorf("%s %s: more than %d bytes", flag, path, configfile.MostBytes)
	}
	if len(secret) < leastSecret {
		return nil, fmt.Errorf("%s %s: the secret has %d bytes, want %d or more: openssl rand -hex 32 makes one", flag, path, len(secret), leastSecret)
	}
	return secret, nil
}
