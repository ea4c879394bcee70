package rule

import "testing"

// TestTabsInTexts reads tabs as SnakeYAML does: content inside of a text, refused where a token begins.
func TestTabsInTexts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: x\ty", "x\ty"},
		{"a: x \ty", "x \ty"},
		{"a: [x\ty]", "x\ty"},
		{"a: [\"x \ty\"]", "x \ty"},
		{"a: [\"x,\ty\"]", "x,\ty"},
		{"a: ['x \ty', 'z']", "x \ty"},
		{"a: |\n  x\ty", "x\ty"},
		{"a: \"\tx\"", "\tx"},
		{"a: x\t# c", "x"},
		{"a: \ue000\ty", "\ue000\ty"},
	} {
		r := &report{}
		root := readYAML(c.text, r)
		if root == nil || root.get("a") == nil {
			t.Errorf("%q: %v", c.text, r.list)
			continue
		}
		n := root.get("a")
		if n.kind == nodeList {
			n = n.items[0]
		}
		if got := n.string(); got != c.want {
			t.Errorf("%q: %q", c.text, got)
		}
	}
	for _, text := range []string{"a:\tb", "a: [1,\t2]", "a: x\n  \ty", "a: \"q\"\t", "a:\n[1]", "a:\n{x: 1}", "a: ?\nb: 1"} {
		if r := (&report{}); readYAML(text, r) != nil {
			t.Errorf("%q is read", text)
		}
	}
}
