// Package cluster carries a call through one of Dubbo's strategies against failure: failover, failfast,
// failsafe, failback, forking, broadcast and available, with sticky choice, availability checks and mock
// as the way to degrade (spec §11.3).
package cluster
