package collective

import "testing"

func TestX(t *testing.T) {}
