package terms

// OfRounds lists the codes of incidents in the Report of a round. All others are only in the log.
var OfRounds = []IncidentKind{
	BadNode, BadPortCount, Changed, CutOff, Deviation, DisabledPort, Disbelieved, DuplicateGUID, DuplicateLID, EntriesDropped,
	HalfWritten, KeptClosed, Locked, Loopback, MixedTables, MovedCable, NoAnswer, NoLevel, NoMember, NoPlan, NoRoom, NoSwitch, NotAddressed,
	NotDrained, NotEnough, NotProven, NotRepaired, NotSent, NotSpread, NotStored, NotTaken, OldLevels, OneSided, OtherManager,
	OtherRules, OthersLIDs, OwnCable, PlanKept, Stranger, TooFar, TooMany, Unanswered,
}
