// Package interop holds tests that run dubway against other implementations: Dubbo Java 3.3.6 and 2.7.23, dubbo-go
// v3.3.1, and dubbo-go-hessian2 v1.12.5 as a second opinion on Hessian.
//
// The servers run in a network namespace of the test's own, because Dubbo Java takes no 127.x address as its own. Maven,
// a JDK, ZooKeeper and the right to make a network namespace are needed; without them the tests skip with the reason, or fail when
// DUBWAY_REQUIRE_SERVERS is 1.
package interop
