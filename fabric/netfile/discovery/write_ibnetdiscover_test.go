package discovery

import (
	"bytes"
	"testing"

	"weft/fabric"
)

func TestWriteIBNetDiscoverRefuses(t *testing.T) {
	build := func(guid fabric.GUID, desc, label string) *fabric.Fabric {
		f := fabric.New("f")
		id, err := f.AddNode(fabric.Switch, guid, 2, desc)
		if err != nil {
			t.Fatal(err)
		}
		f.Nodes[id].Ports[1].Label = label
		return f
	}
	for _, c := range []struct {
		f    *fabric.Fabric
		want string
	}{
		{build(0, "a", ""), `netfile: the switch "a" has node GUID 0: an ibnetdiscover file cannot hold it`},
		{build(7, "a\nb", ""), `netfile: the description of "a\nb" (0x0000000000000007) has control characters: an ibnetdiscover file cannot hold it`},
		{build(7, "a", "1)"), `netfile: the label "1)" of "a" (0x0000000000000007)[1] has brackets or control characters: an ibnetdiscover file cannot hold it`},
	} {
		var b bytes.Buffer
		if err := WriteIBNetDiscover(&b, c.f); err == nil || err.Error() != c.want || b.Len() > 0 {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
}
