// Package show says what a fabric holds: counts, its shape as a tree, odd cables, and a picture.
package show
