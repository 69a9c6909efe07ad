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

// keyFlags say which M_Keys ports get and may have.
type keyFlags struct {
	secret string
	former []string
	known  string
	lease  time.Duration
}

// usualLease is the time for which a device keeps its protection when somebody asks it without its key and no manager shows it.
const usualLease = time.Minute

// add adds the flags. The protection goes to keys at once.
func (k *keyFlags) add(cmd *cobra.Command, keys *terms.Keys) {
	f := cmd.Flags()
	f.StringVar(&k.secret, "mkey-secret", "", "file with a secret of 16 bytes or more, from which with its GUID the M_Key of each port follows; managers of one subnet have the same")
	f.StringArrayVar(&k.former, "mkey-old-secret", nil, "file with a secret of before: ports with its keys are given new ones; may be given several times")
	f.StringVar(&k.known, "mkey-file", "", "file of M_Keys that ports may have, a line for each: port GUID, or * for any port, and key; such ports are given ours")
	f.Uint8Var(&keys.Protect, "mkey-protect", 1, "M_KeyProtectBits of ports with an M_Key: 0 all may read it, 1 all may read all but it, 2 or 3 nothing is told without it (with --mkey-secret they need --state or --expect)")
	f.DurationVar(&k.lease, "mkey-lease", usualLease, "M_KeyLeasePeriod: how long after a wrong M_Key a port stays protected if its manager is gone; 0 without end")
}

// read reads the files and checks the rest. One key for all ports is that of --m-key.
func (k *keyFlags) read(keys *terms.Keys, one uint64) error {
	keys.One = one
	seconds := (k.lease + time.Second - 1) / time.Second
	switch {
	case one != 0 && k.secret != "":
		return errors.New("--m-key and --mkey-secret: all ports have one M_Key, or each has its own")
	case one == 0 && k.secret == "" && (len(k.former) > 0 || k.known != ""):
		return errors.New("--mkey-old-secret and --mkey-file go with --mkey-secret or --m-key, which say what keys ports are to have")
	case keys.Protect > 3:
		return fmt.Errorf("--mkey-protect %d: want 0 to 3", keys.Protect)
	case k.lease < 0 || seconds > math.MaxUint16:
		return fmt.Errorf("--mkey-lease %v: want 0 to %d s", k.lease, math.MaxUint16)
	}
	keys.Lease = uint16(seconds)
	var err error
	if k.secret != "" {
		if keys.Secret, err = readSecret("--mkey-secret", k.secret); err != nil {
			return err
		}
	}
	keys.Former = nil
	for _, path := range k.former {
		secret, err := readSecret("--mkey-old-secret", path)
		if err != nil {
			return err
		}
		keys.Former = append(keys.Former, secret)
	}
	if k.known == "" {
		return nil
	}
	data, err := os.ReadFile(k.known)
	if err != nil {
		return fmt.Errorf("--mkey-file: %w", err)
	}
	if keys.Known, keys.Others, err = terms.ReadKeys(k.known, data); err != nil {
		return fmt.Errorf("--mkey-file %w", err)
	}
	return nil
}

// errOldKeys refuses keys that are told to a manager that runs: a restart in the middle of the change would not reach all ports.
var errOldKeys = errors.New("--mkey-secret and --m-key: the secret or key until now is not named, so that a restart would not reach ports that have no new key yet: name the file of the old secret by --mkey-old-secret, an old --m-key by a line \"* KEY\" of --mkey-file")

// checkHiding refuses keys that ports do not tell their GUIDs without, where a restart would not know which port is where.
func (s *smFlags) checkHiding() error {
	if s.keys.secret != "" && s.config.Keys.Protect > 1 && s.state.path == "" && s.expect == "" {
		return fmt.Errorf("--mkey-protect %d with --mkey-secret: a port that answers nothing without its M_Key does not tell the GUID from which that follows, so what is where must be known after a restart: name --state or --expect, or want protection 0 or 1", s.config.Keys.Protect)
	}
	return nil
}

// leastSecret is the least length of a secret: keys have 8 bytes, and it must be harder to guess than they are.
const leastSecret = 16

// readSecret reads a secret: all of the file but blanks and line ends around it.
func readSecret(flag, path string) ([]byte, error) {
	data, err := readBounded(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	secret := bytes.TrimSpace(data)
	if len(data) > configfile.MostBytes {
		return nil, fmt.Errorf("%s %s: more than %d bytes", flag, path, configfile.MostBytes)
	}
	if len(secret) < leastSecret {
		return nil, fmt.Errorf("%s %s: a secret of %d bytes: want %d or more, as from: openssl rand -hex 32", flag, path, len(secret), leastSecret)
	}
	return secret, nil
}
