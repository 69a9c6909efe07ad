package ask

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/sm/service"
	"weft/sm/service/client"
)

const portsHelp = `Print the counters of all ports, as the running manager has read them.

The manager must run with --counters INTERVAL. Output is CSV with a line for each port: names, bytes,
packets, waits and errors since the manager's first reading, and the growth between the last two
readings (columns that begin with grown). --json prints one JSON object for each port, with the errors
by counter. --follow continues with all ports after each round of readings, until Ctrl-C.

Exit status: 0 printed; 3 no manager answers at --socket, or it has not read counters yet.`

// PortsCmd returns weft sm ports.
func PortsCmd() *cobra.Command {
	var socket string
	var asJSON, follow bool
	cmd := &cobra.Command{
		Use:     "ports",
		Short:   "print the counters of all ports, once or as a stream",
		Long:    portsHelp,
		Example: "  weft sm ports > ports.csv\n  weft sm ports --follow --json",
		Args:    cli.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			line, err := printer(cmd, asJSON)
			if err != nil {
				return err
			}
			return WithManager(socket, func(c *client.Client) error {
				err := c.Ports(cmd.Context(), follow, line)
				if cmd.Context().Err() != nil { // Ctrl-C ends --follow
					return nil
				}
				return err
			})
		},
	}
	SocketFlag(cmd, &socket)
	cli.JSONFlag(cmd, &asJSON)
	f := cmd.Flags()
	f.Lookup("json").Usage = "print one JSON object for each port"
	f.BoolVarP(&follow, "follow", "f", false, "print all ports again after each round of readings")
	return cmd
}

// header names the columns.
var header = []string{
	"time", "node", "node_guid", "port", "peer", "peer_guid", "peer_port", "rate_mbit",
	"transmit_bytes", "receive_bytes", "transmit_packets", "receive_packets", "transmit_wait_ticks", "errors",
	"took_seconds", "grown_transmit_bytes", "grown_receive_bytes", "grown_transmit_packets", "grown_receive_packets", "grown_transmit_wait_ticks", "grown_errors",
}

// printer prints the lines of ports.
func printer(cmd *cobra.Command, asJSON bool) (func(*service.PortCounts) error, error) {
	if asJSON {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetEscapeHTML(false)
		return func(p *service.PortCounts) error { return enc.Encode(p) }, nil
	}
	w := csv.NewWriter(cmd.OutOrStdout())
	if err := w.Write(header); err != nil {
		return nil, err
	}
	return func(p *service.PortCounts) error {
		number := func(n uint64) string { return strconv.FormatUint(n, 10) }
		peer := []string{"", "", ""}
		if p.Peer != nil {
			peer = []string{cell(p.Peer.Name), p.Peer.GUID.String(), number(uint64(p.Peer.Port))}
		}
		line := append([]string{p.Time, cell(p.Port.Name), p.Port.GUID.String(), number(uint64(p.Port.Port))}, peer...)
		line = append(line, strconv.Itoa(int(p.Rate)), number(p.Sent), number(p.Received), number(p.SentPkts), number(p.RcvdPkts), number(p.Wait), number(sum(p.Errors)), fmt.Sprintf("%.3f", p.Took))
		g := &p.Grown
		line = append(line, number(g.Sent), number(g.Received), number(g.SentPkts), number(g.RcvdPkts), number(g.Wait), number(sum(g.Errors)))
		if err := w.Write(line); err != nil {
			return err
		}
		w.Flush()
		return w.Error()
	}, nil
}

// cell returns a device's name as a cell that no spreadsheet takes for a formula.
func cell(name string) string {
	if strings.ContainsAny(name[:min(1, len(name))], "=+-@\t\r") {
		return "'" + name
	}
	return name
}

// sum adds up counters.
func sum(by map[string]uint64) (n uint64) {
	for c := range maps.Values(by) {
		n += c
	}
	return n
}
