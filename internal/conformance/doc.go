// Package conformance replays recorded answers of real Dubbo versions (folders of JSON Lines files, one
// case a line) on the routing engine and counts where they agree. No case is known by its id or
// content: the runner takes folders that it has never seen.
package conformance
