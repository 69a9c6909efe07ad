package vftree

import "weft/lab"

// decisions say what decides the differences from the paper.
var decisions = []lab.Decision{
	{Artefact: "fig8", By: lab.TheText, Tried: "A victim on its own lane gets 7 Gbit/s, \"the actual available bandwidth\", and other flows of the same machine 13: so a link of Fig. 4 limits it, and the text does not say at which rate. With 8 Gbit/s a victim gets 4.4, since it shares its link with a contributor; with 16 it gets 12.3. Neither gives 7, nor the total that follows from it."},
	{Artefact: "fig9", Of: "1 lane", By: lab.OurModel, Tried: "2.3 for 2.1 Gbit/s: hosts of the machine take 13.5 Gbit/s, not the 13.8 of their PCIe bus. With 13.5 it is 2.25, and the rest is software."},
	{Artefact: "fig9", Of: "total", By: lab.TheData, Tried: "14.3 for about 20 %. The printed rates give 15 %: with three lanes four flows get 4.5 Gbit/s each, 18 in all; with one lane the hot-spot takes 13.5 and the victim gets 2.1."},
	{Artefact: "fig9", By: lab.TheText, Tried: "The victim gets 8.9 Gbit/s with two lanes, two thirds of its host, and 6.6 with four. 7.5 is neither of them. Tried: links of 8 Gbit/s (3.9), hosts at 13.5, buffers of 64 KB, one queue."},
	{Artefact: "table1", Of: "Lat.", By: lab.OurModel, Tried: "Latencies of the machine hold software, which takes no time here, and queues in its hosts. Tried: one queue a buffer, which gives the printed gain of the average ping-pong in both tables, and larger buffers."},
	{Artefact: "table1", Of: "Min Ping Pong", By: lab.OurModel, Tried: "The slowest pair of the machine gets 95 MB/s, a quarter of its share of the hot-spot here: something that we do not have held it up. Tried: all four readings; none comes below 350."},
	{Artefact: "table1", By: lab.TheText, Tried: "The rate of the links of Fig. 4 decides: with 8 Gbit/s (4x SDR) the average ping-pong and the natural rings gain as printed, and the largest ping-pong gets 0.62 of the printed rate. So one rate cannot fit all rows."},
	{Artefact: "fig10", Of: "hot-spots: 1, with", By: lab.TheText, Tried: "When the network is measured decides, and the text does not say it. Buffers fill with packets for the hot-spot, and one lane loses more with every microsecond. In the first 500 us from empty buffers on, eight lanes give 7.8 times one lane (8.6 printed), six 7.3 (8.4), four 6.3 (7.8), two 3.2 (5.6); settled, 24.6. Tried too: one queue a buffer, and 64 KB of buffer."},
	{Artefact: "fig10", Of: "2:1", By: lab.TheText, Tried: "\"Generally halved\": half of the links leave 73 % settled and 69 % from empty buffers on, since hot-spots hold up the whole tree as much. That six lanes gain more than eight with nine hot-spots is within what one queue a buffer or 64 KB of buffer change."},
	{Artefact: "fig10", Of: "two lanes", By: lab.TheText, Tried: "In ours more hot-spots leave more, with one lane and with two: 5 % of the packets are then for more nodes, and each is less of a hot-spot. The paper has that with one lane, and the opposite with two. Tried: three readings."},
	{Artefact: "fig10", By: lab.TheData, Tried: "The paper's second lane brings more than half of the gain, and here a third: two, four, six and eight lanes give 8.5, 19, 23 and 25 times one lane. From empty buffers on the gains of eight lanes are near the printed ones, and the shape stays. Lanes are those of algorithm 1, checked entry by entry. Tried too: one queue a buffer, and 64 KB of buffer."},
}
