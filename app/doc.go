// Package app is the daemon: its configuration, its wiring and its life cycle. It runs in-process, so tests start whole daemons
// on free ports. It is the one place that knows which adapter serves which registry scheme.
package app
