# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The guests' file system, an initramfs: busybox, the lab's guest scripts, the
# kernel's modules, ours, the demonstration and the tests.

# external_modules OUT DIR...: build directories of the repository against the
# kernel in OUT, in OUT-modules/.
external_modules() {
	local out=$1 dir to key
	for dir in "${@:2}"; do
		[ -f "$ROOT/$dir/Makefile" ] || [ -f "$ROOT/$dir/Kbuild" ] || continue
		to=$out-modules/${dir//\//-}
		mkdir -p "$to"
		key=$({ cat "$out/.built"; cd "$ROOT/$dir" && find . -type f -exec sha1sum {} + | sort; } | sha1sum)
		[ "$key" != "$(cat "$to/.key" 2>/dev/null)" ] || continue
		note "modules of $dir"
		rm -f "$to/.key"
		build_modules "$LINUX" "$out" "$ROOT/$dir" "$to"
		echo "$key" >"$to/.key"
	done
}

# user_programs OUT: build tools/testing/hooks/user, in OUT-user/.
user_programs() {
	local log=$LOGS/user.log
	mkdir -p "$1-user"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u MAKEOVERRIDES \
		make -C "$ROOT/tools/testing/hooks/user" OUT="$1-user" \
		CC="${CROSS}gcc" ARCH="$ARCH" \
		>"$log" 2>&1 </dev/null ||
		fail 'the programs of tools/testing/hooks/user do not build' "$log"
}

# stage_base STAGE: busybox and the lab's own scripts.
stage_base() {
	local stage=$1 name
	mkdir -p "$stage"/{bin,dev,proc,sys,tmp,lab,modules,etc}
	cp "$(command -v "$BUSYBOX")" "$stage/bin/busybox"
	busybox --list | grep -vx busybox | while IFS= read -r name; do
		ln -sf busybox "$stage/bin/$name"
	done
	ln -sfn bin "$stage/sbin"
	mkdir -p "$stage/usr"
	ln -sfn ../bin "$stage/usr/bin"
	cp "$LAB"/guest/*.sh "$stage/lab/"
	install -m 755 "$LAB/guest/init" "$stage/init"
	printf '%s\n' root:x:0:0:root:/tmp:/bin/sh nobody:x:65534:65534:::/bin/false \
		>"$stage/etc/passwd"
	printf '%s\n' root:x:0: nogroup:x:65534: >"$stage/etc/group"
}

# stage_program STAGE NAME: one of this machine's, with the libraries it needs.
stage_program() {
	local program library
	program=$(command -v "$2")
	mkdir -p "$1/bin"
	cp -L "$program" "$1/bin/$2"
	ldd "$program" | grep -o '/[^ ]*' | while IFS= read -r library; do
		mkdir -p "$1$(dirname "$library")"
		cp -L "$library" "$1$library"
	done
}

# stage_tree STAGE: what comes from the kernel tree and from the repository.
stage_tree() {
	local stage=$1 out=$2 dir
	find "$out" "$out-modules" -name '*.ko' -exec cp -t "$stage/modules" {} + \
		2>/dev/null || true
	[ ! -d "$out-user" ] || find "$out-user" -type f -exec cp -t "$stage/bin" {} +
	for dir in samples/hooks tools/testing/hooks/guest; do
		[ -d "$ROOT/$dir" ] || continue
		mkdir -p "$stage/$dir"
		cp -r "$ROOT/$dir/." "$stage/$dir/"
	done
	mkdir -p "$stage/selftests"
	cp -r "$LINUX/tools/testing/selftests/ftrace" "$stage/selftests/"
	# modprobe's own place for modules; the base's selftests call it.
	mkdir -p "$stage/lib/modules"
	ln -sfn ../../modules "$stage/lib/modules/$(cat "$out/include/config/kernel.release")"
}

# pack STAGE IMAGE
pack() {
	(cd "$1" && find . -print0 | sort -z |
	 cpio --null -o -H newc --quiet -R 0:0) >"$2"
}

# make_image OUT IMAGE
make_image() {
	local stage=$2.d
	rm -rf "$stage"
	stage_base "$stage"
	stage_tree "$stage" "$1"
	pack "$stage" "$2"
	rm -rf "$stage"
}

# add_to_image IMAGE EXTRA NEW: another directory on top; an initramfs may be
# several archives one after another.
add_to_image() {
	pack "$2" "$3.extra"
	cat "$1" "$3.extra" >"$3"
	rm -f "$3.extra"
}
