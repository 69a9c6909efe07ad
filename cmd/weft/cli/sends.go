package cli

import (
	"github.com/spf13/cobra"

	"weft/apps/machine"
)

// SendsFlag adds --sends, the order in which a rank sends its messages.
func SendsFlag(cmd *cobra.Command, to *machine.SendOrder) {
	cmd.Flags().TextVar(to, "sends", machine.ByPair, "`ORDER` in which messages of an application leave a rank: pair, port or shared (see ORDER OF SENDS of weft simulate app)")
}
