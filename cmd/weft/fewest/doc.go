// Package fewest has the commands weft lids and weft lanes: the fewest LIDs and lanes for given
// paths.
package fewest
