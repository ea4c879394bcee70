//go:build !unix

package file

// syncFolder does nothing: here a folder cannot be synced, and renames are journalled.
func syncFolder(string) error { return nil }
