# Everything a person does with the project, each from a fresh machine: set-up is part of it.
JOBS ?= $(shell nproc)
HUNT ?= scenarios/xrpl/b3.toml

# $(call configure,PRESET): quiet unless it fails.
configure = cmake --preset $(1) >build/$(1).configure.log 2>&1 || { cat build/$(1).configure.log; exit 1; }

.PHONY: hunt whole test test-all soak bench results papers study-xrpl study-mechanism study-byzantine study-isolation branches check-r format lint install deb fuzz build clean \
        setup setup-pages setup-test setup-tools

# Finds a bug: the main job. Exit code 1 of dissensus means that it found one.
hunt: setup
	@$(call configure,release)
	cmake --build --preset release -j $(JOBS) --target dissensus $(if $(wildcard build/release/whole/dissensus),dissensus_whole)
	@case "$(HUNT)" in scenarios/etcd/*|scenarios/ovsdb/*|scenarios/server/*) scripts/setup servers ;; esac
	@code=0; build/release/dissensus hunt $(HUNT) $(HUNT_OPTIONS) || code=$$?; [ $$code -le 1 ]

# The program with all its verbs, the explorer's pages among them: make hunt builds what hunts need.
whole: setup setup-pages
	@$(call configure,release)
	cmake --build --preset release -j $(JOBS) --target dissensus dissensus_whole

build: setup
	@$(call configure,release)
	cmake --build --preset release -j $(JOBS)

# Release, AddressSanitizer + UBSan, ThreadSanitizer; runs of all three are compared. The program with all its verbs is
# tested in Release, the rooms with sanitizers, too.
test: setup-test
	@JOBS=$(JOBS) scripts/test $(CONFIGURATIONS)

# The same, the program with sanitizers as well, and runs of a Debug build compared with the others.
test-all: setup-test
	@JOBS=$(JOBS) scripts/test release debug asan-whole tsan

# What takes too long for every change: the tests labelled "soak", in their long form.
soak: setup-test build
	DISSENSUS_SOAK=1 ctest --test-dir build/release --output-on-failure -j $(JOBS) -L soak --timeout 36000

# Figures for bench/README.md.
bench: build
	build/release/bench_sim --benchmark_min_time=1
	build/release/bench_xrpl --benchmark_min_time=1
	build/release/bench_trace --benchmark_min_time=1
	build/release/bench_campaign

# Renews the tables and figures of docs/results/xrpl-fidelity.md that come from the recorded executions
# (studies/data/rippled-delays, or DATA).
study-xrpl: build
	build/release/study_xrpl all $(if $(DATA),--data $(DATA)) --jobs $(JOBS)

# Makes the labelled campaigns and the table of docs/results/isolation.md, "Several causes".
study-isolation: build
	build/release/study_isolation

# Renews the tables and figures of docs/results that another build made.
results: build
	build/release/dissensus study --renew docs/results/*.md --jobs $(JOBS)

# Makes the pages of docs/papers from docs/papers/papers.toml.
papers: whole
	@for paper in discotest icse-seip operators isolation conformance; do \
	  build/release/dissensus paper $$paper --markdown > docs/papers/$$paper.md || exit 1; done

# Renews the figure of docs/results/mechanism.md and the table below it.
study-mechanism: build
	build/release/study_mechanism --jobs $(JOBS)

# Renews the table and the plot of docs/results/byzantine.md.
study-byzantine: build
	build/release/study_byzantine

# A data set of branch outcomes of systems/xrpl, for docs/results/isolation.md.
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

install: setup
	@$(call configure,release)
	cmake --build --preset release -j $(JOBS) --target dissensus_whole dissensus_library
	cmake --install build/release $(if $(PREFIX),--prefix $(PREFIX))

# A Debian package of the release build: build/release/dissensus_VERSION_ARCHITECTURE.deb.
deb: setup
	@$(call configure,release)
	cmake --build --preset release -j $(JOBS) --target dissensus_whole dissensus_library
	scripts/deb build/release

setup:
	@scripts/setup build
	@mkdir -p build

setup-pages: setup
	@scripts/setup pages

setup-test: setup
	@scripts/setup test
	@scripts/setup servers

setup-tools: setup
	@scripts/setup tools

clean:
	rm -rf build
