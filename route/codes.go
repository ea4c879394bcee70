package route

// Codes of the diagnostics that Compile gives. They are stable; docs/diagnostics.md explains each.
const (
	// CodeMalformedKey: arguments[…] or attachments[…] that names nothing (spec §2.6).
	CodeMalformedKey = "DW241"
	// CodeRegistryRule: rules from the registry for a dialect that does not read them (spec §12.1 Q23).
	CodeRegistryRule = "DW341"
	// CodeUnreadDocument: a document that the dialect has no router for.
	CodeUnreadDocument = "DW342"
	// CodeAddress: a tag address that can match no provider (spec §1.10).
	CodeAddress = "DW242"
	// CodeMultiDestination: a v3.1 document, which is not evaluated.
	CodeMultiDestination = "DW343"
)
