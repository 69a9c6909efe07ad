package beff

import "testing"

// TestGeometricMean: the mean of values that are all the same is that value, to the last bit.
func TestGeometricMean(t *testing.T) {
	for _, v := range [][]float64{{127.72, 127.72, 127.72}, {11456.065986940084, 11456.065986940084, 11456.065986940084}} {
		if got := geometricMean(v); got != v[0] {
			t.Errorf("%v of %v", got, v)
		}
	}
	if got := geometricMean([]float64{1, 4}); got < 1.999999 || got > 2.000001 || geometricMean(nil) != 0 {
		t.Error(got)
	}
}
