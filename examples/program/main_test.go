package main

import (
	"context"
	"os"
)

func Example() {
	if err := run(context.Background(), os.Stdout, "../psmn-x5.ibnetdiscover"); err != nil {
		panic(err)
	}
	// Output:
	// ftree: 100 LIDs on 1 VLs, proven: true
	// longest path 3 hops, at most 161 pairs of hosts on a channel
}
