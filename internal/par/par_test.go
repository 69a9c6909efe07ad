package par

import (
	"context"
	"errors"
	"testing"
)

func TestForVisitsEveryIndexOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		seen := make([]int, 1000)
		err := For(context.Background(), workers, len(seen), func(_, i int) error {
			seen[i]++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range seen {
			if n != 1 {
				t.Fatalf("%d workers: index %d visited %d times", workers, i, n)
			}
		}
	}
}

func TestForReturnsTheLowestFailure(t *testing.T) {
	bad := errors.New("bad")
	err := For(context.Background(), 1, 10, func(_, i int) error {
		if i == 3 {
			return bad
		}
		if i > 3 {
			t.Errorf("index %d handed out after a failure", i)
		}
		return nil
	})
	if !errors.Is(err, bad) {
		t.Fatalf("got %v", err)
	}
}

func TestForStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := For(ctx, 2, 10, func(_, _ int) error {
		t.Error("ran after cancel")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}
