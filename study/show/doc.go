// Package show describes a fabric: counts, its shape as a tree, odd cables, and a picture.
package show
