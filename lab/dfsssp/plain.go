package dfsssp

// plainWords says in plain words what the largest differences of the paper are.
var plainWords = map[string]string{
	"Ranger: DFSSSP against the best of the others (58.27 to 68.27 %)":                  "On Ranger DFSSSP has 63 % more bandwidth than the best of the others in the paper, and as much as it in ours.",
	"all-to-all of 4,096 floats: MinHop takes longer than DFSSSP by (82.67 to 92.67 %)": "The all-to-all of 128 processes takes nearly twice as long with MinHop as with DFSSSP on the machine, and as long as with it in ours.",
	"FT, 128 cores: DFSSSP about 25 % ahead (whole benchmark: 20 to 30 %)":              "FT on 128 cores gains a quarter by DFSSSP on the machine, and nothing in ours.",
}
