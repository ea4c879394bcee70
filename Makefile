# dubway: `make help` lists the targets. Everything a target needs is installed by `make setup`.
SHELL := /bin/bash
.DEFAULT_GOAL := help
FUZZTIME ?= 20s
BENCHTIME ?= 200ms
COUNT ?= 5
BENCH ?= .
MAX ?= 0
SLICES ?=
CASES ?= 1000000

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

.PHONY: build
build: ## build bin/dubway
	go build -o bin/dubway ./cmd/dubway

.PHONY: setup
setup: ## install what the tests need: ZooKeeper, a JDK, Maven, iproute2 (Debian packages)
	scripts/setup.sh

.PHONY: test
test: setup test-unit interop ## set up and run every test, real servers included

.PHONY: test-unit
test-unit: ## the module's tests with race detector and shuffled order; real ZooKeeper required
	@# The JavaScript engine runs on one goroutine at a time and is a hundred times slower when instrumented.
	DUBWAY_REQUIRE_SERVERS=1 go test -race -gcflags='modernc.org/libquickjs=-race=false' -shuffle=on -timeout 10m ./...
	@# Race instrumentation changes allocation counts: assert them once without it.
	go test -run 'Alloc|Inlin' ./...
	@# Scripts run a hundred times slower with it, so their tests take samples above: all of them once without.
	go test ./script
	go test -run Script ./directory

.PHONY: differential
differential: ## the engine against the naive evaluator, CASES random calls (default a million), with what was met in them
	DUBWAY_DIFFERENTIAL_CASES=$(CASES) go test ./route -count 1 -timeout 60m -v -run 'TestDifferential$$'

.PHONY: interop
interop: ## real Dubbo Java and dubbo-go peers, in a network namespace of the test's own
	cd interop && DUBWAY_REQUIRE_SERVERS=1 go test -timeout 15m ./...

.PHONY: recorded
recorded: ## record NEW new cases an area (default 300; SEED) with the classes of real Dubbo releases and compare; JDK and Maven required
	rm -rf .cache/recorded
	cd interop && export VALUES_BUILD=../.cache/values && \
	  go run ./recorder/values generate -seed $(or $(SEED),1) -n $(or $(NEW),300) -from ../testdata/conformance ../.cache/recorded/cases && \
	  go run ./recorder/values record ../.cache/recorded/cases ../.cache/recorded/answers
	go run ./internal/cmd/conformance .cache/recorded/answers

.PHONY: recorded-routers
recorded-routers: ## the same with NEW cases an area (default 300) for the areas of routers: conditions, tags, chains, affinity, mesh, scripts
	rm -rf .cache/recorded-routers
	cd interop && export ROUTERS_BUILD=../.cache/routers && \
	  go run ./recorder/routers generate -seed $(or $(SEED),1) -n $(or $(NEW),300) -from ../testdata/conformance ../.cache/recorded-routers/cases && \
	  go run ./recorder/routers record ../.cache/recorded-routers/cases ../.cache/recorded-routers/answers
	go run ./internal/cmd/conformance .cache/recorded-routers/answers

bin/golangci-lint: tools/go.mod tools/go.sum
	cd tools && go build -o ../bin/ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

bin/benchstat: tools/go.mod tools/go.sum
	cd tools && go build -o ../bin/ golang.org/x/perf/cmd/benchstat

.PHONY: lint
lint: bin/golangci-lint ## gofmt, go vet, golangci-lint, tidy modules
	@test -z "$$(gofmt -l . | tee /dev/stderr)" || { echo "run gofmt -w on the files above"; exit 1; }
	go vet ./...
	go mod tidy -diff
	bin/golangci-lint run ./...
	for module in bench interop; do (cd $$module && ../bin/golangci-lint run ./...) || exit 1; done

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (default 20s)
	scripts/fuzz.sh $(FUZZTIME)

.PHONY: bench
bench: ## dubway beside dubbo-go into docs/benchmarks.md, 24 minutes; goes on where it was stopped. BENCH=Route/C-HIT only prints; MAX=1000 bounds providers; SLICES=cold,wire
ifeq ($(BENCH),.)
	cd bench && go run ./cmd/report -run -slices '$(SLICES)' -max '$(MAX)' -write ../docs/benchmarks.md
else
	cd bench && go run ./cmd/report -bench '$(BENCH)' -benchtime $(BENCHTIME) -count $(COUNT) -max '$(MAX)'
endif

.PHONY: bench-packages
bench-packages: bin/benchstat ## each package's own benchmarks, COUNT times, with benchstat
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) -count $(COUNT) ./... | tee bin/bench.txt
	bin/benchstat bin/bench.txt

.PHONY: bench-smoke
bench-smoke: ## every benchmark once, so that none rots
	go test -run '^$$' -bench . -benchtime 1x -timeout 10m ./...
	cd bench && go vet ./... && go test ./...
	cd bench && go test -short -run '^$$' -bench . -benchtime 1x . ./cmd/...
	@# What docs/compared.md says about dubbo-go, on dubbo-go itself.
	cd bench && go test -short ./compared
	cd bench && go run ./load -length 200ms -rates 500

.PHONY: demo
demo: ## the demo, until interrupted
	go run ./cmd/dubway demo
