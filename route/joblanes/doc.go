// Package joblanes gives jobs virtual lanes of their own, so that packets that wait in one job do
// not stop the packets of another on the same channel. It works on the finished Plan of any engine,
// and moves no path.
//
// # Copies
//
// The lanes of the paths are copied: copy i has the dependencies of the paths on other VLs between
// switches, and other SLs (route.LaneCopy). If the paths need L VLs and the links have V, there are
// up to V/L copies, the lanes of the paths among them. The Plan keeps all copies from the first
// call on. A later call changes SLs only: no table of a switch.
//
// # SLs
//
// Packets between two hosts of a job take the copy of the job, in both directions. All others take
// the lanes of the paths: packets of other pairs, to and from switches, and of clients that know no
// path record. Each copy has dependencies of the paths only. So a Plan is free of deadlock if it
// was so before, whichever copies its pairs have, also while some hosts still use old SLs.
//
// # Copies for jobs
//
// Two jobs conflict by the number of channels between switches that both use. Jobs get copies in
// the order of their conflicts, each the one with the least sum of conflicts; then single jobs
// change copies as long as the sum falls. The best of several orders counts. The jobs that
// Request.Only leaves out keep their copies.
//
// # Cost
//
// O(hosts of jobs x switches of a job x hops) for channels, O(jobs squared x channels / 64) for
// conflicts, and O(classes of sources x classes of LIDs) for SLs.
package joblanes
