//go:build race

package par

import "runtime"

// yield lets other workers run, so that each takes a part even of a short loop: the race detector
// sees nothing if one worker does all of it.
func yield() { runtime.Gosched() }
