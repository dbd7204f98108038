# SPDX-License-Identifier: GPL-2.0
#
# fabsim: what to type. `make help` lists the targets.
#
# Nothing is compiled beside its source: the module of each kernel goes to
# build/VERSION/, so several kernels' modules lie side by side. Kernels,
# kselftest and the debug kernel are kept outside of the tree, in $FABSIM_CACHE.

SHELL := /bin/bash
.DEFAULT_GOAL := all
# Targets call apt and boot VMs: one after the other. What may run in parallel
# (compiling) does so in the makes below this one.
.NOTPARALLEL:

VM      := selftests/vm
JOBS    := $(shell nproc)
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

# Which kernel the module is for: 6.1, 6.12, debug, or a full version. Unless
# told, the running one where its headers are installed, else Debian's 6.1.
KVER ?= $(if $(wildcard /lib/modules/$(shell uname -r)/build/Makefile),$(shell uname -r),6.1)

# Scenarios that `make run` runs, one test of `make check`, the VM's kernel.
RUN    ?= baseline
TESTS  ?=
KERNEL ?= 6.1

##@ Using it

.PHONY: run
run: deps all-6.1 ## install what is missing, build, boot the lab VM and run scenario "baseline"
	@$(VM)/run -k 6.1 -n -t 300 -- sh -c 'modprobe fabsim && exec fabctl run $(RUN)'

.PHONY: vm
vm: deps-vm all-6.1 ## a shell in the lab VM; ./lab of this folder is /lab there
	@$(VM)/lab -k $(KERNEL)

.PHONY: attach
attach: ## a second console of the VM that `make vm` started
	@$(VM)/lab --attach

.PHONY: load
load: all ## load the module into this machine's own kernel
	@for m in $$(modinfo -F depends $(call ko) | tr , ' '); do modprobe $$m; done
	insmod $(call ko)

.PHONY: unload
unload: ## take the lab down and unload the module
	@if [ -x ctl/fabctl ]; then ctl/fabctl down || true; fi
	rmmod fabsim

.PHONY: install
install: ctl ## install for good: the module through DKMS, fabctl, man page, scenarios
	@command -v dkms >/dev/null || selftests/deps install
	rm -rf /usr/src/fabsim-$(VERSION)
	mkdir -p /usr/src/fabsim-$(VERSION)
	cp -r Kbuild dkms.conf LICENSE kmod /usr/src/fabsim-$(VERSION)/
	-dkms remove fabsim/$(VERSION) --all 2>/dev/null
	dkms install fabsim/$(VERSION)
	$(MAKE) -C ctl install

.PHONY: uninstall
uninstall: ## undo `make install`
	-dkms remove fabsim/$(VERSION) --all
	rm -rf /usr/src/fabsim-$(VERSION)
	$(MAKE) -C ctl uninstall

##@ Building it

.PHONY: all
all: module ctl ## the module (for KVER) and fabctl

.PHONY: deps
deps: ## install what building and the VM need (asks apt once, only for what is missing)
	@selftests/deps run

.PHONY: module
module: ## fabsim.ko for KVER=6.1|6.12|debug|VERSION, in build/VERSION/
	@found=$$($(VM)/kernel --headers $(KVER)) && set -- $$found && \
	$(MAKE) --no-print-directory module-in BUILD=build/$$1 KDIR=$$2

# The sources appear in the build folder as links, because kbuild puts an
# object beside its source. A lock, since VMs that start together build together.
.PHONY: module-in
module-in:
	@mkdir -p $(BUILD)
	@exec 9>$(BUILD)/.lock; flock 9; \
	find $(BUILD)/kmod -xtype l -delete 2>/dev/null; \
	find kmod -type d | while read -r dir; do \
		mkdir -p "$(BUILD)/$$dir"; \
		find "$(CURDIR)/$$dir" -maxdepth 1 -name '*.[ch]' -exec ln -sft "$(BUILD)/$$dir" {} +; \
	done; \
	ln -sf $(CURDIR)/Kbuild $(BUILD)/Kbuild; \
	$(MAKE) --no-print-directory -j$(JOBS) -C $(KDIR) M=$(CURDIR)/$(BUILD) \
		CONFIG_DEBUG_INFO_BTF_MODULES= $(KFLAGS) modules

.PHONY: ctl
ctl: ## fabctl
	@$(MAKE) -q -C ctl 2>/dev/null || $(MAKE) --no-print-directory -j$(JOBS) -C ctl

.PHONY: all-6.1
all-6.1: ctl
	@$(MAKE) --no-print-directory module KVER=6.1

.PHONY: clean
clean: ## remove what was built in the tree
	rm -rf build
	$(MAKE) -C ctl clean

##@ Testing it

.PHONY: check
check: deps-test ## every test, on Debian's 6.1 and 6.12 kernels
	@selftests/check unit 6.1 6.12

.PHONY: check-debug
check-debug: deps-debug ## for developers: the same tests in a kernel with KASAN, lockdep, kmemleak
	@selftests/check debug

.PHONY: check-unit
check-unit: deps ## the tests of the pure parts, in userspace under ASan and UBSan
	@selftests/check unit

.PHONY: check-style
check-style: deps-style ## checkpatch, sparse, W=1, kernel-doc
	@selftests/style

.PHONY: bench
bench: deps-test all-6.1 ## measure the figures (apart from the tests)
	@selftests/bench/run

.PHONY: deps-vm deps-test deps-debug deps-style
deps-vm deps-test deps-debug deps-style:
	@selftests/deps run $(@:deps-%=%)

##@ Help

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^##@/ { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The file of the module for KVER, as a shell expression.
ko = build/$$($(VM)/kernel --headers $(KVER) | head -1)/fabsim.ko
