// Package analyze finds what rule texts do not mean although their authors think so, and where Dubbo versions read them
// differently. It looks at rule documents, rule and override URLs, conditions, and lists of providers and consumers; each finding has a stable
// code (docs/diag has a page for each), the dialects that it concerns, and the place in the text.
//
// What package rule reports while reading is part of the answer; the rest needs more than syntax: a second look at the whole
// document, a provider list, or the same rule compiled for several dialects.
package analyze
