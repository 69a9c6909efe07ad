package succession

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/route/levels"
	"weft/sm/congestion"
	"weft/sm/terms"
)

// Rules holds a master's settings that follow neither from the subnet nor from its Plan: settings
// of its files, operators' requests, and the history of links. A standby receives the rules and
// keeps them after a takeover: it logs where its own files differ, which apply after Reconfigure.
// Fields that an older weft does not send are nil; our own files apply then.
type Rules struct {
	Partitions *terms.Partitioning  // nil: all ports are full members of the default one, and keep their other P_Keys
	Owns       bool                 // Partitions say who owns them
	Levels     levels.Levels        // of service
	Congestion *congestion.Settings // nil: devices are not set
	MKeys      *KeyProtection       // if ports are given M_Keys
	Admitted   []fabric.GUID        // nodes that are not left out, sorted; nil: all
	Drained    []string             // switches and cables
	Trials     []string             // links whose speeds are being forced, or did not return
	Links      []Link               // that came back lately, or are in quarantine
	Rebalance  bool                 // the Plan is repaired, or leaves something unused: route from scratch some time
	Moves      bool                 // entries may gain by moves
	Reregister bool                 // clients must still be asked to register again
	Options    map[string]string    // see Config.Options
	Jobs       []terms.Job          // that run
}

// KeyProtection says how ports protect their M_Keys.
type KeyProtection struct {
	Protect uint8
	Lease   uint16
}

// OwnFiles holds the settings of our own files. After a takeover the previous master's are in force
// instead, until Reconfigure.
type OwnFiles struct {
	Partitions *terms.Partitioning
	Levels     levels.Levels
	Congestion *congestion.Settings
	Keys       KeyProtection
	Admitted   []fabric.GUID
}

// FilesOf returns the settings of the files in a Config.
func FilesOf(cfg *terms.Config) OwnFiles {
	return OwnFiles{cfg.Partitions.File(), cfg.Levels, cfg.Congestion, KeyProtection{cfg.Keys.Protect, cfg.Keys.Lease}, cfg.AdmittedNodes()}
}

// Differences describes how our own files differ from the rules of a manager, and what follows.
func (o *OwnFiles) Differences(r *Rules, who, then string) (list []string) {
	add := func(differs, named bool, what, option string) {
		switch {
		case !differs:
		case named:
			list = append(list, fmt.Sprintf("the %s of %s differ from this manager's (option %s): %s", what, who, option, then))
		default:
			list = append(list, fmt.Sprintf("the %s of %s stay in force after a takeover and after reloads: this manager has none (option %s)", what, who, option))
		}
	}
	add(!IsSame(r.Partitions.Base(), o.Partitions.Base()), o.Partitions != nil, "partitions", "partitions")
	add(r.Levels != nil && !o.Levels.Equal(r.Levels), len(o.Levels) > 0, "levels of service", "levels")
	add(r.Levels != nil && !IsSame(r.Congestion, o.Congestion), o.Congestion != nil, "settings of congestion control", "congestion-control")
	if r.Levels != nil && !slices.Equal(r.Admitted, o.Admitted) {
		list = append(list, fmt.Sprintf("%s leaves out other nodes than this manager (options quarantine-strangers and expect): %s", who, then))
	}
	if k := r.MKeys; k != nil && *k != o.Keys {
		list = append(list, fmt.Sprintf("%s uses mkey-protect %d and mkey-lease %ds, this manager %d and %ds: %s", who, k.Protect, k.Lease, o.Keys.Protect, o.Keys.Lease, then))
	}
	return list
}

// IsSame reports whether settings are equal as JSON, the form of settings from other managers.
func IsSame[T any](a, b *T) bool {
	x, _ := json.Marshal(a) // it has nothing that JSON cannot hold
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}
