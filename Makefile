# SPDX-License-Identifier: GPL-2.0
# The lab's commands. What stands in Linux is under series/, and there the
# kernel's own Makefiles build it.

ARCH ?= x86_64
export ARCH

.PHONY: help run shell test test-full test-cost test-debug test-configs test-mutants test-decode bench series series-check clean

help:
	@echo 'make run              build the kernel of the series, boot it, show hooks at work'
	@echo 'make run MODULE=DIR   build the modules in DIR against it, load them, show what they print'
	@echo 'make shell            boot it to a shell (TESTS=1: the kernel that the tests run on)'
	@echo 'make test             run all tests in guests (TEST=GLOB: some; GUESTS="1 4": in some; LONG=1: more of it)'
	@echo 'make test-full        the base source'"'"'s ftrace selftests on the untouched kernel and on ours, side by side'
	@echo 'make test-cost        what hooks and probes cost, on the untouched kernel and on ours, side by side'
	@echo 'make test-debug       the same on a kernel with KASAN, lockdep and their like'
	@echo 'make test-configs     compile our files in other configurations, and the style checks'
	@echo 'make test-mutants     break each requirement and see its test fail (MUTANT=GLOB: some)'
	@echo 'make test-decode      compare where probes see instructions with objdump, in all functions'
	@echo 'make bench            test-cost with more rows, goals, a chart; not run through yet (BENCH_ONCE=1: not twice; STEPS=1: list a hit)'
	@echo 'make series           write the patches to build/series/ and see that they apply'
	@echo 'make series-check     build the kernel at each patch'
	@echo 'make clean            remove build/'
	@echo 'ARCH=arm64            run, shell, test: on arm64 (function hooks only; being written)'

run:
	@MODULE='$(MODULE)' lab/run.sh

shell:
	@lab/shell.sh

test:
	@TEST='$(TEST)' GUESTS='$(GUESTS)' LONG='$(LONG)' lab/test.sh

test-full:
	@TEST='$(TEST)' lab/full.sh

test-cost:
	@lab/cost.sh

bench:
	@BENCH_ONCE='$(BENCH_ONCE)' STEPS='$(STEPS)' lab/bench.sh

test-debug:
	@DEBUG=1 TEST='$(TEST)' GUESTS='$(GUESTS)' lab/test.sh

test-configs:
	@TEST='$(TEST)' lab/configs.sh

test-mutants:
	@MUTANT='$(MUTANT)' lab/mutants.sh

test-decode:
	@lab/decode.sh

series:
	@lab/series.sh

series-check:
	@lab/series.sh check

clean:
	@lab/clean.sh
