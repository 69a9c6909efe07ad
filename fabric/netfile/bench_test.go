package netfile

import (
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	for _, name := range []string{
		"janus/ibnetdiscover-2014-02-12.txt",
		"vendor-topo/lst/RhinoBased512.lst",
		"ndr-sequoia/ibdiagnet2.net_dump",
		"vendor-topo/topo/RhinoBased512Nodes.topo",
	} {
		b.Run(filepath.Base(name), func(b *testing.B) {
			data := realFile(b, name)
			systems := os.DirFS(filepath.Join(realData, "vendor-topo/ibnl"))
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
