package par

import (
	"context"
	"testing"
)

// The share is that of the outermost loop, and between loops there is none.
func TestProgress(t *testing.T) {
	p := &Progress{}
	ctx := WithProgress(context.Background(), p)
	if loop, _ := p.Share(); loop != 0 {
		t.Error("a loop before any began")
	}
	seen := 0.
	err := For(ctx, 1, 4, func(_, i int) error {
		loop, share := p.Share()
		if loop != 1 || share != float64(i)/4 {
			t.Errorf("step %d of loop %d: %g", i, loop, share)
		}
		seen += share
		return For(ctx, 1, 10, func(_, _ int) error {
			if _, inner := p.Share(); inner != share {
				t.Errorf("a loop within step %d counts as steps: %g", i, inner)
			}
			return nil
		})
	})
	if err != nil || seen != 1.5 {
		t.Error(seen, err)
	}
	if loop, _ := p.Share(); loop != 0 {
		t.Error("a loop after the last ended")
	}
}

// TestSteps: steps count as a loop's until their end, and nested loops do not.
func TestSteps(t *testing.T) {
	p := &Progress{}
	ctx := WithProgress(context.Background(), p)
	step, end := Steps(ctx, 8)
	for range 2 {
		step()
	}
	if err := For(ctx, 2, 3, func(_, _ int) error { step(); return nil }); err != nil {
		t.Error(err)
	}
	if loop, share := p.Share(); loop != 1 || share != 5./8 {
		t.Errorf("loop %d: %g", loop, share)
	}
	end()
	if loop, _ := p.Share(); loop != 0 {
		t.Error("steps after their end")
	}
	step, end = Steps(context.Background(), 8) // nobody asked
	step()
	end()
}
