package analyze

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dubway-go/dubway/diag"
)

// The parts of SARIF 2.1.0 that are written. Field names are those of the standard.
type (
	// Sarif is a SARIF log with one run.
	Sarif struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []SarifRun `json:"runs"`
	}
	// SarifRun is one run of dubway lint.
	SarifRun struct {
		Tool       SarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []SarifResult `json:"results"`
	}
	// SarifTool names the tool.
	SarifTool struct {
		Driver SarifDriver `json:"driver"`
	}
	// SarifDriver lists the codes that the results use.
	SarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []SarifRule `json:"rules"`
	}
	// SarifRule is one code.
	SarifRule struct {
		ID               string    `json:"id"`
		ShortDescription SarifText `json:"shortDescription"`
		HelpURI          string    `json:"helpUri"`
	}
	// SarifText is a text.
	SarifText struct {
		Text string `json:"text"`
	}
	// SarifResult is one finding.
	SarifResult struct {
		RuleID     string           `json:"ruleId"`
		RuleIndex  int              `json:"ruleIndex"`
		Level      string           `json:"level"`
		Message    SarifText        `json:"message"`
		Locations  []SarifLocation  `json:"locations"`
		Properties *SarifProperties `json:"properties,omitempty"`
	}
	// SarifProperties is what SARIF has no field for.
	SarifProperties struct {
		Trap     string   `json:"trap,omitempty"`
		Since    string   `json:"since,omitempty"`
		Dialects []string `json:"dialects,omitempty"`
		Witness  *Witness `json:"witness,omitempty"`
	}
	// SarifLocation is where a finding is.
	SarifLocation struct {
		PhysicalLocation SarifPhysical `json:"physicalLocation"`
	}
	// SarifPhysical is a file and a place in it.
	SarifPhysical struct {
		ArtifactLocation SarifArtifact `json:"artifactLocation"`
		Region           *SarifRegion  `json:"region,omitempty"`
	}
	// SarifArtifact is a file.
	SarifArtifact struct {
		URI string `json:"uri"`
	}
	// SarifRegion is a place; lines and columns count from 1.
	SarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

const home = "https://github.com/dubway-go/dubway"

// ToSarif returns the findings as a SARIF log. texts holds the text of each file by name: SARIF counts columns in characters.
func ToSarif(findings Findings, texts map[string]string) Sarif {
	known := byCode()
	run := SarifRun{Tool: SarifTool{SarifDriver{Name: "dubway lint", InformationURI: home, Rules: []SarifRule{}}}, ColumnKind: "unicodeCodePoints", Results: []SarifResult{}}
	codes := findings.Codes()
	for _, c := range codes {
		title := known[c].Title
		if title == "" {
			title = c
		}
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, SarifRule{ID: c, ShortDescription: SarifText{title}, HelpURI: home + "/blob/main/" + Entry{Code: c}.Page()})
	}
	for _, f := range findings {
		message := f.Message
		if f.Hint != "" {
			message += " (" + f.Hint + ")"
		}
		r := SarifResult{RuleID: f.Code, RuleIndex: slices.Index(codes, f.Code), Level: level(f.Severity), Message: SarifText{strings.ToValidUTF8(message, "\uFFFD")}}
		p := &SarifProperties{Trap: f.Trap, Since: f.Since, Witness: f.Witness}
		for _, d := range f.Dialects {
			p.Dialects = append(p.Dialects, d.String())
		}
		r.Properties = p
		file := url.URL{Path: filepath.ToSlash(f.File)}
		place := SarifPhysical{ArtifactLocation: SarifArtifact{strings.TrimPrefix(file.String(), "./")}}
		if !f.Span.IsZero() {
			place.Region = region(f.Span, texts[f.File])
		}
		r.Locations = []SarifLocation{{place}}
		run.Results = append(run.Results, r)
	}
	return Sarif{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []SarifRun{run}}
}

func level(s diag.Severity) string {
	switch s {
	case diag.Error:
		return "error"
	case diag.Warning:
		return "warning"
	}
	return "note"
}

func region(s diag.Span, text string) *SarifRegion {
	lines := strings.Split(text, "\n")
	r := &SarifRegion{StartLine: max(s.Line, 1), StartColumn: column(lines, s.Line, s.Col)}
	if s.EndLine >= s.Line && s.EndLine > 0 {
		r.EndLine, r.EndColumn = s.EndLine, column(lines, s.EndLine, s.EndCol)
		if r.EndLine == r.StartLine {
			r.EndColumn = max(r.EndColumn, r.StartColumn)
		}
	}
	return r
}

// column turns a byte column into one in characters.
func column(lines []string, line, col int) int {
	if line < 1 || line > len(lines) || col < 1 {
		return max(col, 1)
	}
	text := lines[line-1]
	return len([]rune(text[:min(col-1, len(text))])) + 1
}
