// Package control lets an operator inspect a running emulated subnet and inject faults, over HTTP:
//
//	GET  /state    one JSON object: see State
//	POST /do       commands, one a line (emulator.CommandHelp)
//	GET  /help     the commands
//	GET  /lfts     forwarding tables as programmed, as opensm-lfts.dump
//	GET  /sl2vl    SL to VL mapping tables, as opensm-sl2vl.dump
//	GET  /fabric   the live parts with their LIDs, in ibnetdiscover's format
//
// weft check --lfts --sl2vl reads the tables and the fabric. Whoever can open the socket may do all
// this: it is meant to be a Unix socket.
package control

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"weft/emulator"
	"weft/emulator/live"
	"weft/fabric"
	"weft/fabric/netfile/discovery"
	"weft/fabric/netfile/tables"
)

// Help describes the commands of Request.
const Help = `SHOWN WITHOUT CHANGING ANYTHING

  state   counts of nodes, ports and datagrams, as JSON
  lfts    forwarding tables, as opensm-lfts.dump
  sl2vl   SL2VL tables
  fabric  the fabric, as ibnetdiscover prints it
  help    the commands below

COMMANDS

` + emulator.CommandHelp

// State is the answer of GET /state.
type State struct {
	Seconds   float64           `json:"seconds"` // since the start
	Nodes     int               `json:"nodes"`
	NodesDown int               `json:"nodes_down"`
	Ports     map[string]int    `json:"ports"` // cabled external ports by state
	Sent      uint64            `json:"sent"`  // datagrams sent by programs
	Answered  uint64            `json:"answered"`
	Delivered uint64            `json:"delivered"`
	Traps     uint64            `json:"traps"`
	Lost      map[string]uint64 `json:"lost"` // by cause
}

// maxCommands is the maximum size of POST /do's body, in bytes.
const maxCommands = 1 << 20

// Handler serves the requests above.
func Handler(l *live.Live) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { getState(l, w) })
	mux.HandleFunc("POST /do", func(w http.ResponseWriter, r *http.Request) { do(l, w, r) })
	mux.HandleFunc("GET /help", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, emulator.CommandHelp) })
	dump := func(path string, write func(io.Writer, *emulator.Subnet) error) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			var b bytes.Buffer
			var err error
			l.Do(func(s *emulator.Subnet) { err = write(&b, s) })
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_, _ = b.WriteTo(w)
		})
	}
	dump("/lfts", func(w io.Writer, s *emulator.Subnet) error { return tables.WriteOpenSMLFTs(w, s.Tables()) })
	dump("/sl2vl", func(w io.Writer, s *emulator.Subnet) error { return tables.WriteSL2VLs(w, s.Lanes()) })
	dump("/fabric", func(w io.Writer, s *emulator.Subnet) error { return discovery.WriteIBNetDiscover(w, s.Fabric()) })
	return mux
}

// getState answers GET /state.
func getState(l *live.Live, w http.ResponseWriter) {
	var out State
	l.Do(func(s *emulator.Subnet) { out = stateOf(s) })
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	_ = enc.Encode(out)
}

// stateOf returns the state of a subnet.
func stateOf(s *emulator.Subnet) State {
	stats, ports := s.Stats(), s.States()
	out := State{
		Seconds: s.Now().Seconds(), Sent: stats.Sent, Answered: stats.Answered,
		Delivered: stats.Delivered, Traps: stats.Traps, Lost: stats.Losses(),
		Ports: map[string]int{"down": ports[1], "init": ports[2], "armed": ports[3], "active": ports[4]},
	}
	for id := range s.NumNodes() {
		out.Nodes++
		if s.NodeDown(fabric.NodeID(id)) {
			out.NodesDown++
		}
	}
	return out
}

// do executes commands until one fails.
func do(l *live.Live, w http.ResponseWriter, r *http.Request) {
	body := bufio.NewScanner(http.MaxBytesReader(w, r.Body, maxCommands))
	for n := 1; body.Scan(); n++ {
		line := strings.TrimSpace(body.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		var err error
		l.Do(func(s *emulator.Subnet) { err = s.Do(line) })
		if err != nil {
			http.Error(w, fmt.Sprintf("line %d: %v", n, err), http.StatusBadRequest)
			return
		}
	}
	if err := body.Err(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintln(w, "ok")
}
