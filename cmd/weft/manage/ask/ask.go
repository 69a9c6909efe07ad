// Package ask holds the commands that show measurements of a running manager: weft sm links, ports
// and support. It also has the code that all commands share to ask a manager at its socket.
package ask

import (
	"errors"

	"github.com/spf13/cobra"

	"weft/cmd/weft/cli"
	"weft/sm/service"
	"weft/sm/service/client"
)

// SocketFlag adds --socket to a command that asks a running manager.
func SocketFlag(cmd *cobra.Command, socket *string) {
	cmd.Flags().StringVar(socket, "socket", service.UsualSocket, "Unix socket `PATH` of the running manager (its --socket)")
}

// WithManager calls ask with a client of the manager at a socket.
func WithManager(socket string, ask func(c *client.Client) error) error {
	c := client.Unix(socket)
	defer c.Close()
	err := ask(c)
	if _, ok := errors.AsType[*cli.ExitError](err); err == nil || ok {
		return err
	}
	return cli.Cannot(err)
}
