// Package cli is the command line: one file a subcommand, each a function of arguments and streams to an exit code. Everything
// that asks a daemon goes through package admin's client.
package cli
