// Package training makes Programs of a training step of a transformer: data, tensor, pipeline and
// expert parallel.
//
// A rank has the number t + T (d + D p): t of T ranks that share each tensor, d of D that share the
// batch, p of C stages of the pipeline. E of the D ranks of a data-parallel group share the
// experts.
//
// A micro-batch has b tokens of h values, 2 bytes each. A layer computes 24 b h h operations
// forward and twice as many backward (D. Narayanan et al., "Efficient Large-Scale Language Model
// Training on GPU Clusters Using Megatron-LM", SC 2021, without the part that grows with the
// sequence), and a T-th of them on each rank. It sends:
//
//   - tensor: two all-reduces of 2bh bytes forward, two backward, which nothing hides;
//   - expert: an all-to-all before and after the experts, forward and backward, with 2bh top/(E T)
//     bytes for each of the E ranks; nothing hides it;
//   - pipeline: 2bh/T bytes to the next stage forward, and to the one before backward, with one
//     forward and one backward in turn (1F1B);
//   - data: an all-reduce of the gradients of a layer, 2 bytes for each of 12 h h/T parameters, as
//     soon as the last micro-batch has gone back through the layer.
//
// With no time for messages a step takes (m + C - 1)(f + b) for m micro-batches and the times f
// and b of a stage forward and backward. (C - 1)(f + b) of it is the bubble.
//
// Not modelled: the embedding, the optimizer, recomputation, interleaved stages.
package training
