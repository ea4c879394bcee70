#!/usr/bin/env bash
# Runs every fuzz target of the module, each for the given time (default 20s), and stops at the first finding.
set -euo pipefail
# Each interesting input is made smaller at most 100 times: the default, a minute each, shows as long stretches of 0 execs/s.
time=${1:-20s}
count=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# fuzz runs one target. The go command sometimes reports its own end of time as a failure ("context deadline
# exceeded"): that, without a failing input, is no finding.
fuzz() {
  if go test -run '^$' -fuzz "^$1\$" -fuzztime "$time" -fuzzminimizetime 100x "$2" 2>&1 | tee "$log"; then
    return 0
  fi
  if grep -q '^    context deadline exceeded$' "$log" && ! grep -qE 'Failing input|panic:|fuzzing process' "$log"; then
    echo "fuzz: $1 ended with its time, no finding"
    return 0
  fi
  return 1
}

while IFS=: read -r file target; do
  count=$((count + 1))
  echo "fuzz: ./$(dirname "$file") $target $time"
  fuzz "$target" "./$(dirname "$file")"
done < <(git grep -ohE --full-name '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' >/dev/null &&
  git grep -E '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | sed -E 's/^([^:]+):func (Fuzz[A-Za-z0-9_]+).*/\1:\2/' | grep -v '^interop/')
if [ "$count" -eq 0 ]; then
  echo "fuzz: no target found" >&2
  exit 1
fi
echo "fuzz: $count targets, no finding"
