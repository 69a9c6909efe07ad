package program

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLines: each operation is on the line that was given for it, however far apart lines are.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(250, 260), rapid.IntRange(0, 1<<40)), 0, 200).Draw(t, "steps")
		var l lines
		var want []int
		last := 0
		for i, step := range steps {
			line := last + step
			if i == 0 {
				line++
			}
			l.add(line, last)
			want, last = append(want, line), line
		}
		got := make([]int, len(want))
		for op := range got {
			got[op] = l.of(int32(op))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("lines %v, want %v", got, want)
		}
		if line := l.of(int32(len(want))); line != 0 {
			t.Fatalf("an operation that was not added is on line %d", line)
		}
	})
}
