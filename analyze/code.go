package analyze

// The codes that only this package gives; those of package diag come from reading. DW27x to DW29x are about meaning, DW303 and above about
// portability.
const (
	BlocksSome          = "DW270"
	UnknownDollar       = "DW271"
	OnlyOverridden      = "DW272"
	ForceOnFew          = "DW273"
	SmallerFirst        = "DW274"
	KeyOnNacos          = "DW275"
	TagLabel            = "DW276"
	TagsCoverAll        = "DW277"
	DeletionUnseen      = "DW279"
	OverrideNoVersion   = "DW280"
	TagLeaks            = "DW281"
	ChainsShared        = "DW282"
	WeightOnSome        = "DW283"
	WarmupIgnored       = "DW284"
	SeveralGroups       = "DW285"
	ReleasesPart        = "DW286"
	IPv6WithoutPort     = "DW287"
	RouterParameter     = "DW289"
	ForceTagParameter   = "DW290"
	SwitchesMissing     = "DW291"
	AbsentLabel         = "DW303"
	OldConsumers        = "DW305"
	DialectsPart        = "DW310"
	NotReadThere        = "DW312"
	ConsumerHidesLabels = "DW313"
)
