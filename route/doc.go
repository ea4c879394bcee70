// Package route compiles rules, an instance set and a consumer into an immutable Snapshot, and answers
// for a call which instances may take it, and why.
//
// Everything that concerns instances becomes a bitset when the snapshot is compiled; everything that concerns the
// consumer folds to a constant. What is left for the call is a handful of subjects: the method, an
// argument, an attachment, the request tag. Each subject's value falls into a class (which of the rules' tests
// on that subject hold); the classes of all subjects together name one remembered Decision, the
// finished set of candidates. A warm Route therefore costs one class look-up a subject and one
// look-up of the decision, whatever the number of instances and nearly whatever the number of rules. It takes
// no lock and allocates nothing. Weighted destinations draw from the invocation's seed, so a call reproduces.
//
// Explain runs the same program with a recorder. The dialect is consulted by Compile only.
package route
