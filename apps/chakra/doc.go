// Package chakra reads Chakra execution traces as schedules. A trace has a file for each rank,
// PREFIX.N.et: messages of protocol buffers, each after its length, first the metadata, then a node
// for each operation (S. Sridharan et al., "Chakra: Advancing Performance Benchmarking and
// Co-design using Standardized Execution Traces", 2023; et_def.proto of mlcommons/chakra, commit
// 6dc63e1).
//
// Computations, loads and stores take their duration in the trace; CPU operations run on a
// processor of their own. A send or receive has comm_dst or comm_src, comm_size and comm_tag. A
// collective operation runs among all ranks that name its process group, pg_name, or among all
// ranks without one; its duration in the trace has no effect. Its comm_size is the size of the
// whole vector, and the algorithm is the usual one for that size. Traces of PyTorch also have a
// node for the call on the host that launches it, without comm_type: that node computes.
//
// Not read: involved_dim that leaves a dimension out, since the trace does not say how ranks lie in
// dimensions; start times; storage operations.
package chakra
