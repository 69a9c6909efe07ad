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

func TestForStopsAfterAFailure(t *testing.T) {
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

// Which failure is told does not depend on which comes first.
func TestForReturnsTheLowestFailure(t *testing.T) {
	bad := errors.New("bad")
	higher := make(chan struct{})
	for range 100 {
		err := For(context.Background(), 2, 10, func(_, i int) error {
			switch i {
			case 3:
				<-higher // 4 fails before 3
				return bad
			case 4:
				higher <- struct{}{}
			}
			if i > 3 {
				return errors.New("a higher one")
			}
			return nil
		})
		if !errors.Is(err, bad) {
			t.Fatalf("got %v", err)
		}
	}
}

// A worker is one of those asked for, and one index at a time has its scratch.
func TestForWorkers(t *testing.T) {
	const workers = 3
	var scratch [workers]int
	err := For(context.Background(), workers, 1000, func(worker, _ int) error {
		scratch[worker]++ // a race unless the worker is alone
		return nil
	})
	total := 0
	for _, n := range scratch {
		total += n
	}
	if err != nil || total != 1000 {
		t.Fatalf("%v, %v", scratch, err)
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
