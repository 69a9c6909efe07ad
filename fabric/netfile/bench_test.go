package netfile

import (
	"path"
	"testing"

	"weft/internal/dumps"
)

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{
		"janus/ibnetdiscover-2014-02-12.txt",
		"vendor-topo/lst/RhinoBased512.lst",
		"ndr-sequoia/ibdiagnet2.net_dump",
		"vendor-topo/topo/RhinoBased512Nodes.topo",
	} {
		b.Run(path.Base(name), func(b *testing.B) {
			data, systems := dumps.Read(b, name), allSystems(b)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Read(name, data, Options{Systems: systems}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
