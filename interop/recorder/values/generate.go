package main

func generate(seed uint64, n int, area, from, out string) error { return nil }
