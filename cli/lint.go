package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dubway-go/dubway/admin"
	"github.com/dubway-go/dubway/analyze"
	"github.com/dubway-go/dubway/dialect"
	"github.com/dubway-go/dubway/rule"
	"github.com/dubway-go/dubway/source/file"
)

// lintFlags are the flags of lint.
type lintFlags struct {
	dialect, portability, providers, key string
	daemon                               bool
}

func (s *streams) lint() *cobra.Command {
	f := &lintFlags{}
	c := &cobra.Command{
		Use: "lint FILE|DIR…", Short: "Find what rules do not mean, and where Dubbo versions differ",
		Long: `Reads rule documents, rule and override URLs, conditions and provider lists, and prints what hardly means what it seems to: each finding with line, caret, hint, and
the page that explains it. A file's key is in its name (order.tag-router.yaml), in --key, or in a comment "# dubway: key=order.tag-router"; without one the fields tell what it is.
A file named *.urls or *.txt holds URLs and conditions, one a line. A folder is searched for rule files. "-" reads standard input.

--portability compiles the rule for further Dubbo generations and shows a provider and a call for which their answers part.
--providers names a file of provider://, consumer:// and override:// URLs, one a line, for what only the fleet can tell; a line such as
consul://10.0.0.5:8500 names the config centre.
--daemon checks what the config centre of the running daemon holds.

The exit code is 1 when there are errors.`,
		Example: `  dubway lint rules/
  dubway lint order.tag-router.yaml --portability dubbo-2.7,dubbo-3.3
  dubway lint rules/ --providers fleet.urls --output sarif > lint.sarif
  dubway lint --daemon --dialect dubbo-3.3`,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if s.output != "text" && s.output != "json" && s.output != "sarif" {
				return usage("use --output text, json or sarif", "there is no output format %q", s.output)
			}
			return nil
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.dialect, "dialect", "", "Dubbo generation to read the rules as (default standard)")
	fl.StringVar(&f.portability, "portability", "", "further generations to compare with: dubbo-2.7,dubbo-3.3, or all")
	fl.StringVar(&f.providers, "providers", "", "file of provider, consumer and override URLs, one a line")
	fl.StringVarP(&f.key, "key", "k", "", "key of the document, when one file is given")
	fl.BoolVar(&f.daemon, "daemon", false, "check the rule documents of the daemon's config centre")
	_ = c.RegisterFlagCompletionFunc("dialect", cobra.FixedCompletions([]string{"standard", "dubbo-2.6", "dubbo-2.7", "dubbo-3.1", "dubbo-3.3"}, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = func(cmd *cobra.Command, words []string) error { return s.runLint(cmd.Context(), f, words) }
	return c
}

func (s *streams) runLint(ctx context.Context, f *lintFlags, words []string) error {
	o, err := s.lintOptions(f)
	if err != nil {
		return err
	}
	if f.daemon == (len(words) > 0) {
		return usage("write dubway lint FILE, dubway lint DIR, or dubway lint --daemon", "give files to check, or --daemon")
	}
	if f.key != "" && len(words) != 1 {
		return usage("", "--key goes with one file")
	}
	var texts []analyze.Text
	if f.daemon {
		texts, err = s.daemonTexts(ctx)
	} else {
		texts, err = s.fileTexts(words, f.key)
	}
	if err != nil {
		return err
	}
	var all analyze.Findings
	byName := map[string]string{}
	for _, t := range texts {
		own, err := s.ownOptions(t, o, f)
		if err != nil {
			return err
		}
		found := analyze.Lint(t, own)
		all = append(all, found...)
		byName[t.Name] = t.Text
		if s.output == "text" {
			var b strings.Builder
			if err := analyze.Render(&b, found, t.Text); err != nil {
				return err
			}
			fmt.Fprint(s.out, clean(b.String()))
		}
	}
	return s.lintResult(all, len(texts), byName)
}

func (s *streams) lintResult(all analyze.Findings, files int, texts map[string]string) error {
	var err error
	switch s.output {
	case "json":
		if all == nil {
			all = analyze.Findings{}
		}
		err = s.json(all)
	case "sarif":
		err = s.json(analyze.ToSarif(all, texts))
	default:
		counts := [3]int{}
		for _, x := range all {
			counts[min(int(x.Severity), 2)]++
		}
		fmt.Fprintf(s.err, "%s: %s, %s, %s\n", plural(files, "text"), plural(counts[0], "error"), plural(counts[1], "warning"), plural(counts[2], "remark"))
	}
	if err == nil && all.HasErrors() {
		return negative()
	}
	return err
}

func (s *streams) lintOptions(f *lintFlags) (analyze.Options, error) {
	var o analyze.Options
	var err error
	if o.Dialect, err = dialect.Parse(f.dialect); err != nil {
		return o, usage("", "--dialect: %w", err)
	}
	if o.Portability, err = dialects(f.portability); err != nil {
		return o, usage("write for example --portability dubbo-2.7,dubbo-3.3", "--portability: %w", err)
	}
	if f.providers != "" {
		text, err := s.textOf(f.providers)
		if err != nil {
			return o, err
		}
		o.World = analyze.ReadWorld(text, o.Dialect)
		if len(o.World.Providers)+len(o.World.Consumers)+len(o.World.Overrides)+len(o.World.ConfigCentres) == 0 {
			return o, usage("write one URL a line: dubbo://10.0.0.1:20880/com.example.Order?region=hz", "%s has no URLs", f.providers)
		}
	}
	return o, nil
}

// dialects reads a list of dialect names; "all" is every one.
func dialects(list string) ([]dialect.Dialect, error) {
	if list == "" {
		return nil, nil
	}
	if list == "all" {
		return dialect.All(), nil
	}
	var out []dialect.Dialect
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			return nil, errors.New("an empty name in the list")
		}
		d, err := dialect.Parse(name)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// ownOptions lets a text set for itself what the command line leaves open.
func (s *streams) ownOptions(t analyze.Text, o analyze.Options, f *lintFlags) (analyze.Options, error) {
	own := analyze.Directives(t.Text)
	var err error
	if name := own["dialect"]; f.dialect == "" && name != "" {
		if o.Dialect, err = dialect.Parse(name); err != nil {
			return o, usage("correct the line that begins with # dubway:", "%s: %w", t.Name, err)
		}
	}
	if list := own["portability"]; f.portability == "" && list != "" {
		if o.Portability, err = dialects(list); err != nil {
			return o, usage("correct the line that begins with # dubway:", "%s: %w", t.Name, err)
		}
	}
	if name := own["providers"]; f.providers == "" && name != "" && !f.daemon {
		if !filepath.IsLocal(name) {
			return o, usage("name a file beside the rule", "%s: providers=%s leaves the rule's folder", t.Name, name)
		}
		text, err := s.textOf(filepath.Join(filepath.Dir(t.Name), name))
		if err != nil {
			return o, err
		}
		o.World = analyze.ReadWorld(text, o.Dialect)
	}
	return o, nil
}

// fileTexts reads the files that the words name, and the rule files of folders.
func (s *streams) fileTexts(words []string, key string) ([]analyze.Text, error) {
	var out []analyze.Text
	for _, word := range words {
		info, err := os.Stat(word)
		if word != "-" && err != nil {
			return nil, usage("give a file or a folder that can be read, or - for standard input", "%w", err)
		}
		if word == "-" || !info.IsDir() {
			t, err := s.lintText(word, key)
			if err != nil {
				return nil, err
			}
			out = append(out, t)
			continue
		}
		before := len(out)
		err = filepath.WalkDir(word, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && path != word && strings.HasPrefix(e.Name(), "."):
				return fs.SkipDir
			case e.IsDir() || !ruleFile(e.Name()):
				return nil
			}
			t, err := s.lintText(path, "")
			if err != nil {
				return err
			}
			if !analyze.LooksLikeRule(t) {
				fmt.Fprintf(s.err, "skipped %s: it looks like no rule; name it on the command line to check it\n", clean(path))
				return nil
			}
			out = append(out, t)
			return nil
		})
		if err != nil {
			return nil, usage("give a folder that can be read", "%w", err)
		}
		if len(out) == before {
			return nil, usage("rule files end in .yaml, .yml, .urls, or in a suffix such as .tag-router", "%s has no rule files", word)
		}
	}
	return out, nil
}

// ruleFile reports whether a file of a folder is looked at.
func ruleFile(name string) bool {
	if strings.HasPrefix(name, ".") {
		return false
	}
	switch filepath.Ext(name) {
	case ".yaml", ".yml", ".urls", ".url":
		return true
	}
	_, _, ok := file.KeyOf(name)
	return ok
}

func (s *streams) lintText(path, key string) (analyze.Text, error) {
	text, err := s.textOf(path)
	if err != nil {
		return analyze.Text{}, err
	}
	if key == "" {
		key = analyze.Directives(text)["key"]
	}
	if key == "" {
		if k, _, ok := file.KeyOf(filepath.Base(path)); ok {
			if _, err := rule.ParseKey(k); err == nil || strings.Contains(k, ":") {
				key = k
			}
		}
	}
	return analyze.Text{Name: path, Key: key, Text: text}, nil
}

// daemonTexts fetches what the daemon's config centre holds.
func (s *streams) daemonTexts(ctx context.Context) ([]analyze.Text, error) {
	return ask(s, func(c *admin.Client) (out []analyze.Text, err error) {
		rules, err := c.Rules(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rules {
			full, err := c.Rule(ctx, r.Key)
			if err != nil {
				return nil, err
			}
			if full.Exists {
				out = append(out, analyze.Text{Name: r.Key, Key: r.Key, Text: full.Text})
			}
		}
		return out, nil
	})
}
