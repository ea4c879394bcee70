package analyze

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/dubway-go/dubway/diag"
)

// Render writes findings for people: each with its line, a caret, the hint, the trap, the dialects, and the witness of a difference. The
// error is the writer's.
func Render(w io.Writer, findings Findings, text string) error {
	var b bytes.Buffer
	for _, f := range findings {
		if err := (diag.List{f.Diagnostic}).Render(&b, text); err != nil {
			return err
		}
		if f.Witness != nil {
			fmt.Fprintf(&b, "     = kept in %s; dropped in %s\n", names(f.Witness.Kept), names(f.Witness.Dropped))
		}
		if f.Since != "" && f.Since != "every version" && f.Since != "dubway" {
			fmt.Fprintf(&b, "     = versions: %s\n", f.Since)
		}
		if e, ok := byCode()[f.Code]; ok {
			fmt.Fprintf(&b, "     = see %s\n", e.Page())
		}
	}
	_, err := io.WriteString(w, strings.ToValidUTF8(b.String(), "\uFFFD"))
	return err
}
