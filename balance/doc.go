// Package balance chooses one provider of those that routing left: random, round robin, least active,
// consistent hash, shortest response and adaptive, with the names, parameters and, per dialect, the
// answers of Dubbo (spec §11).
package balance
