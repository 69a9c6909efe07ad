// Package forcing gives links the speeds and widths that a site's rules allow (tuning.Rules).
// Machine decides, between rounds, which links are to be changed, and follows each to its end.
//
// A port takes a new set of speeds at the next training of its link. So a trial of a link is:
//
//  1. A link between switches is drained: the next round leads paths around it. Then switches are
//     told what to enable, at both ends; a host's own port is left alone, since the link uses what
//     both ends allow.
//  2. Unless the link runs at the best of what is left, the end that is reached without the link is
//     told to train again.
//  3. The port is read each second. The link must return within a minute, at an allowed speed and
//     width. If it does not, both ends get back their old settings, and train again.
//
// One link is tried first; as long as all return, the next trials are one, two, four, up to 16
// links at a time, of different switches. If the first link fails, no other is tried; after three
// failures none either. A link without which a switch has no way to us is never tried, nor our own,
// one in quarantine, or any outside of change windows. Reset, at a reload, forgets failures.
//
// Kept is for a successor: trials under way, and failures. It takes back each trial whose link does
// not return. Kept is stored and told to standbys before a link is trained.
package forcing
