package congestion_test

import (
	"reflect"
	"strings"
	"testing"

	"weft/sim/congestion"
)

// What is written of settings is read as it was, and what is wrong is an error that says so.
func TestParse(t *testing.T) {
	for _, text := range []string{"on", "off", "threshold=3,rate=7,size=2,victims=yes,increase=4,limit=50,least=2,step=1,timer=102.4us", "table=0:0/1:5/3:16383"} {
		c, err := congestion.Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		again, err := congestion.Parse(c.String())
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%s: %v, then %v (%v)", text, c, again, err)
		}
	}
	if c, _ := congestion.Parse("table=0:0/1:5/3:16383"); c.Limit != 2 || c.Table[1] != (congestion.Delay{Shift: 1, Multiplier: 5}) {
		t.Errorf("%+v", c)
	}
	for text, want := range map[string]string{
		"threshold=16": "a threshold of 16", "table=": "want SHIFT:MULTIPLIER", "table=4:1": "want SHIFT:MULTIPLIER", "table=0:1/": "want SHIFT:MULTIPLIER", "table=0:16384": "want SHIFT:MULTIPLIER",
		"table=0:0,least=1": "the least index is 1, the greatest 0", "fast": "want on, or a list", "timer=-1us": "a timer of", "speed=1": "there is no such setting",
	} {
		if _, err := congestion.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Any text gives settings that are read again as they are, or an error.
func FuzzParse(f *testing.F) {
	f.Add("threshold=3,rate=7,size=2,victims=yes,increase=4,limit=50,least=2,step=1,timer=102.4us")
	f.Add("on,table=0:0/1:5")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := congestion.Parse(text)
		if err != nil || c == nil {
			return
		}
		if again, err := congestion.Parse(c.String()); err != nil || !reflect.DeepEqual(again, c) {
			t.Fatal(c, again, err)
		}
	})
}
