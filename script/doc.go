// Package script runs script rules: programs of a rule's author that choose providers for a call (spec §5).
//
// A Router is one script rule, compiled once; it answers to new documents as the chosen Dubbo version does. Bind ties it to an
// instance set and a consumer; the Engine that comes out runs the script for a call. Languages are JavaScript, with the
// Java classes that published Dubbo scripts use, and, in dialect standard, expr.
//
// Scripts come from whoever may write to the config centre. They reach no file, no network, no process and no Go value; memory,
// time and stack are bounded; a call that hits a bound goes on with the providers that it had. Whether scripts run at
// all is the caller's decision: nothing here is on by default.
package script
