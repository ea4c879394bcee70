package diag

// The codes about script rules.
const (
	ScriptLanguage = "DW195"
	ScriptEmpty    = "DW196"
	ScriptSyntax   = "DW197"
	ScriptForEach  = "DW198"
	// ScriptsOff is given by directories.
	ScriptsOff    = "DW199"
	ScriptDeleted = "DW260"
)
