//go:build race

package par

import "runtime"

// yield lets other workers run, so that each of them takes a part of a short loop too: the race
// detector sees nothing where one worker does all of it.
func yield() { runtime.Gosched() }
