package training

import "weft/apps/collective"

// tensor returns the all-reduce of the ranks that share each tensor.
func (s *Spec) tensor() collective.Spec {
	return collective.Best("allreduce", s.Tensor, 2*int64(s.Tokens)*int64(s.Hidden))
}

// expert returns the all-to-all of the ranks that share the experts.
func (s *Spec) expert() collective.Spec {
	return collective.Best("alltoall", s.Expert, max(1, 2*int64(s.Tokens)*int64(s.Hidden)*int64(s.Top)/int64(s.Expert)/int64(s.Tensor)))
}

// gradient returns the all-reduce of the ranks that share the batch, for a layer.
func (s *Spec) gradient() collective.Spec {
	return collective.Best("allreduce", s.Data, max(1, 24*int64(s.Hidden)*int64(s.Hidden)/int64(s.Tensor)))
}

// messageBytes returns the bytes of a message between stages.
func (s *Spec) messageBytes() int64 { return max(1, 2*int64(s.Tokens)*int64(s.Hidden)/int64(s.Tensor)) }

// Size predicts the size of a step without running it.
func (s *Spec) Size() (all collective.Size, err error) {
	add := func(o collective.Spec, groups int, times float64) {
		if o.Ranks < 2 || err != nil {
			return
		}
		var one collective.Size
		if one, err = o.Size(); err == nil {
			all = all.Plus(one.Times(float64(groups), times))
		}
	}
	perLayer := 4 * float64(s.MicroBatches) * float64(s.Layers/s.Pipeline) // two forward, two backward
	add(s.tensor(), s.Ranks()/s.Tensor, perLayer)
	add(s.expert(), s.Ranks()/s.Expert, perLayer)
	add(s.gradient(), s.Ranks()/s.Data, float64(s.Layers/s.Pipeline))
	if s.Pipeline > 1 {
		ranks := float64(s.Data * s.Tensor * (s.Pipeline - 1))
		between := 2 * ranks * float64(s.MicroBatches)
		all = all.Plus(collective.Size{Messages: between, Bytes: between * float64(s.messageBytes()), AtOnce: 2 * ranks})
	}
	return all, err
}
