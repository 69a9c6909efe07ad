// Package study holds what the answers to all questions share: refusals, lists and tables for
// people, and yardsticks. Each question is a package below it, with its request, its document and
// the text of that for people. docs/json.md lists the documents; their JSON keys stay.
package study
