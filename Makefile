# takt: every target sets up what it needs first; set-up that is done costs nothing.
#
#   make build ROS=jazzy PACKAGES="takt_core"     see `make help`

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

S := tools/setup
C := tools/checks
export ROS OVERLAY VARIANT UBSAN BUILD_TYPE PACKAGES TESTS UNITY APART JOBS BUILD_ROOT

.PHONY: help setup build test smoke soak bench demo sanitize sanitize-asan sanitize-tsan format check budgets clean distclean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'
	@printf '%s\n' '' 'Variables:' \
	  '  ROS=distribution      which ROS 2 (default: the sourced one, else Kilted from wheels)' \
	  '  OVERLAY=dir           a folder with rclcpp, where ROS 2 is from wheels; none: without one' \
	  '  PACKAGES="a b"        build: only these and what they need; test: only these' \
	  '  TESTS=regex           test: only tests whose name matches' \
	  '  VARIANT=asan|tsan     a sanitizer build, in a build directory of its own' \
	  '  UBSAN=brief           without the checks that AddressSanitizer mostly covers' \
	  '  UNITY=yes|no          compile several sources as one: quicker from nothing, slower after a change; default: yes' \
	  '  APART="a b"           packages whose sources are compiled each by itself all the same' \
	  '  BUILD_TYPE=Debug      for debuggers (default: RelWithDebInfo with line numbers only)' \
	  '  JOBS=n                compile jobs, and tests side by side (default: one for each core, and half as many tests more)' \
	  '  BUILD_ROOT=dir        default: build'

setup: ## install what is missing: Debian packages, Python tools, ROS 2
	@$(S)/setup.sh

build: setup ## build all packages with colcon into build/<distro>: what a user needs
	@TAKT_TESTS=no $(S)/build.sh

test: setup ## build all packages with their tests, and run these (all but those labelled soak)
	@$(S)/build.sh
	@$(S)/test.sh test

smoke: setup ## build and run only the tests labelled smoke
	@TAKT_TESTS=smoke $(S)/build.sh
	@$(S)/test.sh smoke

soak: setup ## run the long campaigns (tests labelled soak)
	@$(S)/build.sh
	@$(S)/test.sh soak

bench: build ## run the benchmarks and the hot-path campaign (25 minutes; the machine to itself)
	@./takt bench
	@./takt experiment hot-path

demo: setup ## see it work; builds only what it runs
	@TAKT_TESTS=no PACKAGES=takt_workload $(S)/build.sh
	@./takt demo

sanitize: sanitize-asan sanitize-tsan ## build and test with address, undefined-behaviour and thread sanitizers

sanitize-asan: setup
	@VARIANT=asan $(S)/build.sh
	@VARIANT=asan $(S)/test.sh test

sanitize-tsan: setup
	@VARIANT=tsan $(S)/build.sh
	@VARIANT=tsan $(S)/test.sh test

format: setup ## format C++ and Python
	@$(C)/style.sh fix

check: setup ## style, which package may include which, and how the sources are laid out
	@$(C)/style.sh check
	@source $(S)/env.sh ""; python3 $(C)/check_includes.py; python3 $(C)/check_structure.py; python3 $(C)/house.py

budgets: setup ## after make test: what each package costs the compiler; fails where one is over its budget
	@source $(S)/env.sh ""; python3 $(C)/compile_work.py "$$TAKT_BUILD"

clean: ## remove build/
	rm -rf -- "$${BUILD_ROOT:-build}"

distclean: clean ## remove build/ and the downloaded environments
	rm -rf -- "$${XDG_CACHE_HOME:-$$HOME/.cache}/takt"
