// Package succession holds the settings and the history that a successor of a master must know: the
// Rules, which standbys receive, and what of them differs from a manager's own files.
package succession
