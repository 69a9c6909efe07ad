package fold

import "fmt"

// Count returns a number with its noun, which is one for 1 and more for all others.
func Count[N ~int | ~int32 | ~int64 | ~uint64](n N, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
