// Package chart draws the figures of a report as SVG: grouped bars or lines, with ranges, axes with
// units, and a legend next to the picture. It draws with gonum.org/v1/plot; the same chart gives
// the same bytes.
package chart
