// Package floodtest is a second judge, for tests of judge/check. It only follows packets: hop by hop
// through the forwarding tables and lane tables of a Plan, those of groups copy by copy. It shares
// no code with the judge and is written for simplicity, not for speed. Only tests import it.
//
// It takes Plans whose sources may use all LIDs of a target.
package floodtest
