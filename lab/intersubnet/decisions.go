package intersubnet

import "weft/lab"

// decisions explain the differences from the paper.
var decisions = []lab.Decision{
	{Artefact: "fig2", Of: "OpenSM", By: lab.TheText, Tried: "How many router ports OpenSM's routing uses decides, and the text does not say it. One for each other subnet gives 8.4, 17 and 44 %, two 17, 35 and 85 %, one for all subnets 9 % on each; 17.5, 23.5 and 37.5 % are printed. No number of ports gives all three."},
	{Artefact: "fig2", Of: "uniform, loses", By: lab.TheText, Tried: "ISSR loses what an uneven choice of router ports costs. A leaf has as many links to routers as hosts, and they are faster than hosts here, so it loses 1 %. With hosts as fast as links it loses 13 to 15 %, in the first 120 us 4 to 5 %; 12 and 5 % are printed. The text gives no rate of hosts. That it loses less with six subnets than with three follows from none of these, nor from one queue a buffer (13 to 19 %)."},
	{Artefact: "fig2", By: lab.TheText, Tried: "With hot-spots the settled network stands still around them, and one draw differs from the next by several points. With six subnets ISFR is 6 % ahead at 20 % here, and ISSR clearly in the paper. The text does not say how many draws its curves have, nor where its hot-spots are, nor when it measures. Tried: one queue a buffer, the first 120 us, four times as long, and a random number from both LIDs."},
	{Artefact: "table1", By: lab.TheText, Tried: "The mean of a ring decides, which the text does not name. By node these are 12 to 15 % below the printed bandwidths, by message 11 to 18 % above, by node and round within 10 %. But OpenSM's rows fit by message alone."},
}
