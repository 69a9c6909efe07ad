// Package study holds what all questions share: refusals, lists and tables for people, and
// yardsticks. Each question is a package below it, with its request, its document and the text for
// people. docs/json.md lists the documents; their JSON keys stay.
package study
