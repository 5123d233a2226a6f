# Everything a person does with the project, each from a fresh machine: set-up is part of it.
JOBS ?= $(shell nproc)
HUNT ?= scenarios/xrpl/b3.toml

# Of these builds only a part is needed: tests for AddressSanitizer, threads for ThreadSanitizer,
# hashes for Debug.
targets-asan = --target tests-all
targets-tsan = --target tests-parallel
targets-debug = --target determinism_triples
# $(call configure,PRESET): quiet unless it fails.
configure = cmake --preset $(1) >build/$(1).configure.log 2>&1 || { cat build/$(1).configure.log; exit 1; }

.PHONY: hunt test bench study-xrpl study-byzantine branches check-r format lint install fuzz build clean \
        setup setup-test setup-tools build-debug build-asan build-tsan

# Finds a bug: the main job. Exit code 1 of dissensus means that it found one.
hunt: setup
	@$(call configure,release)
	cmake --build --preset release -j $(JOBS) --target dissensus
	@code=0; build/release/dissensus hunt $(HUNT) || code=$$?; [ $$code -le 1 ]

build: setup
	@$(call configure,release)
	cmake --build --preset release -j $(JOBS)

# The whole suite: Release, Debug against Release, AddressSanitizer + UBSan, ThreadSanitizer.
test: setup-test build build-debug build-asan build-tsan
	ctest --test-dir build/release --output-on-failure -j $(JOBS)
	scripts/check-determinism build/release build/debug build/asan
	ctest --test-dir build/asan --output-on-failure -j $(JOBS)
	ctest --test-dir build/tsan --output-on-failure -j $(JOBS) -L parallel
	build/tsan/determinism_triples --jobs 2 >/dev/null
	scripts/check-format

build-debug build-asan build-tsan: build-%: setup
	@$(call configure,$*)
	cmake --build --preset $* -j $(JOBS) $(targets-$*)

# Figures for bench/README.md.
bench: build
	build/release/bench_sim --benchmark_min_time=1
	build/release/bench_xrpl --benchmark_min_time=1
	build/release/bench_trace --benchmark_min_time=1
	build/release/bench_campaign

# Renews the tables and figures of docs/xrpl-fidelity.md; DATA names the recorded executions.
study-xrpl: build
	build/release/study_xrpl all $(if $(DATA),--data $(DATA)) --jobs $(JOBS)

# Renews the table and the plot of docs/byzantine.md.
study-byzantine: build
	build/release/study_byzantine

# A data set of branch outcomes of systems/xrpl, for docs/isolation.md.
branches: setup setup-tools
	@$(call configure,release)
	JOBS=$(JOBS) scripts/branch-data build/release $(or $(DATA),build/branches)

# Derives the test vectors of the statistics again, where R is installed.
check-r:
	@scripts/check-r-vectors || [ $$? -eq 77 ]

format: setup-tools
	scripts/check-format --fix

lint: build setup-tools
	scripts/lint

fuzz: setup-tools
	@$(call configure,fuzz)
	cmake --build --preset fuzz -j $(JOBS)
	scripts/fuzz build/fuzz $(or $(SECONDS_EACH),60)

install: build
	cmake --install build/release $(if $(PREFIX),--prefix $(PREFIX))

setup:
	@scripts/setup build
	@mkdir -p build

setup-test: setup
	@scripts/setup test
	@scripts/setup servers

setup-tools: setup
	@scripts/setup tools

clean:
	rm -rf build
